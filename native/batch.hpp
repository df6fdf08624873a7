// The result of one evaluation: one row a query, three columns a measure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plan.hpp"

namespace relkit {

// Scores of the two classes, for measures over pooled pairs (AUC).
struct Pool {
  // How many scores of each class one query has; those of the first part come first.
  struct Part {
    std::uint64_t row;  // of the query in the batch
    std::uint64_t positives;
    std::uint64_t negatives;
  };

  std::vector<double> positive;
  std::vector<double> negative;
  std::vector<Part> parts;
  std::vector<double> positive_weights;  // empty where every row weighs 1
  std::vector<double> negative_weights;

  bool weighted() const { return !positive_weights.empty() || !negative_weights.empty(); }
  void add(const Pool& other) {
    if (weighted() || other.weighted()) {
      positive_weights.resize(positive.size(), 1.0);
      negative_weights.resize(negative.size(), 1.0);
    }
    join(positive, other.positive);
    join(negative, other.negative);
    join(positive_weights, other.positive_weights);
    join(negative_weights, other.negative_weights);
    parts.insert(parts.end(), other.parts.begin(), other.parts.end());
    if (weighted()) {
      positive_weights.resize(positive.size(), 1.0);
      negative_weights.resize(negative.size(), 1.0);
    }
  }

 private:
  static void join(std::vector<double>& whole, const std::vector<double>& part) {
    whole.insert(whole.end(), part.begin(), part.end());
  }
};

struct TieSums;

struct Column {
  std::vector<double> values;  // NaN: undefined
  std::vector<double> numerators;
  std::vector<double> denominators;
  std::uint64_t tie_sensitive =
      0;                          // queries whose cutoff k falls inside a tie with a positive grade
  std::shared_ptr<Pool> pool;     // only of pooled kernels
  std::shared_ptr<TieSums> ties;  // only where the order of ties changes values
  std::vector<PairLevels> levels;  // only of kernels with `pair_levels`
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
};

}  // namespace relkit
