// JSON Lines: one object a line, its members in any order, whatever else it holds.
#pragma once

#include <optional>
#include <string>

#include "scan_table.hpp"

namespace relyon {

class JsonLines final : public TableFormat {
 public:
  // Names of members by role.
  struct Keys {
    std::string query;
    std::string document;
    std::optional<std::string> score;
    std::optional<std::string> rank;
  };

  explicit JsonLines(Keys keys);

  const char* first_row(Window& window) const override;
  void scan(TableScanner& scanner, const char* row) const override;

 private:
  Keys keys_;
};

}  // namespace relyon
