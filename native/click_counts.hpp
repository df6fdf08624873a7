// What the models in closed form count: impressions and clicks of each pair and each position.
#pragma once

#include <cstdint>
#include <vector>

#include "clicks.hpp"

namespace relyon {

struct DocumentCounts {
  std::vector<std::uint64_t> shown;
  std::vector<std::uint64_t> clicks;
  std::vector<double> expected;             // clicks, had each position its own rate
  std::vector<std::uint64_t> first_shown;   // no click above
  std::vector<std::uint64_t> first_clicks;  // ... and clicked
  std::vector<std::uint64_t> above;         // at or above the last click; all without a click
  std::vector<std::uint64_t> last_clicks;
};

struct RankCounts {
  std::vector<std::uint64_t> shown;
  std::vector<std::uint64_t> clicks;
  std::vector<std::uint64_t> followed;  // clicks after which there was another
};

struct ClickCounts {
  DocumentCounts documents;
  RankCounts ranks;
};

ClickCounts count_clicks(const ClickLog& log);

}  // namespace relyon
