#include "click_counts.hpp"

#include "parallel.hpp"

namespace relyon {

namespace {

RankCounts count_positions(const ClickShard& shard, std::size_t depth) {
  RankCounts out;
  for (auto* counts : {&out.shown, &out.clicks, &out.followed}) counts->assign(depth, 0);
  for (std::size_t number = 0; number < shard.patterns(); ++number) {
    const std::uint64_t count = shard.count(number);
    bool below = false;  // a click
    const std::span<const Shown> results = shard.pattern(number);
    for (auto result = results.rbegin(); result != results.rend(); ++result) {
      const std::size_t place = result->position - 1u;
      out.shown[place] += count;
      if (!result->clicked) continue;
      out.clicks[place] += count;
      if (below) out.followed[place] += count;
      below = true;
    }
  }
  return out;
}

void count_pairs(const ClickShard& shard, std::size_t first, const std::vector<double>& rates,
                 DocumentCounts& out) {
  for (std::size_t number = 0; number < shard.patterns(); ++number) {
    const std::uint64_t count = shard.count(number);
    const std::span<const Shown> results = shard.pattern(number);
    std::size_t last = results.size();
    while (last > 0 && !results[last - 1].clicked) --last;
    const std::size_t end = last == 0 ? results.size() : last;
    bool clicked = false;
    for (std::size_t place = 0; place < results.size(); ++place) {
      const Shown& result = results[place];
      const std::size_t pair = first + result.pair;
      out.shown[pair] += count;
      out.expected[pair] += static_cast<double>(count) * rates[result.position - 1u];
      if (!clicked) out.first_shown[pair] += count;
      if (place < end) out.above[pair] += count;
      if (!result.clicked) continue;
      out.clicks[pair] += count;
      if (!clicked) out.first_clicks[pair] += count;
      if (place + 1 == last) out.last_clicks[pair] += count;
      clicked = true;
    }
  }
}

}  // namespace

ClickCounts count_clicks(const ClickLog& log) {
  const std::vector<ClickShard>& shards = log.parts();
  const auto depth = static_cast<std::size_t>(log.depth());
  std::vector<RankCounts> parts(shards.size());
  each_part(shards.size(), log.threads(),
            [&](std::size_t shard) { parts[shard] = count_positions(shards[shard], depth); });
  ClickCounts out;
  RankCounts& positions = out.ranks;
  for (auto* counts : {&positions.shown, &positions.clicks, &positions.followed})
    counts->assign(depth, 0);
  for (const RankCounts& part : parts) {
    for (std::size_t place = 0; place < depth; ++place) {
      positions.shown[place] += part.shown[place];
      positions.clicks[place] += part.clicks[place];
      positions.followed[place] += part.followed[place];
    }
  }
  std::vector<double> rates(depth, 0.0);
  for (std::size_t place = 0; place < depth; ++place) {
    if (positions.shown[place] == 0) continue;
    rates[place] =
        static_cast<double>(positions.clicks[place]) / static_cast<double>(positions.shown[place]);
  }
  DocumentCounts& pairs = out.documents;
  std::vector<std::size_t> starts{0};
  for (const ClickShard& shard : shards) starts.push_back(starts.back() + shard.pairs());
  for (auto* counts : {&pairs.shown, &pairs.clicks, &pairs.first_shown, &pairs.first_clicks,
                       &pairs.above, &pairs.last_clicks})
    counts->assign(starts.back(), 0);
  pairs.expected.assign(starts.back(), 0.0);
  each_part(shards.size(), log.threads(),
            [&](std::size_t shard) { count_pairs(shards[shard], starts[shard], rates, pairs); });
  return out;
}

}  // namespace relyon
