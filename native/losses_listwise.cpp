// Losses of whole lists that are cross-entropies: of who is first, and of the whole order.
#include <algorithm>
#include <cmath>

#include "loss.hpp"
#include "loss_loops.hpp"

namespace relyon {
namespace {

// -sum of w_i t_i log softmax(s)_i. Each gives its target t.
class TopOne : public Loss {
 public:
  double evaluate(const LossList& list, const LossSlopes& slopes,
                  LossScratch& scratch) const override {
    const std::size_t size = list.size();
    const std::span<double> target = scratch.room(0, size);
    if (!aim(list, target)) return 0.0;
    const std::span<double> chance = scratch.room(1, size);
    const double most = loops::highest(list.scores.data(), size);
    const double total = loops::exponentials(list.scores.data(), size, most, chance.data());
    const double normaliser = most + std::log(total);
    for (std::size_t i = 0; i < list.weights.size(); ++i) target[i] *= list.weights[i];
    const std::span<double> gaps = scratch.room(2, size);
    for (std::size_t i = 0; i < size; ++i) gaps[i] = normaliser - list.scores[i];
    const double mass = loops::total(target.data(), size);
    const double inverse = 1.0 / total;
    for (std::size_t i = 0; i < size; ++i) {
      const double p = chance[i] * inverse;
      slopes.gradient[i] += mass * p - target[i];
      if (!slopes.hessian.empty()) slopes.hessian[i] += mass * p * (1.0 - p);
    }
    return loops::dot(target.data(), gaps.data(), size);
  }

 protected:
  // False where the labels have no order.
  virtual bool aim(const LossList& list, std::span<double> target) const = 0;
};

class ListNet final : public TopOne {
  bool aim(const LossList& list, std::span<double> target) const override {
    if (!has_order(list.labels)) return false;
    const double most = loops::highest(list.labels.data(), list.size());
    const double inverse =
        1.0 / loops::exponentials(list.labels.data(), list.size(), most, target.data());
    for (double& share : target) share *= inverse;
    return true;
  }
};

class Softmax final : public TopOne {
  bool aim(const LossList& list, std::span<double> target) const override {
    for (std::size_t i = 0; i < target.size(); ++i) target[i] = std::max(list.labels[i], 0.0);
    return has_order(target);
  }
};

// -sum of w_i [s_i - log sum of e^s over the row and those that come after it], rows in the order
// of their labels.
class ListMLE final : public Loss {
 public:
  double evaluate(const LossList& list, const LossSlopes& slopes,
                  LossScratch& scratch) const override {
    if (!has_order(list.labels)) return 0.0;
    const std::size_t size = list.size();
    const std::span<const std::uint32_t> order = drawn_order(list, list.labels, scratch);
    const auto [low, high] = std::minmax_element(list.scores.begin(), list.scores.end());
    // Powers of differences up to this, and their squares, are neither 0 nor infinite.
    constexpr double tame = 300.0;
    return *high - *low <= tame ? of_powers(list, slopes, order, *high, scratch)
                                : of_logarithms(list, slopes, order, scratch.room(0, size));
  }

 private:
  static double of_powers(const LossList& list, const LossSlopes& slopes,
                          std::span<const std::uint32_t> order, double most, LossScratch& scratch) {
    const std::size_t size = list.size();
    const std::span<double> powers = scratch.room(0, size);
    const std::span<double> sums = scratch.room(1, size);  // over those that are left, by place
    loops::exponentials(list.scores.data(), size, most, powers.data());
    double left = 0.0;
    for (std::size_t place = size; place-- > 0;) sums[place] = left += powers[order[place]];
    double value = 0.0;
    double once = 0.0;
    double twice = 0.0;
    double product = 1.0;  // of sums whose logarithm is not in the value yet
    for (std::size_t place = 0; place < size; ++place) {
      const std::size_t row = order[place];
      const double weight = list.weight(row);
      const double inverse = 1.0 / sums[place];
      value += weight * (most - list.scores[row]);
      if (list.weights.empty()) {
        product *= sums[place];
        if (product < 1e-150 || product > 1e150) {
          value += std::log(product);
          product = 1.0;
        }
      } else {
        value += weight * std::log(sums[place]);
      }
      once += weight * inverse;
      twice += weight * inverse * inverse;
      slopes.gradient[row] += powers[row] * once - weight;
      if (!slopes.hessian.empty())
        slopes.hessian[row] +=
            std::max(powers[row] * once - powers[row] * (powers[row] * twice), 0.0);
    }
    return value + std::log(product);
  }

  // log(e^a + e^b).
  static double join(double a, double b) {
    if (a < b) std::swap(a, b);
    return std::isinf(b) ? a : a + std::log1p(std::exp(b - a));
  }

  // The same with logarithms of everything, for scores that lie very far apart.
  static double of_logarithms(const LossList& list, const LossSlopes& slopes,
                              std::span<const std::uint32_t> order, std::span<double> sums) {
    constexpr double nothing = -std::numeric_limits<double>::infinity();
    double left = nothing;
    for (std::size_t place = order.size(); place-- > 0;)
      sums[place] = left = join(left, list.scores[order[place]]);
    double value = 0.0;
    double once = nothing;
    double twice = nothing;
    for (std::size_t place = 0; place < order.size(); ++place) {
      const std::size_t row = order[place];
      const double weight = list.weight(row);
      const double score = list.scores[row];
      value += weight * (sums[place] - score);
      once = join(once, std::log(weight) - sums[place]);
      twice = join(twice, std::log(weight) - 2 * sums[place]);
      const double p = std::exp(score + once);
      slopes.gradient[row] += p - weight;
      if (!slopes.hessian.empty())
        slopes.hessian[row] += std::max(p - std::exp(2 * score + twice), 0.0);
    }
    return value;
  }
};

}  // namespace

std::unique_ptr<Loss> make_listwise_loss(Parameters& parameters) {
  const std::string& name = parameters.kernel();
  if (name == "listnet") return std::make_unique<ListNet>();
  if (name == "softmax") return std::make_unique<Softmax>();
  if (name == "listmle") return std::make_unique<ListMLE>();
  return nullptr;
}

}  // namespace relyon
