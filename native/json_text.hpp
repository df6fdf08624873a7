// JSON as text: where strings, numbers and other values end, and what escapes stand for. The memory
// can be read eight bytes beyond the end, where a control character stands.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "error.hpp"
#include "hash.hpp"
#include "number.hpp"

namespace relyon {

inline const char* past_blanks(const char* p) {
  while (*p == ' ' || *p == '\t' || *p == '\r') ++p;
  return p;
}

inline bool is_digit(char sign) { return static_cast<unsigned char>(sign - '0') < 10; }

// The end of a number as JSON has it, or Unlike.
inline const char* past_number(const char* p, bool& whole) {
  const auto past_digits = [](const char* from) {
    if (!is_digit(*from)) throw Unlike{};
    std::uint64_t digits;
    unsigned count;
    do {
      count = digits_at(from, digits);
      from += count;
    } while (count == 8);
    return from;
  };
  p += *p == '-';
  const char* const first = p;
  p = past_digits(p);
  if (*first == '0' && p - first > 1) throw Unlike{};
  whole = *p != '.' && *p != 'e' && *p != 'E';
  if (*p == '.') p = past_digits(p + 1);
  if (*p == 'e' || *p == 'E') {
    ++p;
    p = past_digits(p + (*p == '+' || *p == '-'));
  }
  return p;
}

// The four hexadecimal digits at `p`, or Unlike.
inline std::uint32_t code_unit(const char* p) {
  std::uint32_t value = 0;
  for (int place = 0; place < 4; ++place) {
    const auto sign = static_cast<unsigned char>(p[place] | 0x20);
    if (is_digit(p[place])) {
      value = value * 16 + static_cast<std::uint32_t>(p[place] - '0');
    } else if (sign >= 'a' && sign <= 'f') {
      value = value * 16 + (sign - 'a' + 10U);
    } else {
      throw Unlike{};
    }
  }
  return value;
}

// The character that \uXXXX at `p`, perhaps with the other half of a pair after it, stands for.
inline std::uint32_t character_at(const char*& p) {
  std::uint32_t value = code_unit(p + 2);
  p += 6;
  if (value >= 0xd800 && value < 0xe000) {
    if (value >= 0xdc00 || p[0] != '\\' || p[1] != 'u') throw Unlike{};
    const std::uint32_t low = code_unit(p + 2);
    if (low < 0xdc00 || low >= 0xe000) throw Unlike{};
    value = 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
    p += 6;
  }
  if (value == 0) throw Unlike{};
  return value;
}

inline char* write_utf8(std::uint32_t value, char* to) {
  const auto put = [&](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xc0 | value >> 6);
    put(0x80 | (value & 0x3f));
  } else if (value < 0x10000) {
    put(0xe0 | value >> 12);
    put(0x80 | (value >> 6 & 0x3f));
    put(0x80 | (value & 0x3f));
  } else {
    put(0xf0 | value >> 18);
    put(0x80 | (value >> 12 & 0x3f));
    put(0x80 | (value >> 6 & 0x3f));
    put(0x80 | (value & 0x3f));
  }
  return to;
}

// Writes what a string with escapes stands for to where it begins, and returns where it ends now.
inline char* unescape(char* begin, const char* end) {
  static constexpr char signs[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  char* to = begin;
  for (const char* p = begin; p != end;) {
    if (*p != '\\') {
      *to++ = *p++;
    } else if (p[1] == 'u') {
      to = write_utf8(character_at(p), to);
    } else {
      *to++ = meant[std::strchr(signs, p[1]) - signs];
      p += 2;
    }
  }
  return to;
}

// Steps over values, and remembers whether any of their bytes is not ASCII.
class JsonSteps {
 public:
  bool ascii() const { return high_ == 0; }
  void restart() { high_ = 0; }

  // The place after the quote that ends a string which begins at `p`, or Unlike.
  const char* past_string(const char* p, bool& escaped) {
    constexpr std::uint64_t ones = 0x0101010101010101ULL, highs = ones * 0x80, lows = ones * 0x7f;
    const auto equal = [](std::uint64_t word, char sign) {
      const std::uint64_t x = word ^ (ones * static_cast<unsigned char>(sign));
      return ~(((x & lows) + lows) | x);
    };
    for (;;) {
      const std::uint64_t word = load8(p);
      const std::uint64_t control = ~(((word & lows) + ones * 0x60) | word);
      const std::uint64_t stop = (equal(word, '"') | equal(word, '\\') | control) & highs;
      high_ |= word & highs;
      if (stop == 0) {
        p += 8;
        continue;
      }
      p += std::countr_zero(stop) / 8;
      if (*p == '"') return p + 1;
      if (*p != '\\') throw Unlike{};
      escaped = true;
      if (p[1] == 'u') {
        code_unit(p + 2);
        p += 6;
      } else {
        if (p[1] == '\0' || std::strchr("\"\\/bfnrt", p[1]) == nullptr) throw Unlike{};
        p += 2;
      }
    }
  }

  // The end of a value that is not wanted.
  const char* past_value(const char* p, int depth) {
    bool ignored = false;
    switch (*p) {
      case '"':
        return past_string(p + 1, ignored);
      case '{':
      case '[':
        return past_nested(p, depth + 1);
      case 't':
        return past_word(p, "true");
      case 'f':
        return past_word(p, "false");
      case 'n':
        return past_word(p, "null");
      default:
        return past_number(p, ignored);
    }
  }

  static const char* past_word(const char* p, std::string_view word) {
    if (std::strncmp(p, word.data(), word.size()) != 0) throw Unlike{};
    return p + word.size();
  }

 private:
  static constexpr int deepest = 32;

  // An object or a list.
  const char* past_nested(const char* p, int depth) {
    if (depth > deepest) throw Unlike{};
    const bool object = *p == '{';
    const char closing = object ? '}' : ']';
    p = past_blanks(p + 1);
    if (*p == closing) return p + 1;
    for (;; p = past_blanks(p + 1)) {
      if (object) {
        bool ignored = false;
        if (*p != '"') throw Unlike{};
        p = past_blanks(past_string(p + 1, ignored));
        if (*p != ':') throw Unlike{};
        p = past_blanks(p + 1);
      }
      p = past_blanks(past_value(p, depth));
      if (*p == closing) return p + 1;
      if (*p != ',') throw Unlike{};
    }
  }

  std::uint64_t high_ = 0;  // bytes that are not ASCII
};

}  // namespace relyon
