// CSV and TSV: fields between separators, quoted where need be, a first row of names.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "scan_table.hpp"

namespace relyon {

class Delimited final : public TableFormat {
 public:
  static constexpr std::uint32_t absent = 0xffffffff;

  // Columns by role, from 0.
  struct Places {
    std::uint32_t query, document, score, rank;
  };

  // Throws InputError for a place that is not there.
  Delimited(char separator, std::uint32_t width, Places places);

  const char* first_row(Window& window) const override;
  void scan(TableScanner& scanner, const char* row) const override;

  // A field as it is in the window; `doubled`: it contains doubled quotes.
  struct Field {
    const char* from;
    std::uint32_t size;
    bool doubled;
  };

  // Any row at all: false where it ends beyond the window. `next` is where the one after it begins.
  bool split(const Window& window, const char* row, std::vector<Field>& fields,
             const char*& next) const;

  // What `split` found, as values of a run; doubled quotes are undone in the window.
  TableRow values(Window& window, const std::vector<Field>& fields) const;

  const char separator;
  const std::uint32_t width;
  const Places at;
};

}  // namespace relyon
