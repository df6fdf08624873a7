#include "loss_loops.hpp"

#include <algorithm>

#include "lanes.hpp"
#include "vector_math.hpp"

namespace relyon::loops {
namespace {

RELYON_INLINE PairSums pairs_loop(const PairRow& row) {
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

RELYON_INLINE double logistic_loop(const LogisticRows& rows) {
  Doubles values{}, one;
  spread(1.0, one);
  for (std::size_t start = 0; start < rows.size; start += lanes) {
    const std::size_t count = std::min(lanes, rows.size - start);
    Doubles x, target, weight, value, slope, curvature, side, kept;
    load(rows.scores + start, count, rows.shift, x);
    load(rows.targets + start, count, 0.0, target);
    load(rows.weights == nullptr ? (const double*)&one : rows.weights + start, count, 0.0, weight);
    x -= rows.shift;
    softplus(x, value, slope, curvature);
    // Without the part of the softplus that the target takes away again.
    const Wholes positive = x > 0.0;
    const Doubles above = (1.0 - target) * x;
    const Doubles below = -target * x;
    choose(positive, above, below, side);
    value -= (Doubles)(positive & (Wholes)x);
    values += weight * (value + side);
    load(rows.gradient + start, count, 0.0, kept);
    kept += weight * (slope - target);
    store(kept, count, rows.gradient + start);
    if (rows.hessian == nullptr) continue;
    load(rows.hessian + start, count, 0.0, kept);
    kept += weight * curvature;
    store(kept, count, rows.hessian + start);
  }
  return sum(values);
}

RELYON_INLINE double soft_ranks_loop(const SoftRow& row) {
  Doubles total{};
  for (std::size_t start = 0; start < row.size; start += lanes) {
    const std::size_t count = std::min(lanes, row.size - start);
    Doubles other, value, share, curvature, kept;
    load(row.others + start, count, row.score, other);
    const Doubles gap = (other - row.score) * row.slope;
    softplus(gap, value, share, curvature);
    load(row.first + start, count, 0.0, kept);
    kept += 1.0 - share;
    store(kept, count, row.first + start);
    if (count < lanes)
      for (std::size_t i = count; i < lanes; ++i) share[i] = 0.0;
    total += share;
  }
  return sum(total);
}

RELYON_INLINE PairSums soft_pulls_loop(const SoftRow& row) {
  Doubles gradients{}, hessians{}, own;
  spread(row.pull, own);
  for (std::size_t start = 0; start < row.size; start += lanes) {
    const std::size_t count = std::min(lanes, row.size - start);
    Doubles other, pull, value, slope, curvature, kept;
    load(row.others + start, count, row.score, other);
    load(row.pulls + start, count, row.pull, pull);
    const Doubles gap = (other - row.score) * row.slope;
    softplus(gap, value, slope, curvature);
    const Doubles force = (own - pull) * curvature * row.slope;
    gradients += force;
    load(row.first + start, count, 0.0, kept);
    kept += force;
    store(kept, count, row.first + start);
    if (row.second == nullptr) continue;
    const Wholes positive = force > 0.0;
    const Doubles negated = -force;
    Doubles size;
    choose(positive, force, negated, size);
    size *= row.slope;
    hessians += size;
    load(row.second + start, count, 0.0, kept);
    kept += size;
    store(kept, count, row.second + start);
  }
  return {0.0, -sum(gradients), sum(hessians)};
}

RELYON_INLINE double exponentials_loop(const double* values, std::size_t size, double highest,
                                       double* into) {
  Doubles total{};
  for (std::size_t start = 0; start < size; start += lanes) {
    const std::size_t count = std::min(lanes, size - start);
    Doubles x, power;
    load(values + start, count, -__builtin_inf(), x);
    x -= highest;
    exponential(x, power);
    store(power, count, into + start);
    total += power;
  }
  return sum(total);
}

RELYON_INLINE double dot_loop(const double* a, const double* b, std::size_t size) {
  Doubles total{};
  for (std::size_t start = 0; start < size; start += lanes) {
    const std::size_t count = std::min(lanes, size - start);
    Doubles x, y;
    load(a + start, count, 0.0, x);
    load(b + start, count, 0.0, y);
    total += x * y;
  }
  return sum(total);
}

RELYON_INLINE double total_loop(const double* values, std::size_t size) {
  Doubles total{};
  for (std::size_t start = 0; start < size; start += lanes) {
    Doubles x;
    load(values + start, std::min(lanes, size - start), 0.0, x);
    total += x;
  }
  return sum(total);
}

RELYON_INLINE double highest_loop(const double* values, std::size_t size) {
  Doubles most;
  spread(values[0], most);
  for (std::size_t start = 0; start < size; start += lanes) {
    Doubles x;
    load(values + start, std::min(lanes, size - start), values[0], x);
    const Wholes more = x > most;
    choose(more, x, most, most);
  }
  double found = most[0];
  for (std::size_t lane = 1; lane < lanes; ++lane) found = std::max(found, most[lane]);
  return found;
}

RELYON_INLINE void add_loop(double factor, const double* from, std::size_t size, double* into) {
  for (std::size_t i = 0; i < size; ++i) into[i] += factor * from[i];
}

// Row t of `distributions` holds the distribution after t documents, behind a 0: p(-1). Its
// adjoint then goes back from the shares to nothing.
RELYON_INLINE double expected_share_loop(const RankRow& row) {
  const std::size_t width = row.ranks + 1;
  double* first = row.distributions;
  first[0] = 0.0;
  first[1] = 1.0;
  for (std::size_t t = 0; t < row.others; ++t) {
    const double* before = row.distributions + t * width;
    double* after = row.distributions + (t + 1) * width;
    const double chance = row.chances[t];
    const double other = 1.0 - chance;
    const std::size_t filled = std::min(t + 1, row.ranks);  // of `before`
    after[0] = 0.0;
    for (std::size_t r = 1; r <= filled; ++r) after[r] = before[r - 1] * chance + before[r] * other;
    if (filled < row.ranks) after[filled + 1] = before[filled] * chance;
  }
  const double* last = row.distributions + row.others * width;
  const double share = dot_loop(last + 1, row.shares, std::min(row.others + 1, row.ranks));
  double* adjoint = row.room;  // by rank, and the 0 after the ranks that count
  for (std::size_t r = 0; r < row.ranks; ++r) adjoint[r] = row.shares[r];
  adjoint[row.ranks] = 0.0;
  for (std::size_t t = row.others; t-- > 0;) {
    const double* before = row.distributions + t * width + 1;
    const double chance = row.chances[t];
    const double other = 1.0 - chance;
    const std::size_t filled = std::min(t + 1, row.ranks);
    Doubles total{};
    for (std::size_t start = 0; start < filled; start += lanes) {
      const std::size_t count = std::min(lanes, filled - start);
      Doubles p, here, next;
      load(before + start, count, 0.0, p);
      load(adjoint + start, count, 0.0, here);
      load(adjoint + start + 1, count, 0.0, next);
      total += p * (next - here);
      const Doubles back = next * chance + here * other;
      store(back, count, adjoint + start);
    }
    row.slopes[t] = sum(total);
  }
  return share;
}

struct Functions {
  PairSums (*pairs)(const PairRow&);
  double (*logistic)(const LogisticRows&);
  double (*soft_ranks)(const SoftRow&);
  PairSums (*soft_pulls)(const SoftRow&);
  double (*exponentials)(const double*, std::size_t, double, double*);
  double (*expected_share)(const RankRow&);
  double (*highest)(const double*, std::size_t);
  double (*total)(const double*, std::size_t);
  double (*dot)(const double*, const double*, std::size_t);
  void (*add)(double, const double*, std::size_t, double*);
};

// The loops above, compiled for one instruction set.
#define RELYON_VARIANT(suffix, attributes)                                                        \
  attributes PairSums pairs_##suffix(const PairRow& row) { return pairs_loop(row); }              \
  attributes double logistic_##suffix(const LogisticRows& rows) { return logistic_loop(rows); }   \
  attributes double soft_ranks_##suffix(const SoftRow& row) { return soft_ranks_loop(row); }      \
  attributes PairSums soft_pulls_##suffix(const SoftRow& row) { return soft_pulls_loop(row); }    \
  attributes double exponentials_##suffix(const double* values, std::size_t size, double highest, \
                                          double* into) {                                         \
    return exponentials_loop(values, size, highest, into);                                        \
  }                                                                                               \
  attributes double expected_share_##suffix(const RankRow& row) {                                 \
    return expected_share_loop(row);                                                              \
  }                                                                                               \
  attributes double highest_##suffix(const double* values, std::size_t size) {                    \
    return highest_loop(values, size);                                                            \
  }                                                                                               \
  attributes double total_##suffix(const double* values, std::size_t size) {                      \
    return total_loop(values, size);                                                              \
  }                                                                                               \
  attributes double dot_##suffix(const double* a, const double* b, std::size_t size) {            \
    return dot_loop(a, b, size);                                                                  \
  }                                                                                               \
  attributes void add_##suffix(double factor, const double* from, std::size_t size,               \
                               double* into) {                                                    \
    add_loop(factor, from, size, into);                                                           \
  }                                                                                               \
  constexpr Functions functions_##suffix = {pairs_##suffix,        logistic_##suffix,             \
                                            soft_ranks_##suffix,   soft_pulls_##suffix,           \
                                            exponentials_##suffix, expected_share_##suffix,       \
                                            highest_##suffix,      total_##suffix,                \
                                            dot_##suffix,          add_##suffix};

RELYON_VARIANT(plain, )
#ifdef RELYON_X86
RELYON_VARIANT(avx2, __attribute__((target("avx2"))))
RELYON_VARIANT(avx512, __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))))
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

PairSums pairs(const PairRow& row) { return functions().pairs(row); }

double logistic(const LogisticRows& rows) { return functions().logistic(rows); }

double soft_ranks(const SoftRow& row) { return functions().soft_ranks(row); }

PairSums soft_pulls(const SoftRow& row) { return functions().soft_pulls(row); }

double exponentials(const double* values, std::size_t size, double highest, double* into) {
  return functions().exponentials(values, size, highest, into);
}

double expected_share(const RankRow& row) { return functions().expected_share(row); }

double highest(const double* values, std::size_t size) { return functions().highest(values, size); }

double total(const double* values, std::size_t size) { return functions().total(values, size); }

double dot(const double* a, const double* b, std::size_t size) {
  return functions().dot(a, b, size);
}

void add(double factor, const double* from, std::size_t size, double* into) {
  functions().add(factor, from, size, into);
}

}  // namespace relyon::loops
