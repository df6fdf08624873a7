// LambdaLoss: logistic losses of pairs, weighted by what their ranks and gains say now.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "loss_gain.hpp"
#include "loss_loops.hpp"

namespace relyon {
namespace {

enum class Scheme { loss1, loss2, loss2pp };

class LambdaLoss final : public GainLoss {
 public:
  LambdaLoss(Parameters& parameters, Scheme scheme)
      : GainLoss(parameters),
        scheme_(scheme),
        sigma_(parameters.take_number("sigma", 1.0)),
        mu_(scheme == Scheme::loss2pp ? parameters.take_number("mu", 10.0) : 1.0) {}

  double work(std::size_t size) const override {
    return static_cast<double>(size) * static_cast<double>(size);
  }

  double evaluate(const LossList& list, const LossSlopes& slopes,
                  LossScratch& scratch) const override {
    const std::span<const double> gains = this->gains(list, false, scratch);
    if (gains.empty()) return 0.0;
    const std::size_t size = list.size();
    // Everything in the order of the scores: row r has rank r + 1.
    const std::span<const std::uint32_t> order = drawn_order(list, list.scores, scratch);
    Ranked ranked;
    ranked.scores = scratch.room(0, size);
    ranked.gains = scratch.room(1, size);
    ranked.shares = scratch.room(2, size);
    ranked.steps = scratch.room(3, size);
    ranked.weights = scratch.room(4, size);
    ranked.gradient = scratch.zeros(5, size);
    ranked.hessian = scratch.zeros(6, slopes.hessian.empty() ? 0 : size);
    for (std::size_t r = 0; r < size; ++r) {
      ranked.scores[r] = list.scores[order[r]];
      ranked.gains[r] = gains[order[r]];
      ranked.shares[r] = share(r + 1);
    }
    // |1 / D(d) - 1 / D(d + 1)| by the distance d of two ranks.
    for (std::size_t d = 1; d < size; ++d)
      ranked.steps[d] = std::abs(ranked.shares[d - 1] - ranked.shares[d]);
    double value = 0.0;
    for (std::size_t r = 0; r < size; ++r) {
      if (!(ranked.gains[r] > 0)) continue;
      const double weight = list.weight(order[r]) / std::numbers::ln2;
      if (scheme_ == Scheme::loss1) {
        const double own = weight * ranked.gains[r] * ranked.shares[r];
        value += add(ranked, r, own, false, 0, r) + add(ranked, r, own, false, r + 1, size);
      } else {
        weigh(ranked, r);
        value += add(ranked, r, weight, true, 0, size);
      }
    }
    for (std::size_t r = 0; r < size; ++r) slopes.gradient[order[r]] += ranked.gradient[r];
    for (std::size_t r = 0; r < slopes.hessian.size(); ++r)
      slopes.hessian[order[r]] += ranked.hessian[r];
    return value;
  }

 private:
  struct Ranked {
    std::span<double> scores, gains, shares, steps, weights, gradient, hessian;
  };

  // The weights of the pairs of row r with those that gain less; 0 for all others.
  void weigh(const Ranked& ranked, std::size_t r) const {
    const double gain = ranked.gains[r];
    const std::size_t size = ranked.scores.size();
    for (std::size_t q = 0; q < size; ++q) {
      const double more = gain - ranked.gains[q];
      if (!(more > 0)) {
        ranked.weights[q] = 0.0;
        continue;
      }
      double factor = mu_ * ranked.steps[q > r ? q - r : r - q];
      if (scheme_ == Scheme::loss2pp) factor += std::abs(ranked.shares[r] - ranked.shares[q]);
      ranked.weights[q] = factor * more;
    }
  }

  double add(const Ranked& ranked, std::size_t r, double weight, bool weighed, std::size_t from,
             std::size_t to) const {
    const PairSums sums = loops::pairs(
        {ranked.scores[r], sigma_, weight, weighed ? ranked.weights.data() + from : nullptr,
         ranked.scores.data() + from, to - from, ranked.gradient.data() + from,
         ranked.hessian.empty() ? nullptr : ranked.hessian.data() + from});
    ranked.gradient[r] += sums.gradient;
    if (!ranked.hessian.empty()) ranked.hessian[r] += sums.hessian;
    return sums.value;
  }

  const Scheme scheme_;
  const double sigma_;
  const double mu_;
};

}  // namespace

std::unique_ptr<Loss> make_lambda_loss(Parameters& parameters) {
  const std::string& name = parameters.kernel();
  if (name == "ndcg_loss1") return std::make_unique<LambdaLoss>(parameters, Scheme::loss1);
  if (name == "ndcg_loss2") return std::make_unique<LambdaLoss>(parameters, Scheme::loss2);
  if (name == "ndcg_loss2pp") return std::make_unique<LambdaLoss>(parameters, Scheme::loss2pp);
  return nullptr;
}

}  // namespace relyon
