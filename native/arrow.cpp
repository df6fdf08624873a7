#include "arrow.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "error.hpp"

namespace nb = nanobind;

namespace relkit {

namespace {

constexpr const char* protocol_hint =
    "give a column of Polars, pandas (Arrow types), PyArrow or DuckDB; polars.Series(name, values) "
    "makes one";

template <class T>
const T* buffer(const ArrowArray& array, std::int64_t number) {
  return static_cast<const T*>(array.buffers[number]) + array.offset;
}

template <class From, class To>
void copy_as(const ArrowArray& array, std::uint64_t from, std::size_t count, To* out) {
  const From* values = buffer<From>(array, 1) + from;
  for (std::size_t row = 0; row < count; ++row) out[row] = static_cast<To>(values[row]);
}

// Calls visit(index) with every value of a column of whole numbers.
template <class From, class Visit>
void each_value(const ArrowArray& array, std::uint64_t from, std::size_t count,
                const Visit& visit) {
  const From* values = buffer<From>(array, 1) + from;
  for (std::size_t row = 0; row < count; ++row) visit(row, values[row]);
}

bool valid(const ArrowArray& array, std::uint64_t row) {
  const auto* bits =
      array.n_buffers > 0 ? static_cast<const std::uint8_t*>(array.buffers[0]) : nullptr;
  if (bits == nullptr) return true;
  const std::uint64_t at = row + static_cast<std::uint64_t>(array.offset);
  return (bits[at / 8] >> (at % 8) & 1) != 0;
}

struct SchemaHolder {
  ArrowSchema schema{};
  ~SchemaHolder() {
    if (schema.release != nullptr) schema.release(&schema);
  }
};

template <class T>
T* capsule_pointer(nb::handle capsule, const char* name) {
  void* pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw nb::python_error();
  return static_cast<T*>(pointer);
}

}  // namespace

char* Texts::room() {
  if (block - used_ < longest) {
    blocks_.push_back(std::make_unique<char[]>(block));
    used_ = 0;
  }
  return blocks_.back().get() + used_;
}

std::string_view Texts::add(std::uint64_t value) {
  char* const place = room();
  const char* const end = std::to_chars(place, place + longest, value).ptr;
  used_ += static_cast<std::size_t>(end - place);
  return {place, static_cast<std::size_t>(end - place)};
}

std::string_view Texts::add(std::int64_t value) {
  char* const place = room();
  const char* const end = std::to_chars(place, place + longest, value).ptr;
  used_ += static_cast<std::size_t>(end - place);
  return {place, static_cast<std::size_t>(end - place)};
}

void Texts::drop(std::size_t before) {
  // The block at the mark may hold texts from both sides of it, so it stays.
  const std::size_t last = std::max<std::size_t>(before, 1) - 1;
  if (last <= first_) return;
  blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(last - first_));
  first_ = last;
}

ArrowColumn::Type ArrowColumn::type_of(std::string_view format) {
  if (format == "c") return Type::i8;
  if (format == "s") return Type::i16;
  if (format == "i") return Type::i32;
  if (format == "l") return Type::i64;
  if (format == "C") return Type::u8;
  if (format == "S") return Type::u16;
  if (format == "I") return Type::u32;
  if (format == "L") return Type::u64;
  if (format == "f") return Type::f32;
  if (format == "g") return Type::f64;
  if (format == "u" || format == "z") return Type::text;
  if (format == "U" || format == "Z") return Type::large_text;
  if (format == "vu" || format == "vz") return Type::view;
  return Type::none;
}

void ArrowColumn::take_schema(const ArrowSchema& schema, Role role) {
  const std::string_view format = schema.format;
  type_ = type_of(format);
  const bool whole = type_ >= Type::i8 && type_ <= Type::u64;
  const bool real = type_ == Type::f32 || type_ == Type::f64;
  if (schema.dictionary != nullptr && role == Role::id && whole) {
    values_ = type_of(schema.dictionary->format);
    if (values_ != Type::none && values_ != Type::f32 && values_ != Type::f64) return;
  }
  const bool fits = schema.dictionary == nullptr &&
                    ((whole && type_ != Type::none) || (real && role == Role::number) ||
                     (type_ >= Type::text && role == Role::id));
  if (fits) return;
  const char* wanted = role == Role::id       ? "text or whole numbers"
                       : role == Role::number ? "numbers"
                                              : "whole numbers";
  if (format == "+s") {
    throw InputError("the " + name_ + " is a table, not a column", "", 0,
                     "name the column: frame[\"" + name_ + "\"]");
  }
  std::string kind = "the Arrow type `" + std::string(format) + "`";
  if (schema.dictionary != nullptr)
    kind = "a dictionary of " + kind;
  else if (format == "b")
    kind = "true and false";
  else if (type_ >= Type::text)
    kind = "text";
  else if (real)
    kind = "floating-point numbers";
  else if (format == "n")
    kind = "nothing but nulls";
  throw InputError("the " + name_ + " column must hold " + wanted + ", and holds " + kind, "", 0,
                   "cast the column");
}

void ArrowColumn::refuse_nulls(const ArrowArray& array, std::uint64_t before) const {
  if (array.null_count == 0) return;
  for (std::uint64_t row = 0; row < static_cast<std::uint64_t>(array.length); ++row) {
    if (!valid(array, row)) {
      throw InputError(
          "the " + name_ + " column has no value in row " + std::to_string(before + row + 1), "", 0,
          "leave rows with nulls out, or fill them in");
    }
  }
}

void ArrowColumn::read_dictionary(Chunk& chunk) {
  const ArrowArray* values = chunk.array.dictionary;
  chunk.same_as = chunks_.size();
  if (values == nullptr) throw InputError("the " + name_ + " column lacks its dictionary");
  if (!chunks_.empty()) {
    // Chunks of one column mostly share their dictionary.
    const std::size_t owner = chunks_.back().same_as;
    const ArrowArray& known = *chunks_[owner].array.dictionary;
    if (known.length == values->length && known.offset == values->offset &&
        known.n_buffers == values->n_buffers &&
        std::equal(known.buffers, known.buffers + known.n_buffers, values->buffers)) {
      chunk.same_as = owner;
      return;
    }
  }
  chunk.dictionary.resize(static_cast<std::size_t>(values->length));
  read_ids(values_, *values, 0, chunk.dictionary.size(), chunk.dictionary.data(), dictionary_texts_,
           0);
}

// Owns the array from here on, whatever happens.
void ArrowColumn::take_chunk(const ArrowArray& array) {
  Chunk chunk{array, {}, 0};
  try {
    refuse_nulls(array, rows());
    if (values_ != Type::none && array.length > 0) read_dictionary(chunk);
    if (array.length > 0) {
      chunks_.push_back(std::move(chunk));
    }
  } catch (...) {
    chunk.array.release(&chunk.array);
    throw;
  }
  if (array.length > 0) {
    starts_.push_back(rows() + static_cast<std::uint64_t>(array.length));
  } else {
    chunk.array.release(&chunk.array);
  }
}

ArrowColumn::ArrowColumn(nb::handle object, std::string name, Role role) : name_(std::move(name)) {
  // A constructor that throws runs no destructor: whatever was taken is given back here.
  struct Guard {
    ArrowColumn* column;
    ~Guard() {
      if (column == nullptr) return;
      for (Chunk& chunk : column->chunks_) chunk.array.release(&chunk.array);
    }
  } guard{this};
  SchemaHolder holder;
  if (nb::hasattr(object, "__arrow_c_stream__")) {
    const nb::object capsule = object.attr("__arrow_c_stream__")();
    auto* stream = capsule_pointer<ArrowArrayStream>(capsule, "arrow_array_stream");
    if (stream->release == nullptr) throw InputError("the " + name_ + " column was already read");
    const auto check = [&](int status) {
      if (status == 0) return;
      const char* message = stream->get_last_error(stream);
      throw InputError("the " + name_ + " column cannot be read: " +
                       (message != nullptr ? message : std::strerror(status)));
    };
    check(stream->get_schema(stream, &holder.schema));
    take_schema(holder.schema, role);
    for (;;) {
      ArrowArray array{};
      check(stream->get_next(stream, &array));
      if (array.release == nullptr) break;
      take_chunk(array);
    }
  } else if (nb::hasattr(object, "__arrow_c_array__")) {
    const nb::object pair = object.attr("__arrow_c_array__")();
    auto* schema = capsule_pointer<ArrowSchema>(pair[0], "arrow_schema");
    auto* array = capsule_pointer<ArrowArray>(pair[1], "arrow_array");
    take_schema(*schema, role);
    if (array->release == nullptr) throw InputError("the " + name_ + " column was already read");
    const ArrowArray taken = *array;
    array->release = nullptr;
    take_chunk(taken);
  } else {
    throw InputError("the " + name_ + " column is a `" + nb::type_name(object.type()).c_str() +
                         "`, which has no Arrow interface (__arrow_c_stream__)",
                     "", 0, protocol_hint);
  }
  guard.column = nullptr;
}

ArrowColumn::~ArrowColumn() {
  for (Chunk& chunk : chunks_) chunk.array.release(&chunk.array);
}

void ArrowColumn::corrupt(std::uint64_t row) const {
  throw InputError("the " + name_ + " column is damaged in row " + std::to_string(row + 1));
}

template <class Visit>
void ArrowColumn::each_chunk(std::uint64_t from, std::size_t count, const Visit& visit) const {
  std::size_t done = 0;
  auto at = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), from) -
                                     starts_.begin()) -
            1;
  while (done < count) {
    const std::uint64_t within = from + done - starts_[at];
    const auto here = static_cast<std::size_t>(
        std::min<std::uint64_t>(count - done, starts_[at + 1] - from - done));
    visit(chunks_[at], within, here, done);
    done += here;
    ++at;
  }
}

void ArrowColumn::read_ids(Type type, const ArrowArray& array, std::uint64_t from,
                           std::size_t count, std::string_view* out, Texts& texts,
                           std::uint64_t row) const {
  const auto written = [&]<class Value>(Value) {
    Value last{};
    std::string_view text;
    each_value<Value>(array, from, count, [&](std::size_t place, Value value) {
      // Neighbours are often equal in a query column.
      if (text.empty() || value != last) {
        last = value;
        if constexpr (std::is_signed_v<Value>) {
          text = texts.add(static_cast<std::int64_t>(value));
        } else {
          text = texts.add(static_cast<std::uint64_t>(value));
        }
      }
      out[place] = text;
    });
  };
  const auto sliced = [&]<class Offset>(Offset) {
    const Offset* offsets = buffer<Offset>(array, 1) + from;
    const auto* bytes = static_cast<const char*>(array.buffers[2]);
    bool sound = count == 0 || offsets[0] >= 0;
    for (std::size_t place = 0; place < count; ++place) {
      const Offset size = offsets[place + 1] - offsets[place];
      if (size < 0) [[unlikely]] {
        sound = false;
        break;
      }
      out[place] = size == 0
                       ? std::string_view("")
                       : std::string_view(bytes + offsets[place], static_cast<std::size_t>(size));
    }
    if (!sound) corrupt(row);
  };
  switch (type) {
    case Type::i8:
      return written(std::int8_t{});
    case Type::i16:
      return written(std::int16_t{});
    case Type::i32:
      return written(std::int32_t{});
    case Type::i64:
      return written(std::int64_t{});
    case Type::u8:
      return written(std::uint8_t{});
    case Type::u16:
      return written(std::uint16_t{});
    case Type::u32:
      return written(std::uint32_t{});
    case Type::u64:
      return written(std::uint64_t{});
    case Type::text:
      return sliced(std::int32_t{});
    case Type::large_text:
      return sliced(std::int64_t{});
    case Type::view: {
      // 16 bytes: the length, then 12 bytes of text, or 4 of its beginning, a buffer and an offset.
      const char* views = static_cast<const char*>(array.buffers[1]) +
                          16 * (static_cast<std::uint64_t>(array.offset) + from);
      const std::int64_t buffers = array.n_buffers - 3;
      for (std::size_t place = 0; place < count; ++place, views += 16) {
        std::int32_t words[4];
        std::memcpy(words, views, 16);
        if (words[0] >= 0 && words[0] <= 12) [[likely]] {
          out[place] = {views + 4, static_cast<std::size_t>(words[0])};
          continue;
        }
        if (words[0] < 0 || words[2] < 0 || words[2] >= buffers || words[3] < 0)
          corrupt(row + place);
        out[place] = {static_cast<const char*>(array.buffers[2 + words[2]]) + words[3],
                      static_cast<std::size_t>(words[0])};
      }
      return;
    }
    default:
      corrupt(row);
  }
}

void ArrowColumn::ids(std::uint64_t from, std::size_t count, std::string_view* out,
                      Texts& texts) const {
  each_chunk(from, count,
             [&](const Chunk& chunk, std::uint64_t within, std::size_t here, std::size_t done) {
               if (values_ == Type::none) {
                 read_ids(type_, chunk.array, within, here, out + done, texts, from + done);
                 return;
               }
               const std::vector<std::string_view>& values = chunks_[chunk.same_as].dictionary;
               const ArrowArray& dictionary = *chunk.array.dictionary;
               const bool nulls = dictionary.null_count != 0;
               const auto pick = [&](std::size_t place, auto code) {
                 // A negative code is a very large one without its sign.
                 const auto index = static_cast<std::uint64_t>(static_cast<std::int64_t>(code));
                 if (index >= values.size()) [[unlikely]]
                   corrupt(from + done + place);
                 if (nulls && !valid(dictionary, index)) {
                   throw InputError("the " + name_ + " column has no value in row " +
                                    std::to_string(from + done + place + 1));
                 }
                 out[done + place] = values[index];
               };
               switch (type_) {
                 case Type::i8:
                   return each_value<std::int8_t>(chunk.array, within, here, pick);
                 case Type::i16:
                   return each_value<std::int16_t>(chunk.array, within, here, pick);
                 case Type::i32:
                   return each_value<std::int32_t>(chunk.array, within, here, pick);
                 case Type::i64:
                   return each_value<std::int64_t>(chunk.array, within, here, pick);
                 case Type::u8:
                   return each_value<std::uint8_t>(chunk.array, within, here, pick);
                 case Type::u16:
                   return each_value<std::uint16_t>(chunk.array, within, here, pick);
                 case Type::u32:
                   return each_value<std::uint32_t>(chunk.array, within, here, pick);
                 case Type::u64:
                   return each_value<std::uint64_t>(chunk.array, within, here, pick);
                 default:
                   corrupt(from + done);
               }
             });
}

namespace {

template <class To, class Type>
void read_numbers(Type type, const ArrowArray& array, std::uint64_t within, std::size_t here,
                  To* out) {
  switch (type) {
    case Type::i8:
      return copy_as<std::int8_t>(array, within, here, out);
    case Type::i16:
      return copy_as<std::int16_t>(array, within, here, out);
    case Type::i32:
      return copy_as<std::int32_t>(array, within, here, out);
    case Type::i64:
      return copy_as<std::int64_t>(array, within, here, out);
    case Type::u8:
      return copy_as<std::uint8_t>(array, within, here, out);
    case Type::u16:
      return copy_as<std::uint16_t>(array, within, here, out);
    case Type::u32:
      return copy_as<std::uint32_t>(array, within, here, out);
    case Type::u64:
      return copy_as<std::uint64_t>(array, within, here, out);
    case Type::f32:
      return copy_as<float>(array, within, here, out);
    case Type::f64:
      return copy_as<double>(array, within, here, out);
    default:
      return;  // take_schema lets no other type in
  }
}

}  // namespace

void ArrowColumn::numbers(std::uint64_t from, std::size_t count, double* out) const {
  each_chunk(from, count,
             [&](const Chunk& chunk, std::uint64_t within, std::size_t here, std::size_t done) {
               read_numbers(type_, chunk.array, within, here, out + done);
             });
  if (type_ != Type::f32 && type_ != Type::f64) return;
  bool finite = true;
  for (std::size_t row = 0; row < count; ++row) finite &= std::isfinite(out[row]);
  if (finite) return;
  for (std::size_t row = 0; row < count; ++row) {
    if (std::isfinite(out[row])) continue;
    const char* shown = std::isnan(out[row]) ? "nan" : out[row] > 0 ? "inf" : "-inf";
    throw InputError("the " + name_ + " is not a finite number in row " +
                         std::to_string(from + row + 1) + ": " + shown,
                     "", 0, "leave the row out, or give the document a number");
  }
}

void ArrowColumn::integers(std::uint64_t from, std::size_t count, std::int64_t* out) const {
  each_chunk(from, count,
             [&](const Chunk& chunk, std::uint64_t within, std::size_t here, std::size_t done) {
               read_numbers(type_, chunk.array, within, here, out + done);
             });
}

}  // namespace relkit
