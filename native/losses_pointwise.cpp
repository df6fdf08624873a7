// Losses of single rows.
#include "loss.hpp"

namespace relkit {
namespace {

// w (s - y)^2 / 2.
class SquaredError final : public Loss {
 public:
  double evaluate(const LossList& list, const LossSlopes& slopes, LossScratch&) const override {
    double value = 0.0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const double error = list.scores[i] - list.labels[i];
      const double weight = list.weight(i);
      value += weight * error * error / 2;
      slopes.gradient[i] += weight * error;
      if (!slopes.hessian.empty()) slopes.hessian[i] += weight;
    }
    return value;
  }
};

}  // namespace

std::unique_ptr<Loss> make_pointwise_loss(Parameters& parameters) {
  if (parameters.kernel() == "squared_error") return std::make_unique<SquaredError>();
  return nullptr;
}

}  // namespace relkit
