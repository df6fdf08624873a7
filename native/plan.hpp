// What to compute and under which rules: the measures of one evaluation, compiled once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query.hpp"
#include "subtopics.hpp"
#include "ties.hpp"

namespace relyon {

struct ClassPairs;
struct Pool;
struct WeightedRows;

// `ignored`: removed from the first k of each measure, so that nothing moves up into them.
enum class Unjudged { nonrelevant, removed, ignored };
enum class Negative { nonrelevant, unjudged, error };
enum class Missing { zero, skip, error };

struct Rules {
  Ties ties = Ties::doc_desc;
  Unjudged unjudged = Unjudged::nonrelevant;
  Negative negative = Negative::nonrelevant;
  Missing missing = Missing::zero;
  bool float32 = false;              // compare scores after rounding to float32
  bool unretrieved_removed = false;  // judged documents outside the run are not there
  bool spans = true;                 // also measure tied documents in the worst and best order
  int decimals = -1;                 // each query's value is rounded to so many; -1: not at all

  // A value rounded half up.
  double rounded(double value) const {
    if (decimals < 0 || !std::isfinite(value)) return value;
    const double scale = std::pow(10.0, decimals);
    return std::floor(value * scale + 0.5) / scale;
  }
};

// Beside a count of positive and negative pairs: the pairs of equal labels on either side, the
// value without them, and the value that a random order would have (both NaN where there is none).
struct PairLevels {
  double equal_positive = 0.0;
  double equal_negative = 0.0;
  double strict = std::numeric_limits<double>::quiet_NaN();
  double random = std::numeric_limits<double>::quiet_NaN();
};

// Working memory of one thread, reused from query to query.
struct Scratch {
  std::vector<double> doubles;
  std::vector<double> more_doubles;
  std::vector<std::int64_t> integers;
  PairLevels levels;  // what a kernel with `pair_levels` says beside its value
  std::vector<Ranked> condensed;
  DiverseIdeal ideal;  // of the query with subtopics that was last asked about
};

// One measure with its parameters, ready to run over many queries from many threads.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual Partial score(const QueryView& query, Scratch& scratch) const = 0;
  // The cutoff k, 0 when the whole list counts.
  virtual std::uint32_t cutoff() const { return 0; }
  // The ranks that the measure sees, 0 for the whole list: from these Unjudged::ignored removes.
  virtual std::uint32_t window() const { return cutoff(); }
  // The last rank whose document, or tie, can change the value; 0 where any can.
  virtual std::uint32_t reach() const { return 0; }
  // True when documents with a grade of 0 or less must appear in `ranked` (bpref, PNR, AUC ...).
  virtual bool needs_all_ranks() const { return false; }
  // True when pairs of judged documents count. `ranked` then holds every judged document, or, where
  // every retrieved document is judged, those with a grade above 0, and `tied_pairs` is filled.
  virtual bool needs_pairs() const { return false; }
  // True when the scores of unjudged documents count: fills `QueryView::scores`.
  virtual bool needs_scores() const { return false; }
  // False when the order of documents with equal scores cannot change the value.
  virtual bool sees_ties() const { return true; }
  // True when `score` fills `Scratch::levels`.
  virtual bool pair_levels() const { return false; }
  // True when pooled but unjudged documents count: fills `QueryView::pooled` (infAP).
  virtual bool needs_pooled() const { return false; }
  // The label from which a document is positive, for measures that see nothing but the scores of
  // the two classes (AUC, GAUC): where all of a plan do, complete lists need no ranking.
  virtual std::optional<double> class_threshold() const { return std::nullopt; }
  virtual Partial score_classes(const ClassPairs&) const { return {}; }
  virtual bool pools() const { return false; }
  // Adds the query's scores to those of all queries, for measures over pooled pairs.
  virtual void pool(const QueryView&, Pool&) const {}
  // The same of rows that weigh differently, for measures whose rows can.
  virtual bool takes_weights() const { return false; }
  virtual Partial score_weighted(const WeightedRows&, Scratch&) const { return {}; }
  virtual void pool_weighted(const WeightedRows&, Pool&) const {}
};

struct Plan {
  Plan() = default;
  Plan(Plan&&) = default;
  Plan& operator=(Plan&&) = default;

  Rules rules;
  std::vector<std::unique_ptr<Kernel>> kernels;
  // Under Ties::expected: the same kernels for one order, and which have no closed form and count
  // the worst order instead.
  std::vector<std::unique_ptr<Kernel>> of_one_order;
  std::vector<std::uint8_t> in_worst_order;

  bool needs_all_ranks() const {
    if (rules.unjudged != Unjudged::nonrelevant) return true;
    return any([](const Kernel& kernel) { return kernel.needs_all_ranks(); });
  }
  bool needs_pairs() const {
    return any([](const Kernel& kernel) { return kernel.needs_pairs(); });
  }
  bool classes_only() const {
    return !kernels.empty() && !any([](const Kernel& kernel) { return !kernel.class_threshold(); });
  }
  bool needs_scores() const {
    return any([](const Kernel& kernel) { return kernel.needs_scores(); });
  }
  bool needs_pooled() const {
    return any([](const Kernel& kernel) { return kernel.needs_pooled(); });
  }
  // Of every kernel: 0 where one has none.
  std::uint32_t reach() const {
    if (any([](const Kernel& kernel) { return kernel.reach() == 0; })) return 0;
    std::uint32_t last = 0;
    for (const auto& kernel : kernels) last = std::max(last, kernel->reach());
    return last;
  }

 private:
  template <typename Condition>
  bool any(Condition condition) const {
    for (const auto& kernel : kernels)
      if (condition(*kernel)) return true;
    return false;
  }
};

}  // namespace relyon
