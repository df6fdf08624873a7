#include "resample.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "error.hpp"
#include "generator.hpp"
#include "parallel.hpp"
#include "resample_counts.hpp"

namespace relyon {
namespace {

constexpr std::int64_t largest_sum = std::int64_t{1} << 62;

[[noreturn]] void refuse_sum() { throw InputError("native.sum-of-values"); }

// Refuses values whose sums, or the difference of two sums, could overflow.
void check_sum(std::int64_t& sum, std::int64_t value) {
  if (value <= -largest_sum || value >= largest_sum) refuse_sum();
  sum += value < 0 ? -value : value;
  if (sum >= largest_sum) refuse_sum();
}

void check_items(const Columns& data) {
  if (data.items > std::numeric_limits<std::uint32_t>::max())
    throw InputError("native.there-are-2-32");
}

void check_columns(const Columns& data) {
  check_items(data);
  for (std::size_t column = 0; column < data.columns; ++column) {
    std::int64_t sum = 0;
    for (std::size_t item = 0; item < data.items; ++item)
      check_sum(sum, data.values[column * data.items + item]);
  }
}

constexpr std::size_t block = 4096;  // resamples that share a table
constexpr std::size_t word = 64;     // items that share a random word
constexpr std::size_t byte = 8;      // items that share a table

using Table = std::array<std::int64_t, 256>;

// The signed sums of up to eight values for each pattern of signs: a set bit is a plus.
void fill(Table& table, const std::int64_t* values, std::size_t count) {
  table[0] = -std::accumulate(values, values + count, std::int64_t{0});
  for (std::size_t bit = 0; bit < byte; ++bit) {
    const std::int64_t twice = bit < count ? 2 * values[bit] : 0;
    const std::size_t patterns = std::size_t{1} << bit;
    for (std::size_t pattern = 0; pattern < patterns; ++pattern)
      table[patterns + pattern] = table[pattern] + twice;
  }
}

// One block of resamples. The generators' states lie in columns, so that they advance side by side.
void sign_block(const Columns& data, const Draw& draw, std::size_t start, std::size_t count,
                std::int64_t* sums) {
  std::vector<std::uint64_t> s0(count), s1(count), s2(count), s3(count), bits(count);
  for (std::size_t place = 0; place < count; ++place) {
    const Generator generator(draw.seed, draw.first + start + place);
    s0[place] = generator.s0;
    s1[place] = generator.s1;
    s2[place] = generator.s2;
    s3[place] = generator.s3;
  }
  for (std::size_t column = 0; column < data.columns; ++column) {
    std::fill_n(sums + column * draw.count + start, count, 0);
  }
  std::array<Table, word / byte> tables;
  for (std::size_t item = 0; item < data.items; item += word) {
    for (std::size_t place = 0; place < count; ++place) {
      Generator generator;
      generator.s0 = s0[place];
      generator.s1 = s1[place];
      generator.s2 = s2[place];
      generator.s3 = s3[place];
      bits[place] = generator.next();
      s0[place] = generator.s0;
      s1[place] = generator.s1;
      s2[place] = generator.s2;
      s3[place] = generator.s3;
    }
    for (std::size_t column = 0; column < data.columns; ++column) {
      const std::int64_t* values = data.values + column * data.items;
      for (std::size_t part = 0; part < tables.size(); ++part) {
        const std::size_t from = std::min(item + part * byte, data.items);
        fill(tables[part], values + from, std::min(byte, data.items - from));
      }
      std::int64_t* total = sums + column * draw.count + start;
      for (std::size_t place = 0; place < count; ++place) {
        const std::uint64_t signs = bits[place];
        std::int64_t sum = 0;
        for (std::size_t part = 0; part < tables.size(); ++part)
          sum += tables[part][(signs >> (byte * part)) & 255];
        total[place] += sum;
      }
    }
  }
}

std::size_t parts_of(std::size_t count, std::size_t size) { return (count + size - 1) / size; }

}  // namespace

void signed_sums(const Columns& data, const Draw& draw, std::int64_t* sums) {
  check_columns(data);
  // Few resamples are shared out to all threads too.
  const std::size_t size = std::clamp<std::size_t>(parts_of(draw.count, 16), 64, block);
  each_part(parts_of(draw.count, size), draw.threads, [&](std::size_t part) {
    const std::size_t start = part * size;
    sign_block(data, draw, start, std::min(size, draw.count - start), sums);
  });
}

namespace {

// Of many columns it takes less time to count how often each item was drawn, and to multiply.
constexpr std::size_t columns_to_count = 4;
constexpr std::size_t resamples_at_once = 8;
constexpr std::int64_t largest_counted = std::int64_t{1} << 40;
// So many items are drawn by their counts, of a stream of their own: it takes half the time.
constexpr std::size_t items_in_blocks = std::size_t{1} << 16;

// How often each item is drawn in one resample.
void count_drawn(const Columns& data, const Draw& draw, std::size_t place, std::uint8_t* counts) {
  Generator generator(draw.seed, draw.first + place);
  if (data.items >= items_in_blocks) return draw_counts(generator, data.items, counts);
  const auto items = static_cast<std::uint32_t>(data.items);
  std::fill_n(counts, items, std::uint8_t{0});
  Below below(generator);
  for (std::uint32_t item = 0; item < items; ++item) ++counts[below(items)];
}

// The sums of one resample of many items whose values may be large.
void sum_large(const Columns& data, const Draw& draw, std::size_t place, std::int64_t* sums) {
  std::vector<std::uint8_t> counts(data.items);
  count_drawn(data, draw, place, counts.data());
  for (std::size_t column = 0; column < data.columns; ++column) {
    const std::int64_t* values = data.values + column * data.items;
    std::int64_t sum = 0;
    for (std::size_t item = 0; item < data.items; ++item) sum += counts[item] * values[item];
    sums[column * draw.count + place] = sum;
  }
}

// The sums of one resample, item by item as they are drawn.
void sum_drawn(const Columns& data, const Draw& draw, std::size_t place, std::int64_t* sums) {
  if (data.items >= items_in_blocks) return sum_large(data, draw, place, sums);
  const auto items = static_cast<std::uint32_t>(data.items);
  std::vector<std::uint32_t> drawn(items);
  Below below(Generator(draw.seed, draw.first + place));
  for (std::uint32_t& item : drawn) item = below(items);
  for (std::size_t column = 0; column < data.columns; ++column) {
    const std::int64_t* values = data.values + column * data.items;
    std::int64_t sum = 0;
    for (const std::uint32_t item : drawn) sum += values[item];
    sums[column * draw.count + place] = sum;
  }
}

// The sums of a few resamples by the counts of their items. `values` are those of `data`.
void sum_counted(const Columns& data, const std::vector<double>& values, const Draw& draw,
                 std::size_t start, std::size_t resamples, std::int64_t* sums) {
  std::vector<std::uint8_t> counts(resamples * data.items);
  for (std::size_t place = 0; place < resamples; ++place) {
    count_drawn(data, draw, start + place, counts.data() + place * data.items);
    for (std::size_t column = 0; column < data.columns; ++column)
      sums[column * draw.count + start + place] = 0;
  }
  for (std::size_t from = 0; from < data.items; from += count_block) {
    const std::size_t size = std::min(count_block, data.items - from);
    for (std::size_t place = 0; place < resamples; ++place) {
      const std::uint8_t* mine = counts.data() + place * data.items + from;
      add_weighted({mine, values.data() + from, data.columns, data.items, size},
                   sums + start + place, draw.count);
    }
  }
}

}  // namespace

void resampled_sums(const Columns& data, const Draw& draw, std::int64_t* sums) {
  check_items(data);
  bool counted = data.columns >= columns_to_count || data.items >= items_in_blocks;
  // One item may be drawn every time.
  for (std::size_t place = 0; place < data.columns * data.items; ++place) {
    const std::int64_t most = (largest_sum - 1) / static_cast<std::int64_t>(data.items);
    if (data.values[place] < -most || data.values[place] > most) refuse_sum();
    counted &= data.values[place] >= -largest_counted && data.values[place] <= largest_counted;
  }
  std::vector<double> values;
  if (counted) values.assign(data.values, data.values + data.columns * data.items);
  constexpr std::size_t size = 64;
  each_part(parts_of(draw.count, size), draw.threads, [&](std::size_t part) {
    const std::size_t end = std::min(part * size + size, draw.count);
    const std::size_t step = counted ? resamples_at_once : 1;
    for (std::size_t place = part * size; place < end; place += step) {
      if (counted) {
        sum_counted(data, values, draw, place, std::min(step, end - place), sums);
      } else {
        sum_drawn(data, draw, place, sums);
      }
    }
  });
}

void permuted_ranges(const Columns& data, const Draw& draw, std::int64_t* ranges) {
  if (data.columns == 0) throw InputError("native.there-are-no-columns");
  check_items(data);
  std::int64_t sum = 0;
  // An item's values beside each other, and any of them may count for any column.
  std::vector<std::int64_t> rows(data.items * data.columns);
  for (std::size_t item = 0; item < data.items; ++item) {
    std::int64_t widest = 0;
    for (std::size_t column = 0; column < data.columns; ++column) {
      const std::int64_t value = data.values[column * data.items + item];
      if (value <= -largest_sum || value >= largest_sum) check_sum(sum, value);
      widest = std::max(widest, value < 0 ? -value : value);
      rows[item * data.columns + column] = value;
    }
    check_sum(sum, widest);
  }
  constexpr std::size_t size = 64;
  each_part(parts_of(draw.count, size), draw.threads, [&](std::size_t part) {
    std::vector<std::int64_t> totals(data.columns), row(data.columns);
    for (std::size_t place = part * size; place < std::min(part * size + size, draw.count);
         ++place) {
      Below below(Generator(draw.seed, draw.first + place));
      std::fill(totals.begin(), totals.end(), 0);
      for (std::size_t item = 0; item < data.items; ++item) {
        const std::int64_t* values = rows.data() + item * data.columns;
        std::copy(values, values + data.columns, row.begin());
        for (std::size_t left = data.columns; left > 1; --left) {
          const std::uint32_t chosen = below(static_cast<std::uint32_t>(left));
          std::swap(row[left - 1], row[chosen]);
          totals[left - 1] += row[left - 1];
        }
        totals[0] += row[0];
      }
      const auto [least, most] = std::minmax_element(totals.begin(), totals.end());
      ranges[place] = *most - *least;
    }
  });
}

}  // namespace relyon
