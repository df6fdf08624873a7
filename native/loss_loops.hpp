// The loops of losses in the widest instruction set of the machine, with the same bits in each.
#pragma once

#include <cstddef>

namespace relkit {

// One row against rows that should stand below it: weight * softplus(-slope * (score - other)).
struct PairRow {
  double score;
  double slope;
  double weight;
  const double* weights;  // one more factor per other row; nullptr: 1
  const double* others;
  std::size_t size;
  double* gradient;  // of the others, added to
  double* hessian;   // likewise; nullptr: not wanted
};

// What the pairs add up to: their value, and the row's own derivatives.
struct PairSums {
  double value = 0.0;
  double gradient = 0.0;
  double hessian = 0.0;
};

namespace loops {

PairSums pairs(const PairRow& row);

}  // namespace loops
}  // namespace relkit
