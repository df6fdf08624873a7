// Measures of the order itself: similarity to the ideal order (Compat), correct pairs (Accuracy).
#include "kernel_parts.hpp"
#include "kernels.hpp"

namespace relyon {
namespace {

class Compatibility final : public Kernel {
 public:
  Compatibility(double persistence, bool normalize, bool zero)
      : persistence_(persistence), normalize_(normalize), zero_(zero) {}

  Partial score(const QueryView& query, Scratch& scratch) const override {
    const auto relevant = std::partition_point(query.judged.begin(), query.judged.end(),
                                               [](double grade) { return grade > 0; });
    const auto count = static_cast<std::uint64_t>(relevant - query.judged.begin());
    if (count == 0) return {};
    const std::uint64_t depth = std::max(query.retrieved, count);
    // joining[i]: documents that both lists hold from rank i on
    std::vector<std::int64_t>& joining = scratch.integers;
    joining.assign(depth + 1, 0);
    place(query, {query.judged.begin(), relevant}, joining);
    double sum = 0.0;
    double best = 0.0;
    double weights = 0.0;
    double weight = 1.0;
    std::int64_t both = 0;
    for (std::uint64_t rank = 1; rank <= depth; ++rank) {
      both += joining[rank];
      const auto i = static_cast<double>(rank);
      sum += weight * static_cast<double>(both) / i;
      best += weight * static_cast<double>(std::min(rank, count)) / i;
      weights += weight;
      weight *= persistence_;
    }
    return mean_of(sum / (normalize_ ? best : weights));
  }

 private:
  // The ideal list: better grades first, equal grades as the run has them.
  void place(const QueryView& query, std::span<const double> ideal,
             std::vector<std::int64_t>& joining) const {
    for (std::size_t start = 0; start < ideal.size();) {
      std::size_t end = start + 1;
      while (end < ideal.size() && ideal[end] == ideal[start]) ++end;
      const double grade = ideal[start];
      const auto below = [this](const Ranked& document) { return zero_ && document.score < 0; };
      // of this grade: next rank of the documents above those that the run lacks, and below them
      std::uint64_t above = start + 1;
      std::uint64_t after = end + 1;
      for (const Ranked& document : query.ranked) {
        if (document.grade == grade && below(document)) --after;
      }
      for (const Ranked& document : query.ranked) {
        if (document.grade != grade) continue;
        const std::uint64_t ideal_rank = below(document) ? after++ : above++;
        ++joining[std::max<std::uint64_t>(ideal_rank, document.rank)];
      }
      start = end;
    }
  }

  const double persistence_;
  const bool normalize_;
  const bool zero_;  // a document that the run lacks stands where a score of 0 would
};

class Accuracy final : public CutKernel {
 public:
  Accuracy(std::uint32_t k, double rel) : CutKernel(k), rel_(rel) {}

  bool needs_all_ranks() const override { return rel_ <= 0; }

  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint64_t counted = depth(query);
    std::uint64_t hits = 0;
    std::uint64_t wrong = 0;  // pairs with the document that is not relevant first
    for (const Ranked& document : query.ranked) {
      if (document.rank > counted) break;
      if (!(document.grade >= rel_)) continue;
      wrong += document.rank - 1 - hits;
      ++hits;
    }
    const double pairs = static_cast<double>(hits) * static_cast<double>(counted - hits);
    if (pairs == 0) return {};
    return mean_of(1.0 - static_cast<double>(wrong) / pairs);
  }

 private:
  const double rel_;
};

}  // namespace

std::unique_ptr<Kernel> make_order_kernel(Parameters& parameters, const Rules& rules) {
  const std::string name = parameters.kernel();
  if (name != "compat" && name != "accuracy") return nullptr;
  if (rules.ties == Ties::expected) refuse_expected(name);
  if (name == "accuracy") {
    const std::uint32_t k = parameters.take_cutoff();
    return std::make_unique<Accuracy>(k, parameters.take_rel());
  }
  const double persistence = parameters.take_number("p", 0.95);
  if (!(persistence > 0 && persistence <= 1)) parameters.refuse("p", "above 0 and at most 1");
  const bool normalize = parameters.take_flag("normalize", true);
  const bool zero = parameters.take_choice("unretrieved", {"last", "zero"}) == 1;
  return std::make_unique<Compatibility>(persistence, normalize, zero);
}

}  // namespace relyon
