// LambdaRank: the gradient of a measure that has none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "loss.hpp"
#include "swaps.hpp"

namespace relyon {

struct LambdaRules {
  double sigma = 1.0;
  std::size_t truncation = 0;  // pairs need a document this near the top; 0: all
  bool normalize = true;       // by the distance of scores, and by each list's sum
  bool paired = false;         // a pair weighs as its better document, not each row by itself
  bool drawn = false;          // equal scores in a drawn order, not as the rows stand
};

// Working memory of one thread, and what it holds of the last list: derivatives by rank.
struct LambdaRoom {
  LossScratch scratch;
  std::vector<double> given;
  std::vector<double> scores;
  std::vector<double> worths;
  std::vector<double> changes;
  std::vector<double> weights;  // of rows by rank, and of the pairs of one rank
  std::vector<double> factors;
  std::vector<double> lambdas;
  std::vector<double> hessians;
  SwapRoom swaps;
};

class LambdaRank {
 public:
  LambdaRank(std::unique_ptr<const Swaps> swaps, LambdaRules rules)
      : swaps_(std::move(swaps)), rules_(rules) {}

  const Swaps& swaps() const { return *swaps_; }
  // Fills the derivatives by rank and `scratch.order`. Returns the value, where it is asked for.
  // Labels are not looked at, only what they are worth.
  double derive(const LossList& list, std::span<const double> worths, double scale, bool valued,
                LambdaRoom& room) const;

 private:
  void order(const LossList& list, LambdaRoom& room) const;
  double value(const LossList& list, std::size_t rank, bool distances,
               const LambdaRoom& room) const;

  std::unique_ptr<const Swaps> swaps_;
  LambdaRules rules_;
};

// `measure`, `sigma`, `truncation`, `normalize`, `beyond` and `ties`; all others are the measure's.
LambdaRank make_lambdarank(Parameters& parameters);

// Rows of several lists whose labels do not change: what they alone decide is computed once.
class LambdaLists {
 public:
  // Labels are finite, offsets rise from 0 to their number; weights may be empty.
  LambdaLists(LambdaRank rank, std::span<const double> labels, std::vector<std::int64_t> offsets,
              std::vector<double> weights);

  std::size_t rows() const { return worths_.size(); }
  std::size_t lists() const { return offsets_.size() - 1; }
  // Lists of which some order is better than another.
  std::size_t effective() const;

  // Scores of the rows [start, end), all finite.
  using Read =
      std::function<std::span<const double>(std::size_t, std::size_t, std::vector<double>&)>;
  void derivatives(const Read& read, std::span<float> gradient, std::span<float> hessian,
                   std::uint64_t seed, int threads) const;

 private:
  const LambdaRank rank_;
  const std::vector<std::int64_t> offsets_;
  const std::vector<double> weights_;
  std::vector<double> worths_;
  std::vector<double> scales_;
};

// The share of one document in the derivatives of its pairs with all later ones, which are added
// to where they belong. Arrays are by rank and go on for `lambda_lanes` - 1 numbers after `size`:
// changes of 0, and anything finite.
inline constexpr std::size_t lambda_lanes = 8;
struct LambdaRow {
  const double* scores;  // descending
  const double* worths;
  const double* changes;
  const double* factors;  // of the derivatives of each pair, not of the sum; nullptr: 1
  double* lambdas;
  double* hessians;
  std::size_t rank;
  std::size_t size;
  double sigma;
  bool normalize;  // changes are divided by the distance of the scores
};
// Returns the sum of the sizes of all λ.
double add_lambdas(const LambdaRow& row);

}  // namespace relyon
