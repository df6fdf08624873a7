#include "total.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "class_curve.hpp"
#include "error.hpp"
#include "pairs.hpp"
#include "parallel.hpp"

namespace relyon {
namespace {

constexpr std::string_view header = "relyon.Total.2\n";

void write_whole(std::string& bytes, std::uint64_t value) {
  for (int i = 0; i < 8; ++i, value >>= 8) bytes.push_back(static_cast<char>(value & 0xff));
}

[[noreturn]] void refuse() { throw InputError("native.these-bytes-are-no"); }

std::uint64_t read_whole(std::string_view& bytes) {
  if (bytes.size() < 8) refuse();
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(8);
  return value;
}

void write_scores(std::string& bytes, const std::vector<double>& scores) {
  write_whole(bytes, scores.size());
  for (const double score : scores) write_whole(bytes, std::bit_cast<std::uint64_t>(score));
}

std::vector<double> read_scores(std::string_view& bytes) {
  const std::uint64_t size = read_whole(bytes);
  if (size > bytes.size() / 8) refuse();
  std::vector<double> scores(size);
  for (double& score : scores) score = std::bit_cast<double>(read_whole(bytes));
  return scores;
}

}  // namespace

void ExactSum::add(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto exponent = static_cast<unsigned>(bits >> 52 & 0x7ff);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  const bool negative = (bits >> 63) != 0;
  if (exponent == 0x7ff) {
    if (mantissa != 0) {
      ++positive_infinities_;
      ++negative_infinities_;
    } else {
      ++(negative ? negative_infinities_ : positive_infinities_);
    }
    return;
  }
  if (exponent != 0) mantissa |= std::uint64_t{1} << 52;
  const unsigned place = exponent == 0 ? 0 : exponent - 1;
  const unsigned shift = place & 31;
  const std::size_t chunk = place >> 5;
  const auto low = static_cast<std::int64_t>((mantissa << shift) & 0xffffffffU);
  const auto high = static_cast<std::int64_t>(mantissa >> (32 - shift));
  sum_[chunk] += negative ? -low : low;
  sum_[chunk + 1] += negative ? -high : high;
  if (++pending_ == most_pending) carry();
}

void ExactSum::remove(double value) {
  if (value == std::numeric_limits<double>::infinity()) {
    --positive_infinities_;
  } else if (value == -std::numeric_limits<double>::infinity()) {
    --negative_infinities_;
  } else {
    add(-value);
  }
}

void ExactSum::add(std::span<const double> values, bool skip_nan) {
  std::uint64_t ones = 0;  // many: a query of a mean has the denominator 1
  for (const double value : values) {
    if (value == 1.0) {
      ++ones;
    } else if (!skip_nan || !std::isnan(value)) {
      add(value);
    }
  }
  add(static_cast<double>(ones));
}

// Leaves every chunk but the last within 32 bits: one form for each sum.
void ExactSum::carry() {
  pending_ = 0;
  for (std::size_t i = 0; i + 1 < chunks; ++i) {
    const std::int64_t over = sum_[i] >> 32;
    sum_[i] -= over * (std::int64_t{1} << 32);
    sum_[i + 1] += over;
  }
}

void ExactSum::merge(const ExactSum& other) {
  ExactSum copy = other;
  copy.carry();
  carry();
  for (std::size_t i = 0; i < chunks; ++i) sum_[i] += copy.sum_[i];
  carry();
  positive_infinities_ += other.positive_infinities_;
  negative_infinities_ += other.negative_infinities_;
}

double ExactSum::value() const {
  if (positive_infinities_ != 0 || negative_infinities_ != 0) {
    if (negative_infinities_ == 0) return std::numeric_limits<double>::infinity();
    if (positive_infinities_ == 0) return -std::numeric_limits<double>::infinity();
    return std::numeric_limits<double>::quiet_NaN();
  }
  ExactSum copy = *this;
  copy.carry();
  const bool negative = copy.sum_.back() < 0;
  if (negative) {
    for (std::int64_t& chunk : copy.sum_) chunk = -chunk;
    copy.carry();
  }
  std::size_t top = chunks;
  while (top > 0 && copy.sum_[top - 1] == 0) --top;
  if (top == 0) return 0.0;
  --top;
  const auto chunk_at = [&](std::size_t i) { return static_cast<std::uint64_t>(copy.sum_[i]); };
  // The highest 64 bits of the sum, and whether anything lies below them.
  const int width = std::bit_width(chunk_at(top));
  std::uint64_t head = chunk_at(top) << (64 - width);
  int filled = width;
  bool rest = false;
  std::size_t i = top;
  while (i-- > 0) {
    if (filled >= 64) {
      rest |= chunk_at(i) != 0;
      continue;
    }
    const int room = 64 - filled;
    if (room >= 32) {
      head |= chunk_at(i) << (room - 32);
    } else {
      head |= chunk_at(i) >> (32 - room);
      rest |= (chunk_at(i) & ((std::uint64_t{1} << (32 - room)) - 1)) != 0;
    }
    filled += 32;
  }
  // The sum is head * 2^exponent. Sums below 2^53 units are doubles as they are.
  const int exponent = static_cast<int>(top) * 32 + width - 64 - 1074;
  double magnitude = 0.0;
  const int spare = std::max(11, -1074 - exponent);
  if (spare >= 64) {
    magnitude = 0.0;
  } else {
    std::uint64_t kept = head >> spare;
    const std::uint64_t cut = head & ((std::uint64_t{1} << spare) - 1);
    const std::uint64_t half = std::uint64_t{1} << (spare - 1);
    if (cut > half || (cut == half && (rest || (kept & 1) != 0))) ++kept;
    magnitude = std::ldexp(static_cast<double>(kept), exponent + spare);
  }
  return negative ? -magnitude : magnitude;
}

void ExactSum::write(std::string& bytes) const {
  ExactSum copy = *this;
  copy.carry();
  for (const std::int64_t chunk : copy.sum_) write_whole(bytes, static_cast<std::uint64_t>(chunk));
  write_whole(bytes, positive_infinities_);
  write_whole(bytes, negative_infinities_);
}

void ExactSum::read(std::string_view& bytes) {
  for (std::size_t i = 0; i < chunks; ++i) {
    const auto chunk = static_cast<std::int64_t>(read_whole(bytes));
    const bool last = i + 1 == chunks;
    if (last ? std::abs(chunk / 2) > (std::int64_t{1} << 60) : chunk < 0 || chunk > 0xffffffff)
      refuse();
    sum_[i] = chunk;
  }
  pending_ = 0;
  positive_infinities_ = read_whole(bytes);
  negative_infinities_ = read_whole(bytes);
}

void OrderSums::replace(const Partial& as_is, const Partial& ordered) {
  const auto change = [](ExactSum& sum, double before, double after) {
    if (!std::isnan(before)) sum.remove(before);
    if (!std::isnan(after)) sum.add(after);
  };
  change(values, as_is.value, ordered.value);
  change(numerators, as_is.numerator, ordered.numerator);
  change(denominators, as_is.denominator, ordered.denominator);
}

void OrderSums::merge(const OrderSums& other) {
  values.merge(other.values);
  numerators.merge(other.numerators);
  denominators.merge(other.denominators);
}

void TieSums::merge(const TieSums& other) {
  queries += other.queries;
  worst.merge(other.worst);
  best.merge(other.best);
}

void Total::add(std::span<const double> more_values, std::span<const double> more_numerators,
                std::span<const double> more_denominators, std::uint64_t more_missing) {
  if (more_values.size() != more_numerators.size() ||
      more_values.size() != more_denominators.size()) {
    throw InputError("native.values-numerators-and-denominators");
  }
  if (more_missing > more_values.size()) throw InputError("native.more-queries-are-missing");
  for (const double value : more_values) undefined += std::isnan(value) ? 1 : 0;
  queries += more_values.size();
  missing += more_missing;
  values.add(more_values, true);
  numerators.add(more_numerators, false);
  denominators.add(more_denominators, false);
}

void Total::add(const Column& column, std::uint64_t more_missing) {
  add(column.values, column.numerators, column.denominators, more_missing);
  tie_sensitive += column.tie_sensitive;
  pools.insert(pools.end(), column.pools.begin(), column.pools.end());
  if (column.ties) ties.merge(*column.ties);
  for (const PairLevels& levels : column.levels) {
    equal_positives.add(levels.equal_positive);
    equal_negatives.add(levels.equal_negative);
    without_strict += std::isnan(levels.strict) ? 1 : 0;
    if (!std::isnan(levels.strict)) stricts.add(levels.strict);
    if (!std::isnan(levels.random)) randoms.add(levels.random);
  }
}

void Total::merge(const Total& other) {
  const Pools more = other.pools;  // a copy: `other` may be this
  pools.insert(pools.end(), more.begin(), more.end());
  queries += other.queries;
  undefined += other.undefined;
  missing += other.missing;
  tie_sensitive += other.tie_sensitive;
  values.merge(other.values);
  numerators.merge(other.numerators);
  denominators.merge(other.denominators);
  ties.merge(other.ties);
  equal_positives.merge(other.equal_positives);
  equal_negatives.merge(other.equal_negatives);
  stricts.merge(other.stricts);
  randoms.merge(other.randoms);
  without_strict += other.without_strict;
}

namespace {

double mean_of(ExactSum sum, std::uint64_t queries, std::uint64_t undefined, Undefined rule) {
  const std::uint64_t counted = rule == Undefined::skip ? queries - undefined : queries;
  if (counted == 0) return std::numeric_limits<double>::quiet_NaN();
  if (rule == Undefined::one) sum.add(static_cast<double>(undefined));
  return sum.value() / static_cast<double>(counted);
}

}  // namespace

double Total::mean(Undefined rule) const { return mean_of(values, queries, undefined, rule); }

double Total::mean_level(bool strict, Undefined rule) const {
  return strict ? mean_of(stricts, queries, without_strict, rule)
                : mean_of(randoms, queries, undefined, rule);
}

Total Total::ordered(bool best) const {
  Total total = *this;
  const OrderSums& changes = best ? ties.best : ties.worst;
  total.values.merge(changes.values);
  total.numerators.merge(changes.numerators);
  total.denominators.merge(changes.denominators);
  total.ties = {};
  return total;
}

double Total::ratio() const {
  const double above = numerators.value();
  const double below = denominators.value();
  if (below == 0) {
    return above > 0 ? std::numeric_limits<double>::infinity()
                     : std::numeric_limits<double>::quiet_NaN();
  }
  return above / below;
}

double Total::auc(double max_fpr) const {
  if (area && !(max_fpr < 1)) return *area;
  // The pairs of one query are its own.
  if (queries == 1) return mean(Undefined::skip);
  if (weighted(pools) || max_fpr < 1) return roc_area(joined(pools), max_fpr);
  return count_class_pairs(pools, 0).auc();
}

double Total::average_precision() const {
  return queries == 1 ? mean(Undefined::skip) : relyon::average_precision(joined(pools));
}

std::string Total::to_bytes() const {
  std::string bytes(header);
  for (const std::uint64_t count : {queries, undefined, missing, tie_sensitive})
    write_whole(bytes, count);
  values.write(bytes);
  numerators.write(bytes);
  denominators.write(bytes);
  for (const std::uint64_t count : {ties.queries, without_strict}) write_whole(bytes, count);
  for (const OrderSums* order : {&ties.worst, &ties.best}) {
    for (const ExactSum* sum : {&order->values, &order->numerators, &order->denominators}) {
      sum->write(bytes);
    }
  }
  for (const ExactSum* sum : {&equal_positives, &equal_negatives, &stricts, &randoms})
    sum->write(bytes);
  const Pool whole = joined(pools);
  write_scores(bytes, whole.positive);
  write_scores(bytes, whole.negative);
  if (whole.weighted()) {
    write_scores(bytes, whole.positive_weights);
    write_scores(bytes, whole.negative_weights);
  }
  return bytes;
}

Total Total::from_bytes(std::string_view bytes) {
  if (!bytes.starts_with(header)) refuse();
  bytes.remove_prefix(header.size());
  Total total;
  for (std::uint64_t* count :
       {&total.queries, &total.undefined, &total.missing, &total.tie_sensitive}) {
    *count = read_whole(bytes);
  }
  if (total.undefined > total.queries || total.missing > total.queries) refuse();
  total.values.read(bytes);
  total.numerators.read(bytes);
  total.denominators.read(bytes);
  for (std::uint64_t* count : {&total.ties.queries, &total.without_strict})
    *count = read_whole(bytes);
  if (total.ties.queries > total.queries || total.without_strict > total.queries) refuse();
  for (OrderSums* order : {&total.ties.worst, &total.ties.best}) {
    for (ExactSum* sum : {&order->values, &order->numerators, &order->denominators})
      sum->read(bytes);
  }
  for (ExactSum* sum :
       {&total.equal_positives, &total.equal_negatives, &total.stricts, &total.randoms}) {
    sum->read(bytes);
  }
  Pool pool;
  pool.positive = read_scores(bytes);
  pool.negative = read_scores(bytes);
  if (!bytes.empty()) {
    pool.positive_weights = read_scores(bytes);
    pool.negative_weights = read_scores(bytes);
    if (pool.positive_weights.size() != pool.positive.size() ||
        pool.negative_weights.size() != pool.negative.size() || !pool.weighted()) {
      refuse();
    }
  }
  pack(pool, total.pools);
  if (!bytes.empty()) refuse();
  return total;
}

}  // namespace relyon
