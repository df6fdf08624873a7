#include "json_lines.hpp"

#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "error.hpp"
#include "utf8.hpp"

namespace relyon {

namespace {

const char* past_blanks(const char* p) {
  while (*p == ' ' || *p == '\t' || *p == '\r') ++p;
  return p;
}

bool is_digit(char sign) { return static_cast<unsigned char>(sign - '0') < 10; }

// The end of a number as JSON has it, or Unlike.
const char* past_number(const char* p, bool& whole) {
  const auto past_digits = [](const char* from) {
    if (!is_digit(*from)) throw Unlike{};
    while (is_digit(*from)) ++from;
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
std::uint32_t code_unit(const char* p) {
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
std::uint32_t character_at(const char*& p) {
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

char* write_utf8(std::uint32_t value, char* to) {
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
char* unescape(char* begin, const char* end) {
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

// Reads one line after the other. In the lines of a file the same keys mostly stand in the same
// places, written in the same way: they are compared with those of the line before.
class ObjectReader {
 public:
  ObjectReader(const JsonLines::Keys& keys, Window& window) : keys_(keys), window_(window) {
    wanted_ = 1U << query | 1U << document;
    if (keys.score) wanted_ |= 1U << score;
    if (keys.rank) wanted_ |= 1U << rank;
  }

  // Reads the line from `line` to `end`, where a control character stands. False for a blank one.
  bool read(const char* line, const char* end, TableRow& row) {
    const char* p = past_blanks(line);
    if (p == end) return false;
    if (*p != '{') throw Unlike{};
    unsigned found = 0;
    high_ = escaped_ = 0;
    for (std::size_t member = 0;; ++member) {
      p = past_blanks(p + 1);
      const Role role = read_key(p, end, member);
      if (role == other) {
        p = past_value(p, 0);
      } else {
        if ((found >> role & 1) != 0) throw Unlike{};
        found |= 1U << role;
        p = read_value(p, role, row);
      }
      p = past_blanks(p);
      if (*p == '}') break;
      if (*p != ',') throw Unlike{};
    }
    if (found != wanted_ || past_blanks(p + 1) != end) throw Unlike{};
    if (high_ != 0 && !is_utf8(line, static_cast<std::size_t>(end - line))) throw Unlike{};
    for (unsigned role = 0; escaped_ >> role != 0; ++role) {
      if ((escaped_ >> role & 1) != 0) unescape_in_place(value_of(row, static_cast<Role>(role)));
    }
    return true;
  }

 private:
  enum Role : unsigned { query, document, score, rank, other };
  static constexpr int deepest = 32;

  // A key with its quotes and its colon, as it was written.
  struct Key {
    std::string text;
    Role role;
  };

  // Moves `p` from a key to its value.
  Role read_key(const char*& p, const char* end, std::size_t member) {
    if (member < before_.size()) {
      const Key& key = before_[member];
      if (static_cast<std::size_t>(end - p) >= key.text.size() &&
          std::memcmp(p, key.text.data(), key.text.size()) == 0) [[likely]] {
        p = past_blanks(p + key.text.size());
        return key.role;
      }
    }
    const char* const start = p;
    if (*p != '"') throw Unlike{};
    bool escaped = false;
    p = past_string(p + 1, escaped);
    std::string name(start + 1, p - 1);
    if (escaped)
      name.resize(
          static_cast<std::size_t>(unescape(name.data(), name.data() + name.size()) - name.data()));
    p = past_blanks(p);
    if (*p != ':') throw Unlike{};
    p = past_blanks(p + 1);
    const Role role = role_of(name);
    before_.resize(std::max(before_.size(), member + 1));
    before_[member] = {std::string(start, p), role};
    return role;
  }

  Role role_of(const std::string& name) const {
    if (name == keys_.query) return query;
    if (name == keys_.document) return document;
    if (keys_.score && name == *keys_.score) return score;
    if (keys_.rank && name == *keys_.rank) return rank;
    return other;
  }

  static std::string_view& value_of(TableRow& row, Role role) {
    return role == query      ? row.query
           : role == document ? row.document
           : role == score    ? row.score
                              : row.rank;
  }

  // In the window, as ids must stay as long as their list does.
  void unescape_in_place(std::string_view& value) {
    char* const begin = window_.writable(value.data());
    value = {begin, static_cast<std::size_t>(unescape(begin, begin + value.size()) - begin)};
  }

  // A string or a number: whole, where it is an id.
  const char* read_value(const char* p, Role role, TableRow& row) {
    std::string_view& value = value_of(row, role);
    if (*p == '"') {
      bool escaped = false;
      const char* const next = past_string(++p, escaped);
      value = {p, static_cast<std::size_t>(next - 1 - p)};
      escaped_ |= unsigned{escaped} << role;
      return next;
    }
    bool whole = false;
    const char* const next = past_number(p, whole);
    value = {p, static_cast<std::size_t>(next - p)};
    // Others are written anew before they count as text.
    if (role <= document && (!whole || value.size() > 18 || value.starts_with("-0")))
      throw Unlike{};
    return next;
  }

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

  const JsonLines::Keys& keys_;
  Window& window_;
  unsigned wanted_ = 0;
  unsigned escaped_ = 0;    // which values hold escapes
  std::uint64_t high_ = 0;  // bytes that are no ASCII
  std::vector<Key> before_;
};

}  // namespace

JsonLines::JsonLines(Keys keys)
    : TableFormat({keys.score.has_value(), keys.rank.has_value()}), keys_(std::move(keys)) {
  if (!keys_.score && !keys_.rank) throw InputError("native.there-is-no");
}

const char* JsonLines::first_row(Window& window) const {
  const std::string_view text(window.begin(),
                              static_cast<std::size_t>(window.end() - window.begin()));
  return window.begin() + (text.starts_with("\xef\xbb\xbf") ? 3 : 0);
}

void JsonLines::scan(TableScanner& scanner, const char* p) const {
  Window& window = scanner.window;
  scanner.place_stop();
  ObjectReader reader(keys_, window);
  for (;;) {
    scanner.at = p;
    const auto* end =
        static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(window.end() - p)));
    if (end == nullptr) {
      refuse_long_line(static_cast<std::size_t>(window.end() - p));
      if (!window.ended()) {
        p = scanner.refill(p);
        continue;
      }
      if (p == window.end()) break;
      end = window.end();
    }
    TableRow row;
    if (reader.read(p, end, row) && !scanner.take(p, row)) return;
    p = end == window.end() ? end : end + 1;
  }
  scanner.finish();
}

}  // namespace relyon
