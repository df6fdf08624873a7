// Measures of binary relevance: recall, precision, success, F1, RR, AP, mean precision,
// R-precision.
#include "kernel_parts.hpp"
#include "kernels.hpp"

namespace relyon {
namespace {

class Recall final : public BinaryKernel {
 public:
  Recall(std::uint32_t k, double rel, bool capped, bool expected)
      : BinaryKernel(k, rel, expected), capped_(capped) {}

  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint64_t judged = relevant_judged(query);
    if (judged == 0) return {};
    const double found = hits(query, limit_);
    const double of = divisor(query, judged);
    return {found / of, found, of};
  }

 private:
  double divisor(const QueryView& query, std::uint64_t judged) const {
    if (!capped_) return static_cast<double>(judged);
    const std::uint64_t most = k_ == 0 ? query.retrieved : limit_;
    return static_cast<double>(std::max<std::uint64_t>(1, std::min(judged, most)));
  }

  const bool capped_;
};

class Precision : public BinaryKernel {
 public:
  // `needs`: undefined for a query without a relevant document.
  Precision(std::uint32_t k, double rel, bool by_retrieved, bool expected, bool needs = false)
      : BinaryKernel(k, rel, expected), by_retrieved_(by_retrieved), needs_(needs) {}

  Partial score(const QueryView& query, Scratch&) const override {
    if (needs_ && relevant_judged(query) == 0) return {};
    const double of = divisor(query);
    const double found = hits(query, limit_);
    return {of > 0 ? found / of : 0.0, found, of};
  }

 protected:
  double divisor(const QueryView& query) const {
    return static_cast<double>(k_ == 0 || by_retrieved_ ? depth(query) : limit_);
  }

 private:
  const bool by_retrieved_;
  const bool needs_;
};

// F1, or F-beta with `weight` = beta^2.
class WeightedF final : public Precision {
 public:
  WeightedF(std::uint32_t k, double rel, bool by_retrieved, double weight, bool expected)
      : Precision(k, rel, by_retrieved, expected), weight_(weight) {}

  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint64_t judged = relevant_judged(query);
    const double of = divisor(query) + weight_ * static_cast<double>(judged);
    const double above = (1.0 + weight_) * hits(query, limit_);
    return {judged == 0 || of == 0 ? undefined : above / of, above, of};
  }

 private:
  const double weight_;
};

class Success final : public BinaryKernel {
 public:
  // `needs`: undefined for a query without a relevant document.
  Success(std::uint32_t k, double rel, bool expected, bool needs)
      : BinaryKernel(k, rel, expected), needs_(needs) {}

  Partial score(const QueryView& query, Scratch&) const override {
    if (needs_ && relevant_judged(query) == 0) return {};
    const double value = expected_ ? chance(query) : (hits(query, limit_) > 0 ? 1.0 : 0.0);
    return {value, value, 1.0};
  }

 private:
  // Only a tie that the cutoff divides can go either way.
  double chance(const QueryView& query) const {
    double none = 1.0;
    for_ties(query.ranked, [&](const Tie& tie) {
      const double within = tie.within(limit_);
      if (within <= 0) return false;
      const double found = relevant_in(tie);
      if (found == 0) return true;
      const double size = tie.size();
      const double draws = std::min(found, within);
      const double others = std::max(found, within);
      for (double i = 0; i < draws; ++i) none *= std::max(size - others - i, 0.0) / (size - i);
      return none > 0;
    });
    return 1.0 - none;
  }

  const bool needs_;
};

class ReciprocalRank final : public BinaryKernel {
 public:
  using BinaryKernel::BinaryKernel;

  Partial score(const QueryView& query, Scratch&) const override {
    if (relevant_judged(query) == 0) return {};
    if (expected_) return mean_of(mean(query));
    for (const Ranked& document : query.ranked) {
      if (document.rank > limit_) break;
      if (relevant(document)) return mean_of(1.0 / document.rank);
    }
    return mean_of(0.0);
  }

 private:
  double mean(const QueryView& query) const {
    double sum = 0.0;
    for_ties(query.ranked, [&](const Tie& tie) {
      const double found = relevant_in(tie);
      if (found == 0) return true;
      const double size = tie.size();
      const double within = tie.within(limit_);
      double none = 1.0;  // chance that no relevant document came before
      for (double before = 0; before < within && none > 0; ++before) {
        const double left = size - before;
        sum += none * (found / left) / (tie.first + before);
        none *= (left - found) / left;
      }
      return false;
    });
    return sum;
  }
};

class AveragePrecision final : public BinaryKernel {
 public:
  enum class Denominator { relevant, capped, retrieved };

  AveragePrecision(std::uint32_t k, double rel, Denominator denominator, bool expected)
      : BinaryKernel(k, rel, expected), denominator_(denominator) {}

  Partial score(const QueryView& query, Scratch& scratch) const override {
    const std::uint64_t judged = relevant_judged(query);
    if (judged == 0) return {};
    std::uint64_t found = 0;
    double sum = 0.0;
    if (expected_) {
      sum = mean(query);
    } else {
      // Without a branch on relevance, which cannot be predicted.
      std::vector<double>& ranks = scratch.doubles;
      ranks.resize(query.ranked.size());
      for (const Ranked& document : query.ranked) {
        if (document.rank > limit_) break;
        ranks[found] = document.rank;
        found += relevant(document) ? 1 : 0;
      }
      // Divided several at a time, and then added up.
      double* const precisions = ranks.data();
      const auto count = static_cast<std::uint32_t>(found);
      for (std::uint32_t i = 0; i < count; ++i)
        precisions[i] = static_cast<double>(i + 1) / precisions[i];
      for (std::uint32_t i = 0; i < count; ++i) sum += precisions[i];
    }
    switch (denominator_) {
      case Denominator::relevant:
        return mean_of(sum / static_cast<double>(judged));
      case Denominator::capped:
        return mean_of(sum / static_cast<double>(std::min(judged, limit_)));
      default:
        return mean_of(found == 0 ? 0.0 : sum / static_cast<double>(found));
    }
  }

 private:
  // P@i of a relevant document after `before` others of its tie, of which each is relevant with
  // the chance (found - 1) / (size - 1).
  double mean(const QueryView& query) const {
    double sum = 0.0;
    double above = 0.0;
    for_ties(query.ranked, [&](const Tie& tie) {
      const double within = tie.within(limit_);
      if (within <= 0) return false;
      const double found = relevant_in(tie);
      if (found == 0) return true;
      const double size = tie.size();
      const double share = size > 1 ? (found - 1) / (size - 1) : 0.0;
      double precisions = 0.0;
      for (double before = 0; before < within; ++before) {
        precisions += (above + 1 + before * share) / (tie.first + before);
      }
      sum += precisions * (found / size);
      above += found;
      return true;
    });
    return sum;
  }

  const Denominator denominator_;
};

class MeanPrecision final : public BinaryKernel {
 public:
  using BinaryKernel::BinaryKernel;

  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint64_t ranks = k_ == 0 ? query.retrieved : limit_;
    if (ranks == 0) return mean_of(0.0);
    double found = 0.0;
    double sum = 0.0;
    std::uint64_t rank = 0;  // P@i is summed up to here
    const auto advance = [&](std::uint64_t end) {
      if (found == 0) rank = end;
      while (rank < end) {
        ++rank;
        sum += found / static_cast<double>(rank);
      }
    };
    if (expected_) {
      for_ties(query.ranked, [&](const Tie& tie) {
        const double relevant_here = relevant_in(tie);
        if (tie.first > ranks) return false;
        if (relevant_here == 0) return true;
        advance(tie.first - 1);
        const std::uint64_t end = std::min<std::uint64_t>(tie.last, ranks);
        for (double place = 1; rank < end; ++place) {
          ++rank;
          sum += (found + relevant_here * place / tie.size()) / static_cast<double>(rank);
        }
        found += relevant_here;
        return true;
      });
    } else {
      for (const Ranked& document : query.ranked) {
        if (document.rank > ranks) break;
        if (!relevant(document)) continue;
        advance(document.rank - 1);
        found += 1.0;
      }
    }
    // Far past the list's end the harmonic numbers' expansion is exact to the last bit or two.
    const std::uint64_t near = std::min(ranks, std::max<std::uint64_t>(query.retrieved, 1U << 20));
    advance(near);
    if (near < ranks) sum += found * (harmonic(ranks) - harmonic(near));
    return mean_of(sum / static_cast<double>(ranks));
  }

 private:
  // Harmonic number without Euler's constant.
  static double harmonic(std::uint64_t n) {
    const auto x = static_cast<double>(n);
    return std::log(x) + 1.0 / (2.0 * x) - 1.0 / (12.0 * x * x);
  }
};

class RPrecision final : public BinaryKernel {
 public:
  RPrecision(double rel, double multiple, bool expected)
      : BinaryKernel(0, rel, expected), multiple_(multiple) {}

  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint64_t judged = relevant_judged(query);
    if (judged == 0) return {};
    const double depth = std::floor(multiple_ * static_cast<double>(judged) + 0.9);
    const double found = hits(query, static_cast<std::uint64_t>(depth));
    const double of = std::max(depth, 1.0);
    return {found / of, found, of};
  }

 private:
  const double multiple_;
};

class RelevantRetrieved final : public BinaryKernel {
 public:
  using BinaryKernel::BinaryKernel;

  Partial score(const QueryView& query, Scratch&) const override {
    return mean_of(hits(query, limit_));
  }
};

}  // namespace

std::unique_ptr<Kernel> make_binary_kernel(Parameters& parameters, const Rules& rules) {
  const std::string& name = parameters.kernel();
  const bool expected = rules.ties == Ties::expected;
  const auto k = [&] { return parameters.take_cutoff(); };
  const auto rel = [&] { return parameters.take_rel(); };
  const auto needs_relevant = [&] {
    return parameters.take_choice("no_relevant", {"zero", "undefined"}) == 1;
  };
  if (name == "recall") {
    return std::make_unique<Recall>(k(), rel(), parameters.take_flag("capped", false), expected);
  }
  if (name == "p" || name == "f1" || name == "f_beta") {
    const bool by_retrieved = parameters.take_choice("denominator", {"k", "retrieved"}) == 1;
    if (name == "p") {
      return std::make_unique<Precision>(k(), rel(), by_retrieved, expected, needs_relevant());
    }
    return std::make_unique<WeightedF>(k(), rel(), by_retrieved,
                                       parameters.take_number("weight", 1.0), expected);
  }
  if (name == "success") return std::make_unique<Success>(k(), rel(), expected, needs_relevant());
  if (name == "rr") return std::make_unique<ReciprocalRank>(k(), rel(), expected);
  if (name == "ap") {
    using Denominator = AveragePrecision::Denominator;
    const auto denominator = static_cast<Denominator>(
        parameters.take_choice("denominator", {"relevant", "capped", "retrieved"}));
    if (expected && denominator == Denominator::retrieved)
      refuse_expected("ap(denominator=retrieved)");
    return std::make_unique<AveragePrecision>(k(), rel(), denominator, expected);
  }
  if (name == "meanp") return std::make_unique<MeanPrecision>(k(), rel(), expected);
  if (name == "rprec") {
    const double multiple = parameters.take_number("multiple", 1.0);
    return std::make_unique<RPrecision>(rel(), multiple, expected);
  }
  if (name == "num_rel_ret") return std::make_unique<RelevantRetrieved>(k(), rel(), expected);
  return nullptr;
}

}  // namespace relyon
