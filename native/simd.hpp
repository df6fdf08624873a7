// Loops that run in the widest instruction set of the machine, with the same results in each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace relkit::simd {

// How many scores are better than `score`, and how many are equal to it.
struct Counts {
  std::uint32_t better;
  std::uint32_t equal;
};

const char* name();
Counts count(const double* scores, std::size_t size, double score);
bool descending(const double* scores, std::size_t size);

// The place from 0 of every row in the order of descending scores, equal scores by row. Costs
// size^2 comparisons without a branch: faster than sorting up to some hundreds of rows. Reads
// `padding` doubles beyond the last score and writes as many places, without meaning.
inline constexpr std::size_t padding = 8;
void places(const double* scores, std::size_t size, std::int64_t* places);

}  // namespace relkit::simd
