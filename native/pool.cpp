#include "pool.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "parallel.hpp"

namespace relyon {

PackedScores::PackedScores(std::vector<double>&& scores, bool small) {
  if (small && std::all_of(scores.begin(), scores.end(), [](double score) {
        return static_cast<double>(static_cast<float>(score)) == score;
      })) {
    singles_.assign(scores.begin(), scores.end());
    return;
  }
  doubles_ = std::move(scores);
  if (small) doubles_.shrink_to_fit();
}

std::span<const double> PackedScores::read(std::size_t from, std::size_t count,
                                           std::vector<double>& room) const {
  if (singles_.empty()) return std::span(doubles_).subspan(from, count);
  const auto first = singles_.begin() + static_cast<std::ptrdiff_t>(from);
  room.assign(first, first + static_cast<std::ptrdiff_t>(count));
  return room;
}

void PackedScores::append_to(std::vector<double>& scores) const {
  scores.insert(scores.end(), singles_.begin(), singles_.end());
  scores.insert(scores.end(), doubles_.begin(), doubles_.end());
}

void pack(Pool& pool, Pools& pools, bool small) {
  if (pool.size() == 0) return;
  pools.push_back(std::make_shared<const PackedPool>(std::exchange(pool, {}), small));
}

bool weighted(const Pools& pools) {
  return std::any_of(pools.begin(), pools.end(), [](const auto& pool) { return pool->weighted(); });
}

Pool joined(const Pools& pools) {
  Pool whole;
  const bool heavy = weighted(pools);
  const auto add = [&](const PackedScores& scores, const std::vector<double>& weights,
                       std::vector<double>& all_scores, std::vector<double>& all_weights) {
    scores.append_to(all_scores);
    all_weights.insert(all_weights.end(), weights.begin(), weights.end());
    if (heavy) all_weights.resize(all_scores.size(), 1.0);
  };
  for (const auto& pool : pools) {
    add(pool->positive, pool->positive_weights, whole.positive, whole.positive_weights);
    add(pool->negative, pool->negative_weights, whole.negative, whole.negative_weights);
  }
  return whole;
}

ClassPairs count_class_pairs(const Pools& pools, int threads) {
  ClassPairs counts;
  for (const auto& pool : pools) {
    counts.positives += pool->positive.size();
    counts.negatives += pool->negative.size();
  }
  if (counts.positives == 0 || counts.negatives == 0) return counts;
  // Only the smaller class is brought together; the scores of the other pass by.
  const bool few_positives = counts.positives <= counts.negatives;
  const auto member = few_positives ? &PackedPool::positive : &PackedPool::negative;
  const auto others = few_positives ? &PackedPool::negative : &PackedPool::positive;
  std::vector<double> few;
  few.reserve(std::min(counts.positives, counts.negatives));
  for (const auto& pool : pools) ((*pool).*member).append_to(few);
  const Finder finder(std::move(few));

  struct Block {
    const PackedScores* scores;
    std::size_t from;
    std::size_t count;
  };
  constexpr std::size_t block = std::size_t{1} << 16;
  std::vector<Block> blocks;
  for (const auto& pool : pools) {
    const PackedScores& scores = (*pool).*others;
    for (std::size_t from = 0; from < scores.size(); from += block)
      blocks.push_back({&scores, from, std::min(block, scores.size() - from)});
  }
  std::vector<std::uint64_t> won(blocks.size(), 0);
  each_part(blocks.size(), threads, [&](std::size_t part) {
    const Block& some = blocks[part];
    std::vector<double> room;
    const std::uint64_t sum = finder.sum(some.scores->read(some.from, some.count, room));
    won[part] =
        few_positives ? 2 * static_cast<std::uint64_t>(finder.size()) * some.count - sum : sum;
  });
  counts.twice_won = std::accumulate(won.begin(), won.end(), std::uint64_t{0});
  return counts;
}

}  // namespace relyon
