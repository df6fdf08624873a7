// What Arrow columns hold: ids as text, numbers, and where an id ends to repeat itself.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "arrow.hpp"
#include "error.hpp"
#include "hash.hpp"
#include "inline.hpp"
#include "simd.hpp"

namespace relyon {

namespace {

template <class T>
const T* buffer(const ArrowArray& array, std::int64_t number) {
  return static_cast<const T*>(array.buffers[number]) + array.offset;
}

template <class From, class To>
void copy_as(const ArrowArray& array, std::uint64_t from, std::size_t count, To* out) {
  const From* values = buffer<From>(array, 1) + from;
  if constexpr (std::is_same_v<From, To>) {
    std::memcpy(out, values, count * sizeof(To));
  } else {
    for (std::size_t row = 0; row < count; ++row) out[row] = static_cast<To>(values[row]);
  }
}

// Calls visit(index) with every value of a column of whole numbers.
template <class From, class Visit>
void each_value(const ArrowArray& array, std::uint64_t from, std::size_t count,
                const Visit& visit) {
  const From* values = buffer<From>(array, 1) + from;
  for (std::size_t row = 0; row < count; ++row) visit(row, values[row]);
}

// A view is 16 bytes: the length, then 12 bytes of text, or 4 of its beginning, a buffer and an
// offset.
constexpr std::int32_t inline_view = 12;

// The bytes of a view that holds none of them itself; nullptr where it is damaged.
const char* bytes_of(const ArrowArray& array, const char* view) {
  std::int32_t words[4];
  std::memcpy(words, view, 16);
  if (words[0] < 0 || words[2] < 0 || words[2] >= array.n_buffers - 3 || words[3] < 0)
    return nullptr;
  return static_cast<const char*>(array.buffers[2 + words[2]]) + words[3];
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

void ArrowColumn::corrupt(std::uint64_t row) const {
  throw InputError(Sentence("native.column-is-damaged",
                            {{"name", Sentence(name_)}, {"row", std::to_string(row + 1)}}));
}

std::size_t ArrowColumn::chunk_of(std::uint64_t row) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), row) -
                                  starts_.begin()) -
         1;
}

template <class Visit>
void ArrowColumn::each_chunk(std::uint64_t from, std::size_t count, const Visit& visit) const {
  std::size_t done = 0;
  std::size_t at = chunk_of(from);
  while (done < count) {
    const std::uint64_t within = from + done - starts_[at];
    const auto here = static_cast<std::size_t>(
        std::min<std::uint64_t>(count - done, starts_[at + 1] - from - done));
    visit(chunks_[at], within, here, done);
    done += here;
    ++at;
  }
}

std::size_t ArrowColumn::width_of(Type type) {
  switch (type) {
    case Type::i8:
    case Type::u8:
      return 1;
    case Type::i16:
    case Type::u16:
      return 2;
    case Type::i64:
    case Type::u64:
    case Type::f64:
    case Type::large_text:
      return 8;
    case Type::view:
      return 16;
    default:
      return 4;
  }
}

void ArrowColumn::expect(std::uint64_t from, std::size_t count) const {
  const std::size_t width = width_of(type_);
  each_chunk(
      from, count, [&](const Chunk& chunk, std::uint64_t within, std::size_t here, std::size_t) {
        const auto first = static_cast<std::uint64_t>(chunk.array.offset) + within;
        prefetch(static_cast<const char*>(chunk.array.buffers[1]) + width * first, width * here);
      });
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
      const char* view = static_cast<const char*>(array.buffers[1]) +
                         16 * (static_cast<std::uint64_t>(array.offset) + from);
      for (std::size_t place = 0; place < count; ++place, view += 16) {
        std::int32_t size;
        std::memcpy(&size, view, 4);
        const bool within = size >= 0 && size <= inline_view;
        const char* bytes = within ? view + 4 : bytes_of(array, view);
        if (bytes == nullptr) [[unlikely]]
          corrupt(row + place);
        out[place] = {bytes, static_cast<std::size_t>(size)};
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
                   throw InputError(Sentence("native.column-has-no-value",
                                             {{"name", Sentence(name_)},
                                              {"row", std::to_string(from + done + place + 1)}}));
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
  for (std::size_t place = 0; place < count; ++place) {
    if (out[place].empty()) [[unlikely]]
      throw InputError(
          Sentence("native.is-empty-in-row",
                   {{"name", Sentence(name_)}, {"row", std::to_string(from + place + 1)}}));
  }
}

namespace {

// The first of the values [from, end) that differs from the one at `from`.
template <class Value>
std::uint64_t same_values(const Value* values, std::uint64_t from, std::uint64_t end) {
  constexpr std::uint64_t step = 32;
  const Value first = values[from];
  std::uint64_t row = from + 1;
  for (; row + step <= end; row += step) {
    Value other{};
    for (std::uint64_t i = 0; i < step; ++i) other |= static_cast<Value>(values[row + i] ^ first);
    if (other != 0) break;
  }
  while (row < end && values[row] == first) ++row;
  return row;
}

template <class Offset>
std::uint64_t same_texts(const ArrowArray& array, std::uint64_t from, std::uint64_t end) {
  const Offset* offsets = buffer<Offset>(array, 1);
  const auto* bytes = static_cast<const char*>(array.buffers[2]);
  const Offset size = offsets[from + 1] - offsets[from];
  const char* first = bytes + offsets[from];
  std::uint64_t row = from + 1;
  while (row < end && offsets[row + 1] - offsets[row] == size &&
         (size <= 0 || same_bytes(bytes + offsets[row], first, static_cast<std::size_t>(size)))) {
    ++row;
  }
  return row;
}

std::uint64_t same_views(const ArrowArray& array, std::uint64_t from, std::uint64_t end) {
  constexpr std::uint64_t step = 16;
  const char* views = static_cast<const char*>(array.buffers[1]) + 16 * array.offset;
  const std::uint64_t one = load8(views + 16 * from);  // the size and the first bytes
  const std::uint64_t two = load8(views + 16 * from + 8);
  std::uint64_t row = from + 1;
  for (; row + step <= end; row += step) {
    std::uint64_t other = 0;
    for (const char *view = views + 16 * row, *last = view + 16 * step; view != last; view += 16)
      other |= (load8(view) ^ one) | (load8(view + 8) ^ two);
    if (other != 0) break;
  }
  const auto size = static_cast<std::int32_t>(load4(views + 16 * from));
  const char* first = size > inline_view ? bytes_of(array, views + 16 * from) : nullptr;
  for (; row < end; ++row) {
    const char* view = views + 16 * row;
    if (load8(view) != one) break;
    if (load8(view + 8) == two) continue;
    // A long text may lie in two places.
    const char* other = first != nullptr ? bytes_of(array, view) : nullptr;
    if (other == nullptr || !same_bytes(first, other, static_cast<std::size_t>(size))) break;
  }
  return row;
}

}  // namespace

std::uint64_t ArrowColumn::same_in_chunk(const Chunk& chunk, std::uint64_t from,
                                         std::uint64_t end) const {
  const ArrowArray& array = chunk.array;
  const auto values = [&]<class Value>(Value) {
    return same_values(buffer<Value>(array, 1), from, end);
  };
  switch (type_) {
    case Type::i8:
    case Type::u8:
      return values(std::uint8_t{});
    case Type::i16:
    case Type::u16:
      return values(std::uint16_t{});
    case Type::i32:
    case Type::u32:
      return values(std::uint32_t{});
    case Type::i64:
    case Type::u64:
      return values(std::uint64_t{});
    case Type::text:
      return same_texts<std::int32_t>(array, from, end);
    case Type::large_text:
      return same_texts<std::int64_t>(array, from, end);
    default:
      return same_views(array, from, end);
  }
}

std::string_view ArrowColumn::id(std::uint64_t row, Texts& texts) const {
  std::string_view found;
  ids(row, 1, &found, texts);
  return found;
}

std::uint64_t ArrowColumn::same_until(std::uint64_t from, std::uint64_t stop) const {
  Texts texts;
  std::string_view first;
  std::size_t at = chunk_of(from);
  for (std::uint64_t row = from;;) {
    const std::uint64_t end = std::min(stop, starts_[at + 1]);
    row = starts_[at] + same_in_chunk(chunks_[at], row - starts_[at], end - starts_[at]);
    if (row == stop) return row;
    // In another chunk, or under another code, the id may still be the same.
    if (row == end) {
      ++at;
    } else if (values_ == Type::none) {
      return row;
    }
    if (first.data() == nullptr) first = id(from, texts);
    if (id(row, texts) != first) return row;
  }
}

std::uint64_t ArrowColumn::last_run() const {
  std::uint64_t back = 1 << 10;
  for (;; back *= 2) {
    const std::uint64_t start = rows() > back ? rows() - back : 0;
    std::uint64_t row = start;
    for (std::uint64_t end; (end = same_until(row, rows())) < rows();) row = end;
    if (row > start || start == 0) return row;
  }
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
  if ((type_ != Type::f32 && type_ != Type::f64) || simd::finite(out, count)) return;
  for (std::size_t row = 0; row < count; ++row) {
    if (std::isfinite(out[row])) continue;
    const char* shown = std::isnan(out[row]) ? "nan" : out[row] > 0 ? "inf" : "-inf";
    throw InputError(
        Sentence(
            "native.is-not-finite-number",
            {{"name", Sentence(name_)}, {"row", std::to_string(from + row + 1)}, {"value", shown}}),
        "", 0, "native.leave-row-out");
  }
}

void ArrowColumn::integers(std::uint64_t from, std::size_t count, std::int64_t* out) const {
  each_chunk(from, count,
             [&](const Chunk& chunk, std::uint64_t within, std::size_t here, std::size_t done) {
               read_numbers(type_, chunk.array, within, here, out + done);
             });
}

}  // namespace relyon
