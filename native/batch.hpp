// The result of one evaluation: one row a query, three columns a measure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "label_facts.hpp"
#include "plan.hpp"
#include "pool.hpp"

namespace relyon {

struct TieSums;

struct Column {
  std::vector<double> values;  // NaN: undefined
  std::vector<double> numerators;
  std::vector<double> denominators;
  std::uint64_t tie_sensitive =
      0;        // queries whose cutoff k falls inside a tie with a positive grade
  Pool pool;    // of pooled kernels, while queries are added
  Pools pools;  // ... and before
  std::vector<PoolPart> pool_parts;  // of both
  std::shared_ptr<TieSums> ties;     // only where the order of ties changes values
  std::vector<PairLevels> levels;    // only of kernels with `pair_levels`
};

struct Batch {
  std::vector<std::string> queries;    // evaluated queries in the run's order, then missing ones
  std::vector<std::uint8_t> missing;   // 1: judged, absent from the run
  std::vector<Column> columns;         // one a kernel
  std::uint64_t rows = 0;              // lines or pairs read from the run
  std::uint64_t unjudged_queries = 0;  // queries of the run that nobody judged
  std::vector<std::string> unjudged_examples;  // at most 5 of them
  std::uint64_t matched = 0;                   // retrieved documents that are judged
  std::uint64_t tied = 0;  // queries with a judged document that shares its score
  bool regrouped = false;  // lines of one query were not together
  LabelFacts labels;       // of rows with labels
};

}  // namespace relyon
