// Exact sums: any split of the queries and any order of merging gives the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "batch.hpp"

namespace relyon {

// A sum of doubles held as one wide integer, so that nothing is rounded before `value`.
class ExactSum {
 public:
  void add(double value);
  void remove(double value);  // an addend
  void add(std::span<const double> values, bool skip_nan);
  void merge(const ExactSum& other);
  double value() const;  // correctly rounded; infinite where an addend was, NaN for inf - inf

  void write(std::string& bytes) const;
  void read(std::string_view& bytes);

 private:
  // Chunk i counts units of 2^(32 i - 1074); values may exceed 32 bits until `carry`.
  static constexpr std::size_t chunks = 70;
  static constexpr int most_pending = 500;

  void carry();

  std::array<std::int64_t, chunks> sum_{};
  int pending_ = 0;
  std::uint64_t positive_infinities_ = 0;
  std::uint64_t negative_infinities_ = 0;
};

// By how much one order of documents with equal scores changes the sums of a measure.
struct OrderSums {
  ExactSum values;
  ExactSum numerators;
  ExactSum denominators;

  void replace(const Partial& as_is, const Partial& ordered);
  void merge(const OrderSums& other);
};

// Queries whose value depends on the order of documents with equal scores.
struct TieSums {
  std::uint64_t queries = 0;
  OrderSums worst;
  OrderSums best;

  void merge(const TieSums& other);
};

enum class Undefined { skip, zero, one };

class Total {
 public:
  void add(std::span<const double> values, std::span<const double> numerators,
           std::span<const double> denominators, std::uint64_t missing);
  void add(const Column& column, std::uint64_t missing);
  void merge(const Total& other);

  double mean(Undefined undefined) const;
  double ratio() const;
  double auc(double max_fpr = 1.0) const;
  double average_precision() const;
  // The same measure with tied documents in the worst or the best order.
  Total ordered(bool best) const;
  // The macro average of one of the two values in `PairLevels`.
  double mean_level(bool strict, Undefined undefined) const;

  std::string to_bytes() const;
  static Total from_bytes(std::string_view bytes);

  std::uint64_t queries = 0;
  std::uint64_t undefined = 0;
  std::uint64_t missing = 0;
  std::uint64_t tie_sensitive = 0;
  ExactSum values;
  ExactSum numerators;
  ExactSum denominators;
  TieSums ties;
  // Sums of `PairLevels`, and for how many queries there is no strict value.
  ExactSum equal_positives;
  ExactSum equal_negatives;
  ExactSum stricts;
  ExactSum randoms;
  std::uint64_t without_strict = 0;
  Pools pools;                 // shared with the batches they come from
  std::optional<double> area;  // the pooled AUC, where it was counted elsewhere
};

}  // namespace relyon
