#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "hash.hpp"
#include "letor.hpp"
#include "number.hpp"
#include "utf8.hpp"

namespace relyon::letor {

namespace {

constexpr std::uint64_t highs = 0x8080808080808080ULL;

bool is_blank(char sign) {
  const auto byte = static_cast<unsigned char>(sign);
  return byte == ' ' || (byte >= 9 && byte <= 13) || (byte >= 0x1c && byte <= 0x1f);
}

// The data of a line is over: its comment begins, or the next line.
bool is_over(char sign) { return sign == '\n' || sign == '#'; }

bool is_ascii(std::string_view text) {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    if (load8(text.data() + at) & highs) return false;
  }
  for (; at < text.size(); ++at) {
    if (static_cast<unsigned char>(text[at]) >= 0x80) return false;
  }
  return true;
}

std::string_view token_at(const char* p) {
  const char* const start = p;
  while (!is_blank(*p) && *p != '#') ++p;
  return {start, static_cast<std::size_t>(p - start)};
}

// The number that so many digits (1 to 8) make.
RELYON_INLINE std::uint64_t whole(std::uint64_t digits, unsigned count) {
  return eight_digits(digits << (64 - 8 * count));
}

// A finite number at p, which moves behind it; false for anything else.
RELYON_INLINE bool value_at(const char*& p, double& value) {
  const char* const start = p;
  const bool negative = *p == '-';
  p += negative;
  std::uint64_t digits;
  const unsigned before = digits_at(p, digits);
  if (before - 1 < 7) [[likely]] {
    std::uint64_t mantissa = whole(digits, before);
    p += before;
    unsigned after = 0;
    if (*p == '.') {
      after = digits_at(++p, digits);
      p += after;
      if (after != 0) mantissa = mantissa * whole_powers_of_ten[after] + whole(digits, after);
    }
    if (is_blank(*p) || *p == '#') [[likely]] {
      const double exact =
          static_cast<double>(static_cast<std::int64_t>(mantissa)) / powers_of_ten[after];
      value = negative ? -exact : exact;
      return true;
    }
  }
  const std::string_view token = token_at(start);
  p = start + token.size();
  return parse_number(token, value) == Number::good;
}

template <class Value>
bool fits(double value) {
  return sizeof(Value) == sizeof(double) ||
         std::abs(value) <= static_cast<double>(std::numeric_limits<Value>::max());
}

template <class Value>
class Reader {
 public:
  Reader(std::string_view text, const Plan& plan, Entries<Value>& entries)
      : end_(text.data() + text.size()), plan_(plan), entries_(entries) {}

  Part part;

  // Reads the line at p and returns where the next one begins; nullptr where it cannot be used.
  const char* line(const char* p) {
    const char* const start = p;
    const std::size_t count = entries_.count;
    const std::size_t rows = part.labels.size();
    bool row = false;
    if (!data(p, row)) {
      // Blanks beyond ASCII are rare: with plain ones in their place the line is read once more.
      if (!plain_blanks(start, newline(start))) return nullptr;
      entries_.count = count;
      p = scratch_.data();
      row = false;
      if (part.labels.size() != rows || !data(p, row)) return nullptr;
      p = start + (p - scratch_.data());
    }
    const char* const end = newline(p);
    if (!plan_.features || *p == '#') {
      const char* const from = plan_.features ? p : start;
      const std::string_view checked(from, static_cast<std::size_t>(end - from));
      if (!is_ascii(checked) && !is_utf8(checked.data(), checked.size())) return nullptr;
    }
    if (row) comment(p, end);
    return end + 1;
  }

 private:
  const char* newline(const char* p) const {
    return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end_ - p)));
  }

  // Label, query and features; p is then where they end. `row` says whether there is anything.
  bool data(const char*& p, bool& row) {
    while (*p != '\n' && is_blank(*p)) ++p;
    if (is_over(*p)) return true;
    row = true;
    const std::string_view label = token_at(p);
    double grade = 0;
    if (!plan_.named && parse_number(label, grade) != Number::good) return false;
    if (plan_.named && !is_ascii(label) && !is_utf8(label.data(), label.size())) return false;
    if (plan_.named && beyond_ascii_blank(label)) return false;
    p += label.size();
    while (*p != '\n' && is_blank(*p)) ++p;
    std::string_view query;
    if (load4(p) == load4("qid:")) {
      const std::string_view token = token_at(p);
      query = token.substr(4);
      if (query.empty()) return false;
      if (!is_ascii(query) && (!is_utf8(query.data(), query.size()) || beyond_ascii_blank(query))) {
        return false;
      }
      p += token.size();
    } else if (!plan_.grouped || (!plan_.features && !is_over(*p) &&
                                  token_at(p).find(':') == std::string_view::npos)) {
      return false;
    }
    if (plan_.features) {
      if (!features(p)) return false;
      entries_.ends.push_back(entries_.count);
    } else {
      while (!is_over(*p)) ++p;
    }
    if (!plan_.grouped) count(query);
    part.labels.push_back(plan_.named ? named(label) : grade);
    return true;
  }

  bool features(const char*& p) {
    std::uint32_t* const columns = entries_.columns.get();
    Value* const values = entries_.values.get();
    std::size_t at = entries_.count;
    std::uint32_t last = 0;
    bool ascending = true;
    for (;;) {
      while (*p == ' ') ++p;
      if (is_blank(*p) || *p == '#') {
        if (is_over(*p)) break;
        ++p;
        continue;
      }
      std::uint64_t digits;
      const unsigned length = digits_at(p, digits);
      if (length - 1 >= 8 || *p == '0' || p[length] != ':') return false;
      const auto number = static_cast<std::uint32_t>(whole(digits, length));
      if (number > most_features) return false;
      p += length + 1;
      double value;
      if (!value_at(p, value) || !fits<Value>(value)) return false;
      columns[at] = number - 1;
      values[at] = static_cast<Value>(value);
      ++at;
      ascending &= number > last;
      last = number;
      if (number > entries_.width) entries_.width = number;
    }
    entries_.count = at;
    if (!ascending) entries_.disordered.push_back(entries_.ends.size());
    return true;
  }

  void count(std::string_view query) {
    if (part.queries.size() != 0 && part.queries[part.queries.size() - 1] == query) {
      ++part.sizes.back();
      return;
    }
    part.queries.add(query);
    part.sizes.push_back(1);
  }

  double named(std::string_view label) {
    const auto [found, added] = names_.emplace(label, part.label_names.size());
    if (added) {
      part.label_names.add(label);
      part.label_lines.push_back(part.lines + 1);
    }
    return static_cast<double>(found->second);
  }

  void comment(const char* p, const char* end) {
    if (part.lacking) return;
    const std::string_view text =
        *p == '#' ? std::string_view(p + 1, static_cast<std::size_t>(end - p - 1)) : "";
    if (*p == '#' && !is_ascii(text)) {
      part.comments.emplace_back(part.labels.size() - 1, text);
      part.documents.add("");
      return;
    }
    const std::string_view document = document_of(text);
    part.lacking = document.empty();
    part.documents.add(document);
  }

  // Copies a line with a plain blank per byte of every blank beyond ASCII; false if there is none.
  bool plain_blanks(const char* start, const char* end) {
    bool found = false;
    scratch_.assign(start, end);
    for (std::size_t at = 0; at < scratch_.size() && scratch_[at] != '#';) {
      const std::size_t size = blank_size(start + at, end);
      found |= size != 0;
      std::memset(scratch_.data() + at, ' ', size);
      at += size == 0 ? 1 : size;
    }
    scratch_ += '\n';
    scratch_.append(padding, '\0');
    return found && is_utf8(start, static_cast<std::size_t>(end - start));
  }

  static bool beyond_ascii_blank(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (blank_size(text.data() + at, text.data() + text.size()) != 0) return true;
    }
    return false;
  }

  const char* end_;
  const Plan& plan_;
  Entries<Value>& entries_;
  std::unordered_map<std::string, std::size_t> names_;
  std::string scratch_;
};

}  // namespace

std::size_t blank_size(const char* at, const char* end) {
  const std::string_view left(at, static_cast<std::size_t>(end - at));
  if (left.starts_with("\xc2\x85") || left.starts_with("\xc2\xa0")) return 2;
  if (left.size() < 3) return 0;
  const std::string_view three = left.substr(0, 3);
  if (three == "\xe1\x9a\x80" || three == "\xe3\x80\x80" || three == "\xe2\x81\x9f") return 3;
  if (!three.starts_with("\xe2\x80")) return 0;
  const auto last = static_cast<unsigned char>(three[2]);
  return last <= 0x8a || last == 0xa8 || last == 0xa9 || last == 0xaf ? 3 : 0;
}

std::string_view document_of(std::string_view comment) {
  const auto lower = [&](std::size_t at) -> char {
    if (at >= comment.size()) return '\0';
    const char sign = comment[at];
    return sign >= 'A' && sign <= 'Z' ? static_cast<char>(sign + 32) : sign;
  };
  const auto word = [&](std::size_t at) {
    const char sign = lower(at);
    return (sign >= 'a' && sign <= 'z') || (sign >= '0' && sign <= '9') || sign == '_';
  };
  const auto follows = [&](std::size_t& at, std::string_view wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (lower(at + i) != wanted[i]) return false;
    }
    at += wanted.size();
    return true;
  };
  const auto skip = [&](std::size_t& at) {
    while (at < comment.size() && is_blank(comment[at])) ++at;
  };
  for (std::size_t start = 0; start + 7 <= comment.size(); ++start) {
    std::size_t at = start;
    if ((start > 0 && word(start - 1)) || !follows(at, "doc")) continue;
    follows(at, "ument");
    follows(at, "_");
    if (!follows(at, "id") && !follows(at, "no")) continue;
    skip(at);
    if (!follows(at, "=")) continue;
    skip(at);
    std::size_t end = at;
    while (end < comment.size() && !is_blank(comment[end])) ++end;
    if (end > at) return comment.substr(at, end - at);
  }
  return {};
}

template <class Value>
Part parse(std::string_view text, const Plan& plan, Entries<Value>& entries) {
  entries.begin(text.size());
  Reader<Value> reader(text, plan, entries);
  const char* const end = text.data() + text.size();
  for (const char* p = text.data(); p != end;) {
    const char* const next = reader.line(p);
    if (next == nullptr) {
      const auto* newline =
          static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
      reader.part.wrong =
          Wrong{reader.part.lines + 1, std::string(p, static_cast<std::size_t>(newline - p))};
      break;
    }
    p = next;
    ++reader.part.lines;
  }
  return std::move(reader.part);
}

template Part parse<float>(std::string_view, const Plan&, Entries<float>&);
template Part parse<double>(std::string_view, const Plan&, Entries<double>&);

}  // namespace relyon::letor
