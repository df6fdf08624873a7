#include "delimited.hpp"

#include <algorithm>
#include <cstring>

#include "error.hpp"
#include "lanes.hpp"
#include "utf8.hpp"

namespace relyon {

Delimited::Delimited(char between, std::uint32_t fields, Places places)
    : TableFormat({places.score != absent, places.rank != absent}),
      separator(between),
      width(fields),
      at(places) {
  const auto there = [&](std::uint32_t place) { return place < width || place == absent; };
  if (at.query >= width || at.document >= width || !there(at.score) || !there(at.rank) ||
      (at.score == absent && at.rank == absent)) {
    throw InputError("native.there-is-no");
  }
}

bool Delimited::split(const Window& window, const char* row, std::vector<Field>& fields,
                      const char*& next) const {
  fields.clear();
  const char* const end = window.end();
  const char* p = row;
  for (;;) {
    if (p == end && !window.ended()) return false;
    Field field{p, 0, false};
    if (p != end && *p == '"') {
      field.from = ++p;
      for (;; p += 2, field.doubled = true) {
        p = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
        if (p == nullptr || end - p < 3) {  // what follows the quote may be beyond the window
          if (!window.ended()) return false;
          if (p == nullptr) throw Unlike{};
        }
        if (p + 1 == end || p[1] != '"') break;
      }
      field.size = static_cast<std::uint32_t>(p - field.from);
      ++p;
      if (end - p >= 2 && p[0] == '\r' && p[1] == '\n') ++p;
    } else {
      while (p != end && *p != separator && *p != '\n') {
        if (*p == '"') throw Unlike{};
        ++p;
      }
      if (p == end && !window.ended()) return false;
      const bool ends_in_return = p != end && *p == '\n' && p != field.from && p[-1] == '\r';
      field.size = static_cast<std::uint32_t>(p - field.from) - ends_in_return;
    }
    if (std::memchr(field.from, '\r', field.size) || std::memchr(field.from, '\0', field.size))
      throw Unlike{};
    fields.push_back(field);
    if (fields.size() > width) throw Unlike{};
    if (p == end || *p == '\n') break;
    if (*p != separator) throw Unlike{};
    ++p;
  }
  next = p == end ? p : p + 1;
  if (!is_utf8(row, static_cast<std::size_t>(p - row))) throw Unlike{};
  return true;
}

namespace {

// The text of a field; doubled quotes are undone in the window.
std::string_view text_of(Window& window, const Delimited::Field& field) {
  if (!field.doubled) return {field.from, field.size};
  char* const begin = window.writable(field.from);
  char* to = begin;
  for (const char* p = begin; p != field.from + field.size; ++p) {
    *to++ = *p;
    if (*p == '"') ++p;
  }
  return {begin, static_cast<std::size_t>(to - begin)};
}

// An apostrophe may hide a formula from spreadsheets; readers take it off.
std::string_view shown(std::string_view id) {
  for (std::size_t at = id.find('\''); at != std::string_view::npos; at = id.find('\'', at + 1)) {
    constexpr std::string_view signs = "'=+-@\t\r\n\xef";  // \xef: the first byte of wide ones
    if (at + 1 < id.size() && signs.find(id[at + 1]) != std::string_view::npos) throw Unlike{};
  }
  return id;
}

}  // namespace

TableRow Delimited::values(Window& window, const std::vector<Field>& fields) const {
  if (fields.size() != width) throw Unlike{};
  const auto text = [&](std::uint32_t place) { return text_of(window, fields[place]); };
  TableRow row{shown(text(at.query)), shown(text(at.document)), {}, {}};
  if (at.score != absent) row.score = text(at.score);
  if (at.rank != absent) row.rank = text(at.rank);
  return row;
}

const char* Delimited::first_row(Window& window) const {
  std::vector<Field> fields;
  for (;;) {
    const std::string_view text(window.begin(),
                                static_cast<std::size_t>(window.end() - window.begin()));
    const char* const header = window.begin() + (text.starts_with("\xef\xbb\xbf") ? 3 : 0);
    const char* next = nullptr;
    if (split(window, header, fields, next)) {
      if (fields.size() != width) throw Unlike{};
      return next;
    }
    refuse_long_line(text.size());
    window.refill(window.begin());
  }
}

namespace {

// A bit for each place with an odd number of quotes up to it: from an opening quote to before the
// closing one.
inline std::uint64_t odd_before(std::uint64_t quotes) {
  for (int shift = 1; shift < 64; shift *= 2) quotes ^= quotes << shift;
  return quotes;
}

// Whether all quotes stand in pairs around whole fields with no separator in them, for the last
// stretch of a line. A field may begin at its first byte (`begun`); the line ends before `end`.
inline bool around_fields(std::uint64_t quotes, std::uint64_t between, std::uint64_t begun,
                          std::uint64_t end, std::uint64_t line) {
  const std::uint64_t opening = quotes & (between << 1 | begun);
  const std::uint64_t closing = quotes & ((between | end) >> 1);
  // The difference has the bits from each opening quote to the closing one. Unpaired, it has
  // that of a separator or of the end as well.
  const std::uint64_t within = (closing << 1) - opening;
  return (opening ^ closing) == quotes && (within & (between | end | ~line)) == 0;
}

#define RELYON_LOOP "delimited.inc"
#include "each_lanes.inc"

}  // namespace

void Delimited::scan(TableScanner& scanner, const char* row) const {
  best_loop()(scanner, *this, row);
}

}  // namespace relyon
