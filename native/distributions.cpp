#include "distributions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

// Incomplete beta and gamma functions: the power in front by Loader's way (2000, Fast and accurate
// computation of binomial probabilities), which neither cancels nor overflows, times a continued
// fraction by Lentz's method on the side where it converges fast.
namespace relyon::distributions {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

// log(1 + z) - z.
double log1p_rest(double z) {
  if (!(std::abs(z) < 0.5)) return std::log1p(z) - z;
  const double ratio = z / (2 + z), square = ratio * ratio;
  double sum = 0.0, power = 1.0;
  for (int odd = 3; power > epsilon / 64; odd += 2, power *= square) sum += power / odd;
  return ratio * (2 * square * sum - z);
}

// log Γ(z) - (z - 1/2) log z + z - log(2π) / 2, what Stirling's formula leaves.
double stirling_rest(double z) {
  double shifted = 0.0;
  // Γ(z) from Γ(z + 1): the rest grows by log1p(1/z) (z + 1/2) - 1.
  for (; z < 15; z += 1) shifted += (z + 0.5) * std::log1p(1 / z) - 1;
  const double square = 1 / (z * z);
  constexpr double terms[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                              1.0 / 1188, -691.0 / 360360, 1.0 / 156};
  double sum = 0.0, power = 1 / z;
  for (const double term : terms) {
    sum += term * power;
    power *= square;
  }
  return shifted + sum;
}

// x^a y^b / B(a, b), where x + y = 1.
double beta_power(double a, double b, double x, double y) {
  const double n = a + b, off = (x * b - y * a) / n;  // x - a / n
  // Of a ratio a / (n x) its logarithm, from what it lacks to 1.
  const auto logarithm = [](double ratio, double less) {
    return less > -0.5 && less < 0.5 ? std::log1p(less) : std::log(ratio);
  };
  double deviance;
  if (std::abs(off) < 0.5 * std::min(x, y)) {
    deviance = a * log1p_rest(-off / x) + b * log1p_rest(off / y) + n * off * off / (x * y);
  } else {
    deviance = a * logarithm(a / (n * x), -off / x) + b * logarithm(b / (n * y), off / y);
  }
  const double rests = stirling_rest(n) - stirling_rest(a) - stirling_rest(b);
  return std::sqrt(a / n * b / (2 * std::numbers::pi)) * std::exp(rests - deviance);
}

// x^a y^b / (B(a, b) I_x(a, b)) for x below (a + 1) / (a + b + 2): the fraction of Didonato and
// Morris (1992), ACM TOMS 18(3), whose terms are positive and do not depend on x near 1.
double beta_fraction(double a, double b, double x, double y) {
  const double below = a * y - b * x + 1;
  double c = a * below / (a + 1), d = 0.0, found = c;
  for (double m = 1; m < 1e7; ++m) {
    const double odd = a + 2 * m - 1;
    const double above = (a + m - 1) / odd * ((a + b + m - 1) / odd) * m * (b - m) * x * x;
    const double part = m + m * (b - m) * x / odd + (a + m) * (below + m * (1 + y)) / (odd + 2);
    d = 1 / (part + above * d);
    c = part + above / c;
    found *= c * d;
    if (std::abs(c * d - 1) <= epsilon) break;
  }
  return found;
}

// I_x(a, b), the regularised incomplete beta function; y is 1 - x without its rounding.
double beta(double a, double b, double x, double y) {
  if (x <= 0) return 0.0;
  if (y <= 0) return 1.0;
  const double power = beta_power(a, b, x, y);
  if (x <= (a + 1) / (a + b + 2)) return power / beta_fraction(a, b, x, y);
  return 1 - power / beta_fraction(b, a, y, x);
}

// Γ(a + 1/2) / (Γ(a) √π).
double half_step(double a) {
  double factor = 1.0;
  for (; a < 15; a += 1) factor *= a / (a + 0.5);
  const double logarithm = a * log1p_rest(0.5 / a) + stirling_rest(a + 0.5) - stirling_rest(a);
  return factor * std::sqrt(a / std::numbers::pi) * std::exp(logarithm);
}

// What is known of Student's distribution at one t >= 0.
struct Student {
  double tail;     // P(T > t)
  double inside;   // P(|T| <= t)
  double density;  // times t
};

Student student_at(double degrees, double scale, double t) {
  if (t == 0) return {0.5, 0.0, 0.0};
  if (t == infinity) return {0.0, 1.0, 0.0};
  const double a = degrees / 2, ratio = t / std::sqrt(degrees), square = ratio * ratio;
  // x = 1 / (1 + square) and y = 1 - x.
  const double logarithm = ratio < 1e8 ? std::log1p(square) : 2 * std::log(ratio);
  const double x = 1 / (1 + square), root = ratio / std::hypot(1.0, ratio);
  const double power = scale * std::exp(-a * logarithm) * root;
  if (x <= (a + 1) / (a + 2.5)) {
    const double tail = 0.5 * power / beta_fraction(a, 0.5, x, root * root);
    return {tail, 1 - 2 * tail, power};
  }
  const double inside = power / beta_fraction(0.5, a, root * root, x);
  return {0.5 - 0.5 * inside, inside, power};
}

// The root of a falling concave function, or of a rising one from below, by Newton's steps.
template <class Step>
double newton(double start, const Step& step) {
  double found = start;
  for (int turn = 0; turn < 200; ++turn) {
    const double next = step(found);
    if (!std::isfinite(next) || next == found) break;
    const bool done = std::abs(next - found) <= 2 * epsilon * std::abs(next);
    found = next;
    if (done) break;
  }
  return found;
}

// Of a quantile function that is odd around 1/2: from the smaller tail and twice the distance from
// 1/2, both exact.
template <class Upper>
double symmetric(double p, const Upper& upper) {
  if (!(p >= 0 && p <= 1)) return nan;
  if (p == 0 || p == 1) return p == 0 ? -infinity : infinity;
  if (p == 0.5) return 0.0;
  const double found = p < 0.5 ? upper(p, 1 - 2 * p) : upper(1 - p, 2 * p - 1);
  return p < 0.5 ? -found : found;
}

}  // namespace

double normal(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double normal_quantile(double p) {
  return symmetric(p, [](double tail, double inside) {
    const auto density = [](double z) {
      return std::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    };
    if (tail > 0.25) {
      return newton(inside * std::sqrt(std::numbers::pi / 2), [&](double z) {
        return z + (inside - std::erf(z / std::numbers::sqrt2)) / (2 * density(z));
      });
    }
    return newton(std::sqrt(-2 * std::log(2 * tail)), [&](double z) {
      const double here = normal(-z);
      return z + std::log(here / tail) * here / density(z);
    });
  });
}

double student(double degrees, double t) {
  if (!(degrees > 0) || std::isnan(t)) return nan;
  if (degrees == infinity) return normal(t);
  const double tail = student_at(degrees, half_step(degrees / 2), std::abs(t)).tail;
  return t <= 0 ? tail : 1 - tail;
}

double student_quantile(double degrees, double p) {
  if (!(degrees > 0)) return nan;
  if (degrees == infinity) return normal_quantile(p);
  const double scale = half_step(degrees / 2);
  return symmetric(p, [&](double tail, double inside) {
    // Newton's steps of log t: as a function of it, the logarithm of either probability is concave.
    const double z = -normal_quantile(tail);
    const double start = z + z * (z * z + 1) / (4 * std::max(degrees, 2.0));
    return newton(start, [&](double t) {
      const Student here = student_at(degrees, scale, t);
      const double step = tail > 0.25
                              ? std::log(inside / here.inside) * here.inside / (2 * here.density)
                              : std::log(here.tail / tail) * here.tail / here.density;
      return t * std::exp(std::clamp(step, -50.0, 50.0));
    });
  });
}

double f_tail(double numerator, double denominator, double f) {
  if (!(numerator > 0 && denominator > 0) || std::isnan(f)) return nan;
  if (f <= 0 || f == infinity) return f <= 0 ? 1.0 : 0.0;
  const double first = numerator * f, whole = first + denominator;
  return beta(denominator / 2, numerator / 2, denominator / whole, first / whole);
}

double chi_square_tail(double degrees, double x) {
  if (!(degrees > 0) || std::isnan(x)) return nan;
  if (x <= 0 || x == infinity) return x <= 0 ? 1.0 : 0.0;
  const double a = degrees / 2, half = x / 2;
  // half^a e^-half / Γ(a + 1).
  const double power = std::exp(a * log1p_rest((half - a) / a) - stirling_rest(a)) /
                       std::sqrt(2 * std::numbers::pi * a);
  if (half < a + 1) {
    double sum = 1.0, term = 1.0;
    for (double k = 1; term > sum * epsilon / 4; ++k) sum += term *= half / (a + k);
    return 1 - power * sum;
  }
  double b = half + 1 - a, c = infinity, d = 1 / b, found = d;
  for (double k = 1; k < 1e7; ++k) {
    const double factor = -k * (k - a);
    b += 2;
    d = 1 / (factor * d + b);
    c = b + factor / c;
    found *= d * c;
    if (std::abs(d * c - 1) <= epsilon) break;
  }
  return power * a * found;
}

double binomial(double k, double n, double p) {
  if (k < 0 || k > n) return 0.0;
  return beta_power(k + 1, n - k + 1, p, 1 - p) / ((n + 1) * p * (1 - p));
}

double binomial_tail(double k, double n, double p) {
  if (k < 0) return 0.0;
  return k >= n ? 1.0 : beta(n - k, k + 1, 1 - p, p);
}

}  // namespace relyon::distributions
