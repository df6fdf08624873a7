// Changes of CG, DCG and NDCG, and of ERR and RBP.
#include <algorithm>
#include <cmath>

#include "kernel_parts.hpp"
#include "swaps.hpp"

namespace relyon {
namespace {

constexpr std::size_t no_cutoff = std::numeric_limits<std::size_t>::max();

std::size_t window_of(std::uint32_t k) { return k == 0 ? no_cutoff : k; }

double finite_worth(double worth, double label, const std::string& measure) {
  if (std::isfinite(worth)) return worth;
  throw InputError(
      Sentence("native.met-label", {{"measure", measure}, {"label", short_text(label)}}), {}, 0,
      "native.give-gain-that-stays");
}

// What the gain at each rank is multiplied by, from rank 0: 0 beyond the cutoff, unless `uncut`.
class Discounts {
 public:
  Discounts(Discount discount, std::size_t last) : last_(last) {
    for (std::size_t i = 0; i < table_size; ++i)
      table_.push_back(i < last ? 1.0 / discount(i + 1) : 0.0);
    discount_ = discount;
  }
  double operator()(std::size_t rank) const {
    if (rank < table_size) return table_[rank];
    return rank < last_ ? 1.0 / discount_(rank + 1) : 0.0;
  }

 private:
  static constexpr std::size_t table_size = 4096;
  Discount discount_;
  std::size_t last_;
  std::vector<double> table_;
};

class GainSwaps final : public Swaps {
 public:
  GainSwaps(std::string name, std::uint32_t k, Gain gain, Discount discount, bool share,
            bool uncut_ideal, bool uncut)
      : name_(std::move(name)),
        gain_(std::move(gain)),
        discounts_(discount, uncut ? no_cutoff : window_of(k)),
        ideal_(discount, uncut_ideal ? no_cutoff : window_of(k)),
        window_(window_of(k)),
        share_(share) {}

  std::size_t window() const override { return window_; }
  double worth(double label) const override { return finite_worth(gain_(label), label, name_); }
  double scale(std::span<const double> worths) const override {
    if (worths.empty() || worths.front() == worths.back()) return 0.0;
    if (!share_) return 1.0;
    double sum = 0.0;
    for (std::size_t i = 0; i < worths.size(); ++i) sum += worths[i] * ideal_(i);
    if (!std::isfinite(sum)) finite_worth(sum, worths.front(), name_);
    return sum > 0 ? 1.0 / sum : 0.0;
  }
  void begin(const SwapList& list, SwapRoom& room) const override {
    room.before.resize(list.worths.size());
    for (std::size_t i = 0; i < list.worths.size(); ++i) room.before[i] = discounts_(i);
  }
  void fill(const SwapList& list, std::size_t rank, const SwapRoom& room,
            double* changes) const override {
    const std::size_t size = list.worths.size();
    const double* const worths = list.worths.data();
    const double* const discounts = room.before.data();
    const double own = worths[rank];
    const double here = discounts[rank];
    const double scale = list.scale;
    for (std::size_t j = rank + 1; j < size; ++j) {
      changes[j] = std::abs((own - worths[j]) * (here - discounts[j])) * scale;
    }
  }

 private:
  const std::string name_;
  const Gain gain_;
  const Discounts discounts_;
  const Discounts ideal_;
  const std::size_t window_;
  const bool share_;
};

// With R(i) the chance that rank i stops a user and T(i) that of reaching it, a swap of i and j
// changes ERR by T(i) (R(i) - R(j)) (1/i - B - Q/j), where B is what the documents between add to
// ERR for a user who starts below i, and Q the chance to pass them all.
class CascadeSwaps final : public Swaps {
 public:
  CascadeSwaps(std::uint32_t k, double highest)
      : highest_(highest), top_(std::pow(2.0, highest)), window_(window_of(k)) {}

  std::size_t window() const override { return window_; }
  double worth(double label) const override {
    if (!(label > 0)) return 0.0;
    if (label > highest_) {
      throw InputError(Sentence("native.err-max-met-grade",
                                {{"highest", short_text(highest_)}, {"grade", short_text(label)}}),
                       {}, 0, Sentence("native.raise-err-max", {{"grade", short_text(label)}}));
    }
    return finite_worth((std::pow(2.0, label) - 1.0) / top_, label, "err");
  }
  double scale(std::span<const double> worths) const override {
    return worths.empty() || worths.front() == worths.back() ? 0.0 : 1.0;
  }
  void begin(const SwapList& list, SwapRoom& room) const override {
    room.reached.resize(list.worths.size());
    double reached = 1.0;
    for (std::size_t i = 0; i < list.worths.size(); ++i) {
      room.reached[i] = reached;
      reached *= 1.0 - list.worths[i];
    }
  }
  void fill(const SwapList& list, std::size_t rank, const SwapRoom& room,
            double* changes) const override {
    const double own = list.worths[rank];
    const double reached = room.reached[rank];
    const double here = share(rank);
    double between = 0.0;
    double passed = 1.0;
    for (std::size_t j = rank + 1; j < list.worths.size(); ++j) {
      const double other = list.worths[j];
      const double there = share(j);
      changes[j] = std::abs(reached * (own - other) * (here - between - passed * there));
      between += passed * other * there;
      passed *= 1.0 - other;
    }
  }

 private:
  double share(std::size_t rank) const {
    return rank < window_ ? 1.0 / static_cast<double>(rank + 1) : 0.0;
  }

  const double highest_;
  const double top_;
  const std::size_t window_;
};

class PersistenceSwaps final : public Swaps {
 public:
  PersistenceSwaps(std::uint32_t k, double persistence, double rel, bool graded, Gain gain,
                   bool normalise)
      : persistence_(persistence),
        rel_(rel),
        graded_(graded),
        gain_(std::move(gain)),
        normalise_(normalise && graded),
        window_(window_of(k)) {}

  std::size_t window() const override { return window_; }
  double worth(double label) const override {
    if (!graded_) return label >= rel_ ? 1.0 : 0.0;
    const double worth = finite_worth(gain_(label), label, "rbp");
    if (worth > 1 && !normalise_) {
      throw InputError(Sentence("native.rbp-needs-gains", {{"gain", short_text(worth)}}), {}, 0,
                       "native.give-map-of-grades");
    }
    return worth;
  }
  double scale(std::span<const double> worths) const override {
    if (worths.empty() || worths.front() == worths.back()) return 0.0;
    return (1.0 - persistence_) / (normalise_ ? std::max(1.0, worths.front()) : 1.0);
  }
  void begin(const SwapList& list, SwapRoom& room) const override {
    room.before.resize(list.worths.size());
    double weight = 1.0;
    for (std::size_t i = 0; i < list.worths.size(); ++i) {
      room.before[i] = i < window_ ? weight : 0.0;
      weight *= persistence_;
    }
  }
  void fill(const SwapList& list, std::size_t rank, const SwapRoom& room,
            double* changes) const override {
    const double own = list.worths[rank];
    const double here = room.before[rank];
    for (std::size_t j = rank + 1; j < list.worths.size(); ++j) {
      changes[j] = std::abs((own - list.worths[j]) * (here - room.before[j])) * list.scale;
    }
  }

 private:
  const double persistence_;
  const double rel_;
  const bool graded_;
  const Gain gain_;
  const bool normalise_;
  const std::size_t window_;
};

}  // namespace

std::unique_ptr<Swaps> make_gain_swaps(Parameters& parameters, bool uncut) {
  const std::string& name = parameters.kernel();
  if (name != "cg" && name != "dcg" && name != "ndcg") return nullptr;
  const std::uint32_t k = parameters.take_cutoff();
  Gain gain = Gain::take(parameters);
  const Discount discount =
      name == "cg" ? Discount(Discount::Kind::none) : Discount::take(parameters);
  if (discount.kind() == Discount::Kind::none && (k == 0 || uncut)) {
    throw InputError(Sentence("native.no-order-of-list", {{"measure", name}}), {}, 0,
                     "native.give-cutoff");
  }
  const bool share = name == "ndcg";
  // Every document of the rows is judged and ranked, so that the other ideals are the same.
  const bool uncut_ideal =
      share && parameters.take_choice("ideal", {"judged", "retrieved", "hits", "uncut"}) == 3;
  parameters.take_number("unjudged", 0.0);
  return std::make_unique<GainSwaps>(name, k, std::move(gain), discount, share, uncut_ideal, uncut);
}

std::unique_ptr<Swaps> make_cascade_swaps(Parameters& parameters) {
  const std::string& name = parameters.kernel();
  if (name == "err") {
    const std::uint32_t k = parameters.take_cutoff();
    parameters.take_number("unjudged", 0.0);
    return std::make_unique<CascadeSwaps>(k, parameters.take_number("max", 1.0));
  }
  if (name == "rbp") {
    const std::uint32_t k = parameters.take_cutoff();
    const double persistence = parameters.take_number("p", 0.8);
    if (!(persistence > 0 && persistence < 1)) parameters.refuse("p", "between 0 and 1");
    const double rel = parameters.take_rel();
    const bool graded = parameters.has("gain");
    const bool normalise = parameters.take_flag("normalise", false);
    return std::make_unique<PersistenceSwaps>(k, persistence, rel, graded, Gain::take(parameters),
                                              normalise);
  }
  return nullptr;
}

}  // namespace relyon
