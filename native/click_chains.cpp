#include "click_chains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "parallel.hpp"

namespace relyon {

namespace {

// The parameters of one shard's pairs, and what a round learned of them.
struct Part {
  const double* attraction;
  const double* satisfaction;
  Trials* attraction_trials;
  Trials* satisfaction_trials;
  std::array<Trials, 3> going_on;
};

std::size_t last_click(std::span<const Shown> results) {
  std::size_t last = results.size();
  while (last > 0 && !results[last - 1].clicked) --last;
  return last;  // from 1; 0 for none
}

// The results from `from` on, none of them clicked, of which the first is examined with
// probability `examined`. `quiet[r]` is the probability of no click from r on, given that r is
// examined.
void learn_tail(std::span<const Shown> results, std::size_t from, double examined, double go_on,
                const std::vector<double>& quiet, double count, Part& part, Trials& trials) {
  for (std::size_t place = from; place < results.size(); ++place) {
    const std::uint32_t pair = results[place].pair;
    const double alpha = part.attraction[pair];
    part.attraction_trials[pair].learn(count, (1.0 - examined) * alpha, alpha);
    if (place + 1 == results.size()) break;
    const double goes = go_on * quiet[place + 1];
    const double all = goes + (1.0 - go_on);
    const double next = all > 0.0 ? examined * goes / all : 0.0;
    trials.add(count, examined, next);
    examined = next;
  }
}

void measure_quiet(std::span<const Shown> results, std::size_t from, double go_on,
                   const double* attraction, std::vector<double>& quiet) {
  quiet.resize(results.size() + 1);
  quiet[results.size()] = 1.0;
  for (std::size_t place = results.size(); place-- > from;) {
    const double after = place + 1 == results.size() ? 1.0 : go_on * quiet[place + 1] + 1.0 - go_on;
    quiet[place] = (1.0 - attraction[results[place].pair]) * after;
  }
}

struct Dbn {
  static constexpr bool satisfies = true;
  static void learn(std::span<const Shown> results, double count,
                    const std::array<double, 3>& rates, std::vector<double>& quiet, Part& part) {
    const double go_on = rates[0];
    Trials& trials = part.going_on[0];
    const std::size_t last = last_click(results);
    measure_quiet(results, last, go_on, part.attraction, quiet);
    for (std::size_t place = 0; place + 1 < last; ++place) {
      const Shown& result = results[place];
      part.attraction_trials[result.pair].learn(count, result.clicked, 1.0);
      if (result.clicked) part.satisfaction_trials[result.pair].learn(count, 0.0, 1.0);
      trials.add(count, 1.0, 1.0);
    }
    double examined = 1.0;
    if (last > 0) {
      const std::uint32_t pair = results[last - 1].pair;
      const double pleased = part.satisfaction[pair];
      const bool end = last == results.size();
      const double goes = end ? 0.0 : (1.0 - pleased) * go_on * quiet[last];
      const double stays = end ? 1.0 - pleased : (1.0 - pleased) * (1.0 - go_on);
      const double all = pleased + goes + stays;
      part.attraction_trials[pair].learn(count, 1.0, 1.0);
      part.satisfaction_trials[pair].learn(count, pleased / all, pleased);
      examined = goes / all;
      if (!end) trials.add(count, (goes + stays) / all, examined);
    }
    learn_tail(results, last, examined, go_on, quiet, count, part, trials);
  }
};

struct Ccm {
  static constexpr bool satisfies = false;
  static void learn(std::span<const Shown> results, double count,
                    const std::array<double, 3>& rates, std::vector<double>& quiet, Part& part) {
    const auto [skipped, unhelpful, helpful] = rates;
    const std::size_t last = last_click(results);
    measure_quiet(results, last, skipped, part.attraction, quiet);
    for (std::size_t place = 0; place + 1 < last; ++place) {
      const Shown& result = results[place];
      Trials& trials = part.attraction_trials[result.pair];
      trials.learn(count, result.clicked, 1.0);
      if (!result.clicked) {
        part.going_on[0].add(count, 1.0, 1.0);
        continue;
      }
      const double alpha = part.attraction[result.pair];
      const double all = alpha * helpful + (1.0 - alpha) * unhelpful;
      const double helped = all > 0.0 ? alpha * helpful / all : 0.0;
      trials.learn(count, helped, alpha);
      part.going_on[1].add(count, 1.0 - helped, 1.0 - helped);
      part.going_on[2].add(count, helped, helped);
    }
    double examined = 1.0;
    if (last > 0) {
      const std::uint32_t pair = results[last - 1].pair;
      const double alpha = part.attraction[pair];
      Trials& trials = part.attraction_trials[pair];
      trials.learn(count, 1.0, 1.0);
      if (last == results.size()) {
        trials.learn(count, alpha, alpha);
        return;
      }
      const double after = quiet[last];
      const double with = alpha * helpful * after, without = (1.0 - alpha) * unhelpful * after;
      const double helped = with + alpha * (1.0 - helpful);
      const double not_helped = without + (1.0 - alpha) * (1.0 - unhelpful);
      const double all = helped + not_helped;
      trials.learn(count, helped / all, alpha);
      part.going_on[1].add(count, not_helped / all, without / all);
      part.going_on[2].add(count, helped / all, with / all);
      examined = (with + without) / all;
    }
    learn_tail(results, last, examined, skipped, quiet, count, part, part.going_on[0]);
  }
};

// A fit as far as it has come.
template <class Model>
class Fit {
 public:
  Fit(const ClickLog& log, Prior prior, double begin, double going_on)
      : shards_(log.parts()),
        threads_(log.threads()),
        prior_(prior),
        fixed_(!std::isnan(going_on)),
        learned_(shards_.size()) {
    for (const ClickShard& shard : shards_) {
      const std::size_t before = starts_.back();
      starts_.push_back(before + shard.pairs());
      for (std::uint32_t pair = 0; pair < shard.pairs(); ++pair) {
        if (pair + 1 == shard.pairs() || shard.query(pair) != shard.query(pair + 1))
          ends_.push_back(before + pair + 1);
      }
    }
    const std::size_t pairs = starts_.back();
    found_.attraction.assign(pairs, begin);
    found_.attraction_trials.resize(pairs);
    if (Model::satisfies) {
      found_.satisfaction.assign(pairs, begin);
      found_.satisfaction_trials.resize(pairs);
    }
    found_.going_on.fill(fixed_ ? going_on : begin);
  }

  // So many rounds, or fewer where nothing changes any more.
  Chain run(std::uint64_t rounds) {
    while (found_.rounds < rounds) {
      advance();
      if (!fixed_ && found_.change == 0.0) break;
    }
    return std::move(found_);
  }

  // Rounds, after every second a step as far as the last two say (Varadhan and Roland, 2008), until
  // no probability changes by more than `tolerance`.
  Chain accelerate(std::uint64_t rounds, double tolerance) {
    std::vector<double> first = values(), second, third;
    double before = std::numeric_limits<double>::infinity();
    while (found_.rounds < rounds) {
      advance();
      second = values();
      double moved = 0.0;
      for (std::size_t at = 0; at < first.size(); ++at)
        moved += (second[at] - first[at]) * (second[at] - first[at]);
      if (found_.change = largest(first, second); found_.change <= tolerance) break;
      if (moved > 16.0 * before && !third.empty()) {
        // The last step was too far: the rounds go on from where it began.
        before = std::numeric_limits<double>::infinity();
        set(third);
        first = std::move(third);
        third.clear();
        continue;
      }
      before = moved;
      advance();
      third = values();
      if (found_.change = largest(second, third); found_.change <= tolerance) break;
      set(step(first, second, third));
      first = values();
    }
    return std::move(found_);
  }

 private:
  void advance() {
    each_part(shards_.size(), threads_, [&](std::size_t number) { learn(number); });
    ++found_.rounds;
    found_.change = 0.0;
    for (std::size_t which = 0; which < found_.going_on.size(); ++which) {
      if (fixed_) break;
      Trials trials;
      for (const std::array<Trials, 3>& part : learned_) trials += part[which];
      const double now = trials.rate(prior_, found_.going_on[which]);
      found_.change = std::max(found_.change, std::abs(now - found_.going_on[which]));
      found_.going_on[which] = now;
    }
  }

  // One round over the sessions of a shard.
  void learn(std::size_t number) {
    const ClickShard& shard = shards_[number];
    const std::size_t from = starts_[number], until = starts_[number + 1];
    std::fill(found_.attraction_trials.begin() + static_cast<std::ptrdiff_t>(from),
              found_.attraction_trials.begin() + static_cast<std::ptrdiff_t>(until), Trials{});
    Part part{found_.attraction.data() + from,
              nullptr,
              found_.attraction_trials.data() + from,
              nullptr,
              {}};
    if (Model::satisfies) {
      part.satisfaction = found_.satisfaction.data() + from;
      part.satisfaction_trials = found_.satisfaction_trials.data() + from;
      std::fill(part.satisfaction_trials, part.satisfaction_trials + (until - from), Trials{});
    }
    std::vector<double> quiet;
    for (std::size_t pattern = 0; pattern < shard.patterns(); ++pattern) {
      Model::learn(shard.pattern(pattern), static_cast<double>(shard.count(pattern)),
                   found_.going_on, quiet, part);
    }
    for (std::size_t pair = from; pair < until; ++pair) {
      found_.attraction[pair] =
          found_.attraction_trials[pair].rate(prior_, found_.attraction[pair]);
      if (Model::satisfies)
        found_.satisfaction[pair] =
            found_.satisfaction_trials[pair].rate(prior_, found_.satisfaction[pair]);
    }
    learned_[number] = part.going_on;
  }

  std::vector<double> values() const {
    std::vector<double> out = found_.attraction;
    out.insert(out.end(), found_.satisfaction.begin(), found_.satisfaction.end());
    out.insert(out.end(), found_.going_on.begin(), found_.going_on.end());
    return out;
  }

  void set(const std::vector<double>& values) {
    auto from = values.begin();
    for (auto* part : {&found_.attraction, &found_.satisfaction}) {
      std::copy(from, from + static_cast<std::ptrdiff_t>(part->size()), part->begin());
      from += static_cast<std::ptrdiff_t>(part->size());
    }
    std::copy(from, values.end(), found_.going_on.begin());
  }

  static double largest(const std::vector<double>& one, const std::vector<double>& other) {
    double out = 0.0;
    for (std::size_t at = 0; at < one.size(); ++at)
      out = std::max(out, std::abs(one[at] - other[at]));
    return out;
  }

  // Of the values from `from` to `until`: how far a round goes, and how far the next one turns.
  struct Turn {
    double moved = 0.0;
    double bent = 0.0;

    void add(double first, double second, double third) {
      moved += (second - first) * (second - first);
      bent += (third - 2.0 * second + first) * (third - 2.0 * second + first);
    }
  };

  // Queries have steps of their own: what they share alone connects them. A probability that a step
  // would take to 0 or 1 or beyond stays as the rounds left it.
  std::vector<double> step(const std::vector<double>& first, const std::vector<double>& second,
                           const std::vector<double>& third) const {
    std::vector<double> out = third;
    const std::size_t pairs = found_.attraction.size();
    const auto go = [&](std::size_t at, double size) {
      const double turn = third[at] - 2.0 * second[at] + first[at];
      const double there = first[at] + 2.0 * size * (second[at] - first[at]) + size * size * turn;
      if (there > 0.0 && there < 1.0) out[at] = there;
    };
    const auto size_of = [](const Turn& turn) {
      return turn.bent > 0.0 ? std::sqrt(turn.moved / turn.bent) : 1.0;
    };
    for (std::size_t query = 0, from = 0; query < ends_.size(); from = ends_[query++]) {
      Turn turn;
      for (std::size_t at = from; at < ends_[query]; ++at) {
        turn.add(first[at], second[at], third[at]);
        if (Model::satisfies) turn.add(first[pairs + at], second[pairs + at], third[pairs + at]);
      }
      const double size = size_of(turn);
      if (!(size > 1.0)) continue;
      for (std::size_t at = from; at < ends_[query]; ++at) {
        go(at, size);
        if (Model::satisfies) go(pairs + at, size);
      }
    }
    Turn turn;
    const std::size_t shared = out.size() - found_.going_on.size();
    for (std::size_t at = shared; at < out.size(); ++at) turn.add(first[at], second[at], third[at]);
    const double size = size_of(turn);
    for (std::size_t at = shared; size > 1.0 && at < out.size(); ++at) go(at, size);
    return out;
  }

  const std::vector<ClickShard>& shards_;
  const int threads_;
  const Prior prior_;
  const bool fixed_;
  std::vector<std::size_t> starts_{0};
  std::vector<std::size_t> ends_;  // of the pairs of each query
  Chain found_;
  std::vector<std::array<Trials, 3>> learned_;
};

template <class Model>
Chain fit(const ClickLog& log, std::uint64_t rounds, double tolerance, Prior prior, double begin,
          double going_on) {
  Fit<Model> fit(log, prior, begin, going_on);
  return tolerance > 0.0 ? fit.accelerate(rounds, tolerance) : fit.run(rounds);
}

}  // namespace

Chain fit_chain(const ClickLog& log, ChainKind kind, std::uint64_t rounds, double tolerance,
                Prior prior, double begin, double going_on) {
  return kind == ChainKind::dbn ? fit<Dbn>(log, rounds, tolerance, prior, begin, going_on)
                                : fit<Ccm>(log, rounds, tolerance, prior, begin, going_on);
}

}  // namespace relyon
