#include "click_chains.hpp"

#include <algorithm>
#include <cmath>
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

template <class Model>
Chain fit(const ClickLog& log, std::uint64_t rounds, double tolerance, Prior prior, double begin,
          double going_on) {
  const std::vector<ClickShard>& shards = log.parts();
  std::vector<std::size_t> starts{0};
  for (const ClickShard& shard : shards) starts.push_back(starts.back() + shard.pairs());
  const std::size_t pairs = starts.back();

  Chain out;
  out.attraction.assign(pairs, begin);
  out.attraction_trials.resize(pairs);
  if (Model::satisfies) {
    out.satisfaction.assign(pairs, begin);
    out.satisfaction_trials.resize(pairs);
  }
  const bool fixed = !std::isnan(going_on);
  out.going_on.fill(fixed ? going_on : begin);
  std::vector<std::array<Trials, 3>> learned(shards.size());
  while (out.rounds < rounds) {
    each_part(shards.size(), log.threads(), [&](std::size_t number) {
      const ClickShard& shard = shards[number];
      const std::size_t from = starts[number], until = starts[number + 1];
      std::fill(out.attraction_trials.begin() + static_cast<std::ptrdiff_t>(from),
                out.attraction_trials.begin() + static_cast<std::ptrdiff_t>(until), Trials{});
      Part part{
          out.attraction.data() + from, nullptr, out.attraction_trials.data() + from, nullptr, {}};
      if (Model::satisfies) {
        part.satisfaction = out.satisfaction.data() + from;
        part.satisfaction_trials = out.satisfaction_trials.data() + from;
        std::fill(part.satisfaction_trials, part.satisfaction_trials + (until - from), Trials{});
      }
      std::vector<double> quiet;
      for (std::size_t pattern = 0; pattern < shard.patterns(); ++pattern) {
        Model::learn(shard.pattern(pattern), static_cast<double>(shard.count(pattern)),
                     out.going_on, quiet, part);
      }
      for (std::size_t pair = from; pair < until; ++pair) {
        out.attraction[pair] = out.attraction_trials[pair].rate(prior, out.attraction[pair]);
        if (Model::satisfies)
          out.satisfaction[pair] =
              out.satisfaction_trials[pair].rate(prior, out.satisfaction[pair]);
      }
      learned[number] = part.going_on;
    });
    ++out.rounds;
    out.change = 0.0;
    for (std::size_t which = 0; which < out.going_on.size(); ++which) {
      if (fixed) break;
      Trials trials;
      for (const std::array<Trials, 3>& part : learned) trials += part[which];
      const double now = trials.rate(prior, out.going_on[which]);
      out.change = std::max(out.change, std::abs(now - out.going_on[which]));
      out.going_on[which] = now;
    }
    if (!fixed && out.change <= tolerance) break;
  }
  return out;
}

}  // namespace

Chain fit_chain(const ClickLog& log, ChainKind kind, std::uint64_t rounds, double tolerance,
                Prior prior, double begin, double going_on) {
  return kind == ChainKind::dbn ? fit<Dbn>(log, rounds, tolerance, prior, begin, going_on)
                                : fit<Ccm>(log, rounds, tolerance, prior, begin, going_on);
}

}  // namespace relyon
