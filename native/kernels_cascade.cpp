// Measures of a user who may stop reading: ERR, RBP.
#include <functional>

#include "kernel_parts.hpp"
#include "kernels.hpp"

namespace relyon {
namespace {

class ExpectedReciprocalRank final : public CutKernel {
 public:
  // `unjudged`: the grade of documents that nobody judged.
  ExpectedReciprocalRank(std::uint32_t k, double highest, double unjudged, bool expected)
      : CutKernel(k),
        highest_(highest),
        scale_(std::pow(2.0, highest)),
        unjudged_(stop(unjudged)),
        expected_(expected) {}

  bool needs_all_ranks() const override { return unjudged_ > 0; }

  Partial score(const QueryView& query, Scratch& scratch) const override {
    if (expected_) return mean_of(mean(query, scratch));
    double reached = 1.0;
    double sum = 0.0;
    std::uint64_t rank = 1;
    for (const Ranked& document : query.ranked) {
      if (document.rank > limit_) break;
      pass_unjudged(rank, document.rank, sum, reached);
      const double chance = stop(document.grade);
      sum += reached * chance / document.rank;
      reached *= 1.0 - chance;
      rank = std::uint64_t{document.rank} + 1;
    }
    pass_unjudged(rank, depth(query) + 1, sum, reached);
    return mean_of(sum);
  }

 private:
  // Adds documents that nobody judged, at the ranks from `rank` to before `end`.
  void pass_unjudged(std::uint64_t rank, std::uint64_t end, double& sum, double& reached) const {
    if (unjudged_ <= 0) return;
    for (; rank < end; ++rank) {
      sum += reached * unjudged_ / static_cast<double>(rank);
      reached *= 1.0 - unjudged_;
    }
  }

  double stop(double grade) const {
    if (!(grade > 0)) return 0.0;
    if (grade > highest_) {
      throw InputError(Sentence("native.err-max-met-grade",
                                {{"highest", short_text(highest_)}, {"grade", short_text(grade)}}),
                       {}, 0, Sentence("native.raise-err-max", {{"grade", short_text(grade)}}));
    }
    return (std::pow(2.0, grade) - 1.0) / scale_;
  }

  // The chance of reading past t documents of a tie is the mean, over all sets of t of them, of
  // the product of (1 - stop). Documents that never stop a user only dilute the others.
  double mean(const QueryView& query, Scratch& scratch) const {
    double reached = 1.0;
    double sum = 0.0;
    std::uint64_t rank = 1;
    for_ties(query.ranked, [&](const Tie& tie) {
      pass_unjudged(rank, std::min<std::uint64_t>(tie.first, depth(query) + 1), sum, reached);
      rank = std::uint64_t{tie.last} + 1;
      const double within = tie.within(limit_);
      if (within <= 0 || reached == 0) return false;
      std::vector<double>& pass = scratch.doubles;
      pass.clear();
      for (const Ranked& document : tie.members) {
        const double chance = stop(document.grade);
        if (chance > 0) pass.push_back(1.0 - chance);
      }
      if (unjudged_ > 0) {
        pass.resize(
            pass.size() + static_cast<std::size_t>(tie.last - tie.first + 1 - tie.members.size()),
            1.0 - unjudged_);
      }
      if (pass.empty()) return true;
      sum += reached * within_tie(pass, tie, within, scratch.more_doubles);
      for (const double chance : pass) reached *= chance;
      return true;
    });
    pass_unjudged(rank, depth(query) + 1, sum, reached);
    return sum;
  }

  static double within_tie(std::vector<double>& pass, const Tie& tie, double within,
                           std::vector<double>& memory) {
    constexpr double negligible = 1e-25;
    std::sort(pass.begin(), pass.end(), std::greater<>());
    // products[s]: mean product of s of the documents seen so far. Descending factors only lower
    // it, so what has become negligible stays so.
    std::vector<double>& products = memory;
    products.assign(1, 1.0);
    for (std::size_t seen = 1; seen <= pass.size(); ++seen) {
      const double factor = pass[seen - 1];
      const auto count = static_cast<double>(seen);
      if (products.size() == seen) products.push_back(0.0);
      for (std::size_t s = products.size() - 1; s > 0; --s) {
        const auto chosen = static_cast<double>(s);
        products[s] =
            products[s] * ((count - chosen) / count) + products[s - 1] * factor * (chosen / count);
      }
      while (products.size() > 2 && products.back() < negligible) products.pop_back();
    }
    // drawn[s]: chance that the first t documents of the tie hold s that can stop a user.
    const std::size_t states = products.size();
    products.resize(states * 2, 0.0);
    double* drawn = products.data() + states;
    drawn[0] = 1.0;
    const auto stopping = static_cast<double>(pass.size());
    const double size = tie.size();
    double before = 1.0;
    double sum = 0.0;
    for (double t = 0; t < within && before > negligible; ++t) {
      const double left = size - t;
      double after = 0.0;
      for (std::size_t s = states; s-- > 0;) {
        const double stays = std::max(left - (stopping - static_cast<double>(s)), 0.0) / left;
        const double comes = s > 0 ? (stopping - static_cast<double>(s - 1)) / left : 0.0;
        drawn[s] = drawn[s] * stays + (s > 0 ? drawn[s - 1] * comes : 0.0);
        after += drawn[s] * products[s];
      }
      sum += (before - after) / (tie.first + t);
      before = after;
    }
    return sum;
  }

  const double highest_;
  const double scale_;
  const double unjudged_;
  const bool expected_;
};

class RankBiasedPrecision final : public CutKernel {
 public:
  RankBiasedPrecision(std::uint32_t k, double persistence, double rel, bool graded, Gain gain,
                      bool normalise, bool expected)
      : CutKernel(k),
        persistence_(persistence),
        rel_(rel),
        graded_(graded),
        gain_(std::move(gain)),
        normalise_(normalise && graded),
        expected_(expected) {}

  bool needs_all_ranks() const override { return graded_ ? gain_.counts_zero() : rel_ <= 0; }

  Partial score(const QueryView& query, Scratch&) const override {
    double top = 1.0;
    if (normalise_) {
      for (const double grade : query.judged) top = std::max(top, gain_(grade));
    }
    double sum = 0.0;
    double weight = 1.0 - persistence_;
    std::uint64_t rank = 1;  // of `weight`
    const auto advance = [&](std::uint64_t to) {
      for (; rank < to && weight > 0; ++rank) weight *= persistence_;
    };
    if (expected_) {
      for_ties(query.ranked, [&](const Tie& tie) {
        if (tie.first > limit_ || weight == 0) return false;
        double gains = 0.0;
        for (const Ranked& document : tie.members) gains += gain(document.grade, top);
        advance(tie.first);
        double weights = 0.0;
        const std::uint64_t end = std::min<std::uint64_t>(tie.last, limit_);
        for (std::uint64_t i = tie.first; i <= end; ++i) {
          advance(i);
          weights += weight;
        }
        sum += gains / tie.size() * weights;
        return true;
      });
      return mean_of(sum);
    }
    for (const Ranked& document : query.ranked) {
      if (document.rank > limit_ || weight == 0) break;
      advance(document.rank);
      sum += gain(document.grade, top) * weight;
    }
    return mean_of(sum);
  }

 private:
  double gain(double grade, double top) const {
    if (!graded_) return grade >= rel_ ? 1.0 : 0.0;
    const double worth = gain_(grade) / top;
    if (worth > 1) {
      throw InputError(Sentence("native.rbp-needs-gains", {{"gain", short_text(worth)}}), {}, 0,
                       "native.give-map-of-grades");
    }
    return worth;
  }

  const double persistence_;
  const double rel_;
  const bool graded_;
  const Gain gain_;
  const bool normalise_;
  const bool expected_;
};

}  // namespace

std::unique_ptr<Kernel> make_cascade_kernel(Parameters& parameters, const Rules& rules) {
  const std::string& name = parameters.kernel();
  const bool expected = rules.ties == Ties::expected;
  if (name == "err") {
    const std::uint32_t k = parameters.take_cutoff();
    const double highest = parameters.take_number("max", 1.0);
    const double unjudged = parameters.take_number("unjudged", 0.0);
    return std::make_unique<ExpectedReciprocalRank>(k, highest, unjudged, expected);
  }
  if (name == "rbp") {
    const std::uint32_t k = parameters.take_cutoff();
    const double persistence = parameters.take_number("p", 0.8);
    if (!(persistence > 0 && persistence < 1)) parameters.refuse("p", "between 0 and 1");
    const double rel = parameters.take_rel();
    const bool graded = parameters.has("gain");
    const bool normalise = parameters.take_flag("normalise", false);
    return std::make_unique<RankBiasedPrecision>(k, persistence, rel, graded,
                                                 Gain::take(parameters), normalise, expected);
  }
  return nullptr;
}

}  // namespace relyon
