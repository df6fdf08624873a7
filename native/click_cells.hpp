// How often each document was clicked and skipped in each context, and the models that need no
// more: attractiveness of a pair times examination of a context, fitted by expectation
// maximisation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clicks.hpp"

namespace relyon {

// What examination depends on.
enum class Context {
  position,   // the position (PBM)
  last_click  // the position, and that of the last click above it, 0 for none (UBM)
};

// The number of a context; contexts are counted without gaps.
inline std::size_t context_of(Context kind, std::size_t position, std::size_t last_click) {
  return kind == Context::position ? position - 1 : position * (position - 1) / 2 + last_click;
}

inline std::size_t context_count(Context kind, std::size_t depth) {
  return kind == Context::position ? depth : depth * (depth + 1) / 2;
}

// The cells of one shard, by pair and then by context.
struct Cells {
  // More than 32 bits can count are several cells.
  struct Cell {
    std::uint32_t context;
    std::uint32_t clicks;
    std::uint32_t skips;
  };
  std::vector<std::uint32_t> ends;  // of each pair
  std::vector<Cell> cells;
};

Cells count_cells(const ClickShard& shard, Context kind);

// Prior counts: of clicks, and of impressions.
struct Prior {
  double clicks;
  double shown;
};

struct Examination {
  std::vector<double> attraction;    // of each pair
  std::vector<double> weight;        // of each pair: the examined impressions it is as sure as
  std::vector<double> examination;   // of each context
  std::vector<std::uint64_t> shown;  // how often each context was met
  double log_likelihood = 0.0;
  double change = 0.0;  // the largest of an examination, in the last round
  std::uint64_t rounds = 0;
};

// The log-likelihood of a pair's cells. `weight` is what the curvature of the posterior at its
// attractiveness is worth in impressions that were surely examined.
double measure_pair(std::span<const Cells::Cell> cells, const std::vector<double>& examination,
                    Prior prior, double attraction, double* weight);

// Rounds from `begin` of every parameter, until no examination changes by more than `tolerance`.
// Where a document was skipped that is sure to be clicked, nothing is learned.
Examination fit_examination(const ClickLog& log, Context kind, std::uint64_t rounds,
                            double tolerance, Prior prior, double begin);

}  // namespace relyon
