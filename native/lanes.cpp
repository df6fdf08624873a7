#include "lanes.hpp"

#include <string_view>

#include "environment.hpp"

namespace relyon {

Lanes widest_lanes() {
#ifdef RELYON_X86
  const std::string_view wanted = environment("RELYON_SIMD");
  if (wanted == "scalar") return Lanes::scalar;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2")) return Lanes::scalar;
  const bool avx512 =
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") && wanted != "avx2";
  return avx512 ? Lanes::avx512 : Lanes::avx2;
#else
  return Lanes::scalar;
#endif
}

}  // namespace relyon
