// Measures of the C/W/L framework, each one rule of going on to the next rank: SDCG, INSQ, INST,
// NERR8 to NERR11, BPM.
#include "kernel_parts.hpp"
#include "kernels.hpp"

namespace relyon {
namespace {

// A grade as a gain from 0 to 1, cut off at both ends of the scale.
class ScaledGain {
 public:
  ScaledGain() = default;
  static ScaledGain take(Parameters& parameters) {
    ScaledGain gain;
    gain.lowest_ = parameters.take_number("min", 0.0);
    const double highest = parameters.take_number("max", 1.0);
    if (!(highest > gain.lowest_)) parameters.refuse("max", "above `min`");
    gain.range_ = highest - gain.lowest_;
    return gain;
  }
  double operator()(double grade) const {
    const double raised = std::max(grade, 0.0) - lowest_;
    return raised <= 0 ? 0.0 : std::min(raised, range_) / range_;
  }

 private:
  double lowest_ = 0.0;
  double range_ = 1.0;
};

// The share of attention that each rank gets is the chance of reading on to it, divided by the
// sum of these chances.
class Continuation : public CutKernel {
 public:
  Continuation(std::uint32_t k, std::uint64_t depth, ScaledGain gain)
      : CutKernel(k), depth_(depth), gain_(gain) {}

  bool needs_all_ranks() const override { return gain_(0.0) > 0; }

  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint64_t end = last_rank(query);
    double sum = 0.0;
    double weights = 0.0;
    double weight = 1.0;
    double gained = 0.0;
    std::size_t next = 0;
    for (std::uint64_t rank = 1; rank <= end && weight > 0; ++rank) {
      double gain = 0.0;
      if (next < query.ranked.size() && query.ranked[next].rank == rank) {
        gain = gain_(query.ranked[next++].grade);
      }
      gained += gain;
      sum += weight * gain;
      weights += weight;
      weight *= goes_on(rank, gain, gained);
    }
    return mean_of(weights > 0 ? sum / weights : 0.0);
  }

 protected:
  virtual double goes_on(std::uint64_t rank, double gain, double gained) const = 0;

  std::uint64_t last_rank(const QueryView& query) const {
    if (depth_ != 0) return depth_;
    return k_ == 0 ? query.retrieved : limit_;
  }

  const std::uint64_t depth_;  // 0: the cutoff, or the list's end
  const ScaledGain gain_;
};

double squared(double value) { return value * value; }

// Weights that do not depend on what is found, so that ties have a closed form.
template <typename Weight>
class FixedWeights final : public Continuation {
 public:
  FixedWeights(std::uint32_t k, std::uint64_t depth, ScaledGain gain, Weight weight, bool expected)
      : Continuation(k, depth, gain), weight_(weight), expected_(expected) {
    if (depth_ != 0 || k_ != 0) whole_ = sum_to(depth_ != 0 ? depth_ : limit_);
  }

  Partial score(const QueryView& query, Scratch&) const override {
    const std::uint64_t end = last_rank(query);
    const double weights = whole_ > 0 ? whole_ : sum_to(end);
    double sum = 0.0;
    if (expected_) {
      for_ties(query.ranked, [&](const Tie& tie) {
        double shared = 0.0;
        for (std::uint64_t rank = tie.first; rank <= std::min<std::uint64_t>(tie.last, end);
             ++rank) {
          shared += weight_(rank);
        }
        double gains = 0.0;
        for (const Ranked& document : tie.members) gains += gain_(document.grade);
        sum += gains / tie.size() * shared;
        return tie.last < end;
      });
    } else {
      for (const Ranked& document : query.ranked) {
        if (document.rank > end) break;
        sum += gain_(document.grade) * weight_(document.rank);
      }
    }
    return mean_of(weights > 0 ? sum / weights : 0.0);
  }

 protected:
  double goes_on(std::uint64_t, double, double) const override { return 1.0; }

 private:
  double sum_to(std::uint64_t end) const {
    double sum = 0.0;
    for (std::uint64_t rank = 1; rank <= end; ++rank) sum += weight_(rank);
    return sum;
  }

  const Weight weight_;
  const bool expected_;
  double whole_ = 0.0;  // of all weights, where that does not depend on the list
};

struct Logarithmic {
  Discount discount;
  double operator()(std::uint64_t rank) const { return 1.0 / discount(rank); }
};

// The product of ((i + 2T - 1) / (i + 2T))^2 over the ranks above.
struct InverseSquare {
  double target;
  double operator()(std::uint64_t rank) const {
    return squared(2.0 * target / (static_cast<double>(rank) - 1.0 + 2.0 * target));
  }
};

class Inst final : public Continuation {
 public:
  Inst(std::uint64_t depth, ScaledGain gain, double target)
      : Continuation(0, depth, gain), target_(target) {}

 protected:
  double goes_on(std::uint64_t rank, double, double gained) const override {
    const double place = static_cast<double>(rank) + 2.0 * target_ - gained;
    return squared((place - 1.0) / place);
  }

 private:
  const double target_;
};

// "Not (but nearly) ERR": equations 8 to 11 of the paper.
class NearlyErr final : public Continuation {
 public:
  NearlyErr(std::uint32_t k, std::uint64_t depth, ScaledGain gain, int equation, double parameter)
      : Continuation(k, depth, gain), equation_(equation), parameter_(parameter) {}

 protected:
  double goes_on(std::uint64_t rank, double gain, double) const override {
    const auto place = static_cast<double>(rank);
    switch (equation_) {
      case 8:
        return 1.0 - gain;
      case 9:
        return place / (place + 1.0) * (1.0 - gain);
      case 10:
        return parameter_ * (1.0 - gain);
      default: {
        const double further = place + 2.0 * parameter_;
        return squared((further - 1.0) / further) * (1.0 - gain);
      }
    }
  }

 private:
  const int equation_;
  const double parameter_;
};

// Stops where the gain reaches the target or the cost its limit. What is found moves both.
class Bejeweled final : public CutKernel {
 public:
  Bejeweled(std::uint32_t k, ScaledGain gain, double target, double benefit, double cost,
            double median)
      : CutKernel(k),
        gain_(gain),
        target_(target),
        benefit_(benefit),
        cost_(cost),
        median_(median) {}

  bool needs_all_ranks() const override { return gain_(0.0) > 0; }

  Partial score(const QueryView& query, Scratch&) const override {
    double target = target_;
    double budget = k_ == 0 ? static_cast<double>(query.retrieved) : static_cast<double>(k_);
    if (budget <= 0) return mean_of(0.0);
    double gained = 0.0;
    std::size_t next = 0;
    for (std::uint64_t rank = 1;; ++rank) {
      if (next == query.ranked.size() && benefit_ == 0 && cost_ == 0)
        return mean_of(gained / budget);
      double gain = 0.0;
      if (next < query.ranked.size() && query.ranked[next].rank == rank) {
        gain = gain_(query.ranked[next++].grade);
      }
      gained += gain;
      if (!(gained < target) || !(static_cast<double>(rank) < budget)) {
        return mean_of(gained / static_cast<double>(rank));
      }
      target += benefit_ * (gain - median_);
      budget += cost_ * (gain - median_);
    }
  }

 private:
  const ScaledGain gain_;
  const double target_;
  const double benefit_;
  const double cost_;
  const double median_;
};

double take_target(Parameters& parameters) {
  const double target = parameters.take_number("target", 1.0);
  if (!(target > 0)) parameters.refuse("target", "above 0");
  return target;
}

std::uint64_t take_depth(Parameters& parameters) {
  const double depth = parameters.take_number("depth", 1000.0);
  if (!(depth >= 1)) parameters.refuse("depth", "a whole number of 1 or more");
  return static_cast<std::uint64_t>(depth);
}

}  // namespace

std::unique_ptr<Kernel> make_continuation_kernel(Parameters& parameters, const Rules& rules) {
  const std::string name = parameters.kernel();
  const bool expected = rules.ties == Ties::expected;
  const auto adaptive = [&] {
    if (expected) refuse_expected(name);
  };
  if (name == "sdcg") {
    const std::uint32_t k = parameters.take_cutoff();
    return std::make_unique<FixedWeights<Logarithmic>>(k, 0, ScaledGain::take(parameters),
                                                       Logarithmic{}, expected);
  }
  if (name == "insq") {
    const std::uint64_t depth = take_depth(parameters);
    const InverseSquare weight{take_target(parameters)};
    return std::make_unique<FixedWeights<InverseSquare>>(0, depth, ScaledGain::take(parameters),
                                                         weight, expected);
  }
  if (name == "inst") {
    adaptive();
    const std::uint64_t depth = take_depth(parameters);
    const double target = take_target(parameters);
    return std::make_unique<Inst>(depth, ScaledGain::take(parameters), target);
  }
  if (name == "bpm") {
    adaptive();
    const std::uint32_t k = parameters.take_cutoff();
    const double target = take_target(parameters);
    const double benefit = parameters.take_number("benefit", 0.0);
    const double cost = parameters.take_number("cost", 0.0);
    if (!(benefit >= 0)) parameters.refuse("benefit", "0 or more");
    if (!(cost >= 0)) parameters.refuse("cost", "0 or more");
    const double median = parameters.take_number("median", 0.5);
    if (!(median > 0 && median < 1)) parameters.refuse("median", "between 0 and 1");
    return std::make_unique<Bejeweled>(k, ScaledGain::take(parameters), target, benefit, cost,
                                       median);
  }
  if (name == "nerr8" || name == "nerr9") {
    adaptive();
    const std::uint32_t k = parameters.take_cutoff();
    return std::make_unique<NearlyErr>(k, 0, ScaledGain::take(parameters), name == "nerr8" ? 8 : 9,
                                       0.0);
  }
  if (name == "nerr10") {
    adaptive();
    const std::uint64_t depth = take_depth(parameters);
    const double persistence = parameters.take_number("p", 0.9);
    if (!(persistence > 0 && persistence < 1)) parameters.refuse("p", "between 0 and 1");
    return std::make_unique<NearlyErr>(0, depth, ScaledGain::take(parameters), 10, persistence);
  }
  if (name == "nerr11") {
    adaptive();
    const std::uint64_t depth = take_depth(parameters);
    const double target = take_target(parameters);
    return std::make_unique<NearlyErr>(0, depth, ScaledGain::take(parameters), 11, target);
  }
  return nullptr;
}

}  // namespace relyon
