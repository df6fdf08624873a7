// Positive definite matrices, whole and by row: factors, solutions, inverses.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace relyon {

// Cholesky's factor in the lower half, of which alone the matrix is read. A direction without
// information gets almost none, so that a step along it is small and its variance large.
inline void factorise(std::vector<double>& matrix, std::size_t size) {
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      double sum = matrix[row * size + column];
      for (std::size_t one = 0; one < column; ++one)
        sum -= matrix[row * size + one] * matrix[column * size + one];
      if (column < row) {
        matrix[row * size + column] = sum / matrix[column * size + column];
      } else {
        matrix[row * size + row] = std::sqrt(sum > 1e-10 ? sum : 1e-10);
      }
    }
  }
}

// Solves with a factor, in place.
inline void solve(const std::vector<double>& factor, std::size_t size, double* values) {
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t one = 0; one < row; ++one)
      values[row] -= factor[row * size + one] * values[one];
    values[row] /= factor[row * size + row];
  }
  for (std::size_t row = size; row-- > 0;) {
    for (std::size_t one = row + 1; one < size; ++one)
      values[row] -= factor[one * size + row] * values[one];
    values[row] /= factor[row * size + row];
  }
}

inline void solve(const std::vector<double>& factor, std::size_t size,
                  std::vector<double>& values) {
  solve(factor, size, values.data());
}

// The inverse of a matrix in place of its factor.
inline void invert(std::vector<double>& factor, std::size_t size) {
  std::vector<double> out(size * size, 0.0);
  for (std::size_t row = 0; row < size; ++row) {
    out[row * size + row] = 1.0;
    solve(factor, size, out.data() + row * size);
  }
  factor = std::move(out);
}

}  // namespace relyon
