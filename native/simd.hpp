// Loops that run in the widest instruction set of the machine, with the same results in each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace relyon::simd {

// How many scores are better than `score`, and how many are equal to it.
struct Counts {
  std::uint32_t better;
  std::uint32_t equal;
};

const char* name();
Counts count(const double* scores, std::size_t size, double score);
bool descending(const double* scores, std::size_t size);
bool finite(const double* values, std::size_t size);

// Puts the rows of at most `most_to_order` finite scores in order, the best score first, equal
// ones by row. All pairs are compared: for short lists that is faster than any sort. True where it
// is known that no two are equal.
inline constexpr std::size_t most_to_order = 384;
bool order(const double* scores, std::size_t size, std::uint32_t* rows);

// The rows of the `count` best of finite scores and of a few more, ascending; every score that is
// as good as one of them is among them. At most `most_best` are asked for, of at least
// `best_groups` scores. Returns how many there are.
inline constexpr std::size_t best_groups = 32;
inline constexpr std::size_t most_best = 24;
std::size_t best(const double* scores, std::size_t size, std::size_t count, std::uint32_t* rows);

// Counts values that are whole numbers from 0 to levels - 1; false if any other is among them.
inline constexpr std::size_t levels = 8;
bool count_levels(const double* values, std::size_t size, std::uint32_t* counts);

// Sorted scores that a table of buckets leads into. Buckets divide the range of scores evenly, or
// that of their bits, which suits scores of many magnitudes.
struct Buckets {
  const double* sorted;         // ascending, followed by `padding` infinities
  const std::uint32_t* starts;  // where each bucket starts, and where the last one ends
  std::uint32_t last;           // the last bucket
  bool even;
  double lowest_half = 0.0;  // half of the lowest score, where even
  double scale = 0.0;
  std::uint64_t lowest_key = 0;  // of the lowest score, where not
  unsigned shift = 0;
};
inline constexpr std::size_t padding = 8;

// The bucket of every score.
void find_buckets(const Buckets& buckets, const double* scores, std::size_t size,
                  std::uint32_t* found);

// The sum, over all scores, of the sorted ones below each and those up to it.
std::uint64_t sum_places(const Buckets& buckets, const double* scores, std::size_t size);

}  // namespace relyon::simd
