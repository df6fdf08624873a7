// What to compute and under which rules: the measures of one evaluation, compiled once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "batch.hpp"
#include "query.hpp"

namespace relkit {

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
  // True when unjudged documents must appear too, in QueryView::unjudged.
  virtual bool needs_unjudged() const { return false; }
  // True when the measure is computed over the pooled (score, label) pairs of all queries.
  virtual bool pooled() const { return false; }
  // Adds a query's scores to the pool of the two classes.
  virtual void pool(const QueryView&, Pool&) const {}
};

struct Plan {
  Plan() = default;
  Plan(Plan&&) = default;
  Plan& operator=(Plan&&) = default;

  Rules rules;
  std::vector<std::unique_ptr<Kernel>> kernels;

  bool needs_unjudged() const {
    for (const auto& kernel : kernels)
      if (kernel->needs_unjudged()) return true;
    return false;
  }

  bool needs_all_ranks() const {
    if (rules.unjudged == Unjudged::removed || rules.ties == Ties::expected) return true;
    for (const auto& kernel : kernels)
      if (kernel->needs_all_ranks()) return true;
    return false;
  }
};

}  // namespace relkit
