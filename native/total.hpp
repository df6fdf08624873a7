// Exact sums: any split of the queries and any order of merging gives the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "batch.hpp"

namespace relkit {

// A sum of doubles held as one wide integer, so that nothing is rounded before `value`.
class ExactSum {
 public:
  void add(double value);
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

enum class Undefined { skip, zero, one };

class Total {
 public:
  void add(std::span<const double> values, std::span<const double> numerators,
           std::span<const double> denominators, std::uint64_t missing);
  void add(const Column& column, std::uint64_t missing);
  void merge(const Total& other);

  double mean(Undefined undefined) const;
  double ratio() const;
  double auc() const;
  Pool joined() const;

  std::string to_bytes() const;
  static Total from_bytes(std::string_view bytes);

  std::uint64_t queries = 0;
  std::uint64_t undefined = 0;
  std::uint64_t missing = 0;
  std::uint64_t tie_sensitive = 0;
  ExactSum values;
  ExactSum numerators;
  ExactSum denominators;
  std::vector<std::shared_ptr<const Pool>> pools;  // shared with the batches they come from
};

}  // namespace relkit
