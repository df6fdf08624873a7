#include "weighted.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "error.hpp"
#include "parameters.hpp"

namespace relyon {
namespace {

// Weights of levels below and above a given one, each summed on its own.
class Weights {
 public:
  explicit Weights(std::size_t levels)
      : below_(levels + 1, 0.0), above_(levels + 1, 0.0), at_(levels, 0.0) {}

  void add(std::size_t level, double weight) {
    at_[level] += weight;
    for (std::size_t i = level + 1; i < below_.size(); i += i & (~i + 1)) below_[i] += weight;
    for (std::size_t i = at_.size() - level; i < above_.size(); i += i & (~i + 1))
      above_[i] += weight;
  }
  double below(std::size_t level) const { return prefix(below_, level); }
  double at(std::size_t level) const { return at_[level]; }
  double above(std::size_t level) const { return prefix(above_, at_.size() - level - 1); }

 private:
  static double prefix(const std::vector<double>& tree, std::size_t count) {
    double sum = 0.0;
    for (std::size_t i = count; i > 0; i &= i - 1) sum += tree[i];
    return sum;
  }

  std::vector<double> below_;
  std::vector<double> above_;  // by level from the highest
  std::vector<double> at_;
};

}  // namespace

WeightedRows WeightedOrder::order(std::span<const double> labels, std::span<const double> scores,
                                  std::span<const double> weights, const Rules& rules) {
  if (rules.ties == Ties::rank) {
    throw InputError("native.ties-rank-needs-rank", {}, 0, "data.choose-another-tie-rule");
  }
  rows_.clear();
  labels_.assign(labels.begin(), labels.end());
  scores_.assign(scores.begin(), scores.end());
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] < 0 && rules.negative == Negative::error) {
      throw InputError(
          Sentence("native.negative-grade",
                   {{"grade", short_text(*std::min_element(labels.begin(), labels.end()))}}),
          {}, 0, "data.set-negative-nonrelevant");
    }
    if (labels[row] < 0 && rules.negative == Negative::unjudged) {
      if (rules.unjudged == Unjudged::removed) continue;
      labels_[row] = std::numeric_limits<double>::quiet_NaN();
    }
    if (rules.float32) scores_[row] = static_cast<float>(scores_[row]);
    rows_.push_back(row);
  }
  const auto label = [this](std::size_t row) {
    return std::isnan(labels_[row]) ? 0.0 : labels_[row];
  };
  const TieRule& rule = tie_rule(rules.ties);
  const bool any_order = rule.key == TieKey::grade;
  if (!any_order && rule.descending) std::reverse(rows_.begin(), rows_.end());
  std::stable_sort(rows_.begin(), rows_.end(), [&](std::size_t one, std::size_t other) {
    if (scores_[one] != scores_[other]) return scores_[one] > scores_[other];
    // Rows may come in any order, and numbers are not to depend on it in their last bits.
    if (!any_order) return false;
    if (label(one) != label(other)) return (label(one) > label(other)) == rule.descending;
    if (std::isnan(labels_[one]) != std::isnan(labels_[other])) return std::isnan(labels_[one]);
    return weights[one] < weights[other];
  });
  weights_.resize(rows_.size());
  std::vector<double> ordered(rows_.size());
  const auto pick = [&](std::vector<double>& values) {
    for (std::size_t i = 0; i < rows_.size(); ++i) ordered[i] = values[rows_[i]];
    values.swap(ordered);
    values.resize(rows_.size());
    ordered.resize(rows_.size());
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) weights_[i] = weights[rows_[i]];
  pick(scores_);
  pick(labels_);
  return {scores_, labels_, weights_};
}

PairWeights weigh_pairs(const WeightedRows& rows, bool split_ties) {
  std::vector<double> distinct(rows.labels.begin(), rows.labels.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::size_t> levels(rows.labels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i] = static_cast<std::size_t>(
        std::lower_bound(distinct.begin(), distinct.end(), rows.labels[i]) - distinct.begin());
  }
  PairWeights sums;
  Weights before(distinct.size());
  std::vector<std::size_t> tie;
  for (std::size_t start = 0; start < levels.size();) {
    std::size_t end = start + 1;
    while (split_ties && end < levels.size() && rows.scores[end] == rows.scores[start]) ++end;
    for (std::size_t i = start; i < end; ++i) {
      sums.higher += rows.weights[i] * before.above(levels[i]);
      sums.equal += rows.weights[i] * before.at(levels[i]);
      sums.lower += rows.weights[i] * before.below(levels[i]);
    }
    if (end - start > 1) {
      tie.resize(end - start);
      for (std::size_t i = start; i < end; ++i) tie[i - start] = i;
      std::sort(tie.begin(), tie.end(), [&](std::size_t one, std::size_t other) {
        return levels[one] != levels[other] ? levels[one] < levels[other] : one < other;
      });
      double lower = 0.0;
      double same = 0.0;
      for (std::size_t i = 0; i < tie.size(); ++i) {
        if (i > 0 && levels[tie[i]] != levels[tie[i - 1]]) {
          lower += same;
          same = 0.0;
        }
        sums.tied_equal += rows.weights[tie[i]] * same;
        sums.tied_different += rows.weights[tie[i]] * lower;
        same += rows.weights[tie[i]];
      }
    }
    for (std::size_t i = start; i < end; ++i) before.add(levels[i], rows.weights[i]);
    start = end;
  }
  return sums;
}

}  // namespace relyon
