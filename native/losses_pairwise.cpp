// Losses of pairs of rows, one of which should stand above the other.
#include <algorithm>

#include "loss.hpp"
#include "loss_loops.hpp"

namespace relyon {
namespace {

// Sum over y_i > y_j of w_i softplus(-sigma (s_i - s_j)).
class RankNet final : public Loss {
 public:
  explicit RankNet(double sigma) : sigma_(sigma) {}

  double work(std::size_t size) const override {
    return static_cast<double>(size) * static_cast<double>(size);
  }

  double evaluate(const LossList& list, const LossSlopes& slopes,
                  LossScratch& scratch) const override {
    const std::size_t size = list.size();
    // Rows from the highest label to the lowest: those below a row come after its equals.
    const std::span<const std::uint32_t> order = stable_order(list.labels, scratch);
    const std::span<double> scores = scratch.room(0, size);
    for (std::size_t i = 0; i < size; ++i) scores[i] = list.scores[order[i]];
    const std::span<double> gradient = scratch.zeros(1, size);
    const bool bends = !slopes.hessian.empty();
    const std::span<double> hessian = scratch.zeros(2, bends ? size : 0);
    double value = 0.0;
    std::size_t below = 0;
    for (std::size_t i = 0; i < size; ++i) {
      while (below < size && list.labels[order[below]] >= list.labels[order[i]]) ++below;
      if (below == size) break;
      const PairSums sums = loops::pairs(
          {scores[i], sigma_, list.weight(order[i]), nullptr, scores.data() + below, size - below,
           gradient.data() + below, bends ? hessian.data() + below : nullptr});
      value += sums.value;
      gradient[i] += sums.gradient;
      if (bends) hessian[i] += sums.hessian;
    }
    for (std::size_t i = 0; i < size; ++i) slopes.gradient[order[i]] += gradient[i];
    for (std::size_t i = 0; bends && i < size; ++i) slopes.hessian[order[i]] += hessian[i];
    return value;
  }

 private:
  const double sigma_;
};

}  // namespace

std::unique_ptr<Loss> make_pairwise_loss(Parameters& parameters) {
  if (parameters.kernel() != "ranknet") return nullptr;
  return std::make_unique<RankNet>(parameters.take_number("sigma", 1.0));
}

}  // namespace relyon
