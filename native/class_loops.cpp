#include "class_loops.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "inline.hpp"
#include "lanes.hpp"

namespace relyon::loops {
namespace {

constexpr std::size_t lanes = 16;
constexpr std::size_t width = 4;     // scores of the smaller class that are compared at once
constexpr std::size_t block = 1024;  // scores that are compared at once: they stay in the cache

std::size_t pick_one_by_one(const double* labels, const double* scores, std::size_t size,
                            double threshold, bool reached, double* into) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < size; ++row) {
    into[count] = scores[row];
    count += (labels[row] >= threshold) == reached ? 1 : 0;
  }
  return count;
}

// Copies scores as floats and fills the last vector with NaN, which nothing compares with. True
// where no float differs from its score.
RELYON_INLINE bool narrow_loop(const double* scores, std::size_t size, float* narrow) {
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < size; ++i) {
    narrow[i] = static_cast<float>(scores[i]);
    changed |= std::bit_cast<std::uint64_t>(static_cast<double>(narrow[i])) ^
               std::bit_cast<std::uint64_t>(scores[i]);
  }
  for (std::size_t i = size; i % lanes != 0; ++i)
    narrow[i] = std::numeric_limits<float>::quiet_NaN();
  return changed == 0;
}

struct Above {
  std::uint32_t better;
  std::uint32_t up_to;  // better or equal
};

// Of all pairs of `width` floats of `few` and those of `many`. With `masks` an addition can be
// masked, which compilers do not find on their own.
template <bool masks>
RELYON_INLINE Above count_narrow(const float* few, const float* many, std::size_t many_size) {
  Above counts{};
  if constexpr (masks) {
    typedef float Floats __attribute__((vector_size(64)));
    typedef std::int32_t Whole __attribute__((vector_size(64)));
    Floats mine[width];
    for (std::size_t i = 0; i < width; ++i) mine[i] = Floats{} + few[i];
    Whole better{};
    Whole up_to{};
    for (std::size_t j = 0; j < many_size; j += lanes) {
      Floats other;
      std::memcpy(&other, many + j, sizeof(Floats));
      for (std::size_t i = 0; i < width; ++i) {
        better = other > mine[i] ? better + 1 : better;
        up_to = other >= mine[i] ? up_to + 1 : up_to;
      }
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      counts.better += static_cast<std::uint32_t>(better[lane]);
      counts.up_to += static_cast<std::uint32_t>(up_to[lane]);
    }
  } else {
    for (std::size_t j = 0; j < many_size; ++j) {
      for (std::size_t i = 0; i < width; ++i) {
        counts.better += many[j] > few[i] ? 1U : 0U;
        counts.up_to += many[j] >= few[i] ? 1U : 0U;
      }
    }
  }
  return counts;
}

RELYON_INLINE std::uint64_t twice_above_wide(const double* few, std::size_t few_size,
                                             const double* many, std::size_t many_size) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < few_size; ++i) {
    std::uint64_t better = 0;
    std::uint64_t up_to = 0;
    for (std::size_t j = 0; j < many_size; ++j) {
      better += many[j] > few[i] ? 1 : 0;
      up_to += many[j] >= few[i] ? 1 : 0;
    }
    sum += better + up_to;
  }
  return sum;
}

// Scores are compared as floats, which keeps their order; only where those are equal, and not the
// scores themselves, the doubles are looked at, for the rest of the block too.
template <bool masks>
RELYON_INLINE std::uint64_t twice_above_loop(const double* few, std::size_t few_size,
                                             const double* many, std::size_t many_size) {
  alignas(64) float narrow[block];
  alignas(64) float narrow_few[block];
  std::uint64_t sum = 0;
  for (std::size_t first = 0; first < few_size; first += block) {
    const double* const own = few + first;
    const std::size_t own_size = std::min(block, few_size - first);
    const bool exact_few = narrow_loop(own, own_size, narrow_few);
    for (std::size_t from = 0; from < many_size; from += block) {
      const double* const others = many + from;
      const std::size_t size = std::min(block, many_size - from);
      const bool exact = narrow_loop(others, size, narrow) && exact_few;
      for (std::size_t i = 0; i < own_size; i += width) {
        const Above counts = count_narrow<masks>(narrow_few + i, narrow, size);
        if (!exact && counts.better != counts.up_to) {
          sum += twice_above_wide(own + i, own_size - i, others, size);
          break;
        }
        sum += counts.better + counts.up_to;
      }
    }
  }
  return sum;
}

struct Functions {
  std::size_t (*pick)(const double*, const double*, std::size_t, double, bool, double*);
  std::uint64_t (*twice_above)(const double*, std::size_t, const double*, std::size_t);
};

constexpr Functions functions_plain = {pick_one_by_one, twice_above_loop<false>};

#ifdef RELYON_X86
#define RELYON_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))

__attribute__((target("avx2"))) std::uint64_t twice_above_avx2(const double* few,
                                                               std::size_t few_size,
                                                               const double* many,
                                                               std::size_t many_size) {
  return twice_above_loop<false>(few, few_size, many, many_size);
}

RELYON_AVX512 std::uint64_t twice_above_avx512(const double* few, std::size_t few_size,
                                               const double* many, std::size_t many_size) {
  return twice_above_loop<true>(few, few_size, many, many_size);
}

RELYON_AVX512 std::size_t pick_compressed(const double* labels, const double* scores,
                                          std::size_t size, double threshold, bool reached,
                                          double* into) {
  const __m512d bound = _mm512_set1_pd(threshold);
  const auto flip = static_cast<__mmask8>(reached ? 0 : 0xff);
  std::size_t count = 0;
  for (std::size_t row = 0; row < size; row += 8) {
    const auto here = static_cast<__mmask8>(size - row < 8 ? (1U << (size - row)) - 1 : 0xff);
    const __mmask8 wanted =
        (_mm512_cmp_pd_mask(_mm512_maskz_loadu_pd(here, labels + row), bound, _CMP_GE_OQ) ^ flip) &
        here;
    _mm512_storeu_pd(into + count,
                     _mm512_maskz_compress_pd(wanted, _mm512_maskz_loadu_pd(here, scores + row)));
    count += static_cast<std::size_t>(std::popcount(wanted));
  }
  return count;
}

constexpr Functions functions_avx2 = {pick_one_by_one, twice_above_avx2};
constexpr Functions functions_avx512 = {pick_compressed, twice_above_avx512};
#endif

const Functions& functions() {
  static const Functions chosen = [] {
#ifdef RELYON_X86
    const Lanes widest = widest_lanes();
    if (widest == Lanes::avx512 && __builtin_cpu_supports("avx512dq")) return functions_avx512;
    if (widest != Lanes::scalar) return functions_avx2;
#endif
    return functions_plain;
  }();
  return chosen;
}

}  // namespace

std::size_t pick(const double* labels, const double* scores, std::size_t size, double threshold,
                 bool reached, double* into) {
  return functions().pick(labels, scores, size, threshold, reached, into);
}

std::uint64_t twice_above(const double* few, std::size_t few_size, const double* many,
                          std::size_t many_size) {
  return functions().twice_above(few, few_size, many, many_size);
}

}  // namespace relyon::loops
