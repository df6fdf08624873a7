// One query as every kernel sees it: the judged documents of a ranked list, and all judged grades.
//
// Documents that nobody judged carry no gain, so they appear here only as ranks that are skipped:
// `retrieved` counts them, `ranked` does not list them. That keeps the cost of a query
// proportional to its judgments and not to the length of its list.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace relyon {

struct Subtopics;

// A judged document that the run retrieved.
struct Ranked {
  double grade;         // as judged; kernels of gains give negative grades none
  double score;         // the model's score, rounded to float32 if the convention says so
  std::uint32_t rank;   // 1-based, after the tie rule (and after condensing, if `removed`)
  std::uint32_t first;  // 1 + the number of documents with a better score
  std::uint32_t last;   // the number of documents with a score as good or better
  std::uint32_t row;    // where the list has it, from 0
};

struct QueryView {
  std::uint64_t retrieved = 0;            // documents in the list (judged only, if `removed`)
  std::span<const Ranked> ranked;         // ascending rank
  std::span<const double> judged;         // every judged grade of the query, descending
  std::uint32_t levels = 0;               // where all of `judged` are whole numbers from 0 up: more
                                          // than the highest, and few; else 0
  bool complete = true;                   // `ranked` holds every judged retrieved document;
                                          // false: only those with grade > 0; where pairs count
                                          // (Plan::needs_pairs) no other is below 0
  bool tied = false;                      // a document of `ranked` shares its score with another
  std::uint64_t tied_pairs = 0;           // pairs of equal scores, if not `complete` and a kernel
                                          // asks (Plan::needs_pairs): all documents are judged then
  std::span<const double> scores;         // every score in rank order (Plan::needs_scores)
  std::span<const std::uint32_t> pooled;  // ranks of pooled but unjudged documents, ascending:
                                          // grades below 0 under Negative::unjudged
  const Subtopics* subtopics = nullptr;   // what diversity judgments say; nullptr: one subtopic
  std::span<const std::uint32_t> documents;  // with `subtopics`: the document of each of `ranked`
};

// What one query contributes to one measure. `value` is NaN where the measure is undefined.
// Ratios (micro averages, weighted means, counts) add up `numerator` and `denominator`.
struct Partial {
  double value = std::numeric_limits<double>::quiet_NaN();
  double numerator = 0.0;
  double denominator = 0.0;
};

}  // namespace relyon
