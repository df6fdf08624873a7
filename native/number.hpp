// Decimal text to double, correctly rounded.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "hash.hpp"

namespace relyon {

enum class Number { good, not_a_number, not_finite };

inline constexpr double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                           1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                           1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline constexpr std::uint64_t whole_powers_of_ten[] = {1,      10,      100,      1000,     10000,
                                                        100000, 1000000, 10000000, 100000000};

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
// libc++ before 20 has no std::from_chars of floating-point numbers.
inline std::from_chars_result decimal_from_chars(const char* first, const char* last,
                                                 double& value) {
  const std::string text(first, last);
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  // What strtod takes beyond: a plus, spaces, hexadecimal digits.
  if (text.size() == sign || !std::strchr("0123456789.iInN", text[sign]) ||
      text.find_first_of("xX") != std::string::npos || text.find('\0') != std::string::npos) {
    return {first, std::errc::invalid_argument};
  }
  char* end = nullptr;
  const double found = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, std::errc::invalid_argument};
  const char* const stop = first + (end - text.c_str());
  const bool digits = std::strchr("0123456789.", text[sign]) != nullptr;
  const bool zero =
      found == 0 &&
      text.substr(0, text.find_first_of("eE")).find_first_of("123456789") != std::string::npos;
  if (digits && (std::isinf(found) || zero)) return {stop, std::errc::result_out_of_range};
  value = found;
  return {stop, std::errc()};
}
#else
inline std::from_chars_result decimal_from_chars(const char* first, const char* last,
                                                 double& value) {
  return std::from_chars(first, last, value);
}
#endif

// Everything that the fast path leaves: exponents, many digits, nan and inf.
inline Number parse_number_slow(std::string_view text, double& value) {
  const char* first = text.data();
  const char* last = first + text.size();
  if (first != last && *first == '+') {
    ++first;
    if (first != last && (*first == '-' || *first == '+')) return Number::not_a_number;
  }
  const auto [end, error] = decimal_from_chars(first, last, value);
  if (end != last || first == last) return Number::not_a_number;
  if (error == std::errc::result_out_of_range) {
    // Too small becomes zero, as in Python; too large is not finite. The power of ten of the first
    // digit that counts tells which: it is beyond 300 either way.
    const std::string_view body(first, static_cast<std::size_t>(last - first));
    const std::size_t mark = std::min(body.find_first_of("eE"), body.size());
    const std::size_t point = std::min(body.find('.'), mark);
    const std::size_t leading = body.find_first_of("123456789");
    double power = static_cast<double>(point) - static_cast<double>(leading);
    const bool below = mark + 1 < body.size() && body[mark + 1] == '-';
    double exponent = 0;
    for (std::size_t at = mark + 1; at < body.size(); ++at) {
      if (body[at] >= '0' && body[at] <= '9') exponent = exponent * 10 + (body[at] - '0');
    }
    power += below ? -exponent : exponent;
    const bool tiny = power < 0;
    if (!tiny) return Number::not_finite;
    value = *first == '-' ? -0.0 : 0.0;
    return Number::good;
  }
  if (error != std::errc()) return Number::not_a_number;
  return std::isfinite(value) ? Number::good : Number::not_finite;
}

// How many decimal digits begin here, up to eight; `digits` holds their values. Eight bytes can be
// read.
RELYON_INLINE unsigned digits_at(const char* p, std::uint64_t& digits) {
  constexpr std::uint64_t ones = 0x0101010101010101ULL, highs = 0x8080808080808080ULL;
  digits = load8(p) ^ (ones * '0');
  const std::uint64_t others = ((digits + ones * 0x76) | digits) & highs;
  return static_cast<unsigned>(std::countr_zero(others)) / 8;
}

// Up to eight digits at once: `word` holds them minus '0', the first in the lowest byte.
inline std::uint64_t eight_digits(std::uint64_t word) {
  word = word * 10 + (word >> 8);
  return (((word & 0x000000FF000000FFULL) * 0x000F424000000064ULL) +
          (((word >> 16) & 0x000000FF000000FFULL) * 0x0000271000000001ULL)) >>
         32;
}

// `readable` bytes may be read from text.data(), beyond its end too; that makes the fast path fast.
inline Number parse_number(std::string_view text, double& value) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p != end && *p == '-';
  p += negative;
  std::uint64_t mantissa = 0;
  const char* const start = p;
  unsigned digit;
  while (p != end && (digit = static_cast<unsigned char>(*p) - '0') < 10) {
    mantissa = mantissa * 10 + digit;
    ++p;
  }
  std::ptrdiff_t digits = p - start;
  std::ptrdiff_t fraction = 0;
  if (p != end && *p == '.') {
    ++p;
    const char* const point = p;
    while (p != end && (digit = static_cast<unsigned char>(*p) - '0') < 10) {
      mantissa = mantissa * 10 + digit;
      ++p;
    }
    fraction = p - point;
    digits += fraction;
  }
  if (p == end && digits > 0 && digits <= 18 && mantissa < (1ULL << 53) && fraction <= 22)
      [[likely]] {
    const double exact = static_cast<double>(mantissa) / powers_of_ten[fraction];
    value = negative ? -exact : exact;
    return Number::good;
  }
  return parse_number_slow(text, value);
}

// The same where sixteen bytes from the start and eight beyond the end may be read: plain decimals
// such as `12.345678` without a branch that depends on their length.
RELYON_INLINE Number parse_number_padded(std::string_view text, double& value) {
  constexpr std::uint64_t ones = 0x0101010101010101ULL, highs = 0x8080808080808080ULL;
  constexpr std::uint64_t beyond_nine = ones * 0x76;
  const bool negative = *text.data() == '-';
  const char* const p = text.data() + negative;
  const std::uint64_t word = load8(p);
  const std::uint64_t points = word ^ (ones * '.');
  const std::uint64_t found = (points - ones) & ~points & highs;
  const std::size_t whole = static_cast<std::size_t>(std::countr_zero(found)) / 8;
  const std::size_t digits = text.size() - negative - 1;
  const std::size_t fraction = digits - whole;
  const auto exact = [&](std::uint64_t mantissa) {
    const double quotient =
        static_cast<double>(static_cast<std::int64_t>(mantissa)) / powers_of_ten[fraction];
    value = negative ? -quotient : quotient;
    return Number::good;
  };
  // Mostly few digits in all: those behind the point move up to those before it.
  if (digits <= 8 && fraction - 1 < 7) [[likely]] {
    const std::uint64_t before = ((found & (0 - found)) >> 7) - 1;  // bytes before the point
    const std::uint64_t both = (word & before) | (load8(p + 1) & ~before);
    const std::uint64_t all = (both ^ (ones * '0')) << (64 - 8 * digits);
    if (((all | (all + beyond_nine)) & highs) == 0) [[likely]]
      return exact(eight_digits(all));
  } else if (whole - 1 < 7 && fraction - 1 < 8) {
    const std::uint64_t left = (word ^ (ones * '0')) << (64 - 8 * whole);
    const std::uint64_t right = (load8(p + whole + 1) ^ (ones * '0')) << (64 - 8 * fraction);
    if (((left | (left + beyond_nine) | right | (right + beyond_nine)) & highs) == 0) [[likely]]
      return exact(eight_digits(left) * whole_powers_of_ten[fraction] + eight_digits(right));
  }
  return parse_number(text, value);
}

}  // namespace relyon
