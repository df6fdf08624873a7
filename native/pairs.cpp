#include "pairs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "class_loops.hpp"
#include "error.hpp"
#include "huge.hpp"
#include "parallel.hpp"
#include "radix.hpp"
#include "simd.hpp"

namespace relyon {
namespace {

std::uint64_t pairs_of(std::uint64_t size) { return size < 2 ? 0 : size * (size - 1) / 2; }

// Counts of labels at or above each of a few levels, side by side in one register.
class Packed {
 public:
  explicit Packed(unsigned levels) : bits_(width(levels)), mask_((std::uint64_t{1} << bits_) - 1) {
    std::uint64_t lanes = 0;
    for (unsigned level = 0; level < levels; ++level) {
      lanes |= std::uint64_t{1} << (level * bits_);
      steps_[level] = lanes;
    }
  }
  static bool fits(std::size_t size, std::size_t levels) {
    return levels <= most_levels && size >> width(static_cast<unsigned>(levels)) == 0;
  }
  // Labels above or equal to `level`, and those above it.
  std::pair<std::uint64_t, std::uint64_t> at_least_and_above(std::uint64_t level) const {
    const std::uint64_t counts = counts_ >> (level * bits_);
    return {counts & mask_, counts >> bits_ & mask_};
  }
  void add(std::uint64_t level) { counts_ += steps_[level]; }

  static constexpr std::size_t most_levels = 8;

 private:
  // One lane more than there are levels stays 0.
  static constexpr unsigned width(unsigned levels) { return 64 / (levels + 1); }

  unsigned bits_;
  std::uint64_t mask_;
  std::uint64_t counts_ = 0;
  std::array<std::uint64_t, most_levels> steps_{};
};

// The same for lists of any length.
class Wide {
 public:
  std::pair<std::uint64_t, std::uint64_t> at_least_and_above(std::uint64_t level) const {
    return {counts_[level], counts_[level + 1]};
  }
  void add(std::uint64_t level) {
    for (std::uint64_t i = 0; i < simd::levels; ++i) counts_[i] += i <= level ? 1 : 0;
  }

 private:
  std::array<std::uint64_t, simd::levels + 1> counts_{};  // labels at or above each level
};

// Every pair by its order alone.
template <typename Counter, typename Level>
PairCounts count_in_order(std::size_t size, Level level, Counter counter) {
  std::uint64_t at_least_sum = 0;
  std::uint64_t above_sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t own = level(i);
    const auto [at_least, above] = counter.at_least_and_above(own);
    at_least_sum += at_least;
    above_sum += above;
    counter.add(own);
  }
  PairCounts counts;
  counts.higher = above_sum;
  counts.equal = at_least_sum - above_sum;
  counts.lower = pairs_of(size) - at_least_sum;
  return counts;
}

template <typename Counter, typename Level>
PairCounts count(Rows rows, Level level, bool apart, Counter counter) {
  const std::span<const double> scores = rows.scores;
  const std::size_t size = rows.labels.size();
  if (!apart) return count_in_order(size, level, counter);
  PairCounts counts;
  for (std::size_t start = 0; start < size;) {
    std::size_t end = start + 1;
    while (end < size && scores[end] == scores[start]) ++end;
    std::uint64_t equal_before = 0;
    for (std::size_t i = start; i < end; ++i) {
      const auto [at_least, above] = counter.at_least_and_above(level(i));
      counts.higher += above;
      equal_before += at_least - above;
      counts.lower += start - at_least;
    }
    counts.equal += equal_before;
    if (end - start == 1) {
      counter.add(level(start));
    } else {
      std::uint64_t equal_after = 0;
      for (std::size_t i = start; i < end; ++i) {
        const auto [at_least, above] = counter.at_least_and_above(level(i));
        equal_after += at_least - above;
        counter.add(level(i));
      }
      const std::uint64_t equal_within = equal_after - equal_before;
      counts.tied_equal += equal_within;
      counts.tied_different += pairs_of(end - start) - equal_within;
    }
    start = end;
  }
  return counts;
}

// Pairs of a permutation of 0 ... n - 1 whose first is the greater one: bit by bit, from the
// highest, the numbers are parted into those without and those with it, and one without has met as
// many greater ones as went the other way before it. Every pass reads and writes in order.
std::uint64_t inversions(std::vector<std::uint32_t>& numbers) {
  constexpr unsigned last_bits = 3;
  const std::size_t size = numbers.size();
  std::vector<std::uint32_t> spare;
  resize_huge(spare, size);
  std::uint64_t sum = 0;
  for (auto bit = static_cast<unsigned>(std::bit_width(size - 1)); bit-- > last_bits;) {
    const std::size_t half = std::size_t{1} << bit;
    for (std::size_t start = 0; start < size; start += 2 * half) {
      const std::size_t middle = start + half;
      std::size_t without = start;
      std::size_t with = middle;
      for (std::size_t i = start; i < std::min(size, middle + half); ++i) {
        const std::uint32_t number = numbers[i];
        const bool has = (number & half) != 0;
        spare[has ? with : without] = number;
        sum += has ? 0 : with - middle;
        with += has ? 1 : 0;
        without += has ? 0 : 1;
      }
    }
    numbers.swap(spare);
  }
  // Blocks of eight are left, each with greater numbers than those before.
  constexpr std::size_t reach = (std::size_t{1} << last_bits) - 1;
  numbers.resize(size + reach, std::numeric_limits<std::uint32_t>::max());
  for (std::size_t i = 0; i < size; ++i) {
    std::uint32_t smaller = 0;
    for (std::size_t gap = 1; gap <= reach; ++gap)
      smaller += numbers[i] > numbers[i + gap] ? 1U : 0U;
    sum += smaller;
  }
  return sum;
}

PairCounts of_sums(std::uint64_t size, std::uint64_t higher, std::uint64_t equal) {
  PairCounts counts;
  counts.higher = higher;
  counts.equal = equal;
  counts.lower = pairs_of(size) - higher - equal;
  return counts;
}

// Every pair of a short list by its order alone.
PairCounts count_each(std::span<const double> labels) {
  std::uint64_t higher = 0;
  std::uint64_t equal = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t j = i + 1; j < labels.size(); ++j) {
      higher += labels[i] > labels[j] ? 1 : 0;
      equal += labels[i] == labels[j] ? 1 : 0;
    }
  }
  return of_sums(labels.size(), higher, equal);
}

// The same of any labels.
PairCounts count_any(std::span<const double> labels) {
  constexpr std::size_t few = 64;
  const std::size_t size = labels.size();
  if (size <= few) return count_each(labels);
  struct Label {
    std::uint64_t key;
    std::uint32_t row;
  };
  std::vector<Label> order;
  resize_huge(order, size);
  for (std::size_t i = 0; i < size; ++i)
    order[i] = {ascending_key(labels[i]), static_cast<std::uint32_t>(i)};
  if (size > 1000) {
    std::vector<Label> spare;
    radix_sort(order, spare, [](const Label& label) { return label.key; });
  } else {
    std::sort(order.begin(), order.end(), [](const Label& one, const Label& other) {
      return one.key != other.key ? one.key < other.key : one.row < other.row;
    });
  }
  // Equal labels are numbered as they come, so that none is above another.
  std::vector<std::uint32_t> numbers;
  resize_huge(numbers, size);
  std::uint64_t equal = 0;
  for (std::size_t i = 0, first = 0; i < size; ++i) {
    if (order[i].key != order[first].key) first = i;
    equal += i - first;
    numbers[order[i].row] = static_cast<std::uint32_t>(i);
  }
  return of_sums(size, inversions(numbers), equal);
}

}  // namespace

void split_ties(PairCounts& counts, Rows rows) {
  const std::size_t size = rows.scores.size();
  for (std::size_t start = 0; start < size;) {
    std::size_t end = start + 1;
    while (end < size && rows.scores[end] == rows.scores[start]) ++end;
    if (end - start > 1) {
      const PairCounts tied = count_pairs(
          {rows.scores.subspan(start, end - start), rows.labels.subspan(start, end - start)},
          false);
      counts.higher -= tied.higher;
      counts.equal -= tied.equal;
      counts.lower -= tied.lower;
      counts.tied_equal += tied.equal;
      counts.tied_different += tied.higher + tied.lower;
    }
    start = end;
  }
}

PairCounts count_pairs(Rows rows, bool ties_apart, std::size_t levels) {
  const std::size_t size = rows.labels.size();
  if (size < 2) return {};
  // Whole labels from 0 up are levels as they are.
  std::uint32_t of_level[simd::levels];
  if (levels == 0 && simd::count_levels(rows.labels.data(), size, of_level)) {
    levels = simd::levels;
    while (levels > 1 && of_level[levels - 1] == 0) --levels;
  }
  if (levels != 0) {
    const double* labels = rows.labels.data();
    const auto level = [labels](std::size_t i) {
      return static_cast<std::uint64_t>(static_cast<int>(labels[i]));
    };
    if (Packed::fits(size, levels)) {
      return count(rows, level, ties_apart, Packed(static_cast<unsigned>(levels)));
    }
    return count(rows, level, ties_apart, Wide());
  }
  PairCounts counts = count_any(rows.labels);
  if (ties_apart) split_ties(counts, rows);
  return counts;
}

Rows by_score(Rows rows, Scratch& scratch) {
  if (std::is_sorted(rows.scores.begin(), rows.scores.end(), std::greater<>())) return rows;
  const std::size_t size = rows.scores.size();
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return rows.scores[one] > rows.scores[other];
  });
  std::vector<double> scores(size);
  std::vector<double> labels(size);
  for (std::size_t i = 0; i < size; ++i) {
    scores[i] = rows.scores[order[i]];
    labels[i] = rows.labels[order[i]];
  }
  scratch.doubles = std::move(scores);
  scratch.more_doubles = std::move(labels);
  return {scratch.doubles, scratch.more_doubles};
}

double ClassPairs::auc() const {
  if (positives == 0 || negatives == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(twice_won) / 2.0 /
         (static_cast<double>(positives) * static_cast<double>(negatives));
}

ClassPairs count_class_pairs(Rows rows, double threshold) {
  ClassPairs counts;
  const std::size_t size = rows.scores.size();
  for (std::size_t start = 0; start < size;) {
    std::size_t end = start;
    std::uint64_t positives = 0;
    for (; end < size && rows.scores[end] == rows.scores[start]; ++end) {
      positives += rows.labels[end] >= threshold ? 1 : 0;
    }
    const std::uint64_t negatives = end - start - positives;
    counts.twice_won += negatives * (2 * counts.positives + positives);
    counts.positives += positives;
    counts.negatives += negatives;
    start = end;
  }
  return counts;
}

namespace {

// Up to this many scores of the smaller class, looking at all others for each beats sorting.
constexpr std::size_t scan_to = 64;

}  // namespace

Finder::Finder(std::vector<double> scores) : size_(scores.size()) {
  if (size_ > std::numeric_limits<std::uint32_t>::max() - simd::padding) {
    throw InputError("native.both-classes-have-more-than-4");
  }
  constexpr std::size_t most_buckets = std::size_t{1} << 23;  // a few scores in each
  constexpr std::size_t few_scores = 4096;
  const std::size_t count = std::clamp(std::bit_ceil(size_), std::size_t{64}, most_buckets);
  const auto [lowest, highest] = std::minmax_element(scores.begin(), scores.end());
  buckets_.last = static_cast<std::uint32_t>(count - 1);
  buckets_.lowest_half = *lowest * 0.5;
  const double width = *highest * 0.5 - buckets_.lowest_half;
  buckets_.scale = width > 0 ? static_cast<double>(count) / width : 0.0;
  buckets_.lowest_key = ascending_key(*lowest);
  const int bits = std::bit_width(ascending_key(*highest) - buckets_.lowest_key);
  buckets_.shift =
      static_cast<unsigned>(std::max(bits - static_cast<int>(std::bit_width(count - 1)), 0));
  buckets_.even = std::isfinite(buckets_.scale) && (size_ < few_scores || spread_evenly(scores));

  // Into buckets, and each bucket sorted.
  std::vector<std::uint32_t> found(size_);
  simd::find_buckets(buckets_, scores.data(), size_, found.data());
  starts_.assign(count + 2, 0);
  for (const std::uint32_t bucket : found) ++starts_[bucket + 2];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  sorted_.resize(size_ + simd::padding);
  for (std::size_t i = 0; i < size_; ++i) sorted_[starts_[found[i] + 1]++] = scores[i];
  std::fill_n(sorted_.begin() + static_cast<std::ptrdiff_t>(size_), simd::padding,
              std::numeric_limits<double>::infinity());
  for (std::size_t bucket = 0; bucket < count; ++bucket) {
    if (starts_[bucket + 1] - starts_[bucket] > 1) {
      std::sort(sorted_.begin() + starts_[bucket], sorted_.begin() + starts_[bucket + 1]);
    }
  }
  buckets_.sorted = sorted_.data();
  buckets_.starts = starts_.data();
}

// Whether buckets of even width are filled more evenly than buckets of bits, judged by a sample.
bool Finder::spread_evenly(std::span<const double> scores) {
  std::vector<double> sample;
  const std::size_t step = std::max<std::size_t>(scores.size() / 4096, 1);
  for (std::size_t i = 0; i < scores.size(); i += step) sample.push_back(scores[i]);
  std::vector<std::uint32_t> found(sample.size());
  const auto crowding = [&](bool even) {
    buckets_.even = even;
    simd::find_buckets(buckets_, sample.data(), sample.size(), found.data());
    std::sort(found.begin(), found.end());
    std::uint64_t pairs = 0;
    const std::uint32_t coarse = std::max<std::uint32_t>((buckets_.last + 1) / 4096, 1);
    for (std::size_t start = 0; start < found.size();) {
      std::size_t end = start + 1;
      while (end < found.size() && found[end] / coarse == found[start] / coarse) ++end;
      pairs += pairs_of(end - start);
      start = end;
    }
    return pairs;
  };
  return crowding(true) <= crowding(false);
}

namespace {

// Twice the number of pairs of one of `few` and a better one of `many`, equal ones counting once.
std::uint64_t twice_above(std::span<const double> few, std::span<const double> many,
                          unsigned threads) {
  if (few.size() <= scan_to)
    return loops::twice_above(few.data(), few.size(), many.data(), many.size());
  const Finder finder(std::vector<double>(few.begin(), few.end()));
  constexpr std::size_t block = std::size_t{1} << 16;
  const std::size_t blocks = (many.size() + block - 1) / block;
  std::vector<std::uint64_t> above(blocks, 0);
  each_part(blocks, static_cast<int>(threads), [&](std::size_t part) {
    const std::size_t from = part * block;
    above[part] = finder.sum(many.subspan(from, std::min(block, many.size() - from)));
  });
  return std::accumulate(above.begin(), above.end(), std::uint64_t{0});
}

}  // namespace

ClassPairs count_class_pairs(const std::vector<double>& positives,
                             const std::vector<double>& negatives, unsigned threads) {
  ClassPairs counts{positives.size(), negatives.size(), 0};
  if (positives.empty() || negatives.empty()) return counts;
  counts.twice_won =
      positives.size() <= negatives.size()
          ? 2 * counts.positives * counts.negatives - twice_above(positives, negatives, threads)
          : twice_above(negatives, positives, threads);
  return counts;
}

ClassPairs count_unordered_class_pairs(Rows rows, double threshold, std::vector<double>& room) {
  const std::size_t size = rows.labels.size();
  if (room.size() < size + loops::spare) room.resize(size + loops::spare);
  const auto pick = [&](bool positives) {
    return loops::pick(rows.labels.data(), rows.scores.data(), size, threshold, positives,
                       room.data());
  };
  ClassPairs counts;
  counts.positives = pick(true);
  counts.negatives = size - counts.positives;
  if (counts.positives == 0 || counts.negatives == 0) return counts;
  const bool few_positives = counts.positives <= counts.negatives;
  const std::uint64_t few = few_positives ? counts.positives : pick(false);
  // The smaller class is met with all rows: of two of its own scores the better one counts twice,
  // or each once, and so does each with itself.
  const std::uint64_t above = twice_above({room.data(), few}, rows.scores, 1) - few * few;
  counts.twice_won = few_positives ? 2 * counts.positives * counts.negatives - above : above;
  return counts;
}

}  // namespace relyon
