// Pairs of documents counted in O(n log n): inversions, AUC.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan.hpp"
#include "simd.hpp"

namespace relyon {

// Scores and labels of one query in rank order.
struct Rows {
  std::span<const double> scores;
  std::span<const double> labels;
};

// Pairs by the label of the better-ranked document against that of the other.
struct PairCounts {
  std::uint64_t higher = 0;
  std::uint64_t equal = 0;
  std::uint64_t lower = 0;
  std::uint64_t tied_equal = 0;      // same score, same label
  std::uint64_t tied_different = 0;  // same score, different labels
};

// Counts all pairs of `rows`. With `ties_apart`, pairs of equal scores are counted apart; otherwise
// their order in `rows` decides.
// Without ties apart, scores are not needed. `levels`, if not 0, says that labels are whole numbers
// from 0 up and below it.
PairCounts count_pairs(Rows rows, bool ties_apart, std::size_t levels = 0);

// Counts pairs of equal scores apart that were counted by their order; `rows` in order of score.
void split_ties(PairCounts& counts, Rows rows);

// Orders rows by score, best first and stable, in `scratch`, if they are not.
Rows by_score(Rows rows, Scratch& scratch);

// Twice the number of (positive, negative) pairs in which the positive has the better score, pairs
// of equal scores counting once.
struct ClassPairs {
  std::uint64_t positives = 0;
  std::uint64_t negatives = 0;
  std::uint64_t twice_won = 0;
  double auc() const;  // NaN where one class is absent
};

// `rows` must be ordered by score.
ClassPairs count_class_pairs(Rows rows, double threshold);

// Finds where scores stand among those of one class.
class Finder {
 public:
  // `scores` must not be empty. Sorts them.
  explicit Finder(std::vector<double> scores);

  std::size_t size() const { return size_; }
  // The sum, over `others`, of the scores below each and those up to it.
  std::uint64_t sum(std::span<const double> others) const {
    return simd::sum_places(buckets_, others.data(), others.size());
  }

  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;

 private:
  bool spread_evenly(std::span<const double> scores);

  std::size_t size_;
  std::vector<double> sorted_;
  std::vector<std::uint32_t> starts_;
  simd::Buckets buckets_{};
};

// Rows in any order.
ClassPairs count_unordered_class_pairs(Rows rows, double threshold, std::vector<double>& room);

// Any order.
ClassPairs count_class_pairs(const std::vector<double>& positives,
                             const std::vector<double>& negatives, unsigned threads = 1);

}  // namespace relyon
