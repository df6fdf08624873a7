#include "rank_counts.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define RELKIT_X86 1
#include <immintrin.h>
#endif

namespace relkit {

namespace {

Count count_plain(const double* scores, std::size_t size, double score) {
  std::uint32_t better = 0, equal = 0;
  for (std::size_t row = 0; row < size; ++row) {
    better += scores[row] > score;
    equal += scores[row] == score;
  }
  return {better, equal};
}

#ifdef RELKIT_X86
__attribute__((target("avx512f,popcnt"))) Count count_avx512(const double* scores, std::size_t size,
                                                              double score) {
  const __m512d wanted = _mm512_set1_pd(score);
  std::uint32_t better = 0, equal = 0;
  std::size_t row = 0;
  for (; row + 8 <= size; row += 8) {
    const __m512d values = _mm512_loadu_pd(scores + row);
    better += static_cast<std::uint32_t>(__builtin_popcount(_mm512_cmp_pd_mask(values, wanted, _CMP_GT_OQ)));
    equal += static_cast<std::uint32_t>(__builtin_popcount(_mm512_cmp_pd_mask(values, wanted, _CMP_EQ_OQ)));
  }
  if (row < size) {
    const auto rest = static_cast<__mmask8>((1u << (size - row)) - 1);
    const __m512d values = _mm512_maskz_loadu_pd(rest, scores + row);
    better += static_cast<std::uint32_t>(__builtin_popcount(_mm512_mask_cmp_pd_mask(rest, values, wanted, _CMP_GT_OQ)));
    equal += static_cast<std::uint32_t>(__builtin_popcount(_mm512_mask_cmp_pd_mask(rest, values, wanted, _CMP_EQ_OQ)));
  }
  return {better, equal};
}

__attribute__((target("avx2,popcnt"))) Count count_avx2(const double* scores, std::size_t size,
                                                        double score) {
  const __m256d wanted = _mm256_set1_pd(score);
  std::uint32_t better = 0, equal = 0;
  std::size_t row = 0;
  for (; row + 4 <= size; row += 4) {
    const __m256d values = _mm256_loadu_pd(scores + row);
    better += static_cast<std::uint32_t>(
        __builtin_popcount(static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(values, wanted, _CMP_GT_OQ)))));
    equal += static_cast<std::uint32_t>(
        __builtin_popcount(static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(values, wanted, _CMP_EQ_OQ)))));
  }
  const Count rest = count_plain(scores + row, size - row, score);
  return {better + rest.better, equal + rest.equal};
}
#endif

using Function = Count (*)(const double*, std::size_t, double);

struct Choice {
  Function function;
  const char* name;
};

Choice choose() {
#ifdef RELKIT_X86
  if (__builtin_cpu_supports("avx512f")) return {count_avx512, "avx512"};
  if (__builtin_cpu_supports("avx2")) return {count_avx2, "avx2"};
  return {count_plain, "sse2"};
#elif defined(__aarch64__)
  return {count_plain, "neon"};
#else
  return {count_plain, "scalar"};
#endif
}

const Choice choice = choose();

}  // namespace

Count count_better(std::span<const double> scores, double score) {
  return choice.function(scores.data(), scores.size(), score);
}

const char* count_name() { return choice.name; }

}  // namespace relkit
