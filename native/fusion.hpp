// Several runs become one: what each run gives to a document, and how that is put together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "judgments.hpp"
#include "plan.hpp"
#include "runs.hpp"

namespace relyon {

// How the scores of one list become comparable with those of others.
enum class Scaling { none, min_max, min_max_inverted, max, sum, zmuv, rank, borda };
// What a run gives to a document that it returned.
enum class Points { score, table, table_score, segments, window, borda };
// What a run gives to a document that it did not return.
enum class Absent { nothing, value, borda };
// How what the runs give becomes one number; votes order by majority instead.
enum class Combine { sum, mean, minimum, maximum, median, votes };

// What each run gives to a document, and how that becomes its fused score.
struct FusionMethod {
  Points points = Points::score;
  std::vector<std::vector<double>> tables;  // by rank or segment: one for all runs, or one a run
  double beyond = 0.0;                      // what stands after a table's end
  std::size_t window = 0;                   // ranks on either side, for Points::window
  Absent absent = Absent::nothing;
  double absent_value = 0.0;
  Combine combine = Combine::sum;
  bool weigh_sum = false;  // the sum is multiplied by the weights' sum of the runs that gave
};

// A method with what it is applied with.
struct Fusion {
  FusionMethod method;
  Scaling scaling = Scaling::none;
  double floor = 0.0;           // divisors of scalings are at least this
  std::vector<double> factors;  // of the sum, by the number of runs that gave something; or empty
  std::vector<double> weights;  // one a run
  Ties ties = Ties::doc_desc;
  std::size_t top = 0;  // documents kept a query, 0 for all
};

RunTable fuse(const std::vector<const RunTable*>& runs, const Fusion& fusion, int threads);

// Where the relevant documents of one judged query stand in a run.
struct Hits {
  std::uint32_t retrieved = 0;
  std::vector<std::uint32_t> places;  // from 0
};

// One entry a judged query, in the order of the judgments.
std::vector<Hits> find_hits(const JudgmentTable& judgments, const RunTable& run, double relevant,
                            Ties ties);

}  // namespace relyon
