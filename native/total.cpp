#include "total.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "error.hpp"
#include "pairs.hpp"

namespace relkit {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint32_t most_pending = 1u << 29;

}  // namespace

void ExactSum::add(double value) {
  constexpr double small = 4398046511104.0;  // 2^42: a million of them fit
  if (std::fabs(value) < small) {
    const auto whole = static_cast<std::int64_t>(value);
    if (static_cast<double>(whole) == value) {
      whole_ += whole;
      if (++wholes_ == (1u << 20)) {
        const std::int64_t high = whole_ / (std::int64_t{1} << 32), low = whole_ % (std::int64_t{1} << 32);
        add_exactly(static_cast<double>(high) * 4294967296.0);
        add_exactly(static_cast<double>(low));
        whole_ = 0;
        wholes_ = 0;
      }
      return;
    }
  }
  add_exactly(value);
}

void ExactSum::add_exactly(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto exponent = static_cast<std::uint32_t>((bits >> 52) & 0x7ff);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent != 0) mantissa |= std::uint64_t{1} << 52;
  // The value is mantissa * 2^(offset - 1074).
  const std::uint32_t offset = exponent == 0 ? 0 : exponent - 1;
  const std::uint32_t limb = offset / 32, shift = offset % 32;
  const unsigned __int128 wide = static_cast<unsigned __int128>(mantissa) << shift;
  const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
  limbs_[limb] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(wide));
  limbs_[limb + 1] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(wide >> 32));
  limbs_[limb + 2] += sign * static_cast<std::int64_t>(static_cast<std::uint32_t>(wide >> 64));
  if (++pending_ == most_pending) {
    carry(limbs_);
    pending_ = 0;
  }
}

void ExactSum::carry(std::array<std::int64_t, size>& limbs) {
  for (std::size_t limb = 0; limb + 1 < size; ++limb) {
    limbs[limb + 1] += limbs[limb] >> 32;
    limbs[limb] &= 0xffffffff;
  }
}

void ExactSum::merge(const ExactSum& other) {
  if (pending_ + static_cast<std::uint64_t>(other.pending_) + 4 >= most_pending) {
    carry(limbs_);
    pending_ = 1;
  }
  for (std::size_t limb = 0; limb < size; ++limb) limbs_[limb] += other.limbs_[limb];
  pending_ += other.pending_ + 1;
  const std::int64_t high = other.whole_ / (std::int64_t{1} << 32), low = other.whole_ % (std::int64_t{1} << 32);
  add_exactly(static_cast<double>(high) * 4294967296.0);
  add_exactly(static_cast<double>(low));
}

double ExactSum::value() const {
  ExactSum copy = *this;
  const std::int64_t high = whole_ / (std::int64_t{1} << 32), low = whole_ % (std::int64_t{1} << 32);
  copy.add_exactly(static_cast<double>(high) * 4294967296.0);
  copy.add_exactly(static_cast<double>(low));
  std::array<std::int64_t, size>& limbs = copy.limbs_;
  carry(limbs);
  const bool negative = limbs[size - 1] < 0;
  if (negative) {
    for (std::int64_t& limb : limbs) limb = -limb;
    carry(limbs);
  }
  std::size_t top = size;
  while (top > 0 && limbs[top - 1] == 0) --top;
  if (top == 0) return 0.0;
  --top;
  unsigned __int128 bits = 0;
  for (std::size_t back = 0; back < 3; ++back) {
    bits = bits << 32 | (back <= top ? static_cast<std::uint64_t>(limbs[top - back]) : 0);
  }
  bool sticky = false;
  for (std::size_t limb = 0; limb + 2 < top; ++limb) sticky |= limbs[limb] != 0;
  int width = 0;
  for (unsigned __int128 rest = bits; rest != 0; rest >>= 1) ++width;
  const int drop = width > 53 ? width - 53 : 0;
  auto mantissa = static_cast<std::uint64_t>(bits >> drop);
  if (drop > 0) {
    const unsigned __int128 half = static_cast<unsigned __int128>(1) << (drop - 1);
    const unsigned __int128 rest = bits & ((half << 1) - 1);
    if (rest > half || (rest == half && (sticky || (mantissa & 1) != 0))) ++mantissa;
  }
  const int exponent = 32 * (static_cast<int>(top) - 2) + drop - 1074;
  const double magnitude = std::ldexp(static_cast<double>(mantissa), exponent);
  return negative ? -magnitude : magnitude;
}

void Total::add(double value, double numerator, double denominator, bool is_missing) {
  ++queries;
  missing += is_missing;
  if (std::isnan(value)) {
    ++undefined;
  } else if (std::isinf(value)) {
    ++infinite;
  } else {
    values.add(value);
  }
  if (std::isfinite(numerator)) numerators.add(numerator);
  if (std::isfinite(denominator)) denominators.add(denominator);
}

void Total::add(const Column& column, const std::vector<std::uint8_t>& missing_flags) {
  for (std::size_t row = 0; row < column.values.size(); ++row) {
    add(column.values[row], column.numerators[row], column.denominators[row],
        row < missing_flags.size() && missing_flags[row] != 0);
  }
  tie_sensitive += column.tie_sensitive;
  pool.positive.insert(pool.positive.end(), column.pool.positive.begin(), column.pool.positive.end());
  pool.negative.insert(pool.negative.end(), column.pool.negative.begin(), column.pool.negative.end());
}

void Total::merge(const Total& other) {
  queries += other.queries;
  undefined += other.undefined;
  missing += other.missing;
  tie_sensitive += other.tie_sensitive;
  infinite += other.infinite;
  values.merge(other.values);
  numerators.merge(other.numerators);
  denominators.merge(other.denominators);
  // A copy first: a total may be merged with itself.
  const Pool added = other.pool;
  pool.positive.insert(pool.positive.end(), added.positive.begin(), added.positive.end());
  pool.negative.insert(pool.negative.end(), added.negative.begin(), added.negative.end());
}

double Total::mean(double undefined_as) const {
  if (queries == 0) return nan;
  if (infinite > 0) return infinity;
  ExactSum all = values;
  all.add(static_cast<double>(undefined) * undefined_as);
  return all.value() / static_cast<double>(queries);
}

double Total::mean_of_defined() const {
  if (queries == undefined) return nan;
  if (infinite > 0) return infinity;
  return values.value() / static_cast<double>(queries - undefined);
}

double Total::ratio() const {
  const double above = numerators.value(), below = denominators.value();
  if (below == 0.0) return above > 0.0 ? infinity : nan;
  return above / below;
}

double Total::auc() const {
  std::vector<double> positive = pool.positive, negative = pool.negative;
  return class_auc(positive, negative);
}

namespace {

constexpr std::string_view magic = "relkit-total-1";

template <class T>
void write(std::string& into, const T& value) {
  into.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void write(std::string& into, const std::vector<double>& values) {
  write(into, static_cast<std::uint64_t>(values.size()));
  into.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

struct Source {
  std::string_view rest;

  void take(void* into, std::size_t size) {
    if (rest.size() < size) throw InputError("not the state of a total: it ends too early");
    if (size > 0) std::memcpy(into, rest.data(), size);
    rest.remove_prefix(size);
  }
  template <class T>
  void read(T& value) {
    take(&value, sizeof value);
  }
  void read(std::vector<double>& values) {
    std::uint64_t count = 0;
    read(count);
    if (count > rest.size() / sizeof(double)) throw InputError("not the state of a total: it ends too early");
    values.resize(count);
    take(values.data(), count * sizeof(double));
  }
};

}  // namespace

std::string Total::to_bytes() const {
  std::string state(magic);
  for (const std::uint64_t count : {queries, undefined, missing, tie_sensitive, infinite}) write(state, count);
  write(state, values);
  write(state, numerators);
  write(state, denominators);
  write(state, pool.positive);
  write(state, pool.negative);
  return state;
}

Total Total::from_bytes(std::string_view state) {
  if (!state.starts_with(magic)) throw InputError("not the state of a total");
  Source source{state.substr(magic.size())};
  Total total;
  for (std::uint64_t* count : {&total.queries, &total.undefined, &total.missing, &total.tie_sensitive, &total.infinite}) {
    source.read(*count);
  }
  source.read(total.values);
  source.read(total.numerators);
  source.read(total.denominators);
  source.read(total.pool.positive);
  source.read(total.pool.negative);
  return total;
}

}  // namespace relkit
