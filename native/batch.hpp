// The result of one evaluation: one row a query, three columns a measure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "query.hpp"

namespace relkit {

// Scores of the two classes, for measures over pooled pairs (AUC).
struct Pool {
  std::vector<double> positive;
  std::vector<double> negative;
};

struct Column {
  std::vector<double> values;        // NaN: undefined
  std::vector<double> numerators;
  std::vector<double> denominators;
  std::uint64_t tie_sensitive = 0;   // queries whose cutoff k falls inside a tie with a positive grade
  std::shared_ptr<Pool> pool;        // only of pooled kernels
};

struct Batch {
  std::vector<std::string> queries;          // evaluated queries in the run's order, then missing ones
  std::vector<std::uint8_t> missing;         // 1: judged, absent from the run
  std::vector<Column> columns;               // one a kernel
  std::uint64_t rows = 0;                    // lines or pairs read from the run
  std::uint64_t unjudged_queries = 0;        // queries of the run that nobody judged
  std::vector<std::string> unjudged_examples;  // at most 5 of them
  std::uint64_t matched = 0;                 // retrieved documents that are judged
  bool regrouped = false;                    // lines of one query were not together
};

}  // namespace relkit
