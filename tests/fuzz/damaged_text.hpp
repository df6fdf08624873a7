// Qrels and runs that are valid most of the time, and what happens to them on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "random.hpp"

namespace fuzz {

using std::string_view_literals::operator""sv;

inline constexpr std::string_view pieces[] = {
    "\0"sv, "\r"sv, "\n"sv, "\r\n"sv, "\n\n"sv, "\t"sv, " "sv, "  "sv, "\v"sv, "\f"sv, "#"sv, "# "sv,
    "\n# q1 Q0 d1 1 2 t\n"sv, "\n#q1 Q0 d1 1 2 t\n"sv, "\xef\xbb\xbf"sv, "\xff\xfe"sv, "\x1f\x8b"sv,
    "\x28\xb5\x2f\xfd"sv, "nan"sv, "-nan"sv, "nan(1)"sv, "inf"sv, "-Infinity"sv, "1e999"sv, "-1e999"sv,
    "1e-999"sv, "0x1p3"sv, "0x10"sv, "1_000"sv, "1,5"sv, "+1"sv, "+-1"sv, "--1"sv, "-0"sv, "-0.0"sv,
    "."sv, "1."sv, ".5"sv, "-.5"sv, "+.5"sv, "1e"sv, "1e+"sv, "e5"sv, "1E5"sv, "1e5 "sv, "-"sv, "+"sv,
    "9007199254740993"sv, "0.1234567890123456789"sv, "123456789.12345678"sv, "999999999.99999999"sv,
    "4.9406564584124654e-324"sv, "2.4703282292062327e-324"sv, "1.7976931348623158e308"sv,
    "1.7976931348623159e308"sv, "00000000000000000000001.5"sv, "99999999999999999999"sv, "2147483648"sv,
    "-2147483649"sv, "1.0.0"sv, "1.5x"sv, "\xe4\xb8\xad"sv, "\xf0\x9f\x98\x80"sv, "\xc3"sv, "\xe2\x80\xa8"sv,
    "\xc2\xa0"sv, "\x7f"sv, "\x01"sv, "q1 Q0 d1 1 2 t\n"sv, "q1 0 d1 1\n"sv, "\nq2 "sv, "d1"sv,
};

struct Input {
  std::string qrels;
  std::string run;
};

inline std::string query_name(Random& random) {
  static constexpr std::string_view names[] = {"q1", "q2", "q3", "1", "01", "#4", "query-number-5", "\xe9\x97\xae"};
  return std::string(random.pick(names));
}

inline std::string document_name(Random& random) {
  static constexpr std::string_view names[] = {"d", "doc-", "\xe6\x96\x87", "#", "a-document-with-a-name-as-long-as-"};
  return std::string(random.pick(names)) + std::to_string(random.below(12));
}

inline std::string number(Random& random) {
  char text[40];
  switch (random.below(5)) {
    case 0:
      return std::to_string(random.below(4));
    case 1:
      return std::to_string(static_cast<int>(random.below(9)) - 4);
    case 2:
      std::snprintf(text, sizeof text, "%.*f", static_cast<int>(random.below(10)),
                    static_cast<double>(random.below(2000)) / 16);
      return text;
    case 3:
      std::snprintf(text, sizeof text, "%.17g", static_cast<double>(random.next() >> 11) * 0x1p-50);
      return text;
    default:
      std::snprintf(text, sizeof text, "%.6e", static_cast<double>(random.below(1000)) - 500);
      return text;
  }
}

// A valid file most of the time: the mutations come on top.
inline Input valid_input(Random& random) {
  Input input;
  std::set<std::string> asked;
  const std::size_t queries = 1 + random.below(4);
  while (asked.size() < queries) asked.insert(query_name(random));
  for (const std::string& query : asked) {
    std::set<std::string> judged, retrieved;
    const std::size_t grades = 1 + random.below(5), rows = 1 + random.below(8);
    while (judged.size() < grades) judged.insert(document_name(random));
    while (retrieved.size() < rows) retrieved.insert(document_name(random));
    if (!random.one_in(6)) {
      for (const std::string& document : judged) {
        const int grade = static_cast<int>(random.below(6)) - 1;
        input.qrels += query + " 0 " + document + " " + std::to_string(grade) + "\n";
      }
    }
    if (!random.one_in(8)) {
      std::size_t rank = 0;
      for (const std::string& document : retrieved) {
        input.run += query + " Q0 " + document + " " + std::to_string(++rank) + " " + number(random) + " tag\n";
      }
    }
  }
  if (input.qrels.empty()) input.qrels = "q1 0 d1 1\n";
  if (input.run.empty()) input.run = "q1 Q0 d1 1 2.5 tag\n";
  return input;
}

// First and last byte of a random token, or of a random line with `sign` = '\n'.
inline std::pair<std::size_t, std::size_t> span_of(Random& random, const std::string& text, bool line) {
  const auto ends = [line](char sign) { return sign == '\n' || (!line && (sign == ' ' || sign == '\t')); };
  std::size_t from = random.below(text.size());
  while (from > 0 && !ends(text[from - 1])) --from;
  std::size_t to = from;
  while (to < text.size() && !ends(text[to])) ++to;
  return {from, to};
}

inline void mutate(Random& random, std::string& text) {
  if (text.empty()) {
    text = random.pick(pieces);
    return;
  }
  const std::size_t at = random.below(text.size());
  switch (random.below(14)) {
    case 0:
      text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
      break;
    case 1:
      text[at] = static_cast<char>(random.below(256));
      break;
    case 2:
      text.erase(at, 1 + random.below(4));
      break;
    case 3:
      text.insert(at, random.pick(pieces));
      break;
    case 4: {  // another token in the place of one
      const auto [from, to] = span_of(random, text, false);
      text.replace(from, to - from, random.pick(pieces));
      break;
    }
    case 5: {  // two tokens exchanged
      auto one = span_of(random, text, false), other = span_of(random, text, false);
      if (one.first > other.first) std::swap(one, other);
      if (one.second > other.first) break;
      const std::string first = text.substr(one.first, one.second - one.first);
      const std::string second = text.substr(other.first, other.second - other.first);
      text.replace(other.first, second.size(), first);
      text.replace(one.first, first.size(), second);
      break;
    }
    case 6: {  // a line twice
      const auto [from, to] = span_of(random, text, true);
      text.insert(from, text.substr(from, to - from) + "\n");
      break;
    }
    case 7: {  // a line to another place
      const auto [from, to] = span_of(random, text, true);
      const std::string line = text.substr(from, to - from) + "\n";
      text.erase(from, to - from + 1);
      const auto place = text.empty() ? std::pair<std::size_t, std::size_t>{0, 0} : span_of(random, text, true);
      text.insert(place.first, line);
      break;
    }
    case 8:  // cut off
      text.resize(random.one_in(4) ? at : text.size() - 1);
      break;
    case 9: {  // a token around the 64 bytes that are looked at together
      const auto [from, to] = span_of(random, text, false);
      text.replace(from, to - from, std::string(56 + random.below(16), random.one_in(2) ? '7' : 'x'));
      break;
    }
    case 10: {  // a number with very many digits
      const auto [from, to] = span_of(random, text, false);
      std::string digits(300 + random.below(120), random.one_in(2) ? '0' : '9');
      if (random.one_in(2)) digits.insert(random.below(3), ".");
      if (random.one_in(2)) digits += "1e" + std::to_string(static_cast<int>(random.below(900)) - 450);
      text.replace(from, to - from, digits);
      break;
    }
    case 11: {  // CRLF
      for (std::size_t place = 0; (place = text.find('\n', place)) != std::string::npos; place += 2) {
        text.insert(place, "\r");
      }
      break;
    }
    case 12: {  // other blanks
      const std::size_t place = text.find(' ', at);
      if (place != std::string::npos) text.replace(place, 1, random.one_in(2) ? "\t" : " \t ");
      break;
    }
    default:
      text.insert(at, text.substr(random.below(text.size()), random.below(40)));
  }
}

// Moves the text to where the window of the reader ends, behind a comment or a long first token.
inline void push_to_border(Random& random, std::string& text, bool run) {
  static constexpr std::size_t borders[] = {512, 768, 1024, std::size_t{64} << 10, std::size_t{256} << 10};
  const std::size_t border = random.pick(borders) + 64;
  const std::size_t before = random.below(text.size() + 80);
  const std::size_t size = border > before ? border - before : border;
  if (random.one_in(3)) {
    const std::string line = run ? " Q0 d1 1 2.5 tag\n" : " 0 d1 1\n";
    text.insert(0, std::string(size, 'q') + line);
  } else if (random.one_in(2)) {
    text.insert(random.below(text.size() + 1), std::string(size, random.one_in(2) ? 'x' : '5'));
  } else {
    text.insert(0, "# " + std::string(size, '-') + "\n");
  }
}

inline Input make_input(std::uint64_t seed) {
  Random random = random_of(seed);
  Input input = valid_input(random);
  const std::size_t changes = random.below(5);
  for (std::size_t change = 0; change < changes; ++change) {
    mutate(random, random.one_in(3) ? input.qrels : input.run);
  }
  if (random.one_in(80)) push_to_border(random, random.one_in(4) ? input.qrels : input.run, false);
  return input;
}

}  // namespace fuzz
