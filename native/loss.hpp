// A loss of ranked lists: one list's scores and labels to a value, a gradient and a Hessian.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "parameters.hpp"

namespace relyon {

// One list, all of whose numbers are finite.
struct LossList {
  std::span<const double> labels;
  std::span<const double> scores;
  std::span<const double> weights;  // empty: every row weighs 1
  std::size_t first_row = 0;        // of the list among all rows, for messages
  std::uint64_t number = 0;         // of the list: with the seed, where its draws come from
  std::uint64_t seed = 0;

  std::size_t size() const { return labels.size(); }
  double weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }
};

// Where a list's derivatives go: one number per row, all 0 before. An empty Hessian is not wanted.
struct LossSlopes {
  std::span<double> gradient;
  std::span<double> hessian;
};

// Working memory of one thread, reused from list to list.
class LossScratch {
 public:
  // Room number `place`: what it holds is anything.
  std::span<double> room(std::size_t place, std::size_t size) {
    std::vector<double>& kept = rooms_[place];
    if (kept.size() < size) kept.resize(size);
    return {kept.data(), size};
  }
  std::span<double> zeros(std::size_t place, std::size_t size) {
    const std::span<double> found = room(place, size);
    for (double& value : found) value = 0.0;
    return found;
  }
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> drawn;
  std::vector<double> values;

 private:
  std::array<std::vector<double>, 16> rooms_;
};

// One loss with its parameters, ready to run over many lists from many threads.
class Loss {
 public:
  virtual ~Loss() = default;
  // Returns the value, which is made small, and adds to the derivatives by the scores.
  virtual double evaluate(const LossList& list, const LossSlopes& slopes,
                          LossScratch& scratch) const = 0;
  // Work in a list of n rows, by which lists are shared out to threads.
  virtual double work(std::size_t size) const { return static_cast<double>(size); }
};

// Throws InputError for an unknown loss or parameter.
std::unique_ptr<Loss> make_loss(Parameters parameters);

// One a family; nullptr where the name is not theirs.
std::unique_ptr<Loss> make_pointwise_loss(Parameters& parameters);
std::unique_ptr<Loss> make_pairwise_loss(Parameters& parameters);
std::unique_ptr<Loss> make_lambda_loss(Parameters& parameters);
std::unique_ptr<Loss> make_listwise_loss(Parameters& parameters);
std::unique_ptr<Loss> make_smooth_loss(Parameters& parameters);
std::unique_ptr<Loss> make_neural_loss(Parameters& parameters);
std::unique_ptr<Loss> make_swap_loss(Parameters& parameters);

// Whether some row is to stand above another: whether not all of these are equal.
inline bool has_order(std::span<const double> labels) {
  for (const double label : labels)
    if (label != labels[0]) return true;
  return false;
}

// The rows from the highest value to the lowest, in `scratch.order`; equal ones as they came.
std::span<const std::uint32_t> stable_order(std::span<const double> values, LossScratch& scratch);

// The same for losses to which the order of equal ones matters: it is drawn from the seed and the
// list's number, so that the order of the input says nothing.
std::span<const std::uint32_t> drawn_order(const LossList& list, std::span<const double> values,
                                           LossScratch& scratch);

}  // namespace relyon
