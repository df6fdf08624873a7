#include "click_information.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "parallel.hpp"
#include "symmetric.hpp"

namespace relyon {

namespace {

constexpr std::size_t shared = 3;  // probabilities of going on
constexpr std::size_t others = 1 + shared;
constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

// One way in which a session can have gone on after its last click: through the first `far` results
// below. By parameter (that of the click, and those of going on) the trials and the slope of the
// likelihood, in log odds.
struct Way {
  double chance = 1.0;
  std::size_t far = 0;
  std::array<double, others> trials{};
  std::array<double, others> slope{};

  void tried(std::size_t which, double rate, bool done) {
    chance *= done ? rate : 1.0 - rate;
    trials[which] += 1.0;
    slope[which] += (done ? 1.0 : 0.0) - rate;
  }
};

// The information of a query's parameters, in log odds, and of those that all queries share.
class Block {
 public:
  void start(std::size_t size) {
    size_ = size;
    own_.assign(size * size, 0.0);
    border_.assign(size * shared, 0.0);
  }
  // Adds to both halves of the matrix, once to its diagonal.
  void add(std::size_t one, std::size_t other, double value, std::array<double, 9>& common) {
    if (one == nowhere || other == nowhere) return;
    if (one < size_ && other < size_) {
      own_[one * size_ + other] += value;
      if (one != other) own_[other * size_ + one] += value;
    } else if (one < size_) {
      border_[one * shared + other - size_] += value;
    } else if (other < size_) {
      border_[other * shared + one - size_] += value;
    } else {
      common[(one - size_) * shared + other - size_] += value;
      if (one != other) common[(other - size_) * shared + one - size_] += value;
    }
  }
  std::size_t size() const { return size_; }
  std::vector<double>& own() { return own_; }
  const std::vector<double>& border() const { return border_; }

 private:
  std::size_t size_ = 0;
  std::vector<double> own_;
  std::vector<double> border_;
};

// What a pair's log odds vary by, if all that is shared were known; and by how much they follow it.
struct Error {
  double attraction = 0.0;
  double both = 0.0;
  double satisfaction = 0.0;
  std::array<double, shared> attraction_follows{};
  std::array<double, shared> satisfaction_follows{};
};

class Information {
 public:
  Information(const ClickLog& log, ChainKind kind, const Chain& chain, Prior prior, bool known)
      : log_(log), dbn_(kind == ChainKind::dbn), chain_(chain), prior_(prior), known_(known) {
    for (const ClickShard& shard : log.parts()) starts_.push_back(starts_.back() + shard.pairs());
    errors_.resize(starts_.back());
    commons_.assign(log.parts().size(), {});
  }

  std::vector<double> run() {
    each_part(log_.parts().size(), log_.threads(), [&](std::size_t shard) { measure(shard); });
    std::array<double, 9> sum{};
    for (const std::array<double, 9>& part : commons_) {
      for (std::size_t at = 0; at < sum.size(); ++at) sum[at] += part[at];
    }
    std::vector<double> inverse(sum.begin(), sum.end());
    for (std::size_t one = 0; one < shared; ++one)
      inverse[one * shared + one] += prior_.shown * spread_of(chain_.going_on[one]);
    factorise(inverse, shared);
    invert(inverse, shared);
    std::vector<double> out(errors_.size());
    for (std::size_t pair = 0; pair < out.size(); ++pair) out[pair] = spread(pair, inverse);
    return out;
  }

 private:
  static double spread_of(double rate) { return rate * (1.0 - rate); }

  double spread(std::size_t pair, const std::vector<double>& inverse) const {
    const Error& error = errors_[pair];
    const double first = 1.0 - chain_.attraction[pair];
    const double second = dbn_ ? 1.0 - chain_.satisfaction[pair] : 0.0;
    double sum = first * first * error.attraction + 2.0 * first * second * error.both +
                 second * second * error.satisfaction;
    for (std::size_t one = 0; one < shared && !known_; ++one) {
      for (std::size_t other = 0; other < shared; ++other) {
        const double here =
            first * error.attraction_follows[one] + second * error.satisfaction_follows[one];
        const double there =
            first * error.attraction_follows[other] + second * error.satisfaction_follows[other];
        sum += here * there * inverse[one * shared + other];
      }
    }
    return std::sqrt(std::max(sum, 0.0));
  }

  // Patterns query by query.
  void measure(std::size_t number) {
    const ClickShard& shard = log_.parts()[number];
    const std::size_t pairs = shard.pairs();
    std::vector<std::uint32_t> query(pairs);
    std::vector<std::size_t> ends;
    std::vector<double> shown(pairs, 0.0);
    for (std::uint32_t pair = 0; pair < pairs; ++pair) {
      query[pair] = static_cast<std::uint32_t>(ends.size());
      if (pair + 1 == pairs || shard.query(pair) != shard.query(pair + 1)) ends.push_back(pair + 1);
    }
    std::vector<std::size_t> first(ends.size() + 1, 0), order(shard.patterns());
    for (std::size_t pattern = 0; pattern < shard.patterns(); ++pattern) {
      const std::span<const Shown> results = shard.pattern(pattern);
      if (results.empty()) continue;
      ++first[query[results[0].pair] + 1];
      for (const Shown& result : results)
        shown[result.pair] += static_cast<double>(shard.count(pattern));
    }
    for (std::size_t one = 0; one < ends.size(); ++one) first[one + 1] += first[one];
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t pattern = 0; pattern < shard.patterns(); ++pattern) {
      if (!shard.pattern(pattern).empty())
        order[next[query[shard.pattern(pattern)[0].pair]]++] = pattern;
    }
    Work work{
        starts_[number], {}, std::vector<std::size_t>(pairs, nowhere), commons_[number], {}, {}, 0};
    for (std::size_t one = 0, begin = 0; one < ends.size(); begin = ends[one++]) {
      const std::size_t joint = place(begin, ends[one], shown, work.places);
      work.joint = joint;
      work.block.start(dbn_ ? 2 * joint : joint);
      for (std::size_t at = first[one]; at < first[one + 1]; ++at)
        add(shard.pattern(order[at]), static_cast<double>(shard.count(order[at])), work);
      invert_block(begin, ends[one], work);
      // In a log that is not finished, a list may contain documents of another block.
      std::fill(work.places.begin() + static_cast<std::ptrdiff_t>(begin),
                work.places.begin() + static_cast<std::ptrdiff_t>(ends[one]), nowhere);
    }
  }

  // Gives the documents of a query their places in its block; returns how many have one.
  static std::size_t place(std::size_t begin, std::size_t end, const std::vector<double>& shown,
                           std::vector<std::size_t>& places) {
    std::vector<std::size_t> order(end - begin);
    std::iota(order.begin(), order.end(), begin);
    if (order.size() > joint_documents) {
      std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
        return shown[one] > shown[other];
      });
      order.resize(joint_documents);
    }
    for (std::size_t at = 0; at < order.size(); ++at) places[order[at]] = at;
    return order.size();
  }

  struct Work {
    std::size_t from;  // the shard's first pair
    Block block;
    std::vector<std::size_t> places;
    std::array<double, 9>& common;
    std::vector<Way> ways;
    std::vector<double> beyond;  // how likely the user went that far, or farther
    std::size_t joint = 0;

    std::size_t satisfied(std::size_t pair) const {
      return places[pair] == nowhere ? nowhere : joint + places[pair];
    }
  };

  void add(std::span<const Shown> results, double count, Work& work) const {
    const auto& rates = chain_.going_on;
    std::size_t last = results.size();
    while (last > 0 && !results[last - 1].clicked) --last;
    const std::span<const Shown> tail = results.subspan(last);
    for (std::size_t place = 0; place < last; ++place) {
      const std::uint32_t pair = results[place].pair;
      const double alpha = chain_.attraction[work.from + pair];
      const std::size_t own = work.places[pair];
      work.block.add(own, own, count * spread_of(alpha), work.common);
      if (place + 1 == last) break;
      if (dbn_ || !results[place].clicked) {
        if (dbn_ && results[place].clicked) {
          const std::size_t pleased = work.satisfied(pair);
          work.block.add(pleased, pleased, count * spread_of(chain_.satisfaction[work.from + pair]),
                         work.common);
        }
        const std::size_t on = work.block.size();
        work.block.add(on, on, count * spread_of(rates[0]), work.common);
        continue;
      }
      work.ways.clear();
      for (const bool helped : {false, true}) {
        Way way;
        way.tried(0, alpha, helped);
        way.tried(helped ? 3 : 2, rates[helped ? 2 : 1], true);
        work.ways.push_back(way);
      }
      add_ways(own, alpha, {}, count, work);
    }
    work.ways.clear();
    std::size_t own = nowhere;
    double rate = 0.5;
    if (last == 0) {
      go_down(Way{}, tail, work);
    } else {
      const std::uint32_t pair = results[last - 1].pair;
      own = dbn_ ? work.satisfied(pair) : work.places[pair];
      rate = dbn_ ? chain_.satisfaction[work.from + pair] : chain_.attraction[work.from + pair];
      for (const bool done : {false, true}) {
        Way way;
        way.tried(0, rate, done);
        if (tail.empty() || (dbn_ && done)) {
          work.ways.push_back(way);
          continue;
        }
        const std::size_t which = dbn_ ? 1 : done ? 3 : 2;
        Way stays = way;
        stays.tried(which, rates[which - 1], false);
        work.ways.push_back(stays);
        way.tried(which, rates[which - 1], true);
        go_down(way, tail, work);
      }
    }
    add_ways(own, rate, tail, count, work);
  }

  // All ways to go on from the first result of the tail, which is examined.
  void go_down(Way way, std::span<const Shown> tail, Work& work) const {
    const double on = chain_.going_on[0];
    for (std::size_t place = 0; place < tail.size(); ++place) {
      way.chance *= 1.0 - chain_.attraction[work.from + tail[place].pair];
      way.far = place + 1;
      if (place + 1 == tail.size()) {
        work.ways.push_back(way);
        break;
      }
      Way stays = way;
      stays.tried(1, on, false);
      work.ways.push_back(stays);
      way.tried(1, on, true);
    }
  }

  // Adds the expected information of the ways less the covariance of their slopes.
  void add_ways(std::size_t own, double rate, std::span<const Shown> tail, double count,
                Work& work) const {
    double all = 0.0;
    for (const Way& way : work.ways) all += way.chance;
    if (!(all > 0.0)) return;
    const std::size_t first = work.block.size();
    const std::array<std::size_t, others> rows{own, first, first + 1, first + 2};
    const std::array<double, others> rates{rate, chain_.going_on[0], chain_.going_on[1],
                                           chain_.going_on[2]};
    std::array<double, others> trials{}, mean{};
    std::array<double, others * others> square{};
    work.beyond.assign((tail.size() + 2) * (others + 1), 0.0);
    for (Way& way : work.ways) {
      way.chance /= all;
      double* far = &work.beyond[way.far * (others + 1)];
      far[others] += way.chance;
      for (std::size_t one = 0; one < others; ++one) {
        trials[one] += way.chance * way.trials[one];
        mean[one] += way.chance * way.slope[one];
        far[one] += way.chance * way.slope[one];
        for (std::size_t other = 0; other < others; ++other)
          square[one * others + other] += way.chance * way.slope[one] * way.slope[other];
      }
    }
    for (std::size_t one = 0; one < others; ++one) {
      work.block.add(rows[one], rows[one], count * trials[one] * spread_of(rates[one]),
                     work.common);
      for (std::size_t other = 0; other <= one; ++other) {
        work.block.add(rows[one], rows[other],
                       -count * (square[one * others + other] - mean[one] * mean[other]),
                       work.common);
      }
    }
    for (std::size_t place = tail.size(); place-- > 0;) {
      double* here = &work.beyond[(place + 1) * (others + 1)];
      for (std::size_t one = 0; one <= others; ++one) here[one] += here[others + 1 + one];
      const double alpha = chain_.attraction[work.from + tail[place].pair];
      const std::size_t row = work.places[tail[place].pair];
      const double seen = here[others];
      work.block.add(row, row,
                     count * (seen * spread_of(alpha) - alpha * alpha * seen * (1.0 - seen)),
                     work.common);
      for (std::size_t one = 0; one < others; ++one) {
        const double both = -alpha * (here[one] - seen * mean[one]);
        work.block.add(row, rows[one], -count * both, work.common);
      }
      for (std::size_t below = place + 1; below < tail.size(); ++below) {
        const double other = chain_.attraction[work.from + tail[below].pair];
        const double far = work.beyond[(below + 1) * (others + 1) + others];
        work.block.add(row, work.places[tail[below].pair],
                       -count * alpha * other * far * (1.0 - seen), work.common);
      }
    }
  }

  // The variance that the weight of a probability stands for, in log odds.
  double alone(const Trials& trials, double rate) const {
    const double known = (trials.known + prior_.shown) * spread_of(rate);
    return known > 0.0 ? 1.0 / known : 0.0;
  }

  void invert_block(std::size_t begin, std::size_t end, Work& work) {
    const std::size_t size = work.block.size(), joint = work.joint;
    std::vector<double>& own = work.block.own();
    const std::vector<double>& border = work.block.border();
    for (std::size_t pair = begin; pair < end; ++pair) {
      const std::size_t place = work.places[pair];
      if (place == nowhere) continue;
      own[place * size + place] += prior_.shown * spread_of(chain_.attraction[work.from + pair]);
      if (!dbn_) continue;
      own[(joint + place) * size + joint + place] +=
          prior_.shown * spread_of(chain_.satisfaction[work.from + pair]);
    }
    factorise(own, size);
    invert(own, size);
    std::vector<double> follows(size * shared, 0.0);
    for (std::size_t row = 0; row < size; ++row) {
      for (std::size_t column = 0; column < size; ++column) {
        for (std::size_t one = 0; one < shared; ++one)
          follows[row * shared + one] += own[row * size + column] * border[column * shared + one];
      }
    }
    for (std::size_t row = 0; row < size; ++row) {
      for (std::size_t one = 0; one < shared; ++one) {
        for (std::size_t other = 0; other < shared; ++other)
          work.common[one * shared + other] -=
              border[row * shared + one] * follows[row * shared + other];
      }
    }
    for (std::size_t pair = begin; pair < end; ++pair) {
      const std::size_t place = work.places[pair];
      if (place == nowhere) continue;
      Error& error = errors_[work.from + pair];
      error.attraction =
          own[place * size + place] -
          alone(chain_.attraction_trials[work.from + pair], chain_.attraction[work.from + pair]);
      std::copy_n(&follows[place * shared], shared, error.attraction_follows.begin());
      if (!dbn_) continue;
      const std::size_t other = joint + place;
      error.both = own[place * size + other];
      error.satisfaction =
          own[other * size + other] - alone(chain_.satisfaction_trials[work.from + pair],
                                            chain_.satisfaction[work.from + pair]);
      std::copy_n(&follows[other * shared], shared, error.satisfaction_follows.begin());
    }
  }

  const ClickLog& log_;
  const bool dbn_;
  const Chain& chain_;
  const Prior prior_;
  const bool known_;
  std::vector<std::size_t> starts_{0};
  std::vector<Error> errors_;
  std::vector<std::array<double, 9>> commons_;
};

}  // namespace

std::vector<double> measure_spread(const ClickLog& log, ChainKind kind, const Chain& chain,
                                   Prior prior, bool known) {
  return Information(log, kind, chain, prior, known).run();
}

}  // namespace relyon
