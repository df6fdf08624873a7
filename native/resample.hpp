// Resampling of paired values: whole numbers in, whole sums out. Sums are exact and every resample
// has its own generator, so the same bits come out for any number of threads, on any machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace relyon {

// Columns of whole numbers, one after the other: value i of column c lies at values[c * items + i].
struct Columns {
  const std::int64_t* values;
  std::size_t columns;
  std::size_t items;
};

// Which resamples to draw: number `first` and the `count` - 1 after it, of the series named by
// `seed`.
struct Draw {
  std::uint64_t seed;
  std::uint64_t first;
  std::size_t count;
  int threads;
};

// All three refuse values whose sums could reach 2^62.

// Gives every item a random sign, the same one in all columns, and adds up.
// sums[c * count + j] belongs to column c and resample first + j.
void signed_sums(const Columns& data, const Draw& draw, std::int64_t* sums);

// Draws as many items as there are, with replacement, the same ones in all columns, and adds up.
void resampled_sums(const Columns& data, const Draw& draw, std::int64_t* sums);

// Shuffles each item's values over the columns; ranges[j] is the largest less the smallest column
// sum.
void permuted_ranges(const Columns& data, const Draw& draw, std::int64_t* ranges);

// Scores of the two classes of all queries. An item is a query, or a query of one of two runs.
struct PooledRows {
  const double* scores;
  const std::int64_t* items;
  const std::uint8_t* positive;
  std::size_t size;
};

// The AUC of all pairs, with as many queries as there are drawn with replacement. NaN where a draw
// has one class only.
void resampled_auc(const PooledRows& rows, std::size_t queries, const Draw& draw, double* found);

// Item 2q is query q of the first run, 2q + 1 that of the second. The AUC of the second less that
// of the first, with each query swapped between the two at random.
void swapped_auc(const PooledRows& rows, std::size_t queries, const Draw& draw, double* found);

}  // namespace relyon
