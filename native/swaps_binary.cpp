// Changes of AP, RR, P, Recall and Success: exactly one of the two documents is relevant.
#include <algorithm>
#include <cmath>

#include "kernel_parts.hpp"
#include "swaps.hpp"

namespace relyon {
namespace {

constexpr std::size_t everywhere = std::numeric_limits<std::size_t>::max();

class BinarySwaps : public Swaps {
 public:
  BinarySwaps(std::uint32_t k, double rel) : window_(k == 0 ? everywhere : k), rel_(rel) {}

  std::size_t window() const override { return window_; }
  double worth(double label) const override { return label >= rel_ ? 1.0 : 0.0; }
  double scale(std::span<const double> worths) const override {
    if (worths.empty() || worths.front() == worths.back()) return 0.0;
    return 1.0 / divisor(relevant_of(worths, 1.0), worths.size());
  }

 protected:
  virtual double divisor(std::uint64_t relevant, std::size_t size) const = 0;
  bool inside(std::size_t rank) const { return rank < window_; }
  // 1/rank of a rank from 0 that the cutoff leaves in.
  double share(std::size_t rank) const {
    return inside(rank) ? 1.0 / static_cast<double>(rank + 1) : 0.0;
  }

  const std::size_t window_;
  const double rel_;
};

// P and Recall: the number of relevant documents inside the cutoff.
class HitSwaps final : public BinarySwaps {
 public:
  enum class Divisor { cutoff, shorter, relevant, capped };

  HitSwaps(std::uint32_t k, double rel, Divisor divisor) : BinarySwaps(k, rel), divisor_(divisor) {}

  void fill(const SwapList& list, std::size_t rank, const SwapRoom&,
            double* changes) const override {
    const double own = list.worths[rank];
    for (std::size_t j = rank + 1; j < list.worths.size(); ++j) {
      changes[j] = inside(rank) && !inside(j) && list.worths[j] != own ? list.scale : 0.0;
    }
  }

 protected:
  double divisor(std::uint64_t relevant, std::size_t size) const override {
    switch (divisor_) {
      case Divisor::cutoff:
        return static_cast<double>(window_);
      case Divisor::shorter:
        return static_cast<double>(std::min(window_, size));
      case Divisor::relevant:
        return static_cast<double>(relevant);
      default:
        return static_cast<double>(std::min<std::uint64_t>(relevant, window_));
    }
  }

 private:
  const Divisor divisor_;
};

class SuccessSwaps final : public BinarySwaps {
 public:
  using BinarySwaps::BinarySwaps;

  void begin(const SwapList& list, SwapRoom& room) const override {
    double found = 0.0;
    for (std::size_t i = 0; i < list.worths.size() && inside(i); ++i) found += list.worths[i];
    room.before.assign(1, found);
  }
  void fill(const SwapList& list, std::size_t rank, const SwapRoom& room,
            double* changes) const override {
    const double found = room.before[0];
    const double own = list.worths[rank];
    // The last relevant document leaves the top, or the first comes into it.
    const bool matters = inside(rank) && (own > 0 ? found == 1 : found == 0);
    for (std::size_t j = rank + 1; j < list.worths.size(); ++j) {
      changes[j] = matters && !inside(j) && list.worths[j] != own ? 1.0 : 0.0;
    }
  }

 protected:
  double divisor(std::uint64_t, std::size_t) const override { return 1.0; }
};

class ReciprocalSwaps final : public BinarySwaps {
 public:
  using BinarySwaps::BinarySwaps;

  // The ranks of the first two relevant documents.
  void begin(const SwapList& list, SwapRoom& room) const override {
    room.before.assign(2, static_cast<double>(list.worths.size()));
    std::size_t found = 0;
    for (std::size_t i = 0; i < list.worths.size() && found < 2; ++i) {
      if (list.worths[i] > 0) room.before[found++] = static_cast<double>(i);
    }
  }
  void fill(const SwapList& list, std::size_t rank, const SwapRoom& room,
            double* changes) const override {
    const auto first = static_cast<std::size_t>(room.before[0]);
    const auto second = static_cast<std::size_t>(room.before[1]);
    const double own = list.worths[rank];
    const double now = share(first);
    for (std::size_t j = rank + 1; j < list.worths.size(); ++j) {
      if (list.worths[j] == own) {
        changes[j] = 0.0;
      } else if (own > 0) {
        changes[j] = rank == first ? now - share(std::min(j, second)) : 0.0;
      } else {
        changes[j] = rank < first ? share(rank) - now : 0.0;
      }
    }
  }

 protected:
  double divisor(std::uint64_t, std::size_t) const override { return 1.0; }
};

class PrecisionSwaps final : public BinarySwaps {
 public:
  enum class Denominator { relevant, capped, retrieved };

  PrecisionSwaps(std::uint32_t k, double rel, Denominator denominator)
      : BinarySwaps(k, rel), denominator_(denominator) {}

  // By rank: relevant documents above, and the sum of 1/rank over them; at the end: those inside
  // the cutoff, and the sum of their precisions.
  void begin(const SwapList& list, SwapRoom& room) const override {
    const std::size_t size = list.worths.size();
    room.before.resize(size + 1);
    room.reached.resize(size + 1);
    double found = 0.0;
    double shares = 0.0;
    double found_inside = 0.0;
    double precisions = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      room.before[i] = found;
      room.reached[i] = shares;
      found += list.worths[i];
      shares += list.worths[i] * share(i);
      precisions += list.worths[i] * found * share(i);
      if (inside(i)) found_inside = found;
    }
    room.before[size] = found_inside;
    room.reached[size] = precisions;
  }
  void fill(const SwapList& list, std::size_t rank, const SwapRoom& room,
            double* changes) const override {
    const std::size_t size = list.worths.size();
    const double own = list.worths[rank];
    const double found = room.before[size];
    const double sum = room.reached[size];
    for (std::size_t j = rank + 1; j < size; ++j) {
      if (list.worths[j] == own) {
        changes[j] = 0.0;
        continue;
      }
      // The relevant one of the two at `rank` instead of at j. Those between count one more, and
      // down to j both orders hold as many.
      const double between = room.reached[j] - room.reached[rank] - own * share(rank);
      const double down_to_j = room.before[j] + (1.0 - own);
      const double change =
          (room.before[rank] + 1.0) * share(rank) + between - down_to_j * share(j);
      if (denominator_ != Denominator::retrieved) {
        changes[j] = std::abs(change) * list.scale;
        continue;
      }
      const double sign = own > 0 ? -1.0 : 1.0;
      const double more = inside(rank) && !inside(j) ? 1.0 : 0.0;
      changes[j] = std::abs(mean(sum + sign * change, found + sign * more) - mean(sum, found));
    }
  }

 protected:
  double divisor(std::uint64_t relevant, std::size_t) const override {
    if (denominator_ == Denominator::retrieved) return 1.0;
    const bool capped = denominator_ == Denominator::capped;
    return static_cast<double>(capped ? std::min<std::uint64_t>(relevant, window_) : relevant);
  }

 private:
  static double mean(double sum, double found) { return found > 0 ? sum / found : 0.0; }

  const Denominator denominator_;
};

}  // namespace

std::unique_ptr<Swaps> make_binary_swaps(Parameters& parameters) {
  const std::string& name = parameters.kernel();
  const bool counts = name == "p" || name == "recall" || name == "success";
  if (!counts && name != "ap" && name != "rr") return nullptr;
  const std::uint32_t k = parameters.take_cutoff();
  const double rel = parameters.take_rel();
  if (counts && k == 0) {
    throw InputError(Sentence("native.no-order-of-list", {{"measure", name}}), {}, 0,
                     "native.give-cutoff");
  }
  if (name == "recall") {
    const bool capped = parameters.take_flag("capped", false);
    return std::make_unique<HitSwaps>(
        k, rel, capped ? HitSwaps::Divisor::capped : HitSwaps::Divisor::relevant);
  }
  if (name == "p") {
    const bool shorter = parameters.take_choice("denominator", {"k", "retrieved"}) == 1;
    parameters.take_choice("no_relevant", {"zero", "undefined"});
    return std::make_unique<HitSwaps>(
        k, rel, shorter ? HitSwaps::Divisor::shorter : HitSwaps::Divisor::cutoff);
  }
  if (name == "success") {
    parameters.take_choice("no_relevant", {"zero", "undefined"});
    return std::make_unique<SuccessSwaps>(k, rel);
  }
  if (name == "rr") return std::make_unique<ReciprocalSwaps>(k, rel);
  const auto denominator = static_cast<PrecisionSwaps::Denominator>(
      parameters.take_choice("denominator", {"relevant", "capped", "retrieved"}));
  return std::make_unique<PrecisionSwaps>(k, rel, denominator);
}

}  // namespace relyon
