// A few probabilities that a costly round moves, not quite exactly: Anderson (1965), Walker and Ni
// (2011).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "settle.hpp"
#include "symmetric.hpp"

namespace relyon {

// Probabilities that a round moves nearer to where they stay. From how the last rounds differed it
// is told where they would lead: a step goes there. Near the end a step so leaves a small part of
// what it goes itself, as one of Newton's does, where a round may leave nearly all of it.
class Secants {
 public:
  std::vector<double> values;

  // Calls `round`, which moves `values`, until a step changes no value by more than `tolerance`, or
  // for so many rounds.
  template <class Round>
  Settled run(std::uint64_t rounds, double tolerance, const Round& round) {
    Settled out{std::numeric_limits<double>::infinity(), 0};
    double before = std::numeric_limits<double>::infinity();
    std::size_t patience = 1, plain = 0;
    bool stepped = false;
    forget();
    while (out.rounds < rounds) {
      from_ = values;
      round();
      ++out.rounds;
      const double left = measure();
      if (left > 4.0 * before && stepped) {
        // The last step was too far: the rounds go on from where it began, more of them before the
        // next one.
        values = reached_;
        forget();
        before = std::numeric_limits<double>::infinity();
        patience = std::min(2 * patience, longest);
        plain = 0;
        stepped = false;
        continue;
      }
      before = left;
      remember();
      if (stepped = ++plain > patience && known_ > 0; stepped) step();
      out.change = 0.0;
      for (std::size_t at = 0; at < values.size(); ++at)
        out.change = std::max(out.change, std::abs(values[at] - from_[at]));
      if (left <= noise * std::sqrt(static_cast<double>(values.size())) ||
          (stepped && known_ >= enough() && out.change <= tolerance))
        break;
    }
    return out;
  }

 private:
  static constexpr std::size_t most = 4;     // rounds that are compared
  static constexpr std::size_t longest = 8;  // rounds before a step
  static constexpr double noise = 1e-15;     // of a value that stays
  // Of squares: what is not told apart from the rounds before.
  static constexpr double ridge = 1e-12;

  // Rounds that have to be compared before a small step is believed.
  std::size_t enough() const { return std::min(most, values.size()); }

  void forget() {
    known_ = next_ = 0;
    begun_ = false;
  }

  // How far the round went, and the length of that.
  double measure() {
    went_.resize(values.size());
    double squares = 0.0;
    for (std::size_t at = 0; at < values.size(); ++at) {
      went_[at] = values[at] - from_[at];
      squares += went_[at] * went_[at];
    }
    return std::sqrt(squares);
  }

  // Keeps how this round differed from the one before it, in units of how the ways differed.
  void remember() {
    if (begun_) {
      std::vector<double>& turn = turns_[next_];
      std::vector<double>& gain = gains_[next_];
      turn.resize(values.size());
      gain.resize(values.size());
      double squares = 0.0;
      for (std::size_t at = 0; at < values.size(); ++at) {
        turn[at] = went_[at] - way_[at];
        gain[at] = values[at] - reached_[at];
        squares += turn[at] * turn[at];
      }
      if (squares > 0.0) {
        const double unit = 1.0 / std::sqrt(squares);
        for (std::size_t at = 0; at < values.size(); ++at) {
          turn[at] *= unit;
          gain[at] *= unit;
        }
        const std::size_t room = std::min(most, values.size());
        next_ = (next_ + 1) % room;
        known_ = std::min(known_ + 1, room);
      }
    }
    begun_ = true;
    std::swap(way_, went_);
    reached_ = values;
  }

  static double product(const std::vector<double>& one, const std::vector<double>& other) {
    double sum = 0.0;
    for (std::size_t at = 0; at < one.size(); ++at) sum += one[at] * other[at];
    return sum;
  }

  // To where the ways cancel, as far as the turns known can make them. A probability that would
  // come to 0 or 1 or beyond stays where the round left it.
  void step() {
    squares_.resize(known_ * known_);
    shares_.resize(known_);
    for (std::size_t one = 0; one < known_; ++one) {
      for (std::size_t other = 0; other <= one; ++other)
        squares_[one * known_ + other] = squares_[other * known_ + one] =
            product(turns_[one], turns_[other]);
      squares_[one * known_ + one] += ridge;
      shares_[one] = product(turns_[one], way_);
    }
    factorise(squares_, known_);
    solve(squares_, known_, shares_);
    for (std::size_t at = 0; at < values.size(); ++at) {
      double there = values[at];
      for (std::size_t one = 0; one < known_; ++one) there -= shares_[one] * gains_[one][at];
      if (there > 0.0 && there < 1.0) values[at] = there;
    }
  }

  std::vector<double> from_;     // where the round began
  std::vector<double> went_;     // how far it went
  std::vector<double> way_;      // the same of the last round that is kept
  std::vector<double> reached_;  // where that led
  std::array<std::vector<double>, most> turns_;
  std::array<std::vector<double>, most> gains_;
  std::vector<double> squares_;
  std::vector<double> shares_;
  std::size_t known_ = 0;
  std::size_t next_ = 0;
  bool begun_ = false;
};

}  // namespace relyon
