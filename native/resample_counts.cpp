#include "resample_counts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "inline.hpp"
#include "lanes.hpp"

namespace relyon {
namespace {

// How many of `count` fair coins show heads.
RELYON_INLINE std::size_t heads(Generator& generator, std::size_t count) {
  std::size_t found = 0;
  for (; count >= 64; count -= 64)
    found += static_cast<std::size_t>(std::popcount(generator.next()));
  if (count > 0) found += static_cast<std::size_t>(std::popcount(generator.next() >> (64 - count)));
  return found;
}

// How many of `draws` fall below part / whole: an exact binomial draw. The draws are compared with
// the ratio bit by bit; half of those that a bit leaves open are settled by the next.
RELYON_INLINE std::size_t below_ratio(Generator& generator, std::size_t draws, std::size_t part,
                                      std::size_t whole) {
  std::size_t below = 0;
  for (std::size_t open = draws; open > 0 && part > 0;) {
    part *= 2;
    const std::size_t ones = heads(generator, open);
    if (part >= whole) {
      part -= whole;
      below += open - ones;
      open = ones;
    } else {
      open -= ones;
    }
  }
  return below;
}

// Draws within one block; a byte of a random word names an item.
RELYON_INLINE void draw_block(Generator& generator, std::size_t items, std::size_t draws,
                              std::uint8_t* counts) {
  std::size_t left = draws;
  if (items == count_block) {
    for (; left >= 8; left -= 8) {
      const std::uint64_t bits = generator.next();
      for (unsigned byte = 0; byte < 8; ++byte) ++counts[(bits >> (8 * byte)) & 255];
    }
  }
  const std::uint64_t mask = std::bit_ceil(items) - 1;
  while (left > 0) {
    std::uint64_t bits = generator.next();
    for (unsigned byte = 0; byte < 8 && left > 0; ++byte, bits >>= 8) {
      const std::uint64_t item = bits & mask;
      if (item >= items) continue;
      ++counts[item];
      --left;
    }
  }
}

// Splits a range into the largest power of two of blocks and the rest, the draws with it: within
// powers of two, halves are coins.
RELYON_INLINE void draw_counts_loop(Generator& generator, std::size_t items, std::uint8_t* counts) {
  struct Range {
    std::size_t from, items, draws;
  };
  std::fill_n(counts, items, std::uint8_t{0});
  Range waiting[64];
  std::size_t count = 0;
  waiting[count++] = {0, items, items};
  while (count > 0) {
    const Range range = waiting[--count];
    if (range.items <= count_block) {
      draw_block(generator, range.items, range.draws, counts + range.from);
      continue;
    }
    const std::size_t first = std::bit_floor(range.items - 1);
    const std::size_t drawn = below_ratio(generator, range.draws, first, range.items);
    waiting[count++] = {range.from + first, range.items - first, range.draws - drawn};
    waiting[count++] = {range.from, first, drawn};
  }
}

// Vectors of doubles, of `bytes` each.
template <int bytes>
struct Vector {
  typedef double Type __attribute__((vector_size(bytes)));
};

constexpr std::size_t lanes = 8;

// Columns side by side: each addition of one waits for the one before it.
template <std::size_t width, int bytes>
RELYON_INLINE void weigh(const double* counts, const double* values, std::size_t stride,
                         std::size_t size, std::int64_t* sums, std::size_t apart) {
  using Doubles = Vector<bytes>::Type;
  constexpr std::size_t single = sizeof(Doubles) / sizeof(double);
  constexpr std::size_t vectors = lanes / single;
  Doubles parts[width][vectors] = {};
  std::size_t item = 0;
  for (; item + lanes <= size; item += lanes) {
    for (std::size_t vector = 0; vector < vectors; ++vector) {
      Doubles drawn;
      std::memcpy(&drawn, counts + item + vector * single, sizeof(Doubles));
      for (std::size_t column = 0; column < width; ++column) {
        Doubles mine;
        std::memcpy(&mine, values + column * stride + item + vector * single, sizeof(Doubles));
        parts[column][vector] += drawn * mine;
      }
    }
  }
  for (std::size_t column = 0; column < width; ++column) {
    double ours[lanes];
    std::memcpy(ours, parts[column], sizeof(ours));
    for (std::size_t left = item; left < size; ++left)
      ours[left - item] += counts[left] * values[column * stride + left];
    std::int64_t sum = 0;
    for (const double one : ours) sum += static_cast<std::int64_t>(one);
    sums[column * apart] += sum;
  }
}

template <std::size_t width, int bytes>
RELYON_INLINE void add_weighted_loop(const Weighted& data, std::int64_t* sums, std::size_t apart) {
  double counts[count_block];
  for (std::size_t item = 0; item < data.size; ++item) counts[item] = data.counts[item];
  std::size_t column = 0;
  for (; column + width <= data.columns; column += width)
    weigh<width, bytes>(counts, data.values + column * data.stride, data.stride, data.size,
                        sums + column * apart, apart);
  for (; column < data.columns; ++column)
    weigh<1, bytes>(counts, data.values + column * data.stride, data.stride, data.size,
                    sums + column * apart, apart);
}

struct Functions {
  void (*draw_counts)(Generator&, std::size_t, std::uint8_t*);
  void (*add_weighted)(const Weighted&, std::int64_t*, std::size_t);
};

// The loops above, compiled for one instruction set.
#define RELYON_VARIANT(suffix, width, bytes, attributes)                          \
  attributes void draw_counts_##suffix(Generator& generator, std::size_t items,   \
                                       std::uint8_t* counts) {                    \
    draw_counts_loop(generator, items, counts);                                   \
  }                                                                               \
  attributes void add_weighted_##suffix(const Weighted& data, std::int64_t* sums, \
                                        std::size_t apart) {                      \
    add_weighted_loop<width, bytes>(data, sums, apart);                           \
  }                                                                               \
  constexpr Functions functions_##suffix{draw_counts_##suffix, add_weighted_##suffix};

RELYON_VARIANT(plain, 2, 16, )
#ifdef RELYON_X86
RELYON_VARIANT(avx2, 4, 32, __attribute__((target("avx2,bmi2,popcnt"))))
RELYON_VARIANT(avx512, 4, 64, __attribute__((target("avx512bw,avx512vl,bmi2,popcnt"))))
#endif

Functions choose() {
#ifdef RELYON_X86
  const Lanes widest = widest_lanes();
  if (widest == Lanes::avx512) return functions_avx512;
  if (widest == Lanes::avx2) return functions_avx2;
#endif
  return functions_plain;
}

const Functions& functions() {
  static const Functions chosen = choose();
  return chosen;
}

}  // namespace

void draw_counts(Generator& generator, std::size_t items, std::uint8_t* counts) {
  functions().draw_counts(generator, items, counts);
}

void add_weighted(const Weighted& data, std::int64_t* sums, std::size_t apart) {
  functions().add_weighted(data, sums, apart);
}

}  // namespace relyon
