// One query as every kernel sees it: the judged documents of a ranked list, and all judged grades.
//
// Documents that nobody judged carry no gain, so they appear here only as ranks that are skipped:
// `retrieved` counts them, `ranked` does not list them. That keeps the cost of a query
// proportional to its judgments and not to the length of its list.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace relkit {

// A judged document that the run retrieved.
struct Ranked {
  double grade;         // as judged; negative grades already mapped by the convention
  double score;         // the model's score, rounded to float32 if the convention says so
  std::uint32_t rank;   // 1-based, after the tie rule (and after condensing, if `removed`)
  std::uint32_t first;  // rank of the first document with the same score
  std::uint32_t last;   // rank of the last document with the same score
};

struct QueryView {
  std::uint64_t retrieved = 0;             // documents in the list (judged only, if `removed`)
  std::span<const Ranked> ranked;          // ascending rank
  std::span<const double> judged;          // every judged grade of the query, descending
  std::span<const Ranked> unjudged;        // retrieved and not judged, grade 0; only where a kernel
                                           // asks for them
  std::span<const std::uint32_t> pooled;   // ranks of documents with a negative grade that counts as
                                           // unjudged: in the pool, not in the sample (infAP)
  bool complete = true;                    // `ranked` holds every judged retrieved document;
                                           // false: only those with grade > 0 (Plan::needs_all_ranks)
};

// What one query contributes to one measure. `value` is NaN where the measure is undefined.
// Ratios (micro averages, weighted means, counts) add up `numerator` and `denominator`.
struct Partial {
  double value = std::numeric_limits<double>::quiet_NaN();
  double numerator = 0.0;
  double denominator = 0.0;
};

}  // namespace relkit
