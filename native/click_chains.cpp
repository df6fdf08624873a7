#include "click_chains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "click_tails.hpp"
#include "parallel.hpp"

namespace relyon {

namespace {

// The last click of a session, as far as what follows is known: how likely it pleased (DBN) or
// helped (CCM), and how likely the first result below it is examined.
struct Ending {
  double share = 0.0;
  double examined = 0.0;
  std::array<Trials, 3> going_on{};
};

// `own` is the pair's own probability; `quiet` that of no click below, given that the result below
// is examined. A list that ends with the click has no `quiet`.
struct Dbn {
  static constexpr bool satisfies = true;

  static Ending end(double own, const std::array<double, 3>& rates, const double* quiet) {
    const double goes = quiet ? (1.0 - own) * rates[0] * *quiet : 0.0;
    const double stays = quiet ? (1.0 - own) * (1.0 - rates[0]) : 1.0 - own;
    const double all = own + goes + stays;
    Ending out{own / all, goes / all, {}};
    if (quiet) out.going_on[0].add(1.0, (goes + stays) / all, out.examined);
    return out;
  }
};

struct Ccm {
  static constexpr bool satisfies = false;

  // How likely a click helped after which the user went on.
  static double helped(double own, const std::array<double, 3>& rates) {
    const double with = own * rates[2], all = with + (1.0 - own) * rates[1];
    return all > 0.0 ? with / all : 0.0;
  }

  static Ending end(double own, const std::array<double, 3>& rates, const double* quiet) {
    if (!quiet) return {own, 0.0, {}};
    const double with = own * rates[2] * *quiet, without = (1.0 - own) * rates[1] * *quiet;
    const double helped = with + own * (1.0 - rates[2]);
    const double not_helped = without + (1.0 - own) * (1.0 - rates[1]);
    const double all = helped + not_helped;
    Ending out{helped / all, (with + without) / all, {}};
    out.going_on[1].add(1.0, not_helped / all, without / all);
    out.going_on[2].add(1.0, helped / all, with / all);
    return out;
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
        tails_(shards_.size()),
        work_(shards_.size()),
        learned_(shards_.size()) {
    each_part(shards_.size(), threads_,
              [&](std::size_t shard) { tails_[shard] = count_tails(shards_[shard]); });
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
    return finish();
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
    return finish();
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

  // What is needed of one shard in a round: by tail, the probability of no click in it, given that
  // its first result is examined, and of its sessions, how many came and how many examined it.
  struct Work {
    std::vector<double> quiet;
    std::vector<double> came;
    std::vector<double> examined;
  };

  // The share of those who examine a tail's first result, and click on none, that go on.
  double ratio(const Tails::Tail& tail, const std::vector<double>& quiet) const {
    const double goes = found_.going_on[0] * quiet[tail.next];
    const double all = goes + (1.0 - found_.going_on[0]);
    return all > 0.0 ? goes / all : 0.0;
  }

  void measure_quiet(const Tails& tails, const double* attraction, Work& work) const {
    const double on = found_.going_on[0];
    work.quiet.resize(tails.tails.size());
    for (std::size_t at = 0; at < tails.tails.size(); ++at) {
      const auto [pair, next] = tails.tails[at];
      const double after = next == Tails::none ? 1.0 : on * work.quiet[next] + 1.0 - on;
      work.quiet[at] = (1.0 - attraction[pair]) * after;
    }
  }

  Ending end_of(const Tails::Start& start, const double* own, const Work& work) const {
    return Model::end(own[start.clicked], found_.going_on,
                      start.tail == Tails::none ? nullptr : &work.quiet[start.tail]);
  }

  // One round over the sessions of a shard.
  void learn(std::size_t number) {
    const std::size_t from = starts_[number], until = starts_[number + 1];
    const Tails& tails = tails_[number];
    Work& work = work_[number];
    const double* attraction = found_.attraction.data() + from;
    Trials* seen = found_.attraction_trials.data() + from;
    // Of the pairs' own probabilities that decide whether a click is the last one.
    const double* own = Model::satisfies ? found_.satisfaction.data() + from : attraction;
    Trials* pleased = Model::satisfies ? found_.satisfaction_trials.data() + from : seen;
    std::array<Trials, 3> going_on{};
    measure_quiet(tails, attraction, work);
    for (std::size_t pair = 0; pair < until - from; ++pair) {
      const double skipped = tails.skipped[pair], followed = tails.followed[pair];
      seen[pair] = {skipped + followed, followed, 0.0};
      if constexpr (Model::satisfies) {
        pleased[pair] = {followed, 0.0, 0.0};
        going_on[0].add(skipped + followed, 1.0, 1.0);
      } else {
        const double helped = Model::helped(attraction[pair], found_.going_on);
        seen[pair].add(followed, 1.0, helped);
        going_on[0].add(skipped, 1.0, 1.0);
        going_on[1].add(followed, 1.0 - helped, 1.0 - helped);
        going_on[2].add(followed, helped, helped);
      }
    }
    work.came.assign(tails.tails.size(), 0.0);
    work.examined.assign(tails.tails.size(), 0.0);
    for (const Tails::Start& start : tails.starts) {
      double examined = 1.0;
      if (start.clicked != Tails::none) {
        const Ending ending = end_of(start, own, work);
        seen[start.clicked].add(start.count, 1.0, 1.0);
        pleased[start.clicked].add(start.count, 1.0, ending.share);
        for (std::size_t which = 0; which < going_on.size(); ++which) {
          const Trials& once = ending.going_on[which];
          going_on[which].add(start.count, once.shown, once.done);
        }
        examined = ending.examined;
      }
      if (start.tail == Tails::none) continue;
      work.came[start.tail] += start.count;
      work.examined[start.tail] += start.count * examined;
    }
    for (std::size_t at = tails.tails.size(); at-- > 0;) {
      const Tails::Tail& tail = tails.tails[at];
      const double came = work.came[at], examined = work.examined[at];
      seen[tail.pair].add(1.0, came, (came - examined) * attraction[tail.pair]);
      if (tail.next == Tails::none) continue;
      const double next = examined * ratio(tail, work.quiet);
      going_on[0].add(1.0, examined, next);
      work.came[tail.next] += came;
      work.examined[tail.next] += next;
    }
    for (std::size_t pair = from; pair < until; ++pair) {
      found_.attraction[pair] =
          found_.attraction_trials[pair].rate(prior_, found_.attraction[pair]);
      if (Model::satisfies)
        found_.satisfaction[pair] =
            found_.satisfaction_trials[pair].rate(prior_, found_.satisfaction[pair]);
    }
    learned_[number] = going_on;
  }

  // The fit, with what is known of each trial's outcome.
  Chain finish() {
    each_part(shards_.size(), threads_, [&](std::size_t number) { know(number); });
    return std::move(found_);
  }

  void know(std::size_t number) {
    const std::size_t from = starts_[number], until = starts_[number + 1];
    const Tails& tails = tails_[number];
    Work& work = work_[number];
    const double* attraction = found_.attraction.data() + from;
    Trials* seen = found_.attraction_trials.data() + from;
    const double* own = Model::satisfies ? found_.satisfaction.data() + from : attraction;
    Trials* pleased = Model::satisfies ? found_.satisfaction_trials.data() + from : seen;
    measure_quiet(tails, attraction, work);
    for (std::size_t pair = 0; pair < until - from; ++pair) {
      seen[pair].known += tails.skipped[pair] + tails.followed[pair];
      if constexpr (Model::satisfies) {
        pleased[pair].known += tails.followed[pair];
      } else {
        seen[pair].know(tails.followed[pair], Model::helped(attraction[pair], found_.going_on),
                        attraction[pair]);
      }
    }
    for (const Tails::Start& start : tails.starts) {
      double examined = 1.0;
      if (start.clicked != Tails::none) {
        const Ending ending = end_of(start, own, work);
        seen[start.clicked].known += start.count;
        pleased[start.clicked].know(start.count, ending.share, own[start.clicked]);
        examined = ending.examined;
      }
      for (std::uint32_t at = start.tail; at != Tails::none; at = tails.tails[at].next) {
        const Tails::Tail& tail = tails.tails[at];
        const double alpha = attraction[tail.pair];
        seen[tail.pair].know(start.count, (1.0 - examined) * alpha, alpha);
        if (tail.next != Tails::none) examined *= ratio(tail, work.quiet);
      }
    }
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
  std::vector<Tails> tails_;
  std::vector<Work> work_;
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
