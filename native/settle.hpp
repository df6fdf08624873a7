// Rounds of expectation maximisation, fewer of them: Varadhan and Roland (2008).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace relyon {

// How a fit ended: by how much a probability would still change at most, as far as its last steps
// say, and how many rounds there were.
struct Settled {
  double change = 0.0;
  std::uint64_t rounds = 0;
};

// Probabilities that a cheap round moves nearer to where they stay.
class Settling {
 public:
  std::vector<double> values;

  // Calls `round`, which moves `values`, and after every second one goes as far as the last two
  // say, until no value would change by more than `tolerance`, or for so many rounds.
  template <class Round>
  Settled run(std::uint64_t rounds, double tolerance, const Round& round) {
    Settled out{std::numeric_limits<double>::infinity(), 0};
    double before = std::numeric_limits<double>::infinity();
    first_ = values;
    third_.clear();
    while (out.rounds < rounds) {
      round();
      ++out.rounds;
      second_ = values;
      double moved = 0.0;
      for (std::size_t at = 0; at < values.size(); ++at)
        moved += (second_[at] - first_[at]) * (second_[at] - first_[at]);
      if (moved > 16.0 * before && !third_.empty()) {
        // The last step was too far: the rounds go on from where it began.
        before = std::numeric_limits<double>::infinity();
        values = third_;
        first_ = std::move(third_);
        third_.clear();
        continue;
      }
      before = moved;
      round();
      ++out.rounds;
      third_ = values;
      // Each round goes a part of the way of the one before it: all rounds together go `size` times
      // as far as one.
      const double size = size_of_step(moved);
      out.change = 0.0;
      for (std::size_t at = 0; at < values.size(); ++at)
        out.change = std::max(out.change, size * std::abs(third_[at] - second_[at]));
      if (out.change <= tolerance) break;
      step(size);
      first_ = values;
    }
    return out;
  }

 private:
  double turn(std::size_t at) const { return third_[at] - 2.0 * second_[at] + first_[at]; }

  double size_of_step(double moved) const {
    double bent = 0.0;
    for (std::size_t at = 0; at < values.size(); ++at) bent += turn(at) * turn(at);
    return bent > 0.0 ? std::max(std::sqrt(moved / bent), 1.0) : 1.0;
  }

  // Goes on from the last three. A probability that would come to 0 or 1 or beyond stays.
  void step(double size) {
    if (!(size > 1.0)) return;
    for (std::size_t at = 0; at < values.size(); ++at) {
      const double there =
          first_[at] + 2.0 * size * (second_[at] - first_[at]) + size * size * turn(at);
      if (there > 0.0 && there < 1.0) values[at] = there;
    }
  }

  std::vector<double> first_, second_, third_;
};

}  // namespace relyon
