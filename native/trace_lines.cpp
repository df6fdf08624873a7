// The lines of a trace in JSON: one call a line, whatever else it holds.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "error.hpp"
#include "json_text.hpp"
#include "number.hpp"
#include "parallel.hpp"
#include "traces.hpp"
#include "utf8.hpp"

namespace relyon {

namespace {

// Reads lines whose escapes are replaced where they are: texts are parts of them.
class CallReader {
 public:
  // Lines of [from, end); each ends with a line feed or at `end`. Throws Unlike at one that is not
  // written as traces are.
  ReadCalls read(const char* from, const char* end) {
    for (const char* line = from; line < end; ++line_) {
      const auto* stop =
          static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(end - line)));
      if (stop == nullptr) stop = end;
      const char* p = blanks(line);
      if (p < stop) {
        steps_.restart();
        read_call(p, stop);
        if (!steps_.ascii() && !is_utf8(line, static_cast<std::size_t>(stop - line)))
          throw Unlike{};
      }
      line = stop + 1;
    }
    if (spans_) {
      found_.starts.resize(found_.documents.size(), unknown);
      found_.ends.resize(found_.documents.size(), unknown);
    }
    return std::move(found_);
  }

  std::uint64_t lines() const { return line_; }

 private:
  enum Member : unsigned { task, call, query, results, read_ones, tokens, seconds };

  static const char* blanks(const char* p) { return past_blanks(p); }

  void read_call(const char* p, const char* stop) {
    if (*p != '{') throw Unlike{};
    ReadCalls::Call one;
    one.line = line_ + 1;
    unsigned known = 0;
    const std::size_t before = found_.documents.size(), read_before = found_.read.size();
    members(p, [&](std::string_view name, const char*& at) {
      const auto once = [&](Member member) {
        if ((known >> member & 1) != 0) throw Unlike{};
        known |= 1U << member;
      };
      if (name == "task") {
        once(task);
        one.task = id(at);
      } else if (name == "call") {
        once(call);
        one.number = whole(at);
      } else if (name == "query") {
        once(query);
        one.query = string(at);
      } else if (name == "results") {
        once(results);
        each(at, [&](const char*& place) { read_result(place); });
        one.rows = found_.documents.size() - before;
      } else if (name == "read") {
        once(read_ones);
        if (*at == 'n') {
          at = JsonSteps::past_word(at, "null");
        } else {
          each(at, [&](const char*& place) { found_.read.push_back(id(place)); });
          one.reading = true;
          one.reads = found_.read.size() - read_before;
        }
      } else if (name == "tokens") {
        once(tokens);
        one.tokens = amount(at);
      } else if (name == "seconds") {
        once(seconds);
        one.seconds = amount(at);
      } else {
        at = steps_.past_value(at, 0);
      }
    });
    constexpr unsigned needed = 1U << task | 1U << results;
    if ((known & needed) != needed || blanks(p) != stop) throw Unlike{};
    found_.calls.push_back(one);
  }

  // The members of the object at `p`, which moves behind it.
  template <class Take>
  void members(const char*& p, const Take& take) {
    p = blanks(p + 1);
    if (*p == '}') {
      ++p;
      return;
    }
    for (;;) {
      const std::string_view name = key(p);
      take(name, p);
      p = blanks(p);
      if (*p == '}') break;
      if (*p != ',') throw Unlike{};
      p = blanks(p + 1);
    }
    ++p;
  }

  void read_result(const char*& p) {
    if (*p != '{') {
      add_result(id(p), unknown);
      return;
    }
    unsigned known = 0;
    std::string_view document;
    double score = unknown, start = unknown, end = unknown;
    members(p, [&](std::string_view name, const char*& at) {
      const auto once = [&](unsigned member) {
        if ((known >> member & 1) != 0) throw Unlike{};
        known |= 1U << member;
      };
      if (name == "document") {
        once(0);
        document = id(at);
      } else if (name == "score") {
        once(1);
        score = number_or_null(at);
      } else if (name == "start") {
        once(2);
        start = amount(at);
      } else if (name == "end") {
        once(3);
        end = amount(at);
      } else {
        at = steps_.past_value(at, 1);
      }
    });
    if ((known & 1) == 0 || start > end) throw Unlike{};
    add_result(document, score);
    if ((known & 12) != 0) {
      spans_ = true;
      found_.starts.resize(found_.documents.size(), unknown);
      found_.ends.resize(found_.documents.size(), unknown);
      found_.starts.back() = start;
      found_.ends.back() = end;
    }
  }

  void add_result(std::string_view document, double score) {
    found_.documents.push_back(document);
    found_.scores.push_back(score);
  }

  std::string_view key(const char*& p) {
    const std::string_view found = raw(p);
    p = blanks(p);
    if (*p != ':' || found.find('\\') != std::string_view::npos) throw Unlike{};
    p = blanks(p + 1);
    return found;
  }

  std::string_view raw(const char*& p) {
    if (*p != '"') throw Unlike{};
    const char* const start = p + 1;
    escaped_ = false;
    p = steps_.past_string(start, escaped_);
    return {start, static_cast<std::size_t>(p - 1 - start)};
  }

  // A string without its escapes; the text is writable.
  std::string_view string(const char*& p) {
    const std::string_view found = raw(p);
    if (!escaped_) return found;
    char* const begin = const_cast<char*>(found.data());  // NOLINT: the text is the reader's own
    return {begin, static_cast<std::size_t>(unescape(begin, begin + found.size()) - begin)};
  }

  // A text that is not empty, or a whole number as it is written.
  std::string_view id(const char*& p) {
    if (*p == '"') {
      const std::string_view found = string(p);
      if (found.empty()) throw Unlike{};
      return found;
    }
    bool is_whole = false;
    const char* const end = past_number(p, is_whole);
    const std::string_view found(p, static_cast<std::size_t>(end - p));
    if (!is_whole || found.size() > 18 || found.starts_with("-0")) throw Unlike{};
    p = end;
    return found;
  }

  template <class Read>
  static void each(const char*& p, const Read& read) {
    if (*p != '[') throw Unlike{};
    p = blanks(p + 1);
    if (*p == ']') {
      ++p;
      return;
    }
    for (;; p = blanks(p + 1)) {
      read(p);
      p = blanks(p);
      if (*p == ']') break;
      if (*p != ',') throw Unlike{};
    }
    ++p;
  }

  static double number(const char*& p) {
    bool is_whole = false;
    const char* const end = past_number(p, is_whole);
    double value = 0;
    if (parse_number_padded({p, static_cast<std::size_t>(end - p)}, value) != Number::good)
      throw Unlike{};
    p = end;
    return value;
  }

  static double number_or_null(const char*& p) {
    if (*p != 'n') return number(p);
    p = JsonSteps::past_word(p, "null");
    return unknown;
  }

  // A number from 0 on.
  static double amount(const char*& p) {
    const double value = number_or_null(p);
    if (value < 0) throw Unlike{};
    return value;
  }

  static std::int64_t whole(const char*& p) {
    if (*p == 'n') {
      p = JsonSteps::past_word(p, "null");
      return ReadCalls::unnumbered;
    }
    bool is_whole = false;
    const auto size = past_number(p, is_whole) - p;
    if (!is_whole || size > 15) throw Unlike{};
    return static_cast<std::int64_t>(number(p));
  }

  JsonSteps steps_;
  ReadCalls found_;
  bool escaped_ = false;
  bool spans_ = false;
  std::uint64_t line_ = 0;
};

// Where the lines of each part begin.
std::vector<std::size_t> part_starts(std::string_view text) {
  const std::size_t step = static_cast<std::size_t>(
      stretch_size(std::clamp<std::uint64_t>(text.size() / 16, std::uint64_t{1} << 18, 8U << 20)));
  std::vector<std::size_t> starts{text.starts_with("\xef\xbb\xbf") ? std::size_t{3} : 0};
  while (starts.back() + step < text.size()) {
    const std::size_t feed = text.find('\n', starts.back() + step);
    if (feed == std::string_view::npos || feed + 1 >= text.size()) break;
    starts.push_back(feed + 1);
  }
  starts.push_back(text.size());
  return starts;
}

}  // namespace

TraceText::TraceText(std::string_view text) {
  grow(text.size());
  std::memcpy(begin(), text.data(), text.size());
  size_ = text.size();
  std::memset(begin() + size_, 0, padding);
}

TraceText::TraceText(const File& file) {
  constexpr std::size_t most = std::size_t{16} << 20;
  FileBytes bytes(file, 0);
  grow(file.regular() ? file.size() + 1 : most);
  for (std::size_t got = 1; got > 0; size_ += got) {
    if (size_ == room_) grow(2 * room_);
    got = bytes.read(begin() + size_, std::min(room_ - size_, most));
  }
  std::memset(begin() + size_, 0, padding);
}

void TraceText::grow(std::size_t room) {
  std::unique_ptr<char, Free> more(HugeAllocator<char>().allocate(room + padding));
  if (size_ > 0) std::memcpy(more.get(), begin(), size_);
  bytes_ = std::move(more);
  room_ = room;
}

std::optional<TraceTable> read_trace_lines(TraceText&& text, const std::string& path, int threads) {
  const auto memory = std::make_shared<TraceText>(std::move(text));
  char* const begin = memory->begin();
  const std::vector<std::size_t> starts = part_starts({begin, memory->size()});
  std::vector<ReadCalls> parts(starts.size() - 1);
  std::vector<std::uint64_t> lines(parts.size());
  try {
    each_part(parts.size(), threads, [&](std::size_t part) {
      CallReader reader;
      parts[part] = reader.read(begin + starts[part], begin + starts[part + 1]);
      lines[part] = reader.lines();
    });
  } catch (const Unlike&) {
    return std::nullopt;
  }
  ReadCalls whole;
  std::size_t calls = 0, rows = 0;
  for (const ReadCalls& part : parts) {
    calls += part.calls.size();
    rows += part.documents.size();
  }
  whole.calls.reserve(calls);
  whole.documents.reserve(rows);
  whole.scores.reserve(rows);
  std::uint64_t before = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (ReadCalls::Call& call : parts[part].calls) call.line += before;
    before += lines[part];
    whole.append(std::exchange(parts[part], {}));
  }
  return TraceTable(std::move(whole), memory, path, true, threads);
}

}  // namespace relyon
