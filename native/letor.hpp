// SVMlight and LETOR text: labels, queries, documents and features, a stretch of lines at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace relyon::letor {

// Numbers of features are from 1 to this.
inline constexpr std::uint32_t most_features = std::uint32_t{1} << 20;

// Bytes beyond a text that may be read.
inline constexpr std::size_t padding = 64;

struct Plan {
  bool grouped;   // another file says where queries begin: `qid:` is not needed
  bool named;     // labels may be names: they are kept as text
  bool features;  // whether to read them
};

// How pages come to be used: all of them right after they are taken, or little by little.
enum class Filled { at_once, slowly };

// Of the system, for Pages; the first throws std::bad_alloc.
void* take_pages(std::size_t bytes, Filled filled);
void give_back_pages(void* pages, std::size_t bytes) noexcept;

// Memory of its own pages, zero at first: it goes back to the system when it is freed, whatever the
// allocator keeps, so that a text's parts and its whole need not fit at once.
template <class Value>
class Pages {
 public:
  Pages() = default;
  Pages(std::size_t count, Filled filled) : size_(count) {
    if (count == 0) return;
    data_ = static_cast<Value*>(take_pages(count * sizeof(Value), filled));
  }
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Pages() {
    if (data_ != nullptr) give_back_pages(data_, size_ * sizeof(Value));
  }

  Value* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  Value* data_ = nullptr;
  std::size_t size_ = 0;
};

// The features of one stretch as its text names them: a thread's own, used again and again.
template <class Value>
struct Entries {
  // `bytes`: the size of the text, in which an entry takes three at least.
  void begin(std::size_t bytes) {
    const std::size_t wanted = bytes / 3 + 1;
    if (wanted > room) {
      columns = std::make_unique_for_overwrite<std::uint32_t[]>(wanted);
      values = std::make_unique_for_overwrite<Value[]>(wanted);
      room = wanted;
    }
    count = 0;
    width = 0;
    ends.clear();
    disordered.clear();
  }

  std::unique_ptr<std::uint32_t[]> columns;  // from 0
  std::unique_ptr<Value[]> values;
  std::size_t room = 0;
  std::size_t count = 0;
  std::uint32_t width = 0;              // the highest number of a feature
  std::vector<std::size_t> ends;        // of each row
  std::vector<std::size_t> disordered;  // rows whose columns do not ascend
};

// The same, kept: as a matrix or as what is not 0, whichever is smaller.
template <class Value>
struct Block {
  std::size_t rows = 0;
  std::size_t width = 0;
  std::size_t nonzero = 0;
  bool dense = false;
  Pages<Value> values;
  Pages<std::uint32_t> columns;      // where it is not dense
  std::vector<std::size_t> offsets;  // of each row, where it is not dense
};

template <class Value>
Block<Value> pack(Entries<Value>& entries);

// A line that cannot be used. What is wrong with it is said by whoever reads it again, slowly.
struct Wrong {
  std::uint64_t line;  // from 1
  std::string text;
};

// Texts one after the other.
struct Texts {
  void add(std::string_view text) {
    bytes += text;
    ends.push_back(bytes.size());
  }
  std::size_t size() const { return ends.size(); }
  std::string_view operator[](std::size_t at) const {
    const std::size_t from = at == 0 ? 0 : ends[at - 1];
    return std::string_view(bytes).substr(from, ends[at] - from);
  }

  std::string bytes;
  std::vector<std::size_t> ends;
};

// All but the features of some lines; rows and lines count from the beginning of the stretch.
struct Part {
  std::vector<double> labels;
  Texts label_names;                       // where labels may be names: the distinct ones
  std::vector<std::uint64_t> label_lines;  // and the line of the first of each
  Texts queries;                           // of each run of rows with the same query
  std::vector<std::int64_t> sizes;         // of each run
  Texts documents;                         // one per row, unless one is lacking
  bool lacking = false;                    // a row whose comment names no document
  std::vector<std::pair<std::size_t, std::string>> comments;  // rows and comments beyond ASCII
  std::uint64_t lines = 0;
  std::optional<Wrong> wrong;  // nothing after it is read
};

// Reads whole lines; the text ends with a newline, and `padding` bytes after it may be read.
template <class Value>
Part parse(std::string_view text, const Plan& plan, Entries<Value>& entries);

// A blank of Unicode at this place: its length in bytes, or 0.
std::size_t blank_size(const char* at, const char* end);

// The document that a comment in ASCII names as `docid = X`; empty where it names none.
std::string_view document_of(std::string_view comment);

}  // namespace relyon::letor
