#include "simd.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define RELKIT_X86 1
#include <immintrin.h>
#endif

namespace relkit::simd {
namespace {

#if defined(__GNUC__)
#define RELKIT_INLINE __attribute__((always_inline)) inline
#else
#define RELKIT_INLINE inline
#endif

RELKIT_INLINE Counts count_loop(const double* scores, std::size_t size, double score) {
  std::uint64_t better = 0;
  std::uint64_t equal = 0;
  for (std::size_t i = 0; i < size; ++i) {
    better += scores[i] > score ? 1 : 0;
    equal += scores[i] == score ? 1 : 0;
  }
  return {static_cast<std::uint32_t>(better), static_cast<std::uint32_t>(equal)};
}

RELKIT_INLINE bool descending_loop(const double* scores, std::size_t size) {
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

#if defined(__GNUC__)
using Doubles = double __attribute__((vector_size(64)));
using Wholes = std::int64_t __attribute__((vector_size(64)));

// Eight rows at a time against every other row; a comparison that holds is -1.
RELKIT_INLINE void places_loop(const double* scores, std::size_t size, std::int64_t* out) {
  constexpr Wholes lane = {0, 1, 2, 3, 4, 5, 6, 7};
  for (std::size_t start = 0; start < size; start += 8) {
    Doubles rows;
    __builtin_memcpy(&rows, scores + start, sizeof rows);
    Wholes above = {};
    for (std::size_t other = 0; other < start; ++other) above += rows <= scores[other];
    for (std::size_t other = start; other < start + 8 && other < size; ++other) {
      const Wholes later = lane > static_cast<std::int64_t>(other - start);
      above += (rows < scores[other]) | ((rows == scores[other]) & later);
    }
    for (std::size_t other = start + 8; other < size; ++other) above += rows < scores[other];
    above = -above;
    __builtin_memcpy(out + start, &above, sizeof above);
  }
}
#else
inline void places_loop(const double* scores, std::size_t size, std::int64_t* out) {
  for (std::size_t row = 0; row < size; ++row) {
    out[row] = 0;
    for (std::size_t other = 0; other < size; ++other) {
      out[row] += scores[other] > scores[row] || (scores[other] == scores[row] && other < row);
    }
  }
}
#endif

struct Functions {
  const char* name;
  Counts (*count)(const double*, std::size_t, double);
  bool (*descending)(const double*, std::size_t);
  void (*places)(const double*, std::size_t, std::int64_t*);
};

Counts count_portable(const double* scores, std::size_t size, double score) {
  return count_loop(scores, size, score);
}
bool descending_portable(const double* scores, std::size_t size) {
  return descending_loop(scores, size);
}
void places_portable(const double* scores, std::size_t size, std::int64_t* out) {
  places_loop(scores, size, out);
}

#ifdef RELKIT_X86
#define RELKIT_AVX2 __attribute__((target("avx2")))
#define RELKIT_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))

RELKIT_AVX2 Counts count_avx2(const double* scores, std::size_t size, double score) {
  return count_loop(scores, size, score);
}
RELKIT_AVX2 bool descending_avx2(const double* scores, std::size_t size) {
  return descending_loop(scores, size);
}
RELKIT_AVX2 void places_avx2(const double* scores, std::size_t size, std::int64_t* out) {
  places_loop(scores, size, out);
}
// The same with comparisons kept in mask registers, two groups of rows a time.
RELKIT_AVX512 void places_avx512(const double* scores, std::size_t size, std::int64_t* out) {
  const __m512i one = _mm512_set1_epi64(1);
  for (std::size_t start = 0; start < size; start += 8) {
    const __m512d rows = _mm512_loadu_pd(scores + start);
    __m512i above = _mm512_setzero_si512();
    __m512i more = _mm512_setzero_si512();
    std::size_t other = 0;
    for (; other < start; other += 2) {  // `start` is even
      const __mmask8 first = _mm512_cmp_pd_mask(rows, _mm512_set1_pd(scores[other]), _CMP_LE_OQ);
      const __mmask8 second = _mm512_cmp_pd_mask(rows, _mm512_set1_pd(scores[other + 1]), _CMP_LE_OQ);
      above = _mm512_mask_add_epi64(above, first, above, one);
      more = _mm512_mask_add_epi64(more, second, more, one);
    }
    for (; other < start + 8 && other < size; ++other) {
      const __m512d score = _mm512_set1_pd(scores[other]);
      const auto later = static_cast<__mmask8>(0xfeU << (other - start));
      const __mmask8 mask = _mm512_cmp_pd_mask(rows, score, _CMP_LT_OQ) |
                            (_mm512_cmp_pd_mask(rows, score, _CMP_EQ_OQ) & later);
      above = _mm512_mask_add_epi64(above, mask, above, one);
    }
    for (; other + 2 <= size; other += 2) {
      const __mmask8 first = _mm512_cmp_pd_mask(rows, _mm512_set1_pd(scores[other]), _CMP_LT_OQ);
      const __mmask8 second = _mm512_cmp_pd_mask(rows, _mm512_set1_pd(scores[other + 1]), _CMP_LT_OQ);
      above = _mm512_mask_add_epi64(above, first, above, one);
      more = _mm512_mask_add_epi64(more, second, more, one);
    }
    if (other < size) {
      const __mmask8 mask = _mm512_cmp_pd_mask(rows, _mm512_set1_pd(scores[other]), _CMP_LT_OQ);
      above = _mm512_mask_add_epi64(above, mask, above, one);
    }
    _mm512_storeu_si512(out + start, _mm512_add_epi64(above, more));
  }
}
RELKIT_AVX512 Counts count_avx512(const double* scores, std::size_t size, double score) {
  return count_loop(scores, size, score);
}
RELKIT_AVX512 bool descending_avx512(const double* scores, std::size_t size) {
  return descending_loop(scores, size);
}
#endif

Functions choose() {
#ifdef RELKIT_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    return {"avx512", count_avx512, descending_avx512, places_avx512};
  }
  if (__builtin_cpu_supports("avx2")) return {"avx2", count_avx2, descending_avx2, places_avx2};
  return {"sse2", count_portable, descending_portable, places_portable};
#elif defined(__ARM_NEON)
  return {"neon", count_portable, descending_portable, places_portable};
#else
  return {"scalar", count_portable, descending_portable, places_portable};
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

void places(const double* scores, std::size_t size, std::int64_t* places) {
  functions().places(scores, size, places);
}

}  // namespace relkit::simd
