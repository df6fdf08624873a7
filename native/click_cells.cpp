#include "click_cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parallel.hpp"

namespace relyon {

Cells count_cells(const ClickShard& shard, Context kind) {
  struct Event {
    std::uint32_t context;
    std::uint32_t clicked;
    std::uint64_t count;
  };
  // Events by pair, by counting: the pairs are numbered without gaps.
  std::vector<std::uint64_t> starts(shard.pairs() + 1, 0);
  for (std::size_t number = 0; number < shard.patterns(); ++number) {
    for (const Shown& result : shard.pattern(number)) ++starts[result.pair + 1];
  }
  for (std::size_t pair = 0; pair < shard.pairs(); ++pair) starts[pair + 1] += starts[pair];
  std::vector<Event> events(starts.back());
  std::vector<std::uint64_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t number = 0; number < shard.patterns(); ++number) {
    std::size_t last_click = 0;
    for (const Shown& result : shard.pattern(number)) {
      // A result at the position of the last click stands beside it, not below.
      const std::size_t above = last_click < result.position ? last_click : result.position - 1u;
      events[next[result.pair]++] = {
          static_cast<std::uint32_t>(context_of(kind, result.position, above)), result.clicked,
          shard.count(number)};
      if (result.clicked) last_click = result.position;
    }
  }
  Cells out;
  out.ends.reserve(shard.pairs());
  for (std::size_t pair = 0; pair < shard.pairs(); ++pair) {
    const auto begin = events.begin() + static_cast<std::ptrdiff_t>(starts[pair]);
    const auto end = events.begin() + static_cast<std::ptrdiff_t>(starts[pair + 1]);
    std::sort(begin, end,
              [](const Event& one, const Event& other) { return one.context < other.context; });
    const std::size_t first = out.cells.size();
    for (auto event = begin; event != end; ++event) {
      if (out.cells.size() == first || out.cells.back().context != event->context)
        out.cells.push_back({event->context, 0, 0});
      for (std::uint64_t left = event->count; left > 0;) {
        Cells::Cell& cell = out.cells.back();
        std::uint32_t& counter = event->clicked ? cell.clicks : cell.skips;
        const auto step = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(left, std::numeric_limits<std::uint32_t>::max() - counter));
        counter += step;
        left -= step;
        if (left > 0) out.cells.push_back({event->context, 0, 0});
      }
    }
    out.ends.push_back(static_cast<std::uint32_t>(out.cells.size()));
  }
  out.cells.shrink_to_fit();
  return out;
}

namespace {

// One round over the pairs of a shard. `gained` sums what was learned of each context.
void fit_round(const Cells& cells, const std::vector<double>& examination, Prior prior,
               double* attraction, std::vector<double>& gained) {
  std::size_t place = 0;
  for (std::size_t pair = 0; pair < cells.ends.size(); ++pair) {
    const double alpha = attraction[pair];
    double sum = 0.0, shown = 0.0;
    for (; place < cells.ends[pair]; ++place) {
      const Cells::Cell& cell = cells.cells[place];
      const double theta = examination[cell.context];
      const auto clicks = static_cast<double>(cell.clicks);
      const auto skips = static_cast<double>(cell.skips);
      const double skipped = 1.0 - theta * alpha;
      const double share = skipped > 0.0 ? skips / skipped : 0.0;
      sum += clicks + share * ((1.0 - theta) * alpha);
      gained[cell.context] += clicks + share * ((1.0 - alpha) * theta);
      shown += clicks + skips;
    }
    attraction[pair] = (prior.clicks + sum) / (prior.shown + shown);
  }
}

double measure_fit(const Cells& cells, const std::vector<double>& examination, Prior prior,
                   const double* attraction, double* weight) {
  double total = 0.0;
  std::size_t place = 0;
  for (std::size_t pair = 0; pair < cells.ends.size(); ++pair) {
    const std::span<const Cells::Cell> own{cells.cells.data() + place,
                                           cells.cells.data() + cells.ends[pair]};
    total += measure_pair(own, examination, prior, attraction[pair], weight + pair);
    place = cells.ends[pair];
  }
  return total;
}

}  // namespace

double measure_pair(std::span<const Cells::Cell> cells, const std::vector<double>& examination,
                    Prior prior, double attraction, double* weight) {
  double total = 0.0;
  const double rest = 1.0 - attraction;
  double clicks = prior.clicks, skips = prior.shown - prior.clicks;
  skips = rest > 0.0 ? skips / (rest * rest) : 0.0;
  for (const Cells::Cell& cell : cells) {
    const double theta = examination[cell.context];
    const double click = theta * attraction;
    const auto skipped = static_cast<double>(cell.skips);
    if (cell.clicks != 0) total += static_cast<double>(cell.clicks) * std::log(click);
    if (cell.skips != 0) total += skipped * std::log1p(-click);
    clicks += static_cast<double>(cell.clicks);
    if (click < 1.0) skips += skipped * (theta / (1.0 - click)) * (theta / (1.0 - click));
  }
  *weight = attraction > 0.0 ? rest * (clicks / attraction) + attraction * rest * skips : 0.0;
  return total;
}

Examination fit_examination(const ClickLog& log, Context kind, std::uint64_t rounds,
                            double tolerance, Prior prior, double begin) {
  const std::vector<ClickShard>& shards = log.parts();
  const std::size_t contexts = context_count(kind, static_cast<std::size_t>(log.depth()));
  std::vector<Cells> cells(shards.size());
  each_part(shards.size(), log.threads(),
            [&](std::size_t shard) { cells[shard] = count_cells(shards[shard], kind); });

  Examination out;
  std::vector<std::size_t> starts{0};
  for (const Cells& part : cells) starts.push_back(starts.back() + part.ends.size());
  out.attraction.assign(starts.back(), begin);
  out.weight.resize(starts.back());
  out.examination.assign(contexts, begin);
  out.shown.assign(contexts, 0);
  for (const Cells& part : cells) {
    for (const Cells::Cell& cell : part.cells)
      out.shown[cell.context] += std::uint64_t{cell.clicks} + cell.skips;
  }

  std::vector<std::vector<double>> gained(shards.size());
  while (out.rounds < rounds) {
    each_part(shards.size(), log.threads(), [&](std::size_t shard) {
      gained[shard].assign(contexts, 0.0);
      fit_round(cells[shard], out.examination, prior, out.attraction.data() + starts[shard],
                gained[shard]);
    });
    ++out.rounds;
    out.change = 0.0;
    for (std::size_t context = 0; context < contexts; ++context) {
      if (out.shown[context] == 0) continue;
      double sum = prior.clicks;
      for (const std::vector<double>& part : gained) sum += part[context];
      const double now = sum / (prior.shown + static_cast<double>(out.shown[context]));
      out.change = std::max(out.change, std::abs(now - out.examination[context]));
      out.examination[context] = now;
    }
    if (out.change <= tolerance) break;
  }

  std::vector<double> likelihood(shards.size());
  each_part(shards.size(), log.threads(), [&](std::size_t shard) {
    likelihood[shard] =
        measure_fit(cells[shard], out.examination, prior, out.attraction.data() + starts[shard],
                    out.weight.data() + starts[shard]);
  });
  for (const double part : likelihood) out.log_likelihood += part;
  for (std::size_t context = 0; context < contexts; ++context) {
    if (out.shown[context] == 0)
      out.examination[context] = std::numeric_limits<double>::quiet_NaN();
  }
  return out;
}

}  // namespace relyon
