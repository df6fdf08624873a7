// Distributions that tests and intervals need: tails and quantiles, exact far out in both tails.
#pragma once

namespace relyon::distributions {

// P(T <= t) and the t with P(T <= t) = p, of Student's distribution; NaN unless degrees > 0.
double student(double degrees, double t);
double student_quantile(double degrees, double p);

// P(Z <= z) and its inverse, of the normal distribution.
double normal(double z);
double normal_quantile(double p);

// P(F > f), of the ratio of two mean squares.
double f_tail(double numerator, double denominator, double f);

// P(X > x), of a sum of `degrees` squares.
double chi_square_tail(double degrees, double x);

// P(X = k) and P(X <= k) of k successes in n trials of chance p, 0 < p < 1.
double binomial(double k, double n, double p);
double binomial_tail(double k, double n, double p);

}  // namespace relyon::distributions
