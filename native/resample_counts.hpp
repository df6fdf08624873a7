// How often each of many items is drawn with replacement: block by block, so that counts stay in
// the nearest cache and no random bit is spent twice.
#pragma once

#include <cstddef>
#include <cstdint>

#include "generator.hpp"

namespace relyon {

// Items whose counts are drawn together: a byte names one of them.
inline constexpr std::size_t count_block = 256;

// Draws `items` of `items` with replacement and writes how often each was drawn; the counts are
// those of one multinomial draw. A count fits into a byte: of n items, one is drawn 256 times with
// a probability below n / 256!, 1e-490.
void draw_counts(Generator& generator, std::size_t items, std::uint8_t* counts);

// Counts of at most `count_block` items, and their values: value i of column c lies at
// values[c * stride + i].
struct Weighted {
  const std::uint8_t* counts;
  const double* values;
  std::size_t columns;
  std::size_t stride;
  std::size_t size;
};

// Adds to sums[c * apart] the counts times the values of column c. One of eight lanes adds up 32
// products of a count below 2^8 and a value up to 2^40: at most 2^53, so that the sum of doubles is
// exact.
void add_weighted(const Weighted& data, std::int64_t* sums, std::size_t apart);

}  // namespace relyon
