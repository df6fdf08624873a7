// One document against all later ones, compiled once per instruction set. Each of the eight lanes
// adds up its own sum, so that every instruction set gives the same bits.
#include <cstring>

#include "inline.hpp"
#include "lambdas.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define RELKIT_X86 1
#endif

namespace relkit {
namespace {

typedef double Doubles __attribute__((vector_size(64)));
typedef std::int64_t Whole __attribute__((vector_size(64)));
static_assert(sizeof(Doubles) == lambda_lanes * sizeof(double));

RELKIT_INLINE void load(const double* from, Doubles& values) {
  std::memcpy(&values, from, sizeof(Doubles));
}

RELKIT_INLINE void store(double* to, const Doubles& values) {
  std::memcpy(to, &values, sizeof(Doubles));
}

RELKIT_INLINE double total(const Doubles& values) {
  return ((values[0] + values[1]) + (values[2] + values[3])) +
         ((values[4] + values[5]) + (values[6] + values[7]));
}

// exp(-x) for x >= 0, to about one unit in the last place; below the smallest normal number it
// stays there. 2^k exp(r) with |r| <= log(2)/2 and the Taylor polynomial of degree 13.
RELKIT_INLINE void negative_exponential(const Doubles& x, Doubles& result) {
  constexpr double shifter = 6755399441055744.0;  // 1.5 * 2^52: its last bits hold a whole number
  const Doubles least = Doubles{} - 708.0;
  Doubles y = -x;
  y = y < least ? least : y;
  const Doubles shifted = y * 1.4426950408889634 + shifter;
  const Doubles k = shifted - shifter;
  const Doubles r = (y - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
  Doubles p = Doubles{} + 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  Whole bits;
  Whole power;
  std::memcpy(&bits, &p, sizeof(bits));
  std::memcpy(&power, &shifted, sizeof(power));
  bits += power << 52;
  std::memcpy(&result, &bits, sizeof(result));
}

template <bool normalize, bool factors>
RELKIT_INLINE double row_loop(const LambdaRow& row) {
  const Doubles own_score = Doubles{} + row.scores[row.rank];
  const Doubles own_worth = Doubles{} + row.worths[row.rank];
  const Doubles zero{};
  Doubles own_lambda{};
  Doubles own_hessian{};
  Doubles sum{};
  Doubles score;
  Doubles worth;
  Doubles weight;
  Doubles lambdas;
  Doubles hessians;
  for (std::size_t j = row.rank + 1; j < row.size; j += lambda_lanes) {
    load(row.scores + j, score);
    load(row.worths + j, worth);
    load(row.changes + j, weight);
    load(row.lambdas + j, lambdas);
    load(row.hessians + j, hessians);
    const Doubles distance = own_score - score;
    if constexpr (normalize) weight = weight / (0.01 + distance);
    Doubles e;
    negative_exponential(row.sigma * distance, e);
    const Doubles q = 1.0 / (1.0 + e);
    const Doubles slope = e * q;
    const Whole above = own_worth > worth;
    Doubles size = row.sigma * weight * (above ? slope : q);
    Doubles curve = row.sigma * row.sigma * weight * slope * q;
    sum += size;
    if constexpr (factors) {
      Doubles factor;
      load(row.factors + j, factor);
      size *= factor;
      curve *= factor;
    }
    const Doubles lambda = above ? size : zero - size;
    own_lambda -= lambda;
    own_hessian += curve;
    store(row.lambdas + j, lambdas + lambda);
    store(row.hessians + j, hessians + curve);
  }
  row.lambdas[row.rank] += total(own_lambda);
  row.hessians[row.rank] += total(own_hessian);
  return 2.0 * total(sum);
}

RELKIT_INLINE double any_row(const LambdaRow& row) {
  if (row.factors == nullptr)
    return row.normalize ? row_loop<true, false>(row) : row_loop<false, false>(row);
  return row.normalize ? row_loop<true, true>(row) : row_loop<false, true>(row);
}

#define RELKIT_VARIANT(suffix, attributes) \
  attributes double row_##suffix(const LambdaRow& row) { return any_row(row); }

using Function = double (*)(const LambdaRow&);

#ifdef RELKIT_X86
RELKIT_VARIANT(sse2, )
RELKIT_VARIANT(avx2, __attribute__((target("avx2"))))
RELKIT_VARIANT(avx512, __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))))
#else
RELKIT_VARIANT(plain, )
#endif

Function choose() {
#ifdef RELKIT_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    return row_avx512;
  }
  return __builtin_cpu_supports("avx2") ? row_avx2 : row_sse2;
#else
  return row_plain;
#endif
}

}  // namespace

double add_lambdas(const LambdaRow& row) {
  static const Function chosen = choose();
  return chosen(row);
}

}  // namespace relkit
