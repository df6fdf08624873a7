// Sets and counts: set AP, utility, unjudged documents, interpolated precision, geometric means.
#include "kernel_parts.hpp"
#include "kernels.hpp"

namespace relyon {
namespace {

class SetPrecisionRecall final : public BinaryKernel {
 public:
  SetPrecisionRecall(double rel, bool expected) : BinaryKernel(0, rel, expected) {}

  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint64_t judged = relevant_judged(query);
    if (judged == 0) return {};
    if (query.retrieved == 0) return mean_of(0.0);
    const double found = hits(query, limit_);
    return mean_of(found * found /
                   (static_cast<double>(query.retrieved) * static_cast<double>(judged)));
  }
};

class Utility final : public BinaryKernel {
 public:
  struct Worths {
    double tp, fp, fn, tn, docs;
  };

  Utility(double rel, Worths worths, bool expected)
      : BinaryKernel(0, rel, expected), worths_(worths) {}

  Partial score(const QueryView& query, Scratch&) const override {
    const double found = hits(query, limit_);
    const auto retrieved = static_cast<double>(query.retrieved);
    const auto judged = static_cast<double>(relevant_judged(query));
    return mean_of(worths_.tp * found + worths_.fp * (retrieved - found) +
                   worths_.fn * (judged - found) +
                   worths_.tn * (worths_.docs + found - retrieved - judged));
  }

 private:
  const Worths worths_;
};

class UnjudgedShare final : public CutKernel {
 public:
  UnjudgedShare(std::uint32_t k, bool expected) : CutKernel(k), expected_(expected) {}
  bool needs_all_ranks() const override { return true; }

  Partial score(const QueryView& query, Scratch&) const override {
    const auto of = static_cast<double>(k_ == 0 ? query.retrieved : limit_);
    double judged = 0.0;
    if (expected_) {
      for_ties(query.ranked, [&](const Tie& tie) {
        const double within = tie.within(limit_);
        judged += static_cast<double>(tie.members.size()) * within / tie.size();
        return within > 0;
      });
    } else {
      const auto end =
          std::partition_point(query.ranked.begin(), query.ranked.end(),
                               [this](const Ranked& document) { return document.rank <= limit_; });
      judged = static_cast<double>(end - query.ranked.begin());
    }
    const double found = static_cast<double>(depth(query)) - judged;
    return {of > 0 ? found / of : 0.0, found, of};
  }

 private:
  const bool expected_;
};

class NonrelevantRetrieved final : public Kernel {
 public:
  explicit NonrelevantRetrieved(double rel) : rel_(rel) {}
  bool needs_all_ranks() const override { return true; }

  Partial score(const QueryView& query, Scratch&) const override {
    const auto found =
        std::count_if(query.ranked.begin(), query.ranked.end(),
                      [this](const Ranked& document) { return !(document.grade >= rel_); });
    return mean_of(static_cast<double>(found));
  }

 private:
  const double rel_;
};

class Queries final : public Kernel {
 public:
  Partial score(const QueryView&, Scratch&) const override { return mean_of(1.0); }
};

class ResidualPrecision final : public Kernel {
 public:
  ResidualPrecision(double persistence, bool always) : persistence_(persistence), always_(always) {}
  bool needs_all_ranks() const override { return true; }

  Partial score(const QueryView& query, Scratch&) const override {
    double sum = 0.0;
    double weight = 1.0;
    auto next = query.ranked.begin();
    for (std::uint64_t rank = 1; rank <= query.retrieved; ++rank) {
      if (next != query.ranked.end() && next->rank == rank) {
        ++next;
      } else {
        sum += weight;
      }
      weight *= persistence_;
    }
    if (sum == 0 && !always_) return mean_of(0.0);
    return mean_of(weight + (1 - persistence_) * sum);
  }

 private:
  const double persistence_;
  const bool always_;
};

// How a level of recall times R becomes a number of relevant documents.
class Levels {
 public:
  enum class Rounding { up, nearest, nine_tenths };
  explicit Levels(Rounding rounding) : rounding_(rounding) {}

  std::size_t operator()(double level, double relevant) const {
    const double exact = level * relevant;
    const double whole = rounding_ == Rounding::nearest       ? std::floor(exact + 0.5)
                         : rounding_ == Rounding::nine_tenths ? std::floor(exact + 0.9)
                                                              : std::ceil(exact - 1e-9);
    return whole < 1 ? 1 : static_cast<std::size_t>(whole);
  }

 private:
  const Rounding rounding_;
};

class InterpolatedPrecision : public BinaryKernel {
 public:
  InterpolatedPrecision(double rel, std::vector<double> levels, Levels::Rounding rounding)
      : BinaryKernel(0, rel, false), levels_(std::move(levels)), needed_(rounding) {}

  Partial score(const QueryView& query, Scratch& scratch) const override {
    const std::uint64_t judged = relevant_judged(query);
    if (judged == 0) return {};
    // precisions[i]: the highest P where i + 1 or more relevant documents were found
    std::vector<double>& precisions = scratch.doubles;
    precisions.clear();
    for (const Ranked& document : query.ranked) {
      if (!relevant(document)) continue;
      precisions.push_back(static_cast<double>(precisions.size() + 1) /
                           static_cast<double>(document.rank));
    }
    for (std::size_t i = precisions.size(); i-- > 1;) {
      precisions[i - 1] = std::max(precisions[i - 1], precisions[i]);
    }
    double sum = 0.0;
    for (const double level : levels_) {
      const std::size_t count = needed_(level, static_cast<double>(judged));
      if (count <= precisions.size()) sum += precisions[count - 1];
    }
    return mean_of(sum / static_cast<double>(levels_.size()));
  }

 private:
  const std::vector<double> levels_;
  const Levels needed_;
};

// Adds up logarithms, so that queries are combined by their geometric mean.
class Geometric final : public Kernel {
 public:
  explicit Geometric(std::unique_ptr<Kernel> kernel) : kernel_(std::move(kernel)) {}

  Partial score(const QueryView& query, Scratch& scratch) const override {
    constexpr double floor = 0.00001;
    const double value = kernel_->score(query, scratch).value;
    if (std::isnan(value)) return {};
    return {value, std::log(std::max(value, floor)), 1.0};
  }
  std::uint32_t cutoff() const override { return kernel_->cutoff(); }
  bool needs_all_ranks() const override { return kernel_->needs_all_ranks(); }

 private:
  const std::unique_ptr<Kernel> kernel_;
};

}  // namespace

std::unique_ptr<Kernel> make_set_kernel(Parameters& parameters, const Rules& rules) {
  const std::string& name = parameters.kernel();
  const bool expected = rules.ties == Ties::expected;
  if (name == "set_ap")
    return std::make_unique<SetPrecisionRecall>(parameters.take_rel(), expected);
  if (name == "utility") {
    const Utility::Worths worths{
        parameters.take_number("tp", 1.0), parameters.take_number("fp", -1.0),
        parameters.take_number("fn", 0.0), parameters.take_number("tn", 0.0),
        parameters.take_number("docs", 0.0)};
    return std::make_unique<Utility>(parameters.take_rel(), worths, expected);
  }
  if (name == "unjudged")
    return std::make_unique<UnjudgedShare>(parameters.take_cutoff(), expected);
  if (name == "num_nonrel_ret")
    return std::make_unique<NonrelevantRetrieved>(parameters.take_rel());
  if (name == "num_q") return std::make_unique<Queries>();
  if (name == "rbp_residual") {
    if (expected) refuse_expected(name);
    const double persistence = parameters.take_number("p", 0.8);
    if (!(persistence > 0 && persistence < 1)) parameters.refuse("p", "between 0 and 1");
    const bool always = parameters.take_choice("tail", {"always", "unjudged"}) == 0;
    return std::make_unique<ResidualPrecision>(persistence, always);
  }
  if (name == "iprec" || name == "iap") {
    if (expected) refuse_expected(name);
    std::vector<double> levels;
    if (name == "iprec") {
      levels.push_back(parameters.take_number("recall", 0.0));
    } else {
      const double last = parameters.take_number("points", 11.0) - 1.0;
      if (!(last >= 1.0)) parameters.refuse("points", "2 or more");
      for (double place = 0; place <= last; ++place) levels.push_back(place / last);
    }
    const auto rounding = static_cast<Levels::Rounding>(
        parameters.take_choice("rounding", {"up", "nearest", "nine-tenths"}));
    return std::make_unique<InterpolatedPrecision>(parameters.take_rel(), std::move(levels),
                                                   rounding);
  }
  if (name == "gm_ap" || name == "gm_bpref") {
    if (expected) refuse_expected(name);
    Parameters inner = parameters.renamed(name == "gm_ap" ? "ap" : "bpref");
    auto kernel =
        name == "gm_ap" ? make_binary_kernel(inner, rules) : make_incomplete_kernel(inner, rules);
    inner.finish();
    parameters = Parameters(name, {});
    return std::make_unique<Geometric>(std::move(kernel));
  }
  return nullptr;
}

}  // namespace relyon
