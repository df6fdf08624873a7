// Which instruction set the loops over text use: the widest that the processor has.
#pragma once

// clang-cl on Windows lacks __builtin_cpu_supports and takes the plain loops.
#if defined(__x86_64__) && defined(__GNUC__)
#define RELYON_X86 1
#include <immintrin.h>
#endif

namespace relyon {

enum class Lanes { scalar, avx2, avx512 };

// RELYON_SIMD=scalar|avx2 asks for a lesser one, for tests.
Lanes widest_lanes();

}  // namespace relyon
