#include "simd.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "inline.hpp"
#include "lanes.hpp"
#include "radix.hpp"

namespace relyon::simd {
namespace {

RELYON_INLINE Counts count_loop(const double* scores, std::size_t size, double score) {
  std::uint64_t better = 0;
  std::uint64_t equal = 0;
  for (std::size_t i = 0; i < size; ++i) {
    better += scores[i] > score ? 1 : 0;
    equal += scores[i] == score ? 1 : 0;
  }
  return {static_cast<std::uint32_t>(better), static_cast<std::uint32_t>(equal)};
}

RELYON_INLINE bool descending_loop(const double* scores, std::size_t size) {
  constexpr std::size_t block = 64;
  std::size_t i = 1;
  for (; i + block <= size; i += block) {
    std::uint64_t rises = 0;
    for (std::size_t j = i; j < i + block; ++j) rises += scores[j] > scores[j - 1] ? 1 : 0;
    if (rises != 0) return false;
  }
  for (; i < size; ++i)
    if (scores[i] > scores[i - 1]) return false;
  return true;
}

RELYON_INLINE bool finite_loop(const double* values, std::size_t size) {
  constexpr std::uint64_t exponent = std::uint64_t{0x7ff} << 52;
  std::uint64_t bad = 0;
  for (std::size_t i = 0; i < size; ++i) {
    bad += (std::bit_cast<std::uint64_t>(values[i]) & exponent) == exponent ? 1 : 0;
  }
  return bad == 0;
}

// Each label shifts a one into the byte of its level.
RELYON_INLINE bool count_levels_loop(const double* values, std::size_t size,
                                     std::uint32_t* counts) {
  constexpr std::size_t batch = 240;  // no byte overflows
  // Added to a small whole number, its bits are the number above those of this.
  constexpr double anchor = 0x1p52;
  constexpr std::uint64_t anchor_bits = std::bit_cast<std::uint64_t>(anchor);
  std::uint64_t shifts[batch];
  for (std::size_t level = 0; level < levels; ++level) counts[level] = 0;
  for (std::size_t from = 0; from < size; from += batch) {
    const std::size_t count = size - from < batch ? size - from : batch;
    std::uint64_t others = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = values[from + i];
      const double moved = value + anchor;
      const std::uint64_t level = std::bit_cast<std::uint64_t>(moved) - anchor_bits;
      others |= level & ~std::uint64_t{levels - 1};
      others |= moved - anchor == value ? 0 : 1;
      shifts[i] = level * 8;
    }
    if (others != 0) return false;
    std::uint64_t sums = 0;
    for (std::size_t i = 0; i < count; ++i) sums += std::uint64_t{1} << shifts[i];
    for (std::size_t level = 0; level < levels; ++level) {
      counts[level] += static_cast<std::uint32_t>(sums >> (level * 8) & 0xff);
    }
  }
  return true;
}

// Vectors of the set that every processor has. In wider ones compilers take numbers one by one when
// they inline a function into one for another set, but where comparisons give masks.
template <typename Number, bool masks>
struct VectorOf {
  typedef Number type __attribute__((vector_size(16)));
};
template <typename Number>
struct VectorOf<Number, true> {
  typedef Number type __attribute__((vector_size(64)));
};
template <typename Number, bool masks>
using Vector = VectorOf<Number, masks>::type;

// How many of `all` are above each of the `width` vectors of keys from `own`.
template <int width, bool masks, typename Key, typename Count>
RELYON_INLINE void count_above(const Key* all, std::size_t size, const Key* own, Count* counts) {
  using Keys = Vector<Key, masks>;
  using Counts = Vector<Count, masks>;
  constexpr std::size_t lanes = sizeof(Keys) / sizeof(Key);
  Keys mine[width];
  Counts sums[width];
  for (std::size_t i = 0; i < width; ++i) {
    std::memcpy(&mine[i], own + i * lanes, sizeof(Keys));
    sums[i] = Counts{};
  }
  for (std::size_t j = 0; j < size; ++j) {
    const Keys other = Keys{} + all[j];
    for (int i = 0; i < width; ++i) {
      if constexpr (masks) {
        sums[i] = other > mine[i] ? sums[i] + 1 : sums[i];  // one masked addition
      } else {
        sums[i] -= other > mine[i];
      }
    }
  }
  for (std::size_t i = 0; i < width; ++i) std::memcpy(counts + i * lanes, &sums[i], sizeof(Counts));
}

enum class Ordered { untied, maybe_tied, not_yet };

// Orders rows by keys, which are in the order of the scores as far as they differ: only where keys
// are equal the scores are looked at, unless that takes more than `most_moves`.
template <bool masks, typename Key, typename Count>
RELYON_INLINE Ordered order_by_keys(const double* scores, Key* keys, std::size_t size,
                                    std::size_t most_moves, std::uint32_t* rows) {
  constexpr std::size_t lanes = sizeof(Vector<Key, masks>) / sizeof(Key);
  alignas(64) Count above[most_to_order + lanes];
  const std::size_t vectors = (size + lanes - 1) / lanes;
  for (std::size_t i = size; i < vectors * lanes; ++i) keys[i] = 0;
  std::size_t done = 0;
  for (; done + 4 <= vectors; done += 4) {
    count_above<4, masks>(keys, size, keys + done * lanes, above + done * lanes);
  }
  for (; done + 2 <= vectors; done += 2) {
    count_above<2, masks>(keys, size, keys + done * lanes, above + done * lanes);
  }
  if (done < vectors) count_above<1, masks>(keys, size, keys + done * lanes, above + done * lanes);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += static_cast<std::size_t>(above[i]);
  if (sum == size * (size - 1) / 2) {
    for (std::size_t i = 0; i < size; ++i) rows[above[i]] = static_cast<std::uint32_t>(i);
    return Ordered::untied;
  }
  std::uint16_t taken[most_to_order] = {};
  std::size_t moves = 0;
  for (std::size_t i = 0; i < size; ++i) {
    // An insertion sort by the scores among equal keys.
    std::uint32_t* const group = rows + above[i];
    std::size_t place = taken[above[i]]++;
    while (place > 0 && scores[group[place - 1]] < scores[i]) {
      group[place] = group[place - 1];
      --place;
      ++moves;
    }
    if (moves > most_moves) return Ordered::not_yet;
    group[place] = static_cast<std::uint32_t>(i);
  }
  return Ordered::maybe_tied;
}

// Puts scores at places from -32,768 to 32,767 that divide their range evenly. False where it is
// too narrow or where most are near an end of it.
template <bool masks>
RELYON_INLINE bool find_places(const double* scores, std::size_t size, std::int16_t* places) {
  using Doubles = Vector<double, masks>;
  constexpr std::size_t width = sizeof(Doubles) / sizeof(double);
  Doubles least;
  std::memcpy(&least, scores, sizeof(Doubles));
  Doubles most = least;
  for (std::size_t i = width; i < size; i += width) {
    Doubles some;
    std::memcpy(&some, scores + (i + width <= size ? i : size - width), sizeof(Doubles));
    least = some < least ? some : least;
    most = some > most ? some : most;
  }
  double lowest = least[0];
  double highest = most[0];
  for (std::size_t j = 1; j < width; ++j) {
    lowest = least[j] < lowest ? least[j] : lowest;
    highest = most[j] > highest ? most[j] : highest;
  }
  // Halves, so that no difference overflows.
  const double low = lowest * 0.5;
  const double scale = 65535.0 / (highest * 0.5 - low);
  if (!(scale <= std::numeric_limits<double>::max())) return false;
  std::int32_t near_ends = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto place = static_cast<std::int32_t>((scores[i] * 0.5 - low) * scale) - 32768;
    places[i] = static_cast<std::int16_t>(place);
    near_ends += place < -32768 + 1024 || place > 32767 - 1024 ? 1 : 0;
  }
  return near_ends < static_cast<std::int32_t>(size / 2);
}

// Scores are compared by their places within their range, or, where those hold too many at once, as
// float32.
template <bool masks>
RELYON_INLINE bool order_loop(const double* scores, std::size_t size, std::uint32_t* rows) {
  constexpr std::size_t few = 48;  // take as many comparisons of either kind
  if (size > few) {
    alignas(64) std::int16_t places[most_to_order + 32];
    if (find_places<masks>(scores, size, places)) {
      const Ordered found =
          order_by_keys<masks, std::int16_t, std::int16_t>(scores, places, size, size / 2, rows);
      if (found != Ordered::not_yet) return found == Ordered::untied;
    }
  }
  alignas(64) float narrow[most_to_order + 16];
  for (std::size_t i = 0; i < size; ++i) narrow[i] = static_cast<float>(scores[i]);
  constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  return order_by_keys<masks, float, std::int32_t>(scores, narrow, size, any, rows) ==
         Ordered::untied;
}

// The `count`-th highest of the maxima of some groups is a bound that `count` scores reach, and few
// others.
template <std::size_t groups>
RELYON_INLINE std::size_t best_loop(const double* scores, std::size_t size, std::size_t count,
                                    std::uint32_t* rows) {
  alignas(64) double most[groups];
  alignas(64) std::int64_t above[groups] = {};
  for (std::size_t j = 0; j < groups; ++j) most[j] = scores[j];
  std::size_t i = groups;
  for (; i + groups <= size; i += groups) {
    for (std::size_t j = 0; j < groups; ++j) {
      most[j] = scores[i + j] > most[j] ? scores[i + j] : most[j];
    }
  }
  for (std::size_t j = 0; i + j < size; ++j) {
    most[j] = scores[i + j] > most[j] ? scores[i + j] : most[j];
  }
  for (std::size_t other = 0; other < groups; ++other) {
    for (std::size_t j = 0; j < groups; ++j) above[j] += most[other] > most[j] ? 1 : 0;
  }
  double bound = most[0];
  for (std::size_t j = 0; j < groups; ++j) bound = most[j] > bound ? most[j] : bound;
  for (std::size_t j = 0; j < groups; ++j) {
    const bool counts = above[j] < static_cast<std::int64_t>(count);
    bound = counts && most[j] < bound ? most[j] : bound;
  }
  std::size_t found = 0;
  for (std::size_t row = 0; row < size; ++row) {
    rows[found] = static_cast<std::uint32_t>(row);
    found += scores[row] >= bound ? 1 : 0;
  }
  return found;
}

template <bool even>
RELYON_INLINE void find_buckets_loop(const Buckets& buckets, const double* scores, std::size_t size,
                                     std::uint32_t* found) {
  if constexpr (even) {
    // Halves, so that no difference overflows.
    const double low = buckets.lowest_half;
    const double scale = buckets.scale;
    const double last = buckets.last;
    for (std::size_t i = 0; i < size; ++i) {
      double place = (scores[i] * 0.5 - low) * scale;
      place = place > 0.0 ? place : 0.0;
      place = place < last ? place : last;
      found[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(place));
    }
  } else {
    const std::uint64_t low = buckets.lowest_key;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t key = ascending_key(scores[i]);
      const std::uint64_t place = key > low ? (key - low) >> buckets.shift : 0;
      found[i] = place < buckets.last ? static_cast<std::uint32_t>(place) : buckets.last;
    }
  }
}

template <bool even, bool masks>
RELYON_INLINE std::uint64_t sum_places_loop(const Buckets& buckets, const double* scores,
                                            std::size_t size) {
  using Doubles = Vector<double, masks>;
  using Whole = Vector<std::int64_t, masks>;
  constexpr std::size_t width = sizeof(Doubles) / sizeof(double);
  constexpr std::size_t batch = 256;
  std::uint32_t found[batch];
  std::uint64_t total = 0;
  Whole below{};
  Whole up_to{};
  for (std::size_t from = 0; from < size; from += batch) {
    const std::size_t count = size - from < batch ? size - from : batch;
    find_buckets_loop<even>(buckets, scores + from, count, found);
    for (std::size_t i = 0; i < count; ++i) {
      const double score = scores[from + i];
      const std::uint32_t start = buckets.starts[found[i]];
      const std::uint32_t end = buckets.starts[found[i] + 1];
      total += 2 * std::uint64_t{start};
      const double* const neighbours = buckets.sorted + start;
      if (end - start <= padding) {
        // Whatever follows the bucket is above the score.
        const Doubles own = Doubles{} + score;
        for (std::size_t part = 0; part < padding; part += width) {
          Doubles values;
          std::memcpy(&values, neighbours + part, sizeof(Doubles));
          if constexpr (masks) {
            below = values < own ? below + 1 : below;
            up_to = values <= own ? up_to + 1 : up_to;
          } else {
            below -= values < own;
            up_to -= values <= own;
          }
        }
      } else {
        const double* const stop = buckets.sorted + end;
        const double* const low = std::lower_bound(neighbours, stop, score);
        const double* const high =
            low != stop && *low == score ? std::upper_bound(low, stop, score) : low;
        total += static_cast<std::uint64_t>((low - neighbours) + (high - neighbours));
      }
    }
  }
  for (std::size_t lane = 0; lane < width; ++lane)
    total += static_cast<std::uint64_t>(below[lane] + up_to[lane]);
  return total;
}

struct Functions {
  const char* name;
  Counts (*count)(const double*, std::size_t, double);
  bool (*descending)(const double*, std::size_t);
  bool (*finite)(const double*, std::size_t);
  bool (*order)(const double*, std::size_t, std::uint32_t*);
  std::size_t (*best)(const double*, std::size_t, std::size_t, std::uint32_t*);
  bool (*count_levels)(const double*, std::size_t, std::uint32_t*);
  void (*find_buckets)(const Buckets&, const double*, std::size_t, std::uint32_t*);
  std::uint64_t (*sum_places)(const Buckets&, const double*, std::size_t);
};

// The loops above, compiled for one instruction set.
#define RELYON_VARIANT(suffix, masks, attributes)                                                 \
  attributes Counts count_##suffix(const double* scores, std::size_t size, double score) {        \
    return count_loop(scores, size, score);                                                       \
  }                                                                                               \
  attributes bool descending_##suffix(const double* scores, std::size_t size) {                   \
    return descending_loop(scores, size);                                                         \
  }                                                                                               \
  attributes bool finite_##suffix(const double* values, std::size_t size) {                       \
    return finite_loop(values, size);                                                             \
  }                                                                                               \
  attributes bool order_##suffix(const double* scores, std::size_t size, std::uint32_t* rows) {   \
    return order_loop<masks>(scores, size, rows);                                                 \
  }                                                                                               \
  attributes std::size_t best_##suffix(const double* scores, std::size_t size, std::size_t count, \
                                       std::uint32_t* rows) {                                     \
    return count <= best_groups / 4 * 3 / 2                                                       \
               ? best_loop<best_groups / 2>(scores, size, count, rows)                            \
               : best_loop<best_groups>(scores, size, count, rows);                               \
  }                                                                                               \
  attributes bool count_levels_##suffix(const double* values, std::size_t size,                   \
                                        std::uint32_t* counts) {                                  \
    return count_levels_loop(values, size, counts);                                               \
  }                                                                                               \
  attributes void find_buckets_##suffix(const Buckets& buckets, const double* scores,             \
                                        std::size_t size, std::uint32_t* found) {                 \
    buckets.even ? find_buckets_loop<true>(buckets, scores, size, found)                          \
                 : find_buckets_loop<false>(buckets, scores, size, found);                        \
  }                                                                                               \
  attributes std::uint64_t sum_places_##suffix(const Buckets& buckets, const double* scores,      \
                                               std::size_t size) {                                \
    return buckets.even ? sum_places_loop<true, masks>(buckets, scores, size)                     \
                        : sum_places_loop<false, masks>(buckets, scores, size);                   \
  }                                                                                               \
  constexpr Functions functions_##suffix = {#suffix,                                              \
                                            count_##suffix,                                       \
                                            descending_##suffix,                                  \
                                            finite_##suffix,                                      \
                                            order_##suffix,                                       \
                                            best_##suffix,                                        \
                                            count_levels_##suffix,                                \
                                            find_buckets_##suffix,                                \
                                            sum_places_##suffix};

#ifdef RELYON_X86
RELYON_VARIANT(sse2, false, )
RELYON_VARIANT(avx2, false, __attribute__((target("avx2"))))
RELYON_VARIANT(avx512, true, __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))))
#elif defined(__ARM_NEON)
RELYON_VARIANT(neon, false, )
#else
RELYON_VARIANT(scalar, false, )
#endif

Functions choose() {
#ifdef RELYON_X86
  const Lanes widest = widest_lanes();
  if (widest == Lanes::avx512 && __builtin_cpu_supports("avx512dq")) return functions_avx512;
  return widest == Lanes::scalar ? functions_sse2 : functions_avx2;
#elif defined(__ARM_NEON)
  return functions_neon;
#else
  return functions_scalar;
#endif
}

const Functions& functions() {
  static const Functions chosen = choose();
  return chosen;
}

}  // namespace

const char* name() { return functions().name; }

Counts count(const double* scores, std::size_t size, double score) {
  return functions().count(scores, size, score);
}

bool descending(const double* scores, std::size_t size) {
  return functions().descending(scores, size);
}

bool finite(const double* values, std::size_t size) { return functions().finite(values, size); }

bool order(const double* scores, std::size_t size, std::uint32_t* rows) {
  return functions().order(scores, size, rows);
}

std::size_t best(const double* scores, std::size_t size, std::size_t count, std::uint32_t* rows) {
  return functions().best(scores, size, count, rows);
}

bool count_levels(const double* values, std::size_t size, std::uint32_t* counts) {
  return functions().count_levels(values, size, counts);
}

void find_buckets(const Buckets& buckets, const double* scores, std::size_t size,
                  std::uint32_t* found) {
  functions().find_buckets(buckets, scores, size, found);
}

std::uint64_t sum_places(const Buckets& buckets, const double* scores, std::size_t size) {
  return functions().sum_places(buckets, scores, size);
}

}  // namespace relyon::simd
