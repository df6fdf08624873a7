// What losses that stand for NDCG share: gains, the discount, the best sum, and the list's weight.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "kernel_parts.hpp"
#include "loss.hpp"

namespace relyon {

class GainLoss : public Loss {
 public:
  explicit GainLoss(Parameters& parameters)
      : gain_(Gain::take(parameters)),
        discount_(Discount::take(parameters)),
        k_(parameters.take_cutoff()) {}

 protected:
  static constexpr std::size_t gain_room = 14, sorted_room = 15;

  // 1 / D(rank), 0 beyond the cutoff.
  double share(std::size_t rank) const {
    return k_ != 0 && rank > k_ ? 0.0 : 1.0 / discount_(rank);
  }

  // w_i g_i / max DCG by row, where max DCG is the best discounted sum of w_i g_i; empty where no
  // order is better than another. Without `weighted`, every w_i is 1.
  std::span<double> gains(const LossList& list, bool weighted, LossScratch& scratch) const {
    const std::span<double> gains = scratch.room(gain_room, list.size());
    for (std::size_t i = 0; i < list.size(); ++i) gains[i] = gain_(list.labels[i]);
    if (!has_order(gains)) return {};
    const std::span<double> sorted = scratch.room(sorted_room, list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (weighted) gains[i] *= list.weight(i);
      sorted[i] = gains[i];
    }
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    double best = 0.0;
    for (std::size_t i = 0; i < list.size() && share(i + 1) != 0; ++i)
      best += sorted[i] * share(i + 1);
    if (!(best > 0)) return {};
    if (!std::isfinite(best)) {
      throw InputError(Sentence("native.gains-of-list", {{"row", std::to_string(list.first_row)}}),
                       {}, 0, "native.gain-exp-is-2");
    }
    for (double& gain : gains) gain /= best;
    return gains;
  }

  // The mean weight of rows, each counted as often as its gain is high. Where all rows of a list
  // weigh the same, that is its weight.
  double list_weight(const LossList& list) const {
    if (list.weights.empty()) return 1.0;
    double sum = 0.0;
    double total = 0.0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const double gain = gain_(list.labels[i]);
      sum += list.weights[i] * gain;
      total += gain;
    }
    return sum / total;
  }

  // Refuses a list that is too long for a loss that takes so much time or memory.
  static void check_length(const LossList& list, const char* name, std::size_t cap) {
    if (list.size() <= cap) return;
    throw InputError(Sentence("native.list-from-row", {{"row", std::to_string(list.first_row)},
                                                       {"size", std::to_string(list.size())},
                                                       {"name", name},
                                                       {"cap", std::to_string(cap)}}),
                     {}, 0,
                     Sentence("native.raise-cap-time-per",
                              {{"name", name}, {"size", std::to_string(list.size())}}));
  }

  const Gain gain_;
  const Discount discount_;
  const std::uint32_t k_;
};

inline std::size_t take_cap(Parameters& parameters, double otherwise) {
  return static_cast<std::size_t>(parameters.take_number("cap", otherwise));
}

}  // namespace relyon
