// The loops of losses in the widest instruction set of the machine, with the same bits in each.
#pragma once

#include <cstddef>

namespace relyon {

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

// The cross-entropy of some rows: softplus(score - shift) - target * (score - shift).
struct LogisticRows {
  const double* scores;
  const double* targets;
  const double* weights;  // nullptr: 1
  double shift;
  std::size_t size;
  double* gradient;  // added to
  double* hessian;   // likewise; nullptr: not wanted
};

// One row's soft comparisons: sigmoid(slope * (other - score)).
struct SoftRow {
  double score;
  double slope;
  double pull;  // how the loss rises with the row's rank
  const double* others;
  const double* pulls;  // the same of the others
  std::size_t size;
  double* first;   // of the others: what is added to
  double* second;  // nullptr: not wanted
};

// One document's distribution over ranks, from the others' chances to beat it.
struct RankRow {
  const double* chances;  // one per other document
  std::size_t others;
  std::size_t ranks;      // counted; the shares after them are 0
  const double* shares;   // of ranks 1, 2, ...
  double* distributions;  // room for (others + 1) x (ranks + 1)
  double* room;           // for ranks + 1
  double* slopes;         // by chance: how the expected share changes
};

namespace loops {

PairSums pairs(const PairRow& row);
// Returns the value.
double logistic(const LogisticRows& rows);
// Returns the sum of the comparisons, and adds those of the others with the row to `first`.
double soft_ranks(const SoftRow& row);
// Adds the derivatives by the others' scores to `first` and their absolute values times the slope
// to `second`; returns the row's own.
PairSums soft_pulls(const SoftRow& row);
// e^(value - highest) of each; returns the sum.
double exponentials(const double* values, std::size_t size, double highest, double* into);
// Returns the expected share, and fills `slopes`.
double expected_share(const RankRow& row);
double highest(const double* values, std::size_t size);
double total(const double* values, std::size_t size);
// Sum of a_i b_i.
double dot(const double* a, const double* b, std::size_t size);
// into_i += factor * from_i.
void add(double factor, const double* from, std::size_t size, double* into);

}  // namespace loops
}  // namespace relyon
