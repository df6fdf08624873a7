// Facts about labels, found in the pass that also counts them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "simd.hpp"

namespace relyon {

// How many labels of a list have each of the whole grades from 0 up, where it has no others.
struct Levels {
  Levels() = default;
  explicit Levels(std::span<const double> labels);

  std::uint32_t count = 0;  // the highest one plus 1; 0 where there are other labels, or none
  std::array<std::uint32_t, simd::levels> labels{};
};

// What is worth knowing of labels.
struct LabelFacts {
  double highest = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t fractions = 0;  // between 0 and 1
  std::uint64_t negatives = 0;
  double lowest = std::numeric_limits<double>::quiet_NaN();

  void add(const LabelFacts& other);
  // Adds finite labels whose levels are these.
  void add(std::span<const double> labels, const Levels& levels);
};

}  // namespace relyon
