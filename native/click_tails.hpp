// Sessions as users who go down a list leave them: what is seen down to the last click, counted by
// pair, and the results below it, whose ends many sessions share.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "clicks.hpp"

namespace relyon {

struct Tails {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  // A result below the last click, and the tail below it; none at the end of the list.
  struct Tail {
    std::uint32_t pair;
    std::uint32_t next;
  };
  // How many sessions had this last click, or none, and this tail below it, or none.
  struct Start {
    std::uint32_t clicked;
    std::uint32_t tail;
    double count;
  };
  // Where a query ends, which shares no pair with others.
  struct Ends {
    std::size_t pairs = 0;
    std::size_t tails = 0;
    std::size_t starts = 0;
  };
  // Of each pair, above the last click: how often it was skipped, and how often clicked.
  std::vector<double> skipped;
  std::vector<double> followed;
  std::vector<Tail> tails;  // each after that below it
  std::vector<Start> starts;
  std::vector<Ends> queries;

  Ends whole() const { return {skipped.size(), tails.size(), starts.size()}; }
};

Tails count_tails(const ClickShard& shard);

}  // namespace relyon
