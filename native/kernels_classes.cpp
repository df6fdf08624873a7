// Measures of two classes: AUC, GAUC, average precision.
#include <array>

#include "class_curve.hpp"
#include "kernels.hpp"
#include "label_kernel.hpp"
#include "pool.hpp"

namespace relyon {
namespace {

class ClassKernel : public LabelKernel {
 public:
  ClassKernel(bool unjudged, double rel) : LabelKernel(unjudged), rel_(rel) {}

  bool takes_weights() const override { return true; }

  void pool_weighted(const WeightedRows& rows, Pool& pool) const override {
    for (std::size_t i = 0; i < rows.scores.size(); ++i) {
      double label = rows.labels[i];
      if (std::isnan(label)) {
        if (!needs_scores()) continue;
        label = 0.0;
      }
      const bool positive = label >= rel_;
      (positive ? pool.positive : pool.negative).push_back(rows.scores[i]);
      (positive ? pool.positive_weights : pool.negative_weights).push_back(rows.weights[i]);
    }
  }

 protected:
  void add(Pool& pool, double grade, double score) const {
    (grade >= rel_ ? pool.positive : pool.negative).push_back(score);
  }

  void pool_all(const QueryView& query, Pool& pool) const {
    if (!needs_scores()) {
      for (const Ranked& document : query.ranked) add(pool, document.grade, document.score);
      return;
    }
    auto next = query.ranked.begin();
    for (std::size_t i = 0; i < query.scores.size(); ++i) {
      const bool listed = next != query.ranked.end() && next->rank == i + 1;
      add(pool, listed ? next->grade : 0.0, query.scores[i]);
      if (listed) ++next;
    }
  }

  Pool pooled(const Rows& rows) const {
    Pool pool;
    for (std::size_t i = 0; i < rows.scores.size(); ++i) add(pool, rows.labels[i], rows.scores[i]);
    return pool;
  }
  Pool pooled(const WeightedRows& rows) const {
    Pool pool;
    pool_weighted(rows, pool);
    return pool;
  }

  const double rel_;
};

// Classes whose areas are those of the whole ROC curve, or of its start.
class AreaKernel : public ClassKernel {
 public:
  AreaKernel(bool unjudged, double rel, double max_fpr)
      : ClassKernel(unjudged, rel), max_fpr_(max_fpr) {}

  std::optional<double> class_threshold() const override {
    return whole() ? std::optional(rel_) : std::nullopt;
  }

 protected:
  bool whole() const { return !(max_fpr_ < 1); }

  const double max_fpr_;
};

class AreaUnderCurve final : public AreaKernel {
 public:
  using AreaKernel::AreaKernel;

  bool needs_all_ranks() const override { return true; }
  bool pools() const override { return true; }

  Partial score(const QueryView& query, Scratch& scratch) const override {
    if (!whole()) return mean_of(roc_area(pooled(labelled(query, scratch)), max_fpr_));
    return score_classes(count_class_pairs(by_score(labelled(query, scratch), scratch), rel_));
  }

  Partial score_classes(const ClassPairs& counts) const override { return mean_of(counts.auc()); }

  Partial score_weighted(const WeightedRows& rows, Scratch&) const override {
    return mean_of(roc_area(pooled(rows), max_fpr_));
  }

  void pool(const QueryView& query, Pool& pool) const override { pool_all(query, pool); }
};

class GroupedArea final : public AreaKernel {
 public:
  enum class Weight { uniform, rows, positives };

  // `instead`: the value that a query of one class counts, NaN where it is left out.
  GroupedArea(bool unjudged, double rel, double max_fpr, Weight weight, double instead,
              const Rules& rules)
      : AreaKernel(unjudged, rel, max_fpr), weight_(weight), instead_(instead), rules_(rules) {}

  bool needs_all_ranks() const override { return !whole(); }

  Partial score(const QueryView& query, Scratch& scratch) const override {
    if (!whole()) return of_pool(pooled(labelled(query, scratch)));
    return score_classes(query.complete
                             ? count_class_pairs(by_score(labelled(query, scratch), scratch), rel_)
                             : count_positive_class(query, rel_));
  }

  Partial score_classes(const ClassPairs& counts) const override {
    return of_value(counts.auc(), static_cast<double>(counts.positives),
                    static_cast<double>(counts.negatives));
  }

  Partial score_weighted(const WeightedRows& rows, Scratch&) const override {
    return of_pool(pooled(rows));
  }

 private:
  Partial of_value(double area, double positives, double negatives) const {
    const double value = rules_.rounded(area);
    const double counted = std::isnan(value) ? instead_ : value;
    if (std::isnan(counted)) return {};
    double weight = 1.0;
    if (weight_ == Weight::rows) weight = positives + negatives;
    if (weight_ == Weight::positives) weight = positives;
    return {value, weight * counted, weight};
  }

  Partial of_pool(const Pool& pool) const {
    const auto total = [](const std::vector<double>& scores, const std::vector<double>& weights) {
      if (weights.empty()) return static_cast<double>(scores.size());
      double sum = 0.0;
      for (const double weight : weights) sum += weight;
      return sum;
    };
    return of_value(roc_area(pool, max_fpr_), total(pool.positive, pool.positive_weights),
                    total(pool.negative, pool.negative_weights));
  }

  // Counts from the documents with a grade above 0 alone, where all documents are judged and none
  // below 0.
  static ClassPairs count_positive_class(const QueryView& query, double threshold) {
    ClassPairs counts;
    if (threshold <= 0) {
      counts.positives = query.retrieved;
      return counts;
    }
    for (const Ranked& document : query.ranked)
      counts.positives += document.grade >= threshold ? 1 : 0;
    counts.negatives = query.retrieved - counts.positives;
    std::uint64_t seen = 0;
    for (std::size_t start = 0; start < query.ranked.size();) {
      const Ranked& document = query.ranked[start];
      std::size_t end = start;
      std::uint64_t members = 0;
      for (; end < query.ranked.size() && query.ranked[end].first == document.first; ++end) {
        members += query.ranked[end].grade >= threshold ? 1 : 0;
      }
      const std::uint64_t above = document.first - 1 - seen;
      const std::uint64_t tied = document.last - document.first + 1 - members;
      counts.twice_won += members * (2 * (counts.negatives - above - tied) + tied);
      seen += members;
      start = end;
    }
    return counts;
  }

  const Weight weight_;
  const double instead_;
  const Rules rules_;
};

class AveragePrecision final : public ClassKernel {
 public:
  using ClassKernel::ClassKernel;

  bool needs_all_ranks() const override { return true; }
  bool pools() const override { return true; }

  Partial score(const QueryView& query, Scratch& scratch) const override {
    return mean_of(average_precision(pooled(labelled(query, scratch))));
  }

  Partial score_weighted(const WeightedRows& rows, Scratch&) const override {
    return mean_of(average_precision(pooled(rows)));
  }

  void pool(const QueryView& query, Pool& pool) const override { pool_all(query, pool); }
};

double take_max_fpr(Parameters& parameters) {
  const double max_fpr = parameters.take_number("max_fpr", 1.0);
  if (!(max_fpr > 0 && max_fpr <= 1)) parameters.refuse("max_fpr", "above 0 and at most 1");
  return max_fpr;
}

}  // namespace

std::unique_ptr<Kernel> make_class_kernel(Parameters& parameters, const Rules& rules) {
  const std::string& name = parameters.kernel();
  if (name != "auc" && name != "gauc" && name != "average_precision") return nullptr;
  const double rel = parameters.take_number("rel", 1.0);
  const bool unjudged = take_unjudged(parameters);
  if (name == "average_precision") return std::make_unique<AveragePrecision>(unjudged, rel);
  const double max_fpr = take_max_fpr(parameters);
  if (name == "auc") return std::make_unique<AreaUnderCurve>(unjudged, rel, max_fpr);
  const auto weight = static_cast<GroupedArea::Weight>(
      parameters.take_choice("weight", {"uniform", "rows", "positives"}));
  constexpr std::array<double, 3> instead{undefined, 0.0, 1.0};
  const std::size_t rule = parameters.take_choice("undefined", {"skip", "zero", "one"});
  return std::make_unique<GroupedArea>(unjudged, rel, max_fpr, weight, instead[rule], rules);
}

}  // namespace relyon
