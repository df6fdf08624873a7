// Rows that weigh differently: pairs weigh the product of their rows.
#pragma once

#include <span>
#include <vector>

#include "plan.hpp"

namespace relyon {

// One query in rank order. A label is NaN where the document counts as unjudged.
struct WeightedRows {
  std::span<const double> scores;
  std::span<const double> labels;
  std::span<const double> weights;
};

// Orders the rows of one query by the rules.
class WeightedOrder {
 public:
  WeightedRows order(std::span<const double> labels, std::span<const double> scores,
                     std::span<const double> weights, const Rules& rules);

 private:
  std::vector<std::size_t> rows_;
  std::vector<double> scores_;
  std::vector<double> labels_;
  std::vector<double> weights_;
};

// As PairCounts, in sums of weights. Nothing is subtracted, so that what is absent is exactly 0.
struct PairWeights {
  double higher = 0.0;
  double equal = 0.0;
  double lower = 0.0;
  double tied_equal = 0.0;
  double tied_different = 0.0;
};

// Every label must be a number. With `split_ties`, pairs of equal scores are counted apart.
PairWeights weigh_pairs(const WeightedRows& rows, bool split_ties);

}  // namespace relyon
