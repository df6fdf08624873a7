// Pairs of documents, counted in n log n.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace relkit {

// A document that has a label, in ranked order.
struct Labelled {
  double score;
  double label;
};

// Pairs (above, below) of an ordered list by their labels.
struct PairCounts {
  std::int64_t better = 0;  // the upper label is higher
  std::int64_t equal = 0;
  std::int64_t worse = 0;
};

// Counts pairs of labels in list order.
class PairCounter {
 public:
  // All pairs, and those with equal scores among them.
  struct Result {
    PairCounts all;
    PairCounts tied;
  };
  Result count(std::span<const Labelled> documents);

 private:
  PairCounts in_order(std::span<const std::uint32_t> classes, std::size_t count);

  std::vector<double> distinct_;
  std::vector<std::uint32_t> classes_;
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> order_;
  std::vector<std::int64_t> tree_;
};

// AUC of two classes of scores: the share of pairs in which the positive has the higher score,
// equal scores counting half. NaN where a class is empty. Changes the order of both.
double class_auc(std::vector<double>& positive, std::vector<double>& negative);

}  // namespace relkit
