// Losses that are 1 - NDCG with something smooth in place of the ranks: ApproxNDCG, SoftRank.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "loss_gain.hpp"
#include "loss_loops.hpp"

namespace relyon {
namespace {

// w (1 - sum of G_i / D(r_i)), r_i = 1 + sum over j of sigmoid((s_j - s_i) / T).
class ApproxNDCG final : public GainLoss {
 public:
  explicit ApproxNDCG(Parameters& parameters)
      : GainLoss(parameters), slope_(1.0 / parameters.take_number("temperature", 0.1)) {}

  double work(std::size_t size) const override {
    return static_cast<double>(size) * static_cast<double>(size);
  }

  double evaluate(const LossList& list, const LossSlopes& slopes,
                  LossScratch& scratch) const override {
    const std::span<const double> gains = this->gains(list, true, scratch);
    if (gains.empty()) return 0.0;
    const double weight = list_weight(list);
    const std::size_t size = list.size();
    // Rows with a gain first: only their ranks count.
    std::vector<std::uint32_t>& order = scratch.order;
    order.clear();
    for (std::size_t i = 0; i < size; ++i)
      if (gains[i] > 0) order.push_back(static_cast<std::uint32_t>(i));
    const std::size_t relevant = order.size();
    for (std::size_t i = 0; i < size; ++i)
      if (!(gains[i] > 0)) order.push_back(static_cast<std::uint32_t>(i));
    const std::span<double> scores = scratch.room(0, size);
    for (std::size_t i = 0; i < size; ++i) scores[i] = list.scores[order[i]];

    const std::span<double> ranks = scratch.zeros(1, size);
    for (std::size_t i = 0; i < relevant; ++i)
      ranks[i] += loops::soft_ranks(row(i, scores, {}, ranks, {}));
    const std::span<double> pulls = scratch.zeros(2, size);
    double total = 0.0;
    for (std::size_t i = 0; i < relevant; ++i) {
      const double gain = gains[order[i]];
      const auto [share, fall] = smooth_share(1.0 + ranks[i]);
      total += gain * share;
      pulls[i] = weight * gain * fall;
    }
    const bool bends = !slopes.hessian.empty();
    const std::span<double> gradient = scratch.zeros(3, size);
    const std::span<double> hessian = scratch.zeros(4, bends ? size : 0);
    for (std::size_t i = 0; i < relevant; ++i) {
      const PairSums sums = loops::soft_pulls(row(i, scores, pulls, gradient, hessian));
      gradient[i] += sums.gradient;
      if (bends) hessian[i] += sums.hessian;
    }
    for (std::size_t i = 0; i < size; ++i) slopes.gradient[order[i]] += gradient[i];
    for (std::size_t i = 0; bends && i < size; ++i) slopes.hessian[order[i]] += hessian[i];
    return weight * (1.0 - total);
  }

 private:
  struct Share {
    double share, fall;
  };

  // 1 / D at a rank that need not be whole, and how fast it falls.
  Share smooth_share(double rank) const {
    if (discount_.kind() == Discount::Kind::inverse) return {1.0 / rank, 1.0 / (rank * rank)};
    const double share = 1.0 / std::log2(1.0 + rank);
    return {share, share * share / ((1.0 + rank) * std::numbers::ln2)};
  }

  // A row beside those after it.
  SoftRow row(std::size_t i, std::span<double> scores, std::span<double> pulls,
              std::span<double> first, std::span<double> second) const {
    return {scores[i],
            slope_,
            pulls.empty() ? 0.0 : pulls[i],
            scores.data() + i + 1,
            pulls.empty() ? nullptr : pulls.data() + i + 1,
            scores.size() - i - 1,
            first.data() + i + 1,
            second.empty() ? nullptr : second.data() + i + 1};
  }

  const double slope_;
};

// w (1 - sum of G_j times the expected 1 / D of its rank), where scores are normal variables around
// s with standard deviation sigma.
class SoftRank final : public GainLoss {
 public:
  explicit SoftRank(Parameters& parameters)
      : GainLoss(parameters),
        width_(std::numbers::sqrt2 * parameters.take_number("sigma", 1.0)),
        cap_(take_cap(parameters, 500)) {}

  double work(std::size_t size) const override {
    const auto n = static_cast<double>(size);
    return n * n * n;
  }

  double evaluate(const LossList& list, const LossSlopes& slopes,
                  LossScratch& scratch) const override {
    check_length(list, "softrank", cap_);
    const std::span<const double> gains = this->gains(list, true, scratch);
    if (gains.empty()) return 0.0;
    const double weight = list_weight(list);
    const std::size_t size = list.size();
    const std::size_t ranks = k_ == 0 ? size : std::min<std::size_t>(k_, size);
    const std::span<double> shares = scratch.room(0, ranks);
    for (std::size_t r = 0; r < ranks; ++r) shares[r] = share(r + 1);
    const std::span<double> beats = scratch.room(1, size * size);  // [j, i]: that i beats j
    fill_chances(list.scores, beats);
    const std::span<double> chances = scratch.room(2, size);
    const std::span<double> distributions = scratch.room(3, size * (ranks + 1));
    const std::span<double> room = scratch.room(4, ranks + 1);
    const std::span<double> changes = scratch.room(5, size);
    const std::span<double> pushes = scratch.zeros(6, size * size);
    double total = 0.0;
    for (std::size_t j = 0; j < size; ++j) {
      if (!(gains[j] > 0)) continue;
      const double* row = beats.data() + j * size;
      std::copy(row, row + j, chances.begin());
      std::copy(row + j + 1, row + size, chances.begin() + static_cast<std::ptrdiff_t>(j));
      total +=
          gains[j] * loops::expected_share({chances.data(), size - 1, ranks, shares.data(),
                                            distributions.data(), room.data(), changes.data()});
      for (std::size_t i = 0; i < size; ++i)
        if (i != j) pushes[j * size + i] = gains[j] * changes[i < j ? i : i - 1];
    }
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = i + 1; j < size; ++j) {
        const double gap = (list.scores[i] - list.scores[j]) / width_;
        const double density =
            std::exp(-gap * gap / 2) / (width_ * std::sqrt(2 * std::numbers::pi));
        const double force = -weight * density * (pushes[j * size + i] - pushes[i * size + j]);
        slopes.gradient[i] += force;
        slopes.gradient[j] -= force;
        if (slopes.hessian.empty()) continue;
        slopes.hessian[i] += std::abs(force) / width_;
        slopes.hessian[j] += std::abs(force) / width_;
      }
    }
    return weight * (1.0 - total);
  }

 private:
  // Phi((s_i - s_j) / (sqrt 2 sigma)), the smaller of a pair's two first.
  void fill_chances(std::span<const double> scores, std::span<double> beats) const {
    const std::size_t size = scores.size();
    for (std::size_t i = 0; i < size; ++i) {
      beats[i * size + i] = 0.0;
      for (std::size_t j = i + 1; j < size; ++j) {
        const double gap = (scores[i] - scores[j]) / width_;
        const double tail = std::erfc(std::abs(gap) / std::numbers::sqrt2) / 2;
        beats[j * size + i] = gap > 0 ? 1.0 - tail : tail;
        beats[i * size + j] = gap > 0 ? tail : 1.0 - tail;
      }
    }
  }

  const double width_;
  const std::size_t cap_;
};

}  // namespace

std::unique_ptr<Loss> make_smooth_loss(Parameters& parameters) {
  if (parameters.kernel() == "approx_ndcg") return std::make_unique<ApproxNDCG>(parameters);
  if (parameters.kernel() == "softrank") return std::make_unique<SoftRank>(parameters);
  return nullptr;
}

}  // namespace relyon
