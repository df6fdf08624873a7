#include "swaps.hpp"

#include <cmath>
#include <string>

#include "kernel_parts.hpp"

namespace relyon {
namespace {

// Pairs of documents: each counts the same, wherever its two stand.
class PairSwaps final : public Swaps {
 public:
  enum class Kind { labels, classes };
  enum class Weight { one, pairs, rows, positives };

  PairSwaps(Kind kind, double rel, Weight weight) : kind_(kind), rel_(rel), weight_(weight) {}

  double worth(double label) const override {
    return kind_ == Kind::labels ? label : (label >= rel_ ? 1.0 : 0.0);
  }
  double scale(std::span<const double> worths) const override {
    if (worths.empty() || worths.front() == worths.back()) return 0.0;
    if (weight_ == Weight::one) return 1.0;
    const auto rows = static_cast<double>(worths.size());
    const auto positives = static_cast<double>(relevant_of(worths, 1.0));
    const double each = 1.0 / (positives * (rows - positives));
    return weight_ == Weight::pairs ? each : each * (weight_ == Weight::rows ? rows : positives);
  }
  void fill(const SwapList& list, std::size_t rank, const SwapRoom&,
            double* changes) const override {
    const double own = list.worths[rank];
    for (std::size_t j = rank + 1; j < list.worths.size(); ++j) {
      changes[j] = list.worths[j] == own ? 0.0 : list.scale;
    }
  }

 private:
  const Kind kind_;
  const double rel_;
  const Weight weight_;
};

}  // namespace

std::unique_ptr<Swaps> make_pair_swaps(Parameters& parameters) {
  const std::string& name = parameters.kernel();
  using Weight = PairSwaps::Weight;
  if (name == "pnr" || name == "concordance") {
    parameters.take_choice("label_ties", {"positive", "ignore"});
    parameters.take_choice("score_ties", {"ignore", "half", "rank"});
    parameters.take_choice("unjudged", {"removed", "nonrelevant"});
    parameters.take_number("smoothing", 0.0);
    return std::make_unique<PairSwaps>(PairSwaps::Kind::labels, 0.0, Weight::one);
  }
  if (name == "auc" || name == "gauc") {
    const double rel = parameters.take_number("rel", 1.0);
    parameters.take_choice("unjudged", {"removed", "nonrelevant"});
    parameters.take("undefined");
    if (parameters.take_number("max_fpr", 1.0) < 1.0) {
      parameters.refuse("max_fpr", "native.one-as-objective");
    }
    Weight weight = Weight::pairs;
    if (name == "gauc") {
      constexpr Weight weights[] = {Weight::pairs, Weight::rows, Weight::positives};
      weight = weights[parameters.take_choice("weight", {"uniform", "rows", "positives"})];
    }
    return std::make_unique<PairSwaps>(PairSwaps::Kind::classes, rel, weight);
  }
  return nullptr;
}

std::unique_ptr<Swaps> make_swaps(Parameters parameters, bool uncut) {
  std::unique_ptr<Swaps> swaps = make_gain_swaps(parameters, uncut);
  if (swaps == nullptr && uncut) {
    throw InputError(Sentence("native.has-no-discount", {{"measure", parameters.kernel()}}), {}, 0,
                     "native.beyond-discount-is-for-dcg");
  }
  if (swaps == nullptr) swaps = make_binary_swaps(parameters);
  if (swaps == nullptr) swaps = make_cascade_swaps(parameters);
  if (swaps == nullptr) swaps = make_pair_swaps(parameters);
  if (swaps == nullptr) {
    throw InputError(Sentence("ltr.cannot-be-objective", {{"measure", parameters.kernel()}}), {}, 0,
                     "native.choose-one-of-ndcg");
  }
  parameters.finish();
  return swaps;
}

}  // namespace relyon
