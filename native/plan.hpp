// What to compute and under which rules: the measures of one evaluation, compiled once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query.hpp"

namespace relkit {

struct ClassPairs;
struct Pool;

enum class Ties { doc_desc, doc_asc, input, rank, expected, worst, best };
enum class Unjudged { nonrelevant, removed };
enum class Negative { nonrelevant, unjudged, error };
enum class Missing { zero, skip, error };

struct Rules {
  Ties ties = Ties::doc_desc;
  Unjudged unjudged = Unjudged::nonrelevant;
  Negative negative = Negative::nonrelevant;
  Missing missing = Missing::zero;
  bool float32 = false;  // compare scores after rounding to float32
};

// Working memory of one thread, reused from query to query.
struct Scratch {
  std::vector<double> doubles;
  std::vector<double> more_doubles;
  std::vector<std::int64_t> integers;
};

// One measure with its parameters, ready to run over many queries from many threads.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual Partial score(const QueryView& query, Scratch& scratch) const = 0;
  // The cutoff k, 0 when the whole list counts.
  virtual std::uint32_t cutoff() const { return 0; }
  // True when documents with a grade of 0 or less must appear in `ranked` (bpref, PNR, AUC ...).
  virtual bool needs_all_ranks() const { return false; }
  // True when pairs of judged documents count. `ranked` then holds every judged document, or, where
  // every retrieved document is judged, those with a grade above 0, and `tied_pairs` is filled.
  virtual bool needs_pairs() const { return false; }
  // True when the scores of unjudged documents count: fills `QueryView::scores`.
  virtual bool needs_scores() const { return false; }
  // True when pooled but unjudged documents count: fills `QueryView::pooled` (infAP).
  virtual bool needs_pooled() const { return false; }
  // The label from which a document is positive, for measures that see nothing but the scores of
  // the two classes (AUC, GAUC): where all of a plan do, complete lists need no ranking.
  virtual std::optional<double> class_threshold() const { return std::nullopt; }
  virtual Partial score_classes(const ClassPairs&) const { return {}; }
  virtual bool pools() const { return false; }
  // Adds the query's scores to those of all queries, for measures over pooled pairs.
  virtual void pool(const QueryView&, Pool&) const {}
};

struct Plan {
  Plan() = default;
  Plan(Plan&&) = default;
  Plan& operator=(Plan&&) = default;

  Rules rules;
  std::vector<std::unique_ptr<Kernel>> kernels;

  bool needs_all_ranks() const {
    if (rules.unjudged == Unjudged::removed || rules.ties == Ties::expected) return true;
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

 private:
  template <typename Condition>
  bool any(Condition condition) const {
    for (const auto& kernel : kernels)
      if (condition(*kernel)) return true;
    return false;
  }
};

}  // namespace relkit
