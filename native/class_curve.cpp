#include "class_curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "radix.hpp"

namespace relyon {
namespace {

struct Item {
  std::uint64_t key;  // ascends as scores fall
  double weight;
};

// Scores of one class, the best first. Equal ones are ordered by weight, so that sums do not depend
// on the order in which the scores came.
std::vector<Item> falling(const std::vector<double>& scores, const std::vector<double>& weights) {
  std::vector<Item> items(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    items[i] = {~ascending_key(scores[i]), weights.empty() ? 1.0 : weights[i]};
  }
  constexpr std::size_t radix_from = 1024;
  if (items.size() >= radix_from) {
    std::vector<Item> spare;
    radix_sort(items, spare, [](const Item& item) { return item.key; });
  } else {
    std::sort(items.begin(), items.end(),
              [](const Item& one, const Item& other) { return one.key < other.key; });
  }
  if (weights.empty()) return items;
  for (auto start = items.begin(); start != items.end();) {
    const auto end =
        std::find_if(start, items.end(), [&](const Item& item) { return item.key != start->key; });
    std::sort(start, end,
              [](const Item& one, const Item& other) { return one.weight < other.weight; });
    start = end;
  }
  return items;
}

double sum_of(std::span<const Item> items) {
  double sum = 0.0;
  for (const Item& item : items) sum += item.weight;
  return sum;
}

// Calls `visit(positives, negatives)` with the weights at every distinct score, the best first,
// until it returns false.
template <typename Visit>
void for_thresholds(std::span<const Item> positives, std::span<const Item> negatives, Visit visit) {
  constexpr std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
  std::size_t positive = 0;
  std::size_t negative = 0;
  while (positive < positives.size() || negative < negatives.size()) {
    const std::uint64_t key = std::min(positive < positives.size() ? positives[positive].key : end,
                                       negative < negatives.size() ? negatives[negative].key : end);
    double found = 0.0;
    double others = 0.0;
    for (; positive < positives.size() && positives[positive].key == key; ++positive) {
      found += positives[positive].weight;
    }
    for (; negative < negatives.size() && negatives[negative].key == key; ++negative) {
      others += negatives[negative].weight;
    }
    if (!visit(found, others)) return;
  }
}

}  // namespace

double roc_area(const Pool& pool, double max_fpr) {
  const std::vector<Item> positives = falling(pool.positive, pool.positive_weights);
  const std::vector<Item> negatives = falling(pool.negative, pool.negative_weights);
  const double all_positive = sum_of(positives);
  const double all_negative = sum_of(negatives);
  if (!(all_positive > 0) || !(all_negative > 0)) return std::numeric_limits<double>::quiet_NaN();
  const double limit = max_fpr * all_negative;
  double above = 0.0;   // positives down to the threshold before
  double passed = 0.0;  // negatives down to it
  double area = 0.0;
  for_thresholds(positives, negatives, [&](double found, double others) {
    if (max_fpr < 1 && passed + others > limit) {
      const double width = limit - passed;
      area += width * (above + width / others * found / 2);
      return false;
    }
    area += others * (above + found / 2);
    above += found;
    passed += others;
    return true;
  });
  const double share = area / all_positive / all_negative;
  if (!(max_fpr < 1)) return share;
  const double least = max_fpr * max_fpr / 2;
  return (1 + (share - least) / (max_fpr - least)) / 2;
}

double average_precision(const Pool& pool) {
  const std::vector<Item> positives = falling(pool.positive, pool.positive_weights);
  const std::vector<Item> negatives = falling(pool.negative, pool.negative_weights);
  const double all_positive = sum_of(positives);
  if (!(all_positive > 0)) return std::numeric_limits<double>::quiet_NaN();
  double above = 0.0;
  double passed = 0.0;
  double sum = 0.0;
  for_thresholds(positives, negatives, [&](double found, double others) {
    above += found;
    passed += others;
    if (found > 0) sum += found * (above / (above + passed));
    return true;
  });
  return sum / all_positive;
}

}  // namespace relyon
