// One document against all later ones, compiled once per instruction set. Each of the eight lanes
// adds up its own sum, so that every instruction set gives the same bits.
#include "lambdas.hpp"
#include "lanes.hpp"
#include "vector_math.hpp"

namespace relyon {
namespace {

static_assert(lanes == lambda_lanes);

template <bool normalize, bool factors>
RELYON_INLINE double row_loop(const LambdaRow& row) {
  const Doubles own_score = Doubles{} + row.scores[row.rank];
  const Doubles own_worth = Doubles{} + row.worths[row.rank];
  const Doubles zero{};
  Doubles own_lambda{};
  Doubles own_hessian{};
  Doubles sizes{};
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
    exponential(row.sigma * -distance, e);
    const Doubles q = 1.0 / (1.0 + e);
    const Doubles slope = e * q;
    const Wholes above = own_worth > worth;
    Doubles size = row.sigma * weight * (above ? slope : q);
    Doubles curve = row.sigma * row.sigma * weight * slope * q;
    sizes += size;
    if constexpr (factors) {
      Doubles factor;
      load(row.factors + j, factor);
      size *= factor;
      curve *= factor;
    }
    const Doubles lambda = above ? size : zero - size;
    own_lambda -= lambda;
    own_hessian += curve;
    lambdas += lambda;
    hessians += curve;
    store(lambdas, row.lambdas + j);
    store(hessians, row.hessians + j);
  }
  row.lambdas[row.rank] += sum(own_lambda);
  row.hessians[row.rank] += sum(own_hessian);
  return 2.0 * sum(sizes);
}

RELYON_INLINE double any_row(const LambdaRow& row) {
  if (row.factors == nullptr)
    return row.normalize ? row_loop<true, false>(row) : row_loop<false, false>(row);
  return row.normalize ? row_loop<true, true>(row) : row_loop<false, true>(row);
}

#define RELYON_VARIANT(suffix, attributes) \
  attributes double row_##suffix(const LambdaRow& row) { return any_row(row); }

RELYON_VARIANT(plain, )
#ifdef RELYON_X86
RELYON_VARIANT(avx2, __attribute__((target("avx2"))))
RELYON_VARIANT(avx512, __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))))
#endif

using Function = double (*)(const LambdaRow&);

Function best_row() {
#ifdef RELYON_X86
  const Lanes widest = widest_lanes();
  if (widest == Lanes::avx512 && __builtin_cpu_supports("avx512dq")) return row_avx512;
  if (widest != Lanes::scalar) return row_avx2;
#endif
  return row_plain;
}

}  // namespace

double add_lambdas(const LambdaRow& row) {
  static const Function chosen = best_row();
  return chosen(row);
}

}  // namespace relyon
