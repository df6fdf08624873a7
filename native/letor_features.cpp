#include <algorithm>
#include <numeric>

#include "letor.hpp"

namespace relyon::letor {

namespace {

// Sorts the columns of a row. One that is named twice has its last value, and then 0.
template <class Value>
void order_row(Entries<Value>& entries, std::size_t from, std::size_t to,
               std::vector<std::size_t>& order, std::vector<Value>& values,
               std::vector<std::uint32_t>& columns) {
  order.resize(to - from);
  std::iota(order.begin(), order.end(), from);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return entries.columns[one] < entries.columns[other];
  });
  values.clear();
  columns.clear();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t column = entries.columns[order[i]];
    const bool again = i + 1 < order.size() && entries.columns[order[i + 1]] == column;
    columns.push_back(column);
    values.push_back(again ? Value{0} : entries.values[order[i]]);
  }
  std::copy(columns.begin(), columns.end(), entries.columns.get() + from);
  std::copy(values.begin(), values.end(), entries.values.get() + from);
}

}  // namespace

template <class Value>
Block<Value> pack(Entries<Value>& entries) {
  std::vector<std::size_t> order;
  std::vector<Value> row_values;
  std::vector<std::uint32_t> row_columns;
  for (const std::size_t row : entries.disordered) {
    order_row(entries, row == 0 ? 0 : entries.ends[row - 1], entries.ends[row], order, row_values,
              row_columns);
  }
  Block<Value> block;
  block.rows = entries.ends.size();
  block.width = entries.width;
  for (std::size_t at = 0; at < entries.count; ++at) block.nonzero += entries.values[at] != 0;
  const std::size_t cells = block.rows * block.width;
  block.dense = cells * sizeof(Value) <= block.nonzero * (sizeof(Value) + sizeof(std::uint32_t));
  std::size_t at = 0;
  if (block.dense) {
    block.values = Pages<Value>(cells, Filled::at_once);
    Value* row = block.values.data();
    for (const std::size_t end : entries.ends) {
      for (; at < end; ++at) {
        row[entries.columns[at]] = entries.values[at];
      }
      row += block.width;
    }
    return block;
  }
  block.values = Pages<Value>(block.nonzero, Filled::at_once);
  block.columns = Pages<std::uint32_t>(block.nonzero, Filled::at_once);
  block.offsets.reserve(block.rows + 1);
  block.offsets.push_back(0);
  std::size_t kept = 0;
  for (const std::size_t end : entries.ends) {
    for (; at < end; ++at) {
      if (entries.values[at] == 0) continue;
      block.values.data()[kept] = entries.values[at];
      block.columns.data()[kept++] = entries.columns[at];
    }
    block.offsets.push_back(kept);
  }
  return block;
}

template Block<float> pack<float>(Entries<float>&);
template Block<double> pack<double>(Entries<double>&);

}  // namespace relyon::letor
