#include "loss_loops.hpp"

#include <algorithm>

#include "lanes.hpp"
#include "vector_math.hpp"

namespace relkit::loops {
namespace {

RELKIT_INLINE PairSums pairs_loop(const PairRow& row) {
  Doubles values{}, gradients{}, hessians{};
  for (std::size_t start = 0; start < row.size; start += lanes) {
    const std::size_t count = std::min(lanes, row.size - start);
    Doubles other, weight, value, slope, curvature;
    load(row.others + start, count, row.score, other);
    if (row.weights == nullptr && count == lanes) {
      spread(row.weight, weight);
    } else {
      Doubles ones;
      spread(1.0, ones);
      const double* factors = row.weights == nullptr ? (const double*)&ones : row.weights + start;
      load(factors, count, 0.0, weight);
      weight = weight * row.weight;
    }
    const Doubles gap = (other - row.score) * row.slope;
    softplus(gap, value, slope, curvature);
    values += weight * value;
    const Doubles pull = weight * slope * row.slope;
    gradients += pull;
    Doubles kept;
    load(row.gradient + start, count, 0.0, kept);
    kept += pull;
    store(kept, count, row.gradient + start);
    if (row.hessian == nullptr) continue;
    const Doubles bend = weight * curvature * (row.slope * row.slope);
    hessians += bend;
    load(row.hessian + start, count, 0.0, kept);
    kept += bend;
    store(kept, count, row.hessian + start);
  }
  return {sum(values), -sum(gradients), sum(hessians)};
}

struct Functions {
  PairSums (*pairs)(const PairRow&);
};

// The loops above, compiled for one instruction set.
#define RELKIT_VARIANT(suffix, attributes)                                           \
  attributes PairSums pairs_##suffix(const PairRow& row) { return pairs_loop(row); } \
  constexpr Functions functions_##suffix = {pairs_##suffix};

RELKIT_VARIANT(plain, )
#ifdef RELKIT_X86
RELKIT_VARIANT(avx2, __attribute__((target("avx2"))))
RELKIT_VARIANT(avx512, __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))))
#endif

const Functions& functions() {
  static const Functions chosen = [] {
#ifdef RELKIT_X86
    const Lanes widest = widest_lanes();
    if (widest == Lanes::avx512 && __builtin_cpu_supports("avx512dq")) return functions_avx512;
    if (widest != Lanes::scalar) return functions_avx2;
#endif
    return functions_plain;
  }();
  return chosen;
}

}  // namespace

PairSums pairs(const PairRow& row) { return functions().pairs(row); }

}  // namespace relkit::loops
