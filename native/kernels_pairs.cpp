// Measures over pairs of documents and of agreement with labels: PNR, concordance, tau, Spearman,
// kappa.
#include <functional>
#include <numeric>

#include "kernels.hpp"
#include "label_kernel.hpp"

namespace relyon {
namespace {

class PairKernel : public LabelKernel {
 public:
  using LabelKernel::LabelKernel;

 protected:
  // Counts from the documents with a grade above 0 alone, where all documents are judged and none
  // below 0: those they meet beside each other have the label 0.
  PairCounts count_positive(const QueryView& query, bool by_rank, Scratch& scratch) const {
    const bool ties_apart = !by_rank && query.tied;
    const std::uint64_t listed = query.ranked.size();
    const std::uint64_t zeros = query.retrieved - listed;
    const std::uint64_t zero_pairs = zeros < 2 ? 0 : zeros * (zeros - 1) / 2;
    if (!ties_apart) {
      std::vector<double>& labels = scratch.more_doubles;
      labels.resize(listed);
      std::uint64_t ranks = 0;
      for (std::size_t i = 0; i < listed; ++i) {
        labels[i] = query.ranked[i].grade;
        ranks += query.ranked[i].rank;
      }
      PairCounts counts = count_pairs({{}, labels}, false, query.levels);
      const std::uint64_t above = ranks - listed * (listed + 1) / 2;
      counts.lower += above;
      counts.higher += listed * zeros - above;
      // Ties are among documents without gain, if anywhere.
      const std::uint64_t tied = by_rank ? 0 : query.tied_pairs;
      counts.equal += zero_pairs - tied;
      counts.tied_equal += tied;
      return counts;
    }
    PairCounts counts = count_pairs(labelled(query, scratch), true, query.levels);
    std::uint64_t tied_zeros = 0;
    for (std::uint64_t start = 0; start < listed;) {
      const Ranked& document = query.ranked[start];
      std::uint64_t end = start + 1;
      if (document.last != document.first) {
        while (end < listed && query.ranked[end].first == document.first) ++end;
      }
      const std::uint64_t members = end - start;
      const std::uint64_t above = document.first - 1 - start;
      const std::uint64_t tied = document.last - document.first + 1 - members;
      counts.lower += members * above;
      counts.higher += members * (zeros - above - tied);
      tied_zeros += members * tied;
      start = end;
    }
    const std::uint64_t tied_zero_pairs =
        query.tied_pairs - counts.tied_equal - counts.tied_different - tied_zeros;
    counts.equal += zero_pairs - tied_zero_pairs;
    counts.tied_equal += tied_zero_pairs;
    counts.tied_different += tied_zeros;
    return counts;
  }
};

class Pairs : public PairKernel {
 public:
  enum class ScoreTies { ignore, half, rank };

  Pairs(bool unjudged, bool equal_positive, ScoreTies score_ties, const Rules& rules)
      : PairKernel(unjudged),
        equal_positive_(equal_positive),
        score_ties_(score_ties),
        expected_(rules.ties == Ties::expected),
        by_column_(rules.ties == Ties::rank) {}

  bool sees_ties() const override { return score_ties_ == ScoreTies::rank; }
  bool pair_levels() const override { return true; }
  bool takes_weights() const override { return true; }
  Partial score_weighted(const WeightedRows& rows, Scratch& scratch) const override {
    return of_sides(weighted_sides(rows), scratch.levels);
  }
  Partial score(const QueryView& query, Scratch& scratch) const override {
    return of_sides(sides(query, scratch), scratch.levels);
  }

 protected:
  struct Sides {
    double positive;
    double negative;
    double equal_positive;  // of these, pairs of equal labels
    double equal_negative;
  };

  // The value of counts, NaN without a pair.
  virtual double value(double positive, double negative) const = 0;
  virtual double denominator(const Sides& counts) const = 0;

 private:
  // In a random order either document of a pair of different labels comes first as often.
  Partial of_sides(const Sides& counts, PairLevels& levels) const {
    const double positive = counts.positive - counts.equal_positive;
    const double negative = counts.negative - counts.equal_negative;
    const double half = (positive + negative) / 2.0;
    levels = {counts.equal_positive, counts.equal_negative, value(positive, negative),
              value(counts.equal_positive + half, counts.equal_negative + half)};
    return {value(counts.positive, counts.negative), counts.positive, denominator(counts)};
  }

  Sides sides(const QueryView& query, Scratch& scratch) const {
    const bool by_rank = score_ties_ == ScoreTies::rank && !expected_;
    const PairCounts counts = count(query, by_rank, scratch);
    // Twice the counts, so that halves stay whole.
    std::uint64_t positive = 2 * counts.higher;
    std::uint64_t negative = 2 * counts.lower;
    std::uint64_t equal_positive = equal_positive_ ? 2 * counts.equal : 0;
    std::uint64_t equal_negative = 0;
    if (!by_rank && score_ties_ != ScoreTies::ignore) {
      positive += counts.tied_different;
      negative += counts.tied_different;
      if (equal_positive_) {
        // Under ties=expected every order of such a pair is a positive one.
        equal_positive +=
            score_ties_ == ScoreTies::half ? counts.tied_equal : 2 * counts.tied_equal;
        equal_negative += score_ties_ == ScoreTies::half ? counts.tied_equal : 0;
      }
    }
    return {static_cast<double>(positive + equal_positive) / 2.0,
            static_cast<double>(negative + equal_negative) / 2.0,
            static_cast<double>(equal_positive) / 2.0, static_cast<double>(equal_negative) / 2.0};
  }

  Sides weighted_sides(const WeightedRows& rows) const {
    const bool by_rank = score_ties_ == ScoreTies::rank && !expected_;
    const PairWeights sums = weigh_pairs(judged(rows), !by_rank);
    Sides sides{sums.higher, sums.lower, equal_positive_ ? sums.equal : 0.0, 0.0};
    if (!by_rank && score_ties_ != ScoreTies::ignore) {
      sides.positive += sums.tied_different / 2.0;
      sides.negative += sums.tied_different / 2.0;
      if (equal_positive_) {
        const double half = sums.tied_equal / 2.0;
        sides.equal_positive += score_ties_ == ScoreTies::half ? half : sums.tied_equal;
        sides.equal_negative += score_ties_ == ScoreTies::half ? half : 0.0;
      }
    }
    sides.positive += sides.equal_positive;
    sides.negative += sides.equal_negative;
    return sides;
  }

  // Rows with a label, unjudged ones as 0 where they count.
  WeightedRows judged(const WeightedRows& rows) const {
    thread_local std::vector<double> scores;
    thread_local std::vector<double> labels;
    thread_local std::vector<double> weights;
    if (std::none_of(rows.labels.begin(), rows.labels.end(),
                     [](double label) { return std::isnan(label); })) {
      return rows;
    }
    scores.clear();
    labels.clear();
    weights.clear();
    for (std::size_t i = 0; i < rows.labels.size(); ++i) {
      const bool unjudged = std::isnan(rows.labels[i]);
      if (unjudged && !needs_scores()) continue;
      scores.push_back(rows.scores[i]);
      labels.push_back(unjudged ? 0.0 : rows.labels[i]);
      weights.push_back(rows.weights[i]);
    }
    return {scores, labels, weights};
  }

  PairCounts count(const QueryView& query, bool by_rank, Scratch& scratch) const {
    if (!query.complete) return count_positive(query, by_rank, scratch);
    const Rows rows = labelled(query, scratch);
    if (by_column_ && !by_rank) return split_by_column(rows, scratch);
    return count_pairs(rows, !by_rank);
  }

  // A rank column may part equal scores, so pairs of them are found by score and taken out.
  static PairCounts split_by_column(Rows rows, Scratch& scratch) {
    PairCounts counts = count_pairs(rows, false);
    split_ties(counts, by_score(rows, scratch));
    return counts;
  }

  const bool equal_positive_;
  const ScoreTies score_ties_;
  const bool expected_;
  const bool by_column_;
};

class PairRatio final : public Pairs {
 public:
  PairRatio(bool unjudged, bool equal_positive, ScoreTies score_ties, const Rules& rules,
            double smoothing)
      : Pairs(unjudged, equal_positive, score_ties, rules), smoothing_(smoothing) {}

 private:
  double value(double positive, double negative) const override {
    if (positive + negative == 0) return undefined;
    if (negative + smoothing_ == 0) return std::numeric_limits<double>::infinity();
    return (positive + smoothing_) / (negative + smoothing_);
  }
  double denominator(const Sides& counts) const override { return counts.negative; }

  const double smoothing_;
};

class Concordance final : public Pairs {
 public:
  using Pairs::Pairs;

 private:
  double value(double positive, double negative) const override {
    return positive + negative > 0 ? positive / (positive + negative) : undefined;
  }
  double denominator(const Sides& counts) const override {
    return counts.positive + counts.negative;
  }
};

class Tau final : public PairKernel {
 public:
  using PairKernel::PairKernel;

  Partial score(const QueryView& query, Scratch& scratch) const override {
    const PairCounts counts = query.complete
                                  ? count_pairs(by_score(labelled(query, scratch), scratch), true)
                                  : count_positive(query, false, scratch);
    const auto concordant = static_cast<double>(counts.higher);
    const auto discordant = static_cast<double>(counts.lower);
    const auto by_score_untied = static_cast<double>(counts.higher + counts.lower + counts.equal);
    const auto by_label_untied =
        static_cast<double>(counts.higher + counts.lower + counts.tied_different);
    const double norm = std::sqrt(by_score_untied * by_label_untied);
    return mean_of(norm > 0 ? (concordant - discordant) / norm : undefined);
  }
};

class Spearman final : public LabelKernel {
 public:
  using LabelKernel::LabelKernel;

  bool needs_all_ranks() const override { return true; }

  Partial score(const QueryView& query, Scratch& scratch) const override {
    const Rows rows = labelled(query, scratch);
    const std::vector<double> scores = centred_ranks(rows.scores);
    const std::vector<double> labels = centred_ranks(rows.labels);
    double product = 0.0;
    double score_squares = 0.0;
    double label_squares = 0.0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      product += scores[i] * labels[i];
      score_squares += scores[i] * scores[i];
      label_squares += labels[i] * labels[i];
    }
    const double norm = std::sqrt(score_squares * label_squares);
    return mean_of(norm > 0 ? product / norm : undefined);
  }

 private:
  // Ranks from 1 for the lowest, equal values sharing their mean, minus the mean of all.
  static std::vector<double> centred_ranks(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t one, std::size_t other) { return values[one] < values[other]; });
    std::vector<double> ranks(values.size());
    const double mean = (static_cast<double>(values.size()) + 1.0) / 2.0;
    for (std::size_t start = 0; start < order.size();) {
      std::size_t end = start + 1;
      while (end < order.size() && values[order[end]] == values[order[start]]) ++end;
      const double rank = static_cast<double>(start + 1 + end) / 2.0 - mean;
      for (std::size_t i = start; i < end; ++i) ranks[order[i]] = rank;
      start = end;
    }
    return ranks;
  }
};

class Kappa final : public LabelKernel {
 public:
  using LabelKernel::LabelKernel;

  bool needs_all_ranks() const override { return true; }

  Partial score(const QueryView& query, Scratch& scratch) const override {
    const Rows rows = labelled(query, scratch);
    double observed = 0.0;
    double scores = 0.0;
    double labels = 0.0;
    for (std::size_t i = 0; i < rows.scores.size(); ++i) {
      const double score = rows.scores[i];
      if (score != std::trunc(score)) {
        throw InputError(
            Sentence("native.kappa-compares-predicted-grades", {{"score", short_text(score)}}), {},
            0, "measures.round-scores-to-grades");
      }
      const double difference = score - rows.labels[i];
      observed += difference * difference;
      scores += score;
      labels += rows.labels[i];
    }
    const auto size = static_cast<double>(rows.scores.size());
    if (size == 0) return {};
    // The mean over all pairs of (score - label)^2 is that of both spreads and of the means'
    // distance.
    const double score_mean = scores / size;
    const double label_mean = labels / size;
    double spread = 0.0;
    for (std::size_t i = 0; i < rows.scores.size(); ++i) {
      const double score = rows.scores[i] - score_mean;
      const double label = rows.labels[i] - label_mean;
      spread += score * score + label * label;
    }
    const double distance = score_mean - label_mean;
    const double by_chance = spread + size * distance * distance;
    return mean_of(by_chance > 0 ? 1.0 - observed / by_chance : undefined);
  }
};

}  // namespace

std::unique_ptr<Kernel> make_pair_kernel(Parameters& parameters, const Rules& rules) {
  const std::string& name = parameters.kernel();
  if (name == "pnr" || name == "concordance") {
    const bool equal_positive = parameters.take_choice("label_ties", {"positive", "ignore"}) == 0;
    const auto score_ties = static_cast<Pairs::ScoreTies>(
        parameters.take_choice("score_ties", {"ignore", "half", "rank"}));
    const bool unjudged = take_unjudged(parameters);
    if (name == "concordance") {
      return std::make_unique<Concordance>(unjudged, equal_positive, score_ties, rules);
    }
    const double smoothing = parameters.take_number("smoothing", 0.0);
    if (smoothing < 0) parameters.refuse("smoothing", "0 or more");
    if (score_ties == Pairs::ScoreTies::rank && rules.ties == Ties::expected) {
      refuse_expected("pnr(score_ties=rank)");
    }
    return std::make_unique<PairRatio>(unjudged, equal_positive, score_ties, rules, smoothing);
  }
  if (name == "tau") return std::make_unique<Tau>(take_unjudged(parameters));
  if (name == "spearman") return std::make_unique<Spearman>(take_unjudged(parameters));
  if (name == "kappa") return std::make_unique<Kappa>(take_unjudged(parameters));
  return nullptr;
}

}  // namespace relyon
