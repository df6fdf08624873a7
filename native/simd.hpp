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

}  // namespace relkit::simd
