#include "click_chains.hpp"

#include <algorithm>
#include <cmath>

#include "click_tails.hpp"
#include "parallel.hpp"
#include "secants.hpp"
#include "settle.hpp"

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
  static constexpr std::size_t shared = 1;  // probabilities of going on

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
  static constexpr std::size_t shared = 3;

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
        work_(shards_.size()) {
    each_part(shards_.size(), threads_, [&](std::size_t shard) {
      tails_[shard] = count_tails(shards_[shard]);
      work_[shard].rounds.assign(tails_[shard].queries.size(), 0);
    });
    for (const ClickShard& shard : shards_) starts_.push_back(starts_.back() + shard.pairs());
    const std::size_t pairs = starts_.back();
    found_.attraction.assign(pairs, begin);
    found_.attraction_trials.resize(pairs);
    if (Model::satisfies) {
      found_.satisfaction.assign(pairs, begin);
      found_.satisfaction_trials.resize(pairs);
    }
    found_.going_on.fill(fixed_ ? going_on : begin);
  }

  // So many rounds of all queries together.
  Chain run(std::uint64_t rounds) {
    while (found_.rounds < rounds) {
      each_part(shards_.size(), threads_, [&](std::size_t number) {
        Work& work = work_[number];
        work.going_on = {};
        learn(part_of(number, {}, tails_[number].whole()), work);
      });
      ++found_.rounds;
      const std::array<double, 3> before = found_.going_on;
      share(found_.going_on);
      found_.change = 0.0;
      for (std::size_t which = 0; which < before.size(); ++which)
        found_.change = std::max(found_.change, std::abs(found_.going_on[which] - before[which]));
    }
    return finish();
  }

  // What queries share alone connects them: each is settled by itself, at the probabilities of
  // going on as they are, and these from what all queries then say; the nearer they come, the more
  // exactly.
  Chain settle(std::uint64_t rounds, double tolerance) {
    Secants shared;
    const auto begin = found_.going_on.begin(), end = begin + Model::shared;
    const double finest = finer * tolerance;
    shared.values.assign(begin, end);
    const auto round = [&](double coarse) {
      double change = 0.0;
      for (std::size_t which = 0; which < Model::shared; ++which)
        change = std::max(change, std::abs(shared.values[which] - found_.going_on[which]));
      std::copy(shared.values.begin(), shared.values.end(), begin);
      const double exactly = change > 0.0 ? coarser * change : coarse;  // 0: the first time
      settle_queries(rounds, std::clamp(exactly, finest, coarse));
      std::array<double, 3> now = found_.going_on;
      share(now);
      std::copy_n(now.begin(), Model::shared, shared.values.begin());
    };
    if (!fixed_) {
      shared.run(rounds, 1e3 * finest, [&] { round(std::max(coarsest, finest)); });
      found_.change = shared.run(rounds, finest, [&] { round(finest); }).change;
      std::copy(shared.values.begin(), shared.values.end(), begin);
    }
    settle_queries(rounds, finest);
    for (const Work& work : work_) {
      found_.change = std::max(found_.change, work.change);
      for (const std::uint64_t one : work.rounds) found_.rounds = std::max(found_.rounds, one);
    }
    return finish();
  }

 private:
  // Of the tolerance: how exactly all is found, so that what depends on it keeps it. Of the last
  // change of what queries share: how exactly they are settled before the end, and at first.
  static constexpr double finer = 0.1;
  static constexpr double coarser = 0.01;
  static constexpr double coarsest = 1e-3;

  // What is needed of a shard in a round: by tail, the probability of no click in it, given that
  // its first result is examined, and of its sessions, how many came and how many examined it.
  struct Work {
    std::vector<double> quiet;
    std::vector<double> came;
    std::vector<double> examined;
    std::array<Trials, 3> going_on{};
    Settling settling;
    std::vector<std::uint64_t> rounds;  // of each query
    double change = 0.0;                // the largest of a query's last step
  };

  // A query, or a whole shard: where its pairs, tails and starts begin and end, and of its pairs
  // what is known.
  struct Part {
    const Tails& tails;
    Tails::Ends from;
    Tails::Ends until;
    double* attraction;
    double* satisfaction;
    Trials* seen;
    Trials* pleased;

    // Of the pairs' own probabilities those that decide whether a click is the last one.
    double* own() const { return Model::satisfies ? satisfaction : attraction; }
    std::size_t pairs() const { return until.pairs - from.pairs; }
  };

  Part part_of(std::size_t number, Tails::Ends from, Tails::Ends until) {
    const std::size_t first = starts_[number] + from.pairs;
    Trials* const seen = found_.attraction_trials.data() + first;
    return {tails_[number],
            from,
            until,
            found_.attraction.data() + first,
            Model::satisfies ? found_.satisfaction.data() + first : nullptr,
            seen,
            Model::satisfies ? found_.satisfaction_trials.data() + first : seen};
  }

  // Calls visit(query, part) for each query of a shard.
  template <class Visit>
  void each_query(std::size_t number, const Visit& visit) {
    Tails::Ends from;
    for (std::size_t query = 0; query < tails_[number].queries.size(); ++query) {
      const Tails::Ends until = tails_[number].queries[query];
      visit(query, part_of(number, from, until));
      from = until;
    }
  }

  void settle_queries(std::uint64_t rounds, double tolerance) {
    each_part(shards_.size(), threads_,
              [&](std::size_t number) { settle_shard(number, rounds, tolerance); });
  }

  void settle_shard(std::size_t number, std::uint64_t rounds, double tolerance) {
    Work& work = work_[number];
    std::array<Trials, 3> going_on{};
    work.change = 0.0;
    each_query(number, [&](std::size_t query, Part part) {
      const auto pairs = static_cast<std::ptrdiff_t>(part.pairs());
      std::vector<double>& values = work.settling.values;
      values.assign(part.attraction, part.attraction + pairs);
      if (Model::satisfies)
        values.insert(values.end(), part.satisfaction, part.satisfaction + pairs);
      Part here = part;
      const Settled settled = work.settling.run(rounds, tolerance, [&] {
        here.attraction = values.data();
        if (Model::satisfies) here.satisfaction = values.data() + pairs;
        work.going_on = {};
        learn(here, work);
      });
      std::copy(values.begin(), values.begin() + pairs, part.attraction);
      if (Model::satisfies) std::copy(values.begin() + pairs, values.end(), part.satisfaction);
      work.rounds[query] += settled.rounds;
      work.change = std::max(work.change, settled.change);
      for (std::size_t which = 0; which < going_on.size(); ++which)
        going_on[which] += work.going_on[which];
    });
    work.going_on = going_on;
  }

  // The probabilities of going on as all queries together say.
  void share(std::array<double, 3>& going_on) const {
    for (std::size_t which = 0; which < going_on.size() && !fixed_; ++which) {
      Trials trials;
      for (const Work& work : work_) trials += work.going_on[which];
      going_on[which] = trials.rate(prior_, going_on[which]);
    }
  }

  // The share of those who examine a tail's first result, and click on none, that go on.
  double ratio(double next_is_quiet) const {
    const double goes = found_.going_on[0] * next_is_quiet;
    const double all = goes + (1.0 - found_.going_on[0]);
    return all > 0.0 ? goes / all : 0.0;
  }

  void measure_quiet(const Part& part, Work& work) const {
    const double on = found_.going_on[0];
    const std::size_t first = part.from.tails;
    work.quiet.resize(part.until.tails - first);
    for (std::size_t at = 0; at < work.quiet.size(); ++at) {
      const auto [pair, next] = part.tails.tails[first + at];
      const double after = next == Tails::none ? 1.0 : on * work.quiet[next - first] + 1.0 - on;
      work.quiet[at] = (1.0 - part.attraction[pair - part.from.pairs]) * after;
    }
  }

  // How the sessions of a start end, given what is known of the pair that was clicked last.
  Ending end_of(const Tails::Start& start, double own, const Part& part, const Work& work) const {
    const bool ends = start.tail == Tails::none;
    return Model::end(own, found_.going_on,
                      ends ? nullptr : &work.quiet[start.tail - part.from.tails]);
  }

  // One round over the sessions of a part, at the probabilities of going on as they are.
  void learn(const Part& part, Work& work) const {
    std::array<Trials, 3>& going_on = work.going_on;
    const Tails& tails = part.tails;
    Trials* const seen = part.seen;
    Trials* const pleased = part.pleased;
    const double* const attraction = part.attraction;
    const std::size_t first = part.from.tails;
    measure_quiet(part, work);
    for (std::size_t pair = 0; pair < part.pairs(); ++pair) {
      const double skipped = tails.skipped[part.from.pairs + pair];
      const double followed = tails.followed[part.from.pairs + pair];
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
    work.came.assign(part.until.tails - first, 0.0);
    work.examined.assign(part.until.tails - first, 0.0);
    for (std::size_t at = part.from.starts; at < part.until.starts; ++at) {
      const Tails::Start& start = tails.starts[at];
      double examined = 1.0;
      if (start.clicked != Tails::none) {
        const std::size_t clicked = start.clicked - part.from.pairs;
        const Ending ending = end_of(start, part.own()[clicked], part, work);
        seen[clicked].add(start.count, 1.0, 1.0);
        pleased[clicked].add(start.count, 1.0, ending.share);
        for (std::size_t which = 0; which < going_on.size(); ++which) {
          const Trials& once = ending.going_on[which];
          going_on[which].add(start.count, once.shown, once.done);
        }
        examined = ending.examined;
      }
      if (start.tail == Tails::none) continue;
      work.came[start.tail - first] += start.count;
      work.examined[start.tail - first] += start.count * examined;
    }
    for (std::size_t at = work.quiet.size(); at-- > 0;) {
      const Tails::Tail& tail = tails.tails[first + at];
      const std::size_t pair = tail.pair - part.from.pairs;
      const double came = work.came[at], examined = work.examined[at];
      seen[pair].add(1.0, came, (came - examined) * attraction[pair]);
      if (tail.next == Tails::none) continue;
      const std::size_t below = tail.next - first;
      const double next = examined * ratio(work.quiet[below]);
      going_on[0].add(1.0, examined, next);
      work.came[below] += came;
      work.examined[below] += next;
    }
    for (std::size_t pair = 0; pair < part.pairs(); ++pair) {
      part.attraction[pair] = seen[pair].rate(prior_, part.attraction[pair]);
      if (Model::satisfies)
        part.satisfaction[pair] = pleased[pair].rate(prior_, part.satisfaction[pair]);
    }
  }

  // The fit, with what is known of each trial's outcome.
  Chain finish() {
    each_part(shards_.size(), threads_, [&](std::size_t number) {
      each_query(number, [&](std::size_t, const Part& part) { know(part, work_[number]); });
    });
    return std::move(found_);
  }

  void know(const Part& part, Work& work) const {
    const Tails& tails = part.tails;
    measure_quiet(part, work);
    for (std::size_t pair = 0; pair < part.pairs(); ++pair) {
      const double skipped = tails.skipped[part.from.pairs + pair];
      const double followed = tails.followed[part.from.pairs + pair];
      part.seen[pair].known += skipped + followed;
      if constexpr (Model::satisfies) {
        part.pleased[pair].known += followed;
      } else {
        const double rate = part.attraction[pair];
        part.seen[pair].know(followed, Model::helped(rate, found_.going_on), rate);
      }
    }
    for (std::size_t one = part.from.starts; one < part.until.starts; ++one) {
      const Tails::Start& start = tails.starts[one];
      double examined = 1.0;
      if (start.clicked != Tails::none) {
        const std::size_t clicked = start.clicked - part.from.pairs;
        const Ending ending = end_of(start, part.own()[clicked], part, work);
        part.seen[clicked].known += start.count;
        part.pleased[clicked].know(start.count, ending.share, part.own()[clicked]);
        examined = ending.examined;
      }
      for (std::uint32_t at = start.tail; at != Tails::none; at = tails.tails[at].next) {
        const Tails::Tail& tail = tails.tails[at];
        const std::size_t pair = tail.pair - part.from.pairs;
        const double alpha = part.attraction[pair];
        part.seen[pair].know(start.count, (1.0 - examined) * alpha, alpha);
        if (tail.next != Tails::none) examined *= ratio(work.quiet[tail.next - part.from.tails]);
      }
    }
  }

  const std::vector<ClickShard>& shards_;
  const int threads_;
  const Prior prior_;
  const bool fixed_;
  std::vector<std::size_t> starts_{0};
  Chain found_;
  std::vector<Tails> tails_;
  std::vector<Work> work_;
};

template <class Model>
Chain fit(const ClickLog& log, std::uint64_t rounds, double tolerance, Prior prior, double begin,
          double going_on) {
  Fit<Model> fit(log, prior, begin, going_on);
  return tolerance > 0.0 ? fit.settle(rounds, tolerance) : fit.run(rounds);
}

}  // namespace

Chain fit_chain(const ClickLog& log, ChainKind kind, std::uint64_t rounds, double tolerance,
                Prior prior, double begin, double going_on) {
  return kind == ChainKind::dbn ? fit<Dbn>(log, rounds, tolerance, prior, begin, going_on)
                                : fit<Ccm>(log, rounds, tolerance, prior, begin, going_on);
}

}  // namespace relyon
