#include "click_profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "click_cells.hpp"
#include "parallel.hpp"
#include "symmetric.hpp"

namespace relyon {

namespace {

// What share of the prior decides between contexts, and the least that keeps them finite.
constexpr double share_of_prior = 0.03;
constexpr double least_prior = 1e-4;
// Skips of a cell without any: its clicks stay possible.
constexpr double least_skips = 1e-3;
// Of a round's logarithms: farther the quadratic is not believed.
constexpr double farthest = 2.0;
constexpr std::uint32_t unmet = std::numeric_limits<std::uint32_t>::max();

double skips_of(const Cells::Cell& cell) {
  return cell.skips > 0 ? static_cast<double>(cell.skips) : least_skips;
}

// The attractiveness r at which `prior` and the cells balance, and how curved the likelihood of
// log r is there. What is left is concave and falls in log r: Newton's steps come from above.
struct Balance {
  double attraction;
  double curvature;
};

Balance balance(std::span<const Cells::Cell> cells, const std::vector<double>& examination,
                Prior prior, double from) {
  double done = prior.clicks, most = 1.0;
  const double rest = prior.shown - prior.clicks;
  for (const Cells::Cell& cell : cells) {
    done += static_cast<double>(cell.clicks);
    most = std::max(most, examination[cell.context]);
  }
  const double end = 1.0 / most;
  if (done == 0.0) return {0.0, 0.0};
  double low = 0.0, high = end;
  double rate = std::min(std::max(from, 1e-12), end * (1.0 - 1e-9));
  double curvature = 0.0;
  for (int step = 0; step < 100; ++step) {
    double slope = done - rest * rate / (1.0 - rate);
    curvature = rest * rate / ((1.0 - rate) * (1.0 - rate));
    for (const Cells::Cell& cell : cells) {
      const double click = rate * examination[cell.context], odds = click / (1.0 - click);
      const double skipped = skips_of(cell) * odds;
      slope -= skipped;
      curvature += skipped / (1.0 - click);
    }
    (slope > 0.0 ? low : high) = rate;
    const double move = slope / curvature;
    if (!(std::abs(move) > 1e-11)) break;
    const double next = move < 50.0 ? rate * std::exp(move) : high;
    rate = next > low && next < high ? next : 0.5 * (low + high);
  }
  return {rate, curvature};
}

// One shard at some examination: the profile likelihood, its slope and its information.
struct Look {
  double value = 0.0;
  std::vector<double> slope;
  std::vector<double> information;  // K × K, its lower half
};

class Fit {
 public:
  Fit(const ClickLog& log, Context kind, Prior prior)
      : shards_(log.parts()), threads_(log.threads()), prior_(prior), cells_(shards_.size()) {
    weak_.clicks = std::max(share_of_prior * prior.clicks, least_prior);
    weak_.shown = std::max(share_of_prior * prior.shown, weak_.clicks + least_prior);
    each_part(shards_.size(), threads_,
              [&](std::size_t shard) { cells_[shard] = count_cells(shards_[shard], kind); });
    const std::size_t contexts = context_count(kind, static_cast<std::size_t>(log.depth()));
    shown_.assign(contexts, 0);
    clicks_.assign(contexts, 0.0);
    starts_.push_back(0);
    for (const Cells& part : cells_) {
      starts_.push_back(starts_.back() + part.ends.size());
      for (const Cells::Cell& cell : part.cells) {
        shown_[cell.context] += std::uint64_t{cell.clicks} + cell.skips;
        clicks_[cell.context] += static_cast<double>(cell.clicks);
      }
    }
    number_.assign(contexts, unmet);
    for (std::size_t context = 0; context < contexts; ++context) {
      if (shown_[context] == 0) continue;
      number_[context] = static_cast<std::uint32_t>(met_.size());
      met_.push_back(context);
    }
  }

  Profile run(std::uint64_t rounds, double tolerance) {
    const std::size_t free = unknowns();
    begin();
    Look here = look(logs_);
    Profile out;
    while (out.rounds < rounds && free > 0) {
      ++out.rounds;
      std::vector<double> step = here.slope;
      std::vector<double> factor = here.information;
      factorise(factor, free);
      solve(factor, free, step);
      double size = 0.0;
      for (const double one : step) size = std::max(size, std::abs(one));
      double share = size > farthest ? farthest / size : 1.0;
      std::vector<double> next(logs_.size());
      Look there;
      for (;; share *= 0.5) {
        for (std::size_t one = 0; one < free; ++one)
          next[one + 1] = logs_[one + 1] + share * step[one];
        there = look(next);
        if (there.value >= here.value - 1e-12 * std::abs(here.value) || share * size < 1e-12) break;
      }
      logs_ = next;
      here = std::move(there);
      out.change = share * size;
      if (out.change <= tolerance) break;
    }
    finish(out, here);
    return out;
  }

 private:
  // Contexts whose examination is to be found: that of the first one met is 1.
  std::size_t unknowns() const { return met_.empty() ? 0 : met_.size() - 1; }

  std::span<const Cells::Cell> cells_of(std::size_t shard, std::size_t pair) const {
    const Cells& part = cells_[shard];
    const std::size_t from = pair == 0 ? 0 : part.ends[pair - 1];
    return {part.cells.data() + from, part.cells.data() + part.ends[pair]};
  }

  // Examination as clicks have it where documents are alike.
  void begin() {
    logs_.assign(met_.size(), 0.0);
    examination_.assign(shown_.size(), 0.0);
    rates_.assign(starts_.back(), 0.3);
    double first = 0.0;
    for (std::size_t one = 0; one < met_.size(); ++one) {
      const std::size_t context = met_[one];
      const double rate = (clicks_[context] + 0.5) / (static_cast<double>(shown_[context]) + 1.0);
      if (one == 0) first = rate;
      logs_[one] = std::log(std::min(std::max(rate / first, 0.01), 1.0));
    }
  }

  void examine(const std::vector<double>& logs) {
    for (std::size_t one = 0; one < met_.size(); ++one)
      examination_[met_[one]] = std::exp(logs[one]);
  }

  Look look(const std::vector<double>& logs) {
    examine(logs);
    const std::size_t free = unknowns();
    std::vector<Look> parts(shards_.size());
    each_part(shards_.size(), threads_, [&](std::size_t shard) {
      if (cells_[shard].ends.empty()) return;
      parts[shard].slope.assign(free, 0.0);
      parts[shard].information.assign(free * free, 0.0);
      for (std::size_t pair = 0; pair < cells_[shard].ends.size(); ++pair)
        add(cells_of(shard, pair), rates_[starts_[shard] + pair], parts[shard]);
    });
    Look out{0.0, std::vector<double>(free, 0.0), std::vector<double>(free * free, 0.0)};
    for (const Look& part : parts) {
      out.value += part.value;
      for (std::size_t one = 0; one < part.slope.size(); ++one) out.slope[one] += part.slope[one];
      for (std::size_t one = 0; one < part.information.size(); ++one)
        out.information[one] += part.information[one];
    }
    for (std::size_t one = 0; one < free; ++one) {
      const double seen = examination_[met_[one + 1]];
      out.value += weak_.clicks * logs[one + 1] - weak_.shown * seen;
      out.slope[one] += weak_.clicks - weak_.shown * seen;
      out.information[one * free + one] += weak_.shown * seen;
    }
    return out;
  }

  void add(std::span<const Cells::Cell> cells, double& rate, Look& out) const {
    const Balance found = balance(cells, examination_, weak_, rate);
    rate = found.attraction;
    const std::size_t free = out.slope.size();
    double clicks = weak_.clicks;
    for (std::size_t one = 0; one < cells.size(); ++one) {
      const Cells::Cell& cell = cells[one];
      const double click = rate * examination_[cell.context], odds = click / (1.0 - click);
      const double skips = skips_of(cell), done = static_cast<double>(cell.clicks);
      clicks += done;
      out.value += skips * std::log1p(-click);
      if (done > 0.0) out.value += done * std::log(examination_[cell.context]);
      const std::uint32_t row = number_[cell.context];
      if (row == 0) continue;
      const double weight = skips * odds / (1.0 - click);
      out.slope[row - 1] += done - skips * odds;
      out.information[(row - 1) * free + row - 1] += weight;
      const double share = weight / found.curvature;
      for (std::size_t other = 0; other <= one; ++other) {
        const Cells::Cell& beside = cells[other];
        const std::uint32_t column = number_[beside.context];
        if (column == 0) continue;
        const double shown = rate * examination_[beside.context], left = 1.0 - shown;
        const double both = share * (skips_of(beside) * shown / (left * left));
        // Cells are by context; a context may have several.
        const bool twice = other < one && column == row;
        out.information[(row - 1) * free + column - 1] -= twice ? 2.0 * both : both;
      }
    }
    out.value += clicks * std::log(rate) + (weak_.shown - weak_.clicks) * std::log1p(-rate);
  }

  void finish(Profile& out, const Look& last) {
    const std::size_t free = unknowns();
    std::vector<double> inverse = last.information;
    factorise(inverse, free);
    invert(inverse, free);
    const std::size_t pairs = starts_.back();
    for (auto* values : {&out.attraction, &out.weight, &out.spread}) values->assign(pairs, 0.0);
    std::vector<double> likelihood(shards_.size(), 0.0);
    each_part(shards_.size(), threads_, [&](std::size_t shard) {
      std::vector<double> reach(free, 0.0);
      std::vector<std::uint32_t> rows;
      for (std::size_t pair = 0; pair < cells_[shard].ends.size(); ++pair) {
        const std::size_t place = starts_[shard] + pair;
        const std::span<const Cells::Cell> cells = cells_of(shard, pair);
        out.spread[place] = spread(cells, rates_[place], inverse, reach, rows);
        const double rate = balance(cells, examination_, prior_, rates_[place]).attraction;
        out.attraction[place] = rate;
        likelihood[shard] += measure_pair(cells, examination_, prior_, rate, &out.weight[place]);
      }
    });
    for (const double part : likelihood) out.log_likelihood += part;
    out.shown = shown_;
    out.examination.assign(shown_.size(), std::numeric_limits<double>::quiet_NaN());
    for (const std::size_t context : met_) out.examination[context] = examination_[context];
  }

  // The error of a pair's log α that comes from the errors of its contexts.
  double spread(std::span<const Cells::Cell> cells, double rate, const std::vector<double>& inverse,
                std::vector<double>& reach, std::vector<std::uint32_t>& rows) const {
    rows.clear();
    const std::size_t free = reach.size();
    double all = (weak_.shown - weak_.clicks) * rate / ((1.0 - rate) * (1.0 - rate));
    for (const Cells::Cell& cell : cells) {
      const double click = rate * examination_[cell.context], left = 1.0 - click;
      const double weight = skips_of(cell) * click / (left * left);
      all += weight;
      const std::uint32_t row = number_[cell.context];
      if (row == 0) continue;
      if (rows.empty() || rows.back() != row - 1) rows.push_back(row - 1);
      reach[row - 1] += weight;
    }
    double square = 0.0;
    for (const std::uint32_t row : rows) {
      for (const std::uint32_t column : rows)
        square += reach[row] * reach[column] * inverse[row * free + column];
    }
    for (const std::uint32_t row : rows) reach[row] = 0.0;
    return all > 0.0 ? std::sqrt(std::max(square, 0.0)) / all : 0.0;
  }

  const std::vector<ClickShard>& shards_;
  const int threads_;
  const Prior prior_;
  Prior weak_{};
  std::vector<Cells> cells_;
  std::vector<std::size_t> starts_;
  std::vector<std::uint64_t> shown_;
  std::vector<double> clicks_;
  std::vector<std::uint32_t> number_;  // of a context among those met
  std::vector<std::size_t> met_;
  std::vector<double> logs_;         // of examination, by number; 0 of the first
  std::vector<double> examination_;  // by context
  std::vector<double> rates_;        // attractiveness with the weak prior, where it was last
};

}  // namespace

Profile fit_profile(const ClickLog& log, Context kind, std::uint64_t rounds, double tolerance,
                    Prior prior) {
  return Fit(log, kind, prior).run(rounds, tolerance);
}

}  // namespace relyon
