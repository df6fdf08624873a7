// Doubles as integers of the same order, and a stable radix sort over them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "huge.hpp"

namespace relyon {

// Ascends with `value`; -0.0 and 0.0 are the same.
inline std::uint64_t ascending_key(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}

// Sorts by `key(item)`, ascending and stable, skipping digits that all items share.
template <typename Item, typename GetKey>
void radix_sort(std::vector<Item>& items, std::vector<Item>& spare, GetKey key) {
  constexpr unsigned bits = 11;
  constexpr std::size_t digits = (64 + bits - 1) / bits;
  constexpr std::size_t buckets = std::size_t{1} << bits;
  std::vector<std::array<std::size_t, buckets>> counts(digits);
  for (auto& count : counts) count.fill(0);
  for (const Item& item : items) {
    std::uint64_t value = key(item);
    for (std::size_t digit = 0; digit < digits; ++digit, value >>= bits) {
      ++counts[digit][value & (buckets - 1)];
    }
  }
  resize_huge(spare, items.size());
  for (std::size_t digit = 0; digit < digits; ++digit) {
    auto& count = counts[digit];
    const unsigned shift = static_cast<unsigned>(digit) * bits;
    if (items.empty() || count[(key(items.front()) >> shift) & (buckets - 1)] == items.size())
      continue;
    std::size_t start = 0;
    for (std::size_t& entry : count) {
      const std::size_t size = entry;
      entry = start;
      start += size;
    }
    for (const Item& item : items) spare[count[(key(item) >> shift) & (buckets - 1)]++] = item;
    items.swap(spare);
  }
}

}  // namespace relyon
