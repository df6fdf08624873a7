#include "pairs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

namespace relkit {

namespace {

// Up to this many different labels a plain array of counts beats a tree.
constexpr std::size_t few = 16;

// The order of doubles as the order of unsigned integers; -0.0 equals 0.0.
std::uint64_t sortable(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return bits ^ (static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> 63) | 0x8000000000000000ULL);
}

// Sorts by bytes from the lowest; bytes that are the same everywhere cost nothing but a look.
void radix_sort(std::vector<std::uint64_t>& keys) {
  constexpr int bits = 11;
  constexpr std::size_t buckets = std::size_t{1} << bits;
  constexpr int passes = (64 + bits - 1) / bits;
  if (keys.size() < 4096) {
    std::sort(keys.begin(), keys.end());
    return;
  }
  std::vector<std::array<std::uint32_t, buckets>> counts(passes);
  for (auto& count : counts) count.fill(0);
  for (const std::uint64_t key : keys) {
    for (int pass = 0; pass < passes; ++pass) ++counts[static_cast<std::size_t>(pass)][(key >> (bits * pass)) & (buckets - 1)];
  }
  std::vector<std::uint64_t> other(keys.size());
  for (int pass = 0; pass < passes; ++pass) {
    auto& count = counts[static_cast<std::size_t>(pass)];
    if (count[(keys[0] >> (bits * pass)) & (buckets - 1)] == keys.size()) continue;
    std::uint32_t sum = 0;
    for (std::uint32_t& each : count) {
      const std::uint32_t here = each;
      each = sum;
      sum += here;
    }
    for (const std::uint64_t key : keys) other[count[(key >> (bits * pass)) & (buckets - 1)]++] = key;
    keys.swap(other);
  }
}

std::vector<std::uint64_t> sorted_keys(const std::vector<double>& scores) {
  std::vector<std::uint64_t> keys;
  keys.reserve(scores.size());
  for (const double score : scores) keys.push_back(sortable(score));
  radix_sort(keys);
  return keys;
}

}  // namespace

PairCounts PairCounter::in_order(std::span<const std::uint32_t> classes, std::size_t count) {
  PairCounts found;
  if (count <= few) {
    std::array<std::int64_t, few> seen{};
    std::int64_t before = 0;
    for (const std::uint32_t label : classes) {
      std::int64_t lower = 0;
      for (std::uint32_t other = 0; other < label; ++other) lower += seen[other];
      found.worse += lower;
      found.equal += seen[label];
      found.better += before - lower - seen[label];
      ++seen[label];
      ++before;
    }
    return found;
  }
  tree_.assign(count + 1, 0);
  const auto below = [&](std::size_t label) {
    std::int64_t sum = 0;
    for (; label > 0; label &= label - 1) sum += tree_[label];
    return sum;
  };
  std::int64_t before = 0;
  for (const std::uint32_t label : classes) {
    const std::int64_t lower = below(label);
    const std::int64_t upto = below(label + 1);
    found.worse += lower;
    found.equal += upto - lower;
    found.better += before - upto;
    for (std::size_t at = label + 1; at <= count; at += at & (~at + 1)) ++tree_[at];
    ++before;
  }
  return found;
}

PairCounter::Result PairCounter::count(std::span<const Labelled> documents) {
  distinct_.clear();
  for (const Labelled& document : documents) {
    if (std::find(distinct_.begin(), distinct_.end(), document.label) == distinct_.end()) {
      distinct_.push_back(document.label);
      if (distinct_.size() > few) break;
    }
  }
  if (distinct_.size() > few) {
    distinct_.clear();
    for (const Labelled& document : documents) distinct_.push_back(document.label);
  }
  std::sort(distinct_.begin(), distinct_.end());
  distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
  classes_.clear();
  for (const Labelled& document : documents) {
    const auto place = std::lower_bound(distinct_.begin(), distinct_.end(), document.label);
    classes_.push_back(static_cast<std::uint32_t>(place - distinct_.begin()));
  }
  Result result;
  result.all = in_order(classes_, distinct_.size());

  // Groups of equal scores, members in list order. Usually the list is sorted by score already.
  order_.resize(documents.size());
  std::iota(order_.begin(), order_.end(), 0u);
  const auto better = [&](std::uint32_t a, std::uint32_t b) { return documents[a].score > documents[b].score; };
  if (!std::is_sorted(order_.begin(), order_.end(), better)) std::stable_sort(order_.begin(), order_.end(), better);
  for (std::size_t start = 0; start < order_.size();) {
    std::size_t end = start + 1;
    while (end < order_.size() && documents[order_[end]].score == documents[order_[start]].score) ++end;
    if (end - start > 1) {
      members_.clear();
      for (std::size_t at = start; at < end; ++at) members_.push_back(classes_[order_[at]]);
      const PairCounts here = in_order(members_, distinct_.size());
      result.tied.better += here.better;
      result.tied.equal += here.equal;
      result.tied.worse += here.worse;
    }
    start = end;
  }
  return result;
}

double class_auc(std::vector<double>& positive, std::vector<double>& negative) {
  if (positive.empty() || negative.empty()) return std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::uint64_t> high = sorted_keys(positive);
  const std::vector<std::uint64_t> low = sorted_keys(negative);
  // Twice the number of won pairs, so that ties stay whole.
  unsigned __int128 won = 0;
  std::size_t below = 0, upto = 0;
  for (const std::uint64_t key : high) {
    while (below < low.size() && low[below] < key) ++below;
    if (upto < below) upto = below;
    while (upto < low.size() && low[upto] == key) ++upto;
    won += below + upto;
  }
  return static_cast<double>(won) / 2.0 / (static_cast<double>(high.size()) * static_cast<double>(low.size()));
}

}  // namespace relkit
