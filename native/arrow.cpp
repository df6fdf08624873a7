#include "arrow.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>

#include "error.hpp"

namespace nb = nanobind;

namespace relyon {

namespace {

constexpr const char* protocol_hint =
    "give a column of Polars, pandas (Arrow types), PyArrow or DuckDB; polars.Series(name, values) "
    "makes one";

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
    throw InputError(Sentence("native.is-table", {{"name", Sentence(name_)}}), "", 0,
                     Sentence("native.name-column", {{"name", name_}}));
  }
  Sentence kind("native.arrow-type", {{"format", std::string(format)}});
  if (schema.dictionary != nullptr)
    kind = Sentence("native.dictionary-of-kind", {{"kind", kind}});
  else if (format == "b")
    kind = "true and false";
  else if (type_ >= Type::text)
    kind = "text";
  else if (real)
    kind = "floating-point numbers";
  else if (format == "n")
    kind = "nothing but nulls";
  throw InputError(
      Sentence("native.column-must-hold",
               {{"name", Sentence(name_)}, {"wanted", Sentence(wanted)}, {"kind", kind}}),
      "", 0, "native.cast-column");
}

bool ArrowColumn::valid(const ArrowArray& array, std::uint64_t row) {
  const auto* bits =
      array.n_buffers > 0 ? static_cast<const std::uint8_t*>(array.buffers[0]) : nullptr;
  if (bits == nullptr) return true;
  const std::uint64_t at = row + static_cast<std::uint64_t>(array.offset);
  return (bits[at / 8] >> (at % 8) & 1) != 0;
}

void ArrowColumn::refuse_nulls(const ArrowArray& array, std::uint64_t before) const {
  if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return;
  for (std::uint64_t row = 0; row < static_cast<std::uint64_t>(array.length); ++row) {
    if (!valid(array, row)) {
      throw InputError(
          Sentence("native.column-has-no-value",
                   {{"name", Sentence(name_)}, {"row", std::to_string(before + row + 1)}}),
          "", 0, "native.leave-rows-with-nulls");
    }
  }
}

void ArrowColumn::read_dictionary(Chunk& chunk) {
  const ArrowArray* values = chunk.array.dictionary;
  chunk.same_as = chunks_.size();
  if (values == nullptr)
    throw InputError(Sentence("native.column-lacks-dictionary", {{"name", Sentence(name_)}}));
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
    if (array.length > 0) {
      if (values_ != Type::none) read_dictionary(chunk);
      starts_.push_back(rows() + static_cast<std::uint64_t>(array.length));
      chunks_.push_back(std::move(chunk));
      return;
    }
  } catch (...) {
    chunk.array.release(&chunk.array);
    throw;
  }
  chunk.array.release(&chunk.array);
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
    if (stream->release == nullptr)
      throw InputError(Sentence("native.column-was-already-read", {{"name", Sentence(name_)}}));
    const auto check = [&](int status) {
      if (status == 0) return;
      const char* message = stream->get_last_error(stream);
      throw InputError(
          Sentence("native.column-cannot-be-read",
                   {{"name", Sentence(name_)},
                    {"error", message != nullptr ? std::string(message)
                                                 : std::generic_category().message(status)}}));
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
    if (array->release == nullptr)
      throw InputError(Sentence("native.column-was-already-read", {{"name", Sentence(name_)}}));
    const ArrowArray taken = *array;
    array->release = nullptr;
    take_chunk(taken);
  } else {
    throw InputError(Sentence("native.name-column-is-type",
                              {{"name", Sentence(name_)},
                               {"type", std::string(nb::type_name(object.type()).c_str())}}),
                     "", 0, protocol_hint);
  }
  guard.column = nullptr;
}

ArrowColumn::~ArrowColumn() {
  for (Chunk& chunk : chunks_) chunk.array.release(&chunk.array);
}

void same_length(const ArrowColumn& first, const ArrowColumn& other) {
  if (first.rows() == other.rows()) return;
  throw InputError(
      Sentence("native.columns-differ-in-length", {{"first", Sentence(first.name())},
                                                   {"rows", std::to_string(first.rows())},
                                                   {"other", Sentence(other.name())},
                                                   {"others", std::to_string(other.rows())}}));
}

}  // namespace relyon
