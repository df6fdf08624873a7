// Arrow C data interface -> columns, without a copy. The structures are the interface's ABI.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

namespace relyon {

// Memory for ids that have to be written out (whole numbers), for as long as a caller needs them.
class Texts {
 public:
  std::string_view add(std::uint64_t value);
  std::string_view add(std::int64_t value);
  // Marks the present; `drop` frees what was added before an earlier mark.
  std::size_t mark() const { return first_ + blocks_.size(); }
  void drop(std::size_t before);

 private:
  static constexpr std::size_t block = 1 << 14;
  static constexpr std::size_t longest = 20;
  char* room();
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t first_ = 0;
  std::size_t used_ = block;
};

// One column of any number of chunks, without nulls. Made and destroyed with the GIL held, read
// without it.
class ArrowColumn {
 public:
  enum class Role { id, number, integer };

  // `name` stands in errors: "query", "score". Throws InputError for another type, or for a null.
  ArrowColumn(nanobind::handle object, std::string name, Role role);
  ~ArrowColumn();
  ArrowColumn(const ArrowColumn&) = delete;
  ArrowColumn& operator=(const ArrowColumn&) = delete;

  std::uint64_t rows() const { return starts_.back(); }
  const std::string& name() const { return name_; }

  // Ids of some rows. Text stays in the column's buffers; written numbers are kept in `texts`.
  void ids(std::uint64_t from, std::size_t count, std::string_view* out, Texts& texts) const;
  // Numbers of some rows; InputError for one that is not finite.
  void numbers(std::uint64_t from, std::size_t count, double* out) const;
  void integers(std::uint64_t from, std::size_t count, std::int64_t* out) const;

  std::string_view id(std::uint64_t row, Texts& texts) const;
  // Asks for the cells of some rows that are read next.
  void expect(std::uint64_t from, std::size_t count) const;
  // The first row after `from`, and before `stop`, with another id; `stop` where there is none.
  std::uint64_t same_until(std::uint64_t from, std::uint64_t stop) const;
  // Where the rows begin that have the id of the last row.
  std::uint64_t last_run() const;

 private:
  enum class Type { none, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, text, large_text, view };
  struct Chunk {
    ArrowArray array;
    std::vector<std::string_view> dictionary;  // values of a dictionary, as text
    std::size_t same_as;                       // the chunk that holds this one's dictionary
  };

  static Type type_of(std::string_view format);
  static std::size_t width_of(Type type);  // bytes of a cell, without its text
  static bool valid(const ArrowArray& array, std::uint64_t row);
  void take_schema(const ArrowSchema& schema, Role role);
  void take_chunk(const ArrowArray& array);
  void read_dictionary(Chunk& chunk);
  void refuse_nulls(const ArrowArray& array, std::uint64_t before) const;
  void read_ids(Type type, const ArrowArray& array, std::uint64_t from, std::size_t count,
                std::string_view* out, Texts& texts, std::uint64_t row) const;
  [[noreturn]] void corrupt(std::uint64_t row) const;
  std::size_t chunk_of(std::uint64_t row) const;
  std::uint64_t same_in_chunk(const Chunk& chunk, std::uint64_t from, std::uint64_t end) const;
  template <class Visit>
  void each_chunk(std::uint64_t from, std::size_t count, const Visit& visit) const;

  std::string name_;
  Type type_ = Type::none;
  Type values_ = Type::none;  // of a dictionary
  std::vector<Chunk> chunks_;
  std::vector<std::uint64_t> starts_{0};  // first row of each chunk, and the end
  Texts dictionary_texts_;
};

// Throws InputError where two columns differ in length.
void same_length(const ArrowColumn& first, const ArrowColumn& other);

}  // namespace relyon
