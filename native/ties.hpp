// The rules for documents with equal scores: one row each, which Python reads, too.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace relyon {

enum class Ties { doc_desc, doc_asc, input, input_desc, rank, expected, worst, best };

// What a rule compares: ids, the order of the input, the run's rank column, or grades, which leave
// the order of equal ones open. Any other key is one of ids.
enum class TieKey { document, input, rank, grade };

struct TieRule {
  Ties rule;
  const char* name;
  TieKey key;
  const char* key_name;
  bool descending;
};

// In the order of `Ties`. `expected` is the mean over all orders: the one here decides last bits.
inline constexpr std::array<TieRule, 8> tie_rules{{
    {Ties::doc_desc, "doc-desc", TieKey::document, "document", true},
    {Ties::doc_asc, "doc-asc", TieKey::document, "document", false},
    {Ties::input, "input", TieKey::input, "input", false},
    {Ties::input_desc, "input-desc", TieKey::input, "input", true},
    {Ties::rank, "rank", TieKey::rank, "rank", false},
    {Ties::expected, "expected", TieKey::grade, "grade", true},
    {Ties::worst, "worst", TieKey::grade, "grade", false},
    {Ties::best, "best", TieKey::grade, "grade", true},
}};

constexpr const TieRule& tie_rule(Ties rule) { return tie_rules[static_cast<std::size_t>(rule)]; }

static_assert([] {
  for (std::size_t place = 0; place < tie_rules.size(); ++place) {
    if (tie_rules[place].rule != static_cast<Ties>(place)) return false;
  }
  return true;
}());

// Compares two ids by a key: below 0 where the first comes first in ascending order.
inline int compare_ids(TieKey, std::string_view one, std::string_view other) {
  return one.compare(other);
}

// Whether a rule puts one id before another.
inline bool id_before(const TieRule& rule, std::string_view one, std::string_view other) {
  const int sign = compare_ids(rule.key, one, other);
  return rule.descending ? sign > 0 : sign < 0;
}

}  // namespace relyon
