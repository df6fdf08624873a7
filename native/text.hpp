// TREC text: bytes -> lines -> tokens. Errors carry the line.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "error.hpp"

namespace relyon {

// Where bytes come from: a file at a position, or a callable.
class Bytes {
 public:
  virtual ~Bytes() = default;
  // Reads up to `size` bytes; 0 at the end.
  virtual std::size_t read(char* into, std::size_t size) = 0;
};

// An open file, read from any number of threads. In file.cpp, for POSIX and for Windows.
class File {
 public:
  // Opens a regular file (or a pipe); throws InputError for a directory, a missing or an empty
  // file.
  explicit File(const std::string& path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::size_t read(char* into, std::size_t size, std::uint64_t from) const;
  std::uint64_t size() const { return size_; }
  bool regular() const { return regular_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int handle_;
  std::uint64_t size_ = 0;
  bool regular_ = true;
};

class FileBytes final : public Bytes {
 public:
  FileBytes(const File& file, std::uint64_t from) : file_(file), at_(from) {}
  std::size_t read(char* into, std::size_t size) override {
    const std::size_t got = file_.read(into, size, at_);
    at_ += got;
    return got;
  }

 private:
  const File& file_;
  std::uint64_t at_;
};

// A sliding window over bytes. Always ends in `padding` readable bytes beyond the data.
class Window {
 public:
  static constexpr std::size_t padding = 64;
  static constexpr std::size_t longest_line = std::size_t{16} << 20;

  // `offset`: where in the whole input the bytes begin; `path` names it in errors.
  // With `counting`, line_of() works without reading the input again.
  Window(Bytes& bytes, std::string path, std::uint64_t offset, bool counting = false);

  // Drops everything before `keep`, moves the rest to the front and reads more. False at the end
  // of input. Afterwards `keep` is at `begin()`.
  bool refill(const char* keep);

  const char* begin() const { return buffer_.data(); }
  const char* end() const { return buffer_.data() + filled_; }
  bool ended() const { return ended_; }
  // The same place, to be written: the window's bytes are its own.
  char* writable(const char* at) { return buffer_.data() + (at - begin()); }
  // Place of a pointer in the whole input.
  std::uint64_t offset(const char* at) const {
    return offset_ + static_cast<std::uint64_t>(at - begin());
  }
  const std::string& path() const { return path_; }
  // The number of the line that holds this place of the input, which must still be in the window.
  std::uint64_t line_of(std::uint64_t place) const;

 private:
#ifdef RELYON_WINDOW
  static constexpr std::size_t chunk = RELYON_WINDOW;  // small, so that tests meet many borders
#else
  static constexpr std::size_t chunk = std::size_t{256} << 10;
#endif

  Bytes& bytes_;
  std::string path_;
  std::uint64_t offset_;
  bool counting_;
  std::uint64_t lines_ = 0;  // ends of lines dropped
  std::vector<char> buffer_;
  std::size_t filled_ = 0;
  bool ended_ = false;
};

// Bad text at a place of the input; becomes an InputError once its line is counted.
struct TextError {
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};  // the line at hand

  std::uint64_t offset = unknown;
  Sentence message;
  Sentence hint;
  std::uint64_t other = unknown;  // the line of another place, which the message calls `line`
};

// A document that a query holds in two lines.
TextError twice(std::string_view query, std::string_view document, std::uint64_t first,
                std::uint64_t second);

// The tokens of one line; more than eight are counted but not kept.
struct Tokens {
  std::array<std::string_view, 8> token;
  int count = 0;
};

// Throws InputError if a text begins as an empty or a compressed one; else where it begins, after a
// byte-order mark.
const char* beginning(const Window& window);

// Splits a line at blanks. Throws TextError for a NUL byte.
void split(std::string_view line, Tokens& tokens);

// A row that is no data: blank, or a comment. A line that starts with '#' is a comment if a blank
// follows, or if it has not the expected number of columns: ids may start with '#' too.
inline bool is_comment(const Tokens& tokens, int least, int most) {
  if (tokens.count == 0) return true;
  const std::string_view first = tokens.token[0];
  return first.front() == '#' && (first.size() == 1 || tokens.count < least || tokens.count > most);
}

// Throws TextError for a line that is not UTF-8.
void check_utf8(std::string_view line);

// Throws TextError for a line longer than Window::longest_line. Lines that end in the window are
// checked too, so that the limit does not depend on where windows end.
void refuse_long_line(std::size_t size);

// A line cut to a length fit for a message.
std::string excerpt(std::string_view line);

// Calls `row` with every line from a source, without its end. Handles CRLF, a byte-order mark and
// a missing last newline. `at` is the line's number from 1.
void each_line(Bytes& bytes, const std::string& path,
               const std::function<void(std::string_view line, std::uint64_t at)>& row);

// The number of the line in which a byte of a file stands.
std::uint64_t line_of(const File& file, std::uint64_t offset);

// Tokens that every reader checks in the same words.
double parse_score(std::string_view token);
double parse_grade(std::string_view token);

[[noreturn]] void wrong_columns(std::string_view line, int count, const char* expected,
                                const char* hint);

inline constexpr const char* run_columns = "6 columns (query, Q0, document, rank, score, tag)";
inline constexpr const char* qrels_columns = "4 columns (query, iteration, document, grade)";

}  // namespace relyon
