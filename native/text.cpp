#include "text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "error.hpp"
#include "number.hpp"
#include "utf8.hpp"

namespace relyon {

namespace {

std::string quoted(std::string_view token) {
  std::string shown(1, '`');
  shown += excerpt(token);
  shown += '`';
  return shown;
}

}  // namespace

Window::Window(Bytes& bytes, std::string path, std::uint64_t offset, bool counting)
    : bytes_(bytes),
      path_(std::move(path)),
      offset_(offset),
      counting_(counting),
      buffer_(chunk + padding) {
  // Enough to tell how the input begins, even if its bytes come one by one.
  while (filled_ < 4 && refill(begin())) {
  }
}

std::uint64_t Window::line_of(std::uint64_t place) const {
  return 1 + lines_ +
         static_cast<std::uint64_t>(std::count(begin(), begin() + (place - offset_), '\n'));
}

bool Window::refill(const char* keep) {
  const std::size_t dropped = static_cast<std::size_t>(keep - begin());
  const std::size_t kept = filled_ - dropped;
  if (counting_) lines_ += static_cast<std::uint64_t>(std::count(begin(), keep, '\n'));
  if (kept + chunk / 2 + padding > buffer_.size()) {
    // A group longer than the window: grow by half, so that moving stays cheap.
    std::vector<char> larger(std::max(buffer_.size() + buffer_.size() / 2, kept + chunk + padding));
    std::memcpy(larger.data(), keep, kept);
    buffer_.swap(larger);
  } else {
    std::memmove(buffer_.data(), keep, kept);
  }
  offset_ += dropped;
  filled_ = kept;
  const std::size_t room = buffer_.size() - padding - filled_;
  const std::size_t got = ended_ ? 0 : bytes_.read(buffer_.data() + filled_, room);
  filled_ += got;
  std::memset(buffer_.data() + filled_, 0, padding);
  ended_ = got == 0;
  return !ended_;
}

const char* beginning(const Window& window) {
  const char* p = window.begin();
  const auto starts = [&](std::string_view magic) {
    return std::string_view(p, static_cast<std::size_t>(window.end() - p)).starts_with(magic);
  };
  if (p == window.end()) throw InputError("native.file-is-empty", window.path());
  if (starts("\x1f\x8b")) {
    throw InputError("native.is-compressed-with-gzip", window.path(), 0, "native.let-name-end");
  }
  if (starts("\x28\xb5\x2f\xfd")) {
    throw InputError("native.is-compressed-with-zstd", window.path(), 0,
                     "native.let-name-end-in-zst");
  }
  return starts("\xef\xbb\xbf") ? p + 3 : p;
}

TextError twice(std::string_view query, std::string_view document, std::uint64_t first,
                std::uint64_t second) {
  return {second,
          Sentence("native.document-stands-twice-in-query-other",
                   {{"document", excerpt(document)}, {"query", excerpt(query)}}),
          "native.keep-one-of-two-lines", first};
}

void split(std::string_view line, Tokens& tokens) {
  tokens.count = 0;
  const char* p = line.data();
  const char* const end = p + line.size();
  for (;;) {
    while (p != end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\v' || *p == '\f')) ++p;
    if (p == end) return;
    const char* const start = p;
    while (p != end && *p != ' ' && *p != '\t' && *p != '\r' && *p != '\v' && *p != '\f') {
      if (*p == '\0') {
        throw TextError{TextError::unknown, "native.looks-like-binary-file",
                        "native.give-text-file"};
      }
      ++p;
    }
    if (tokens.count < static_cast<int>(tokens.token.size())) {
      tokens.token[static_cast<std::size_t>(tokens.count)] = {start,
                                                              static_cast<std::size_t>(p - start)};
    }
    ++tokens.count;
  }
}

std::string excerpt(std::string_view line) {
  constexpr std::size_t longest = 60;
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  std::string shown(line.substr(0, longest));
  if (line.size() > longest) {
    // Not in the middle of a UTF-8 character.
    std::size_t cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(line[cut]) & 0xc0) == 0x80) --cut;
    shown.resize(cut);
    shown += "…";
  }
  for (char& sign : shown) {
    if (static_cast<unsigned char>(sign) < 0x20) sign = ' ';
  }
  return shown;
}

void check_utf8(std::string_view line) {
  // Which encoding it seems to be, Python says: relyon.io.encoding.
  if (!is_utf8(line.data(), line.size()))
    throw TextError{TextError::unknown, "native.is-not-utf-8-text", ""};
}

void refuse_long_line(std::size_t size) {
  if (size <= Window::longest_line) return;
  throw TextError{TextError::unknown, "native.line-is-longer", "native.is-this-text-file"};
}

void each_line(Bytes& bytes, const std::string& path,
               const std::function<void(std::string_view, std::uint64_t)>& row) {
  Window window(bytes, path, 0);
  const char* p = beginning(window);
  std::uint64_t at = 0;
  const char* scanned = p;
  const auto take = [&](const char* end) {
    ++at;
    try {
      refuse_long_line(static_cast<std::size_t>(end - p));
      row({p, static_cast<std::size_t>(end - p)}, at);
    } catch (const TextError& error) {
      throw InputError(error.message, path, at, error.hint);
    }
  };
  for (;;) {
    const auto* newline = static_cast<const char*>(
        std::memchr(scanned, '\n', static_cast<std::size_t>(window.end() - scanned)));
    if (newline == nullptr) {
      const std::size_t done = static_cast<std::size_t>(window.end() - p);
      if (done > Window::longest_line) take(window.end());
      const bool more = window.refill(p);
      p = window.begin();
      scanned = p + done;
      if (more) continue;
      if (p == window.end()) return;
      newline = window.end();
    }
    take(newline);
    if (newline == window.end()) return;
    p = scanned = newline + 1;
  }
}

std::uint64_t line_of(const File& file, std::uint64_t offset) {
  std::vector<char> buffer(std::min<std::uint64_t>(offset, std::uint64_t{1} << 20));
  std::uint64_t lines = 1;
  for (std::uint64_t at = 0; at < offset;) {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), offset - at));
    const std::size_t got = file.read(buffer.data(), wanted, at);
    if (got == 0) break;
    lines += static_cast<std::uint64_t>(
        std::count(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(got), '\n'));
    at += got;
  }
  return lines;
}

namespace {

double parse_finite(std::string_view token, const char* what) {
  double value = 0.0;
  switch (parse_number(token, value)) {
    case Number::good:
      return value;
    case Number::not_finite:
      throw TextError{TextError::unknown,
                      Sentence("native.what-is-not-finite",
                               {{"what", Sentence(what)}, {"value", quoted(token)}}),
                      "native.remove-line"};
    case Number::not_a_number:
      break;
  }
  throw TextError{
      TextError::unknown,
      Sentence("native.is-not-number", {{"what", Sentence(what)}, {"value", quoted(token)}}), ""};
}

}  // namespace

double parse_score(std::string_view token) { return parse_finite(token, "the score"); }

double parse_grade(std::string_view token) {
  try {
    return parse_finite(token, "the grade");
  } catch (TextError& error) {
    if (error.hint.empty()) error.hint = "native.for-grades-such-as-name";
    throw;
  }
}

void wrong_columns(std::string_view line, int count, const char* expected, const char* hint) {
  throw TextError{TextError::unknown,
                  Sentence("native.expected-wanted", {{"wanted", Sentence(expected)},
                                                      {"count", std::to_string(count)},
                                                      {"line", quoted(line)}}),
                  hint};
}

}  // namespace relyon
