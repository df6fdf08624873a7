// Walking a view tie group by tie group.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "query.hpp"

namespace relkit {

// Ranks that count: all of the list for k = 0.
inline std::uint32_t depth_of(std::uint32_t k, const QueryView& query) {
  const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(query.retrieved, 0xffffffffu));
  return k == 0 ? size : k;
}

// Calls visit(first, last, judged members) for every group of equal scores that holds one.
template <class Visit>
void each_group(const QueryView& query, const Visit& visit) {
  for (std::size_t start = 0; start < query.ranked.size();) {
    std::size_t end = start + 1;
    while (end < query.ranked.size() && query.ranked[end].first == query.ranked[start].first) ++end;
    visit(query.ranked[start].first, query.ranked[start].last, query.ranked.subspan(start, end - start));
    start = end;
  }
}

// The same where ties are averaged over; elsewhere each document is a group of its own.
template <class Visit>
void each_group_or_document(const QueryView& query, bool expected, const Visit& visit) {
  if (expected) {
    each_group(query, visit);
    return;
  }
  for (std::size_t place = 0; place < query.ranked.size(); ++place) {
    const std::uint32_t rank = query.ranked[place].rank;
    visit(rank, rank, query.ranked.subspan(place, 1));
  }
}

}  // namespace relkit
