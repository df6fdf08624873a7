// Losses of single rows.
#include <cmath>

#include "error.hpp"
#include "loss.hpp"
#include "loss_loops.hpp"

namespace relyon {
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

double cross_entropy(const LossList& list, std::span<const double> targets, double shift,
                     const LossSlopes& slopes) {
  return loops::logistic({list.scores.data(), targets.data(),
                          list.weights.empty() ? nullptr : list.weights.data(), shift, list.size(),
                          slopes.gradient.data(),
                          slopes.hessian.empty() ? nullptr : slopes.hessian.data()});
}

// w (softplus(s) - [y >= rel] s).
class Logistic final : public Loss {
 public:
  explicit Logistic(double rel) : rel_(rel) {}

  double evaluate(const LossList& list, const LossSlopes& slopes,
                  LossScratch& scratch) const override {
    const std::span<double> targets = scratch.room(0, list.size());
    for (std::size_t i = 0; i < list.size(); ++i) targets[i] = list.labels[i] >= rel_ ? 1.0 : 0.0;
    return cross_entropy(list, targets, 0.0, slopes);
  }

 private:
  const double rel_;
};

[[noreturn]] void refuse_label(const LossList& list, std::size_t row, const Sentence& wanted,
                               const Sentence& hint) {
  throw InputError(
      Sentence("native.labels-row-label", {{"row", std::to_string(list.first_row + row)},
                                           {"label", short_text(list.labels[row])},
                                           {"wanted", wanted}}),
      {}, 0, hint);
}

// w (softplus(s) - y s), y a probability.
class CrossEntropy final : public Loss {
 public:
  double evaluate(const LossList& list, const LossSlopes& slopes, LossScratch&) const override {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list.labels[i] >= 0 && list.labels[i] <= 1) continue;
      refuse_label(list, i, "from 0 to 1", "native.for-grades-use-logistic");
    }
    return cross_entropy(list, list.labels, 0.0, slopes);
  }
};

// One logistic loss per grade from 1 on: is the label at least that?
class Ordinal final : public Loss {
 public:
  Ordinal(double levels, double step) : levels_(levels), step_(step) {}

  double work(std::size_t size) const override { return levels_ * static_cast<double>(size); }

  double evaluate(const LossList& list, const LossSlopes& slopes,
                  LossScratch& scratch) const override {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list.labels[i] <= levels_) continue;
      refuse_label(list, i, Sentence("at most {levels}", {{"levels", short_text(levels_)}}),
                   "native.levels-is-highest-grade");
    }
    const std::span<double> targets = scratch.room(0, list.size());
    double value = 0.0;
    for (double level = 1; level <= levels_; ++level) {
      for (std::size_t i = 0; i < list.size(); ++i)
        targets[i] = list.labels[i] >= level ? 1.0 : 0.0;
      value += cross_entropy(list, targets, step_ * (level - 0.5), slopes);
    }
    return value;
  }

 private:
  const double levels_;
  const double step_;
};

}  // namespace

std::unique_ptr<Loss> make_pointwise_loss(Parameters& parameters) {
  const std::string& name = parameters.kernel();
  if (name == "squared_error") return std::make_unique<SquaredError>();
  if (name == "logistic") return std::make_unique<Logistic>(parameters.take_number("rel", 1.0));
  if (name == "cross_entropy") return std::make_unique<CrossEntropy>();
  if (name != "ordinal") return nullptr;
  const double levels = parameters.take_number("levels", 4.0);
  return std::make_unique<Ordinal>(levels, parameters.take_number("step", 1.0));
}

}  // namespace relyon
