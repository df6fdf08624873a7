// Scores of the two classes, for measures over pooled pairs (AUC).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "pairs.hpp"

namespace relyon {

struct Pool {
  std::vector<double> positive;
  std::vector<double> negative;
  std::vector<double> positive_weights;  // empty where every row weighs 1
  std::vector<double> negative_weights;

  std::size_t size() const { return positive.size() + negative.size(); }
  bool weighted() const { return !positive_weights.empty() || !negative_weights.empty(); }
};

// How many scores of each class one query has; those of the first part come first.
struct PoolPart {
  std::uint64_t row;  // of the query in the batch
  std::uint64_t positives;
  std::uint64_t negatives;
};

// Scores that are kept: as they are, or, `small`, as floats where that loses nothing.
class PackedScores {
 public:
  PackedScores(std::vector<double>&& scores, bool small);

  std::size_t size() const { return singles_.size() + doubles_.size(); }
  // Some of the scores; `room` holds them where they are floats.
  std::span<const double> read(std::size_t from, std::size_t count,
                               std::vector<double>& room) const;
  void append_to(std::vector<double>& scores) const;

 private:
  std::vector<float> singles_;
  std::vector<double> doubles_;
};

struct PackedPool {
  PackedPool(Pool&& pool, bool small)
      : positive(std::move(pool.positive), small),
        negative(std::move(pool.negative), small),
        positive_weights(std::move(pool.positive_weights)),
        negative_weights(std::move(pool.negative_weights)) {}

  bool weighted() const { return !positive_weights.empty() || !negative_weights.empty(); }

  PackedScores positive;
  PackedScores negative;
  std::vector<double> positive_weights;
  std::vector<double> negative_weights;
};

// One pool in pieces, which batches and totals share.
using Pools = std::vector<std::shared_ptr<const PackedPool>>;

// Adds what a pool holds as one piece, and empties it.
void pack(Pool& pool, Pools& pools, bool small = false);
Pool joined(const Pools& pools);
bool weighted(const Pools& pools);
// Of rows that weigh the same.
ClassPairs count_class_pairs(const Pools& pools, int threads);

}  // namespace relyon
