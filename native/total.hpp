// Exact sums: the same bits whatever the order and the partition.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "batch.hpp"

namespace relkit {

// A sum of doubles without rounding: 67 limbs of 32 bits cover every finite double.
class ExactSum {
 public:
  void add(double value);
  void merge(const ExactSum& other);
  // The sum, rounded once to the nearest double.
  double value() const;

 private:
  static constexpr std::size_t size = 70;
  void add_exactly(double value);
  static void carry(std::array<std::int64_t, size>& limbs);

  // Whole numbers, most of what is added, take a short way.
  std::int64_t whole_ = 0;
  std::uint32_t wholes_ = 0;
  std::uint32_t pending_ = 0;
  std::array<std::int64_t, size> limbs_{};
};

// One measure over many queries.
class Total {
 public:
  void add(double value, double numerator, double denominator, bool missing);
  void add(const Column& column, const std::vector<std::uint8_t>& missing_flags);
  void merge(const Total& other);

  double mean(double undefined_as) const;       // every undefined query counts this value
  double mean_of_defined() const;
  double ratio() const;
  double auc() const;

  std::string to_bytes() const;
  static Total from_bytes(std::string_view state);

  std::uint64_t queries = 0;
  std::uint64_t undefined = 0;
  std::uint64_t missing = 0;
  std::uint64_t tie_sensitive = 0;
  std::uint64_t infinite = 0;
  ExactSum values;
  ExactSum numerators;
  ExactSum denominators;
  Pool pool;
};

}  // namespace relkit
