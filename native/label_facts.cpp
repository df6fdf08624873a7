#include "label_facts.hpp"

namespace relyon {

Levels::Levels(std::span<const double> values) {
  if (!simd::count_levels(values.data(), values.size(), labels.data())) {
    labels = {};
    return;
  }
  count = simd::levels;
  while (count > 0 && labels[count - 1] == 0) --count;
}

void LabelFacts::add(const LabelFacts& other) {
  if (!(highest >= other.highest) && other.highest == other.highest) highest = other.highest;
  if (!(lowest <= other.lowest) && other.lowest == other.lowest) lowest = other.lowest;
  fractions += other.fractions;
  negatives += other.negatives;
}

void LabelFacts::add(std::span<const double> labels, const Levels& levels) {
  LabelFacts found;
  if (levels.count > 0) {
    std::size_t least = 0;
    while (levels.labels[least] == 0) ++least;
    found.highest = levels.count - 1;
    found.lowest = static_cast<double>(least);
  } else {
    for (const double label : labels) {
      if (!(label <= found.highest)) found.highest = label;
      if (!(label >= found.lowest)) found.lowest = label;
      found.fractions += label > 0 && label < 1 ? 1 : 0;
      found.negatives += label < 0 ? 1 : 0;
    }
  }
  add(found);
}

}  // namespace relyon
