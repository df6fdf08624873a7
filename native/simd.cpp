#include "simd.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define RELKIT_X86 1
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

struct Functions {
  const char* name;
  Counts (*count)(const double*, std::size_t, double);
  bool (*descending)(const double*, std::size_t);
};

Counts count_portable(const double* scores, std::size_t size, double score) {
  return count_loop(scores, size, score);
}
bool descending_portable(const double* scores, std::size_t size) {
  return descending_loop(scores, size);
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
    return {"avx512", count_avx512, descending_avx512};
  }
  if (__builtin_cpu_supports("avx2")) return {"avx2", count_avx2, descending_avx2};
  return {"sse2", count_portable, descending_portable};
#elif defined(__ARM_NEON)
  return {"neon", count_portable, descending_portable};
#else
  return {"scalar", count_portable, descending_portable};
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

}  // namespace relkit::simd
