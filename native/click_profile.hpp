// Attractiveness times examination, at the maximum of the likelihood: examination by Newton's steps
// on the profile likelihood, the attractiveness of each pair solved for at every step. In
// logarithms the likelihood is concave, so that there is one maximum, found from anywhere.
#pragma once

#include <cstdint>
#include <vector>

#include "click_cells.hpp"
#include "clicks.hpp"

namespace relyon {

struct Profile {
  std::vector<double> attraction;   // of each pair, with the whole prior
  std::vector<double> weight;       // of each pair, as if examination were known
  std::vector<double> spread;       // of each pair: standard error of log α for that of examination
  std::vector<double> examination;  // of each context; 1 where it is the first that was met
  std::vector<std::uint64_t> shown;  // how often each context was met
  double log_likelihood = 0.0;
  double change = 0.0;  // the largest of a log examination, in the last round
  std::uint64_t rounds = 0;
};

// Newton's steps until no log examination changes by more than `tolerance`. Three hundredths of the
// prior decide between contexts, as documents of unlike contexts need not be alike; all of it is in
// the attractiveness that is then found.
Profile fit_profile(const ClickLog& log, Context kind, std::uint64_t rounds, double tolerance,
                    Prior prior);

}  // namespace relyon
