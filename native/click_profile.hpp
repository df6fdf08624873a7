// Attractiveness times examination, at the maximum of the likelihood: examination by Newton's steps
// on the profile likelihood, the attractiveness of each pair solved for at every step. In
// logarithms the likelihood is concave, so that there is one maximum, found from anywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "click_cells.hpp"
#include "clicks.hpp"

namespace relyon {

// Attraction is with the whole prior, its weight as if examination were known; examination is 1 in
// the first context that was met, and its change is that of its logarithm.
struct Profile : Examination {
  std::vector<double> spread;  // of each pair: standard error of log α for that of examination
};

// Newton's steps until no log examination changes by more than `tolerance`. Three hundredths of the
// prior decide between contexts, as documents of unlike contexts need not be alike; all of it is in
// the attractiveness that is then found.
Profile fit_profile(const ClickLog& log, Context kind, std::uint64_t rounds, double tolerance,
                    Prior prior);

}  // namespace relyon
