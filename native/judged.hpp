// A run beside its judgments, document by document: the score of everything that is judged, and
// what nobody judged at the top of two runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "judgments.hpp"
#include "plan.hpp"
#include "runs.hpp"

namespace relyon {

// One of each a judged document, query by query in the order of the judgments. A score is NaN where
// the run lacks the document.
struct JudgedScores {
  std::vector<double> grades;
  std::vector<double> scores;
};

JudgedScores judged_scores(const JudgmentTable& judgments, const RunTable& run, int threads);

// The documents in the top k of either of two runs that nobody judged.
class UnjudgedTops {
 public:
  struct One {
    std::uint32_t query;   // its place among those asked for
    std::uint32_t before;  // the rank in the first run, from 1; 0: not in its top k
    std::uint32_t after;   // the rank in the second run
    const char* data;
    std::uint32_t size;
    std::string_view document() const { return {data, size}; }
  };

  // In the order of the queries, and of the bytes of the documents. Of the rules count those on
  // ties, on negative grades and on the precision of scores. The tables must stay.
  UnjudgedTops(const JudgmentTable& judgments, const RunTable& before, const RunTable& after,
               const Rules& rules, std::uint32_t k, std::vector<std::string> queries, int threads);

  const std::vector<One>& all() const { return all_; }
  // The judgments, with these documents graded so.
  JudgmentTable judged_as(double grade) const;

 private:
  const JudgmentTable& judgments_;
  std::vector<std::string> queries_;
  std::vector<One> all_;
};

}  // namespace relyon
