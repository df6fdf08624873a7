// Models of a user who goes down the list: what was examined below the last click is hidden. Fitted
// by expectation maximisation over distinct sessions, the hidden part summed out exactly.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "click_cells.hpp"
#include "clicks.hpp"

namespace relyon {

// Trials and successes of a probability; expected ones, where they are hidden.
struct Trials {
  double shown = 0.0;
  double done = 0.0;
  double known = 0.0;  // trials whose outcome is seen that would say as much

  void add(double count, double of, double share) {
    shown += count * of;
    done += count * share;
  }
  // A trial that succeeded with probability `share`, where it would with `rate` if nothing were
  // known of it: what is hidden of its outcome is missing information (Louis, 1982).
  void know(double count, double share, double rate) {
    const double hidden = share * (1.0 - share);
    if (hidden == 0.0) {
      known += count;
    } else if (hidden < rate * (1.0 - rate)) {
      known += count * (1.0 - hidden / (rate * (1.0 - rate)));
    }
  }
  Trials& operator+=(const Trials& other) {
    shown += other.shown;
    done += other.done;
    return *this;
  }
  // What was believed `before` stays where nothing was tried.
  double rate(Prior prior, double before) const {
    const double tried = prior.shown + shown;
    return tried > 0.0 ? (prior.clicks + done) / tried : before;
  }
};

// Attractiveness of a pair; satisfaction of a pair, where the model has it; and up to three
// probabilities of going on: DBN has one, CCM one after a skip, one after a click on what did not
// help, one after a click on what did.
struct Chain {
  std::vector<double> attraction;
  std::vector<double> satisfaction;
  std::array<double, 3> going_on{};
  std::vector<Trials> attraction_trials;
  std::vector<Trials> satisfaction_trials;
  double change = 0.0;       // the largest of a probability, in the last step
  std::uint64_t rounds = 0;  // of the query that had most
};

enum class ChainKind { dbn, ccm };

// `going_on` fixes every probability of going on; NaN leaves them to the log.
Chain fit_chain(const ClickLog& log, ChainKind kind, std::uint64_t rounds, double tolerance,
                Prior prior, double begin, double going_on);

}  // namespace relyon
