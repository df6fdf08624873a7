// Pooled AUC of resampled queries: rows are sorted once, and each resample weighs whole queries.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "error.hpp"
#include "generator.hpp"
#include "parallel.hpp"
#include "resample.hpp"

namespace relyon {
namespace {

// Resamples that pass over the rows together.
constexpr std::size_t lanes = 8;
using Lanes = std::array<double, lanes>;

enum class Kind : std::uint32_t { negative, half_negative, positive };

struct Entry {
  std::uint32_t item;
  Kind kind;
};

// Rows from the lowest score to the highest. A negative that shares its score with a positive
// counts half before it and half behind it.
std::vector<Entry> in_order(const PooledRows& rows) {
  if (rows.size > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError("native.there-are-2-32-rows");
  }
  std::vector<std::uint32_t> order(rows.size);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t one, std::uint32_t other) {
    return rows.scores[one] != rows.scores[other] ? rows.scores[one] < rows.scores[other]
                                                  : one < other;
  });
  std::vector<Entry> entries;
  entries.reserve(rows.size);
  const auto add = [&](std::size_t start, std::size_t end, bool positive, Kind kind) {
    for (std::size_t i = start; i < end; ++i) {
      if ((rows.positive[order[i]] != 0) == positive) {
        entries.push_back({static_cast<std::uint32_t>(rows.items[order[i]]), kind});
      }
    }
  };
  for (std::size_t start = 0; start < rows.size;) {
    std::size_t end = start + 1;
    std::size_t positives = rows.positive[order[start]] != 0 ? 1 : 0;
    for (; end < rows.size && rows.scores[order[end]] == rows.scores[order[start]]; ++end) {
      positives += rows.positive[order[end]] != 0 ? 1 : 0;
    }
    const bool mixed = positives > 0 && positives < end - start;
    add(start, end, false, mixed ? Kind::half_negative : Kind::negative);
    add(start, end, true, Kind::positive);
    if (mixed) add(start, end, false, Kind::half_negative);
    start = end;
  }
  return entries;
}

// One AUC a lane; NaN where a class has no weight.
Lanes areas(const std::vector<Entry>& entries, const std::vector<Lanes>& weights) {
  Lanes below{};
  Lanes won{};
  Lanes positives{};
  for (const Entry& entry : entries) {
    const Lanes& weight = weights[entry.item];
    if (entry.kind == Kind::positive) {
      for (std::size_t i = 0; i < lanes; ++i) won[i] += weight[i] * below[i];
      for (std::size_t i = 0; i < lanes; ++i) positives[i] += weight[i];
    } else {
      const double share = entry.kind == Kind::negative ? 1.0 : 0.5;
      for (std::size_t i = 0; i < lanes; ++i) below[i] += share * weight[i];
    }
  }
  Lanes result;
  for (std::size_t i = 0; i < lanes; ++i) {
    const double pairs = positives[i] * below[i];
    result[i] = pairs > 0 ? won[i] / pairs : std::numeric_limits<double>::quiet_NaN();
  }
  return result;
}

void check(const PooledRows& rows, std::size_t items) {
  for (std::size_t i = 0; i < rows.size; ++i) {
    if (rows.items[i] < 0 || static_cast<std::uint64_t>(rows.items[i]) >= items) {
      throw InputError("native.row-belongs-to-no");
    }
    if (!(rows.scores[i] == rows.scores[i])) throw InputError("native.score-is-not-number");
  }
}

template <typename Work>
void each_block(const Draw& draw, Work work) {
  each_part((draw.count + lanes - 1) / lanes, draw.threads, [&](std::size_t part) {
    const std::size_t start = part * lanes;
    work(start, std::min(lanes, draw.count - start));
  });
}

}  // namespace

void resampled_auc(const PooledRows& rows, std::size_t queries, const Draw& draw, double* found) {
  check(rows, queries);
  const std::vector<Entry> entries = in_order(rows);
  const auto items = static_cast<std::uint32_t>(queries);
  each_block(draw, [&](std::size_t start, std::size_t count) {
    std::vector<Lanes> weights(queries, Lanes{});
    for (std::size_t lane = 0; lane < count; ++lane) {
      Below below(Generator(draw.seed, draw.first + start + lane));
      for (std::uint32_t i = 0; i < items; ++i) weights[below(items)][lane] += 1.0;
    }
    const Lanes result = areas(entries, weights);
    std::copy_n(result.begin(), count, found + start);
  });
}

void swapped_auc(const PooledRows& rows, std::size_t queries, const Draw& draw, double* found) {
  check(rows, 2 * queries);
  const std::vector<Entry> entries = in_order(rows);
  each_block(draw, [&](std::size_t start, std::size_t count) {
    std::vector<Lanes> first(2 * queries, Lanes{});
    std::vector<Lanes> second(2 * queries, Lanes{});
    for (std::size_t lane = 0; lane < count; ++lane) {
      Generator generator(draw.seed, draw.first + start + lane);
      std::uint64_t bits = 0;
      for (std::size_t query = 0; query < queries; ++query) {
        if (query % 64 == 0) bits = generator.next();
        const bool swapped = (bits >> (query % 64) & 1) != 0;
        first[2 * query + (swapped ? 1 : 0)][lane] = 1.0;
        second[2 * query + (swapped ? 0 : 1)][lane] = 1.0;
      }
    }
    const Lanes ours = areas(entries, first);
    const Lanes theirs = areas(entries, second);
    for (std::size_t lane = 0; lane < count; ++lane)
      found[start + lane] = theirs[lane] - ours[lane];
  });
}

}  // namespace relyon
