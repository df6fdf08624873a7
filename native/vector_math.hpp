// Functions of eight numbers at once: the same bits in every instruction set.
//
// Vectors travel by reference, since how they are passed by value differs between targets.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "inline.hpp"

namespace relyon {

typedef double Doubles __attribute__((vector_size(64)));
typedef std::int64_t Wholes __attribute__((vector_size(64)));

inline constexpr std::size_t lanes = 8;

// All lanes the same.
RELYON_INLINE void spread(double value, Doubles& into) { into = Doubles{} + value; }

// Eight values from memory, and to it.
RELYON_INLINE void load(const double* from, Doubles& into) {
  __builtin_memcpy(&into, from, sizeof(into));
}

RELYON_INLINE void store(const Doubles& values, double* to) {
  __builtin_memcpy(to, &values, sizeof(values));
}

// `count` values from memory; lanes after them are `otherwise`.
RELYON_INLINE void load(const double* from, std::size_t count, double otherwise, Doubles& into) {
  if (count >= lanes) {
    load(from, into);
    return;
  }
  for (std::size_t i = 0; i < lanes; ++i) into[i] = i < count ? from[i] : otherwise;
}

RELYON_INLINE void store(const Doubles& values, std::size_t count, double* to) {
  if (count >= lanes) {
    store(values, to);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) to[i] = values[i];
}

// The lanes added up, always in the same order.
RELYON_INLINE double sum(const Doubles& x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

// Where a condition (all bits or none) holds the first, elsewhere the second.
RELYON_INLINE void choose(const Wholes& condition, const Doubles& first, const Doubles& second,
                          Doubles& into) {
  into = (Doubles)((condition & (Wholes)first) | (~condition & (Wholes)second));
}

// e^x for x <= 0, within 1 ulp; 0 below -708. x = n ln 2 + r with |r| <= ln(2) / 2, and a Taylor
// polynomial in r.
RELYON_INLINE void exponential(const Doubles& x, Doubles& into) {
  constexpr double shift = 6755399441055744.0;  // 1.5 * 2^52: rounds to whole numbers
  const Doubles lowest = Doubles{} - 708.0;
  const Wholes vanishes = x < lowest;
  const Doubles y = vanishes ? lowest : x;
  const Doubles shifted = y * 1.4426950408889634 + shift;
  const Doubles n = shifted - shift;
  const Doubles r = (y - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  Doubles p = r * (1.0 / 6227020800.0) + (1.0 / 479001600.0);
  p = p * r + (1.0 / 39916800.0);
  p = p * r + (1.0 / 3628800.0);
  p = p * r + (1.0 / 362880.0);
  p = p * r + (1.0 / 40320.0);
  p = p * r + (1.0 / 5040.0);
  p = p * r + (1.0 / 720.0);
  p = p * r + (1.0 / 120.0);
  p = p * r + (1.0 / 24.0);
  p = p * r + (1.0 / 6.0);
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  // The last bits of `shifted` are n: it is added to the exponent.
  into = (Doubles)(~vanishes & ((Wholes)p + ((Wholes)shifted << 52)));
}

// ln(1 + x) for 0 <= x <= 1, within 2 ulp: 2 artanh(f / (2 + f)) with 1 + f in [1/sqrt 2, sqrt 2].
RELYON_INLINE void log_one_plus(const Doubles& x, Doubles& into) {
  constexpr double half_root = 0.70710678118654752440;
  const Wholes large = x > 0.41421356237309503;
  const Doubles reduced = (x - 0.41421356237309504880) * half_root;
  Doubles f;
  choose(large, reduced, x, f);
  const Doubles z = f / (f + 2.0);
  const Doubles q = z * z;
  Doubles p = q * (1.0 / 23.0) + (1.0 / 21.0);
  p = p * q + (1.0 / 19.0);
  p = p * q + (1.0 / 17.0);
  p = p * q + (1.0 / 15.0);
  p = p * q + (1.0 / 13.0);
  p = p * q + (1.0 / 11.0);
  p = p * q + (1.0 / 9.0);
  p = p * q + (1.0 / 7.0);
  p = p * q + (1.0 / 5.0);
  p = p * q + (1.0 / 3.0);
  Doubles base;
  spread(0.34657359027997265471, base);  // ln(2) / 2
  base = (Doubles)(large & (Wholes)base);
  into = base + (z * 2.0 + z * 2.0 * q * p);
}

// ln(1 + e^x), its derivative 1 / (1 + e^-x), and the second derivative.
RELYON_INLINE void softplus(const Doubles& x, Doubles& value, Doubles& slope, Doubles& curvature) {
  const Wholes positive = x > 0.0;
  const Doubles negated = -x;
  Doubles down, small, logarithm;
  choose(positive, negated, x, down);  // -|x|
  exponential(down, small);
  log_one_plus(small, logarithm);
  value = (Doubles)(positive & (Wholes)x) + logarithm;
  Doubles one;
  spread(1.0, one);
  const Doubles inverse = one / (one + small);
  const Doubles lesser = small * inverse;
  choose(positive, inverse, lesser, slope);
  curvature = inverse * lesser;
}

}  // namespace relyon
