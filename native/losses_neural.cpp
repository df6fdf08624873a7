// NeuralNDCG: 1 - NDCG of a list that is sorted by a soft permutation matrix.
#include <algorithm>
#include <cmath>
#include <functional>

#include "loss_gain.hpp"
#include "loss_loops.hpp"

namespace relyon {
namespace {

// M_ij = softmax over j of ((n + 1 - 2i) s_j - sum over k of |s_j - s_k|) / tau, i from 1. Its
// columns and rows are then scaled in turn to add up to 1: P_ij = r_i M_ij c_j. Only the factors of
// each round are kept, and the derivatives go back through the rounds that were made.
class NeuralNDCG final : public GainLoss {
 public:
  explicit NeuralNDCG(Parameters& parameters)
      : GainLoss(parameters),
        temperature_(parameters.take_number("temperature", 1.0)),
        rounds_(static_cast<std::size_t>(parameters.take_number("rounds", 50.0))),
        tolerance_(parameters.take_number("tolerance", 1e-6)),
        cap_(take_cap(parameters, 2000)) {}

  double work(std::size_t size) const override {
    return 50.0 * static_cast<double>(size) * static_cast<double>(size);
  }

  double evaluate(const LossList& list, const LossSlopes& slopes,
                  LossScratch& scratch) const override {
    check_length(list, "neural_ndcg", cap_);
    const std::span<const double> gains = this->gains(list, true, scratch);
    if (gains.empty()) return 0.0;
    const std::size_t size = list.size();
    const std::span<double> matrix = scratch.room(0, size * size);
    fill_matrix(list.scores, matrix, scratch.room(1, size));
    // Row factors of round t stand at t, from 1; those at 0 are 1.
    const std::span<double> rows = scratch.room(2, (rounds_ + 1) * size);
    const std::span<double> columns = scratch.room(3, (rounds_ + 1) * size);
    const std::size_t made = scale(matrix, rows, columns, size);
    const double weight = list_weight(list);
    const double total = go_back(list, matrix, rows, columns, gains, made, weight, slopes, scratch);
    return weight * (1.0 - total);
  }

 private:
  void fill_matrix(std::span<const double> scores, std::span<double> matrix,
                   std::span<double> spreads) const {
    const std::size_t size = scores.size();
    for (std::size_t j = 0; j < size; ++j) {
      spreads[j] = 0.0;
      for (std::size_t k = 0; k < size; ++k) spreads[j] += std::abs(scores[j] - scores[k]);
    }
    for (std::size_t i = 0; i < size; ++i) {
      double* row = matrix.data() + i * size;
      const double factor = factor_of(i, size);
      for (std::size_t j = 0; j < size; ++j)
        row[j] = (factor * scores[j] - spreads[j]) / temperature_;
      const double sum = loops::exponentials(row, size, *std::max_element(row, row + size), row);
      for (std::size_t j = 0; j < size; ++j) row[j] /= sum;
    }
  }

  static double factor_of(std::size_t i, std::size_t size) {
    return static_cast<double>(size) - 1.0 - 2.0 * static_cast<double>(i);
  }

  // Returns how many rounds were made. Every column holds the largest entry of some row, so no sum
  // is below 1 / n.
  std::size_t scale(std::span<const double> matrix, std::span<double> rows,
                    std::span<double> columns, std::size_t size) const {
    std::fill_n(rows.begin(), size, 1.0);
    for (std::size_t round = 1; round <= rounds_; ++round) {
      const double* before = rows.data() + (round - 1) * size;
      const double* previous = columns.data() + (round - 1) * size;
      double* column = columns.data() + round * size;
      double* row = rows.data() + round * size;
      std::fill_n(column, size, 0.0);
      for (std::size_t i = 0; i < size; ++i)
        loops::add(before[i], matrix.data() + i * size, size, column);
      // How far the column sums of the round before are from 1: sum over i of r_i M_ij c_j.
      double worst = round == 1 ? 1.0 : 0.0;
      for (std::size_t j = 0; j < size; ++j) {
        if (round > 1) worst = std::max(worst, std::abs(column[j] * previous[j] - 1.0));
        column[j] = 1.0 / column[j];
      }
      if (round > 1 && worst < tolerance_) return round - 1;
      for (std::size_t i = 0; i < size; ++i)
        row[i] = 1.0 / loops::dot(matrix.data() + i * size, column, size);
    }
    return rounds_;
  }

  // Returns the soft NDCG.
  double go_back(const LossList& list, std::span<const double> matrix, std::span<const double> rows,
                 std::span<const double> columns, std::span<const double> gains, std::size_t made,
                 double weight, const LossSlopes& slopes, LossScratch& scratch) const {
    const std::size_t size = list.size();
    const double* last_row = rows.data() + made * size;
    const double* last_column = columns.data() + made * size;
    // The derivative by the matrix is a sum of products left_i right_j: one of the value itself,
    // and two of each round.
    const std::size_t products = 2 * made + 1;
    const std::span<double> left = scratch.room(4, products * size);
    const std::span<double> right = scratch.room(5, products * size);
    const std::span<double> by_row = scratch.room(6, size);
    const std::span<double> by_column = scratch.zeros(7, size);
    double total = 0.0;
    for (std::size_t j = 0; j < size; ++j) right[j] = last_column[j] * gains[j];
    for (std::size_t i = 0; i < size; ++i) {
      const double worth = loops::dot(matrix.data() + i * size, right.data(), size);
      left[i] = share(i + 1) * last_row[i];
      total += left[i] * worth;
      by_row[i] = share(i + 1) * worth;
      loops::add(left[i], matrix.data() + i * size, size, by_column.data());
    }
    for (std::size_t j = 0; j < size; ++j) by_column[j] *= gains[j];
    std::size_t product = 1;
    for (std::size_t round = made; round > 0; --round) {
      const double* row = rows.data() + round * size;
      const double* before = rows.data() + (round - 1) * size;
      const double* column = columns.data() + round * size;
      double* a = left.data() + product * size;
      double* b = right.data() + product * size;
      for (std::size_t i = 0; i < size; ++i) {
        a[i] = -by_row[i] * row[i] * row[i];
        loops::add(a[i], matrix.data() + i * size, size, by_column.data());
      }
      std::copy_n(column, size, b);
      a += size;
      b += size;
      std::copy_n(before, size, a);
      for (std::size_t j = 0; j < size; ++j) {
        b[j] = -by_column[j] * column[j] * column[j];
        by_column[j] = 0.0;
      }
      for (std::size_t i = 0; i < size; ++i)
        by_row[i] = loops::dot(matrix.data() + i * size, b, size);
      product += 2;
    }
    descend(list, matrix, left, right, products, -weight, slopes, scratch);
    return total;
  }

  // From the derivative by the matrix to that by the scores, times `factor`.
  void descend(const LossList& list, std::span<const double> matrix, std::span<const double> left,
               std::span<const double> right, std::size_t products, double factor,
               const LossSlopes& slopes, LossScratch& scratch) const {
    const std::size_t size = list.size();
    const std::span<double> entry = scratch.room(8, size);
    const std::span<double> gradient = scratch.zeros(9, size);
    const std::span<double> spreads = scratch.zeros(10, size);  // by the sums of |s_j - s_k|
    for (std::size_t i = 0; i < size; ++i) {
      const double* row = matrix.data() + i * size;
      std::fill(entry.begin(), entry.end(), 0.0);
      for (std::size_t product = 0; product < products; ++product)
        loops::add(left[product * size + i], right.data() + product * size, size, entry.data());
      const double mean = loops::dot(row, entry.data(), size);
      for (std::size_t j = 0; j < size; ++j)
        entry[j] = row[j] * (entry[j] - mean) * (factor / temperature_);
      loops::add(factor_of(i, size), entry.data(), size, gradient.data());
      loops::add(-1.0, entry.data(), size, spreads.data());
    }
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t k = 0; k < size; ++k) {
        const double gap = list.scores[j] - list.scores[k];
        const double sign = gap > 0 ? 1.0 : gap < 0 ? -1.0 : 0.0;
        gradient[j] += sign * (spreads[j] + spreads[k]);
      }
      slopes.gradient[j] += gradient[j];
      if (!slopes.hessian.empty()) slopes.hessian[j] += std::abs(gradient[j]) / temperature_;
    }
  }

  const double temperature_;
  const std::size_t rounds_;
  const double tolerance_;
  const std::size_t cap_;
};

}  // namespace

std::unique_ptr<Loss> make_neural_loss(Parameters& parameters) {
  if (parameters.kernel() != "neural_ndcg") return nullptr;
  return std::make_unique<NeuralNDCG>(parameters);
}

}  // namespace relyon
