// The lines of a tape's entries as columns: one row per answer, and its results below each other.
#include <nanobind/nanobind.h>

#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow_texts.hpp"
#include "bind.hpp"
#include "json_text.hpp"
#include "number.hpp"
#include "owned.hpp"
#include "utf8.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

struct Columns {
  std::vector<std::string_view> queries, failed;
  std::vector<double> ms, totals;
  std::vector<std::int64_t> results, duplicates, problems;
  std::vector<std::string_view> ids;  // of all answers
  std::vector<double> scores;
};

// Reads lines in a copy whose escapes are replaced where they are: texts are parts of it.
class AnswerReader {
 public:
  explicit AnswerReader(std::string& text) : text_(text) {}

  // Throws Unlike at a line that is not written as tapes are.
  Columns read() {
    const char* const end = text_.data() + text_.size() - padding;
    for (const char* line = text_.data(); line != end;) {
      const auto* stop =
          static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(end - line)));
      if (stop == nullptr) throw Unlike{};
      steps_.restart();
      read_line(line);
      if (!steps_.ascii() && !is_utf8(line, static_cast<std::size_t>(stop - line))) throw Unlike{};
      unescape_texts();
      line = stop + 1;
    }
    return std::move(columns_);
  }

  static constexpr std::size_t padding = 16;

 private:
  void read_line(const char* p) {
    if (*p != '{') throw Unlike{};
    const std::size_t before = columns_.ids.size();
    unsigned known = 0;
    std::string_view query, failed;
    double ms = 0, total = missing, duplicates = 0;
    std::int64_t problems = 0;
    std::size_t scores = columns_.scores.size();
    const auto once = [&](unsigned member) {
      if ((known >> member & 1) != 0) throw Unlike{};
      known |= 1U << member;
    };
    do {
      const std::string_view name = key(++p);
      if (name == "query") {
        once(0);
        query = string(p);
      } else if (name == "ids") {
        once(1);
        each(p, [&](const char*& at) { columns_.ids.push_back(string(at)); });
      } else if (name == "scores") {
        once(2);
        each(p, [&](const char*& at) { columns_.scores.push_back(number_or_null(at)); });
      } else if (name == "ms") {
        once(3);
        ms = number(p);
      } else if (name == "total") {
        once(4);
        total = *p == 'n' ? number_or_null(p) : whole(p);
      } else if (name == "duplicates") {
        once(5);
        duplicates = whole(p);
      } else if (name == "problems") {
        once(6);
        each(p, [&](const char*& at) {
          string(at);
          ++problems;
        });
      } else if (name == "failed") {
        once(7);
        failed = string(p);
      } else {
        p = steps_.past_value(p, 0);
      }
    } while (*p == ',');
    scores = columns_.scores.size() - scores;
    const std::size_t ids = columns_.ids.size() - before;
    if (*p != '}' || p[1] != '\n' || (known & 1) == 0 || ids != scores) throw Unlike{};
    columns_.queries.push_back(query);
    columns_.failed.push_back(failed);
    columns_.ms.push_back(ms);
    columns_.totals.push_back(total);
    columns_.results.push_back(static_cast<std::int64_t>(ids));
    columns_.duplicates.push_back(static_cast<std::int64_t>(duplicates));
    columns_.problems.push_back(problems);
  }

  // The key at `p`, which moves to its value.
  std::string_view key(const char*& p) {
    const std::string_view found = string(p);
    if (*p++ != ':' || found.find('\\') != std::string_view::npos) throw Unlike{};
    return found;
  }

  std::string_view string(const char*& p) {
    if (*p != '"') throw Unlike{};
    const char* const start = p + 1;
    bool escaped = false;
    p = steps_.past_string(start, escaped);
    if (escaped) escaped_ = true;
    return {start, static_cast<std::size_t>(p - 1 - start)};
  }

  template <class Read>
  static void each(const char*& p, const Read& read) {
    if (*p != '[') throw Unlike{};
    if (*++p == ']') {
      ++p;
      return;
    }
    for (;; ++p) {
      read(p);
      if (*p == ']') break;
      if (*p != ',') throw Unlike{};
    }
    ++p;
  }

  static double number(const char*& p) {
    bool is_whole = false;
    const char* const end = past_number(p, is_whole);
    const std::string_view text(p, static_cast<std::size_t>(end - p));
    double value = 0;
    if ((is_whole && text.size() > 18) || parse_number_padded(text, value) != Number::good)
      throw Unlike{};
    p = end;
    return value;
  }

  static double number_or_null(const char*& p) {
    if (*p != 'n') return number(p);
    p = JsonSteps::past_word(p, "null");
    return missing;
  }

  // At most fifteen digits, which a double holds.
  static double whole(const char*& p) {
    bool is_whole = false;
    const auto size = past_number(p, is_whole) - p;
    if (!is_whole || size > 15 || *p == '-') throw Unlike{};
    return number(p);
  }

  // The texts of the line that was read, if it has escapes.
  void unescape_texts() {
    if (!escaped_) return;
    escaped_ = false;
    unescape_in_place(columns_.queries.back());
    unescape_in_place(columns_.failed.back());
    const auto results = static_cast<std::size_t>(columns_.results.back());
    for (std::size_t one = columns_.ids.size() - results; one < columns_.ids.size(); ++one)
      unescape_in_place(columns_.ids[one]);
  }

  void unescape_in_place(std::string_view& value) {
    if (value.empty()) return;
    char* const begin = text_.data() + (value.data() - text_.data());
    value = {begin, static_cast<std::size_t>(unescape(begin, begin + value.size()) - begin)};
  }

  std::string& text_;
  JsonSteps steps_;
  Columns columns_;
  bool escaped_ = false;
};

std::string padded(const nb::bytes& lines) {
  std::string text;
  text.reserve(lines.size() + AnswerReader::padding);
  text.append(lines.c_str(), lines.size()).append(AnswerReader::padding, '\0');
  return text;
}

ArrowTexts texts(const std::vector<std::string_view>& views) {
  return {views.size(), [&](std::size_t number) { return views[number]; }};
}

nb::object read_answers(const nb::bytes& lines) {
  std::string text = padded(lines);
  std::optional<Columns> columns;
  std::optional<ArrowTexts> queries, failed, ids;
  {
    const nb::gil_scoped_release release;
    try {
      columns = AnswerReader(text).read();
    } catch (const Unlike&) {
    }
    if (columns) {
      queries = texts(columns->queries);
      failed = texts(columns->failed);
      ids = texts(columns->ids);
    }
  }
  if (!columns) return nb::none();
  nb::dict found;
  found["query"] = nb::cast(std::move(*queries));
  found["failed"] = nb::cast(std::move(*failed));
  found["ms"] = owned(std::move(columns->ms));
  found["total"] = owned(std::move(columns->totals));
  found["results"] = owned(std::move(columns->results));
  found["duplicates"] = owned(std::move(columns->duplicates));
  found["problems"] = owned(std::move(columns->problems));
  found["ids"] = nb::cast(std::move(*ids));
  found["scores"] = owned(std::move(columns->scores));
  return found;
}

}  // namespace

void bind_answers(nb::module_& module) {
  module.def("read_answers", &read_answers, nb::arg("lines"));
}

}  // namespace relyon
