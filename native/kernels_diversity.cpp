// Measures of novelty and diversity: what the ranked documents say about each subtopic of a query.
//
// Judgments without subtopics are judgments of one subtopic, so each kernel is the measure of one
// subtopic, added up. Under Ties::expected each subtopic's documents in a tie are a random sample
// of its ranks, and what a subtopic adds does not depend on the others: so all of them have a
// closed form.
#include "kernel_parts.hpp"
#include "kernels.hpp"

namespace relyon {
namespace {

// The weight of a rank: what the first document about a subtopic adds there.
class Weight {
 public:
  enum class Kind { log2, inverse, geometric };
  Weight(Kind kind, double beta) : kind_(kind), beta_(beta) {}

  // Of the ranks from 1 on, one after the other.
  class Walk {
   public:
    Walk(const Weight& weight) : weight_(weight) {}
    double to(std::uint64_t rank) {
      if (weight_.kind_ == Kind::inverse) return 1.0 / static_cast<double>(rank);
      if (weight_.kind_ == Kind::log2) return 1.0 / weight_.discount_(rank);
      for (; rank_ < rank && decay_ > 0; ++rank_) decay_ *= weight_.beta_;
      return decay_;
    }

   private:
    const Weight& weight_;
    std::uint64_t rank_ = 1;
    double decay_ = 1.0;
  };

  Kind kind() const { return kind_; }
  double beta() const { return beta_; }

 private:
  const Kind kind_;
  const double beta_;
  const Discount discount_{Discount::Kind::log2};
};

class DiversityKernel : public CutKernel {
 public:
  DiversityKernel(std::uint32_t k, double alpha, double rel, bool expected)
      : CutKernel(k), alpha_(alpha), rel_(rel), expected_(expected) {}

  bool needs_all_ranks() const override { return rel_ <= 0; }

  Partial score(const QueryView& query, Scratch& scratch) const override {
    Query own{query, {}, 1, 1, scratch};
    if (query.subtopics != nullptr) {
      scratch.ideal.begin(*query.subtopics, alpha_, rel_);
      own.relevant = scratch.ideal.relevant();
      own.subtopics = query.subtopics->count();
      own.covered = scratch.ideal.covered();
    } else {
      own.single = static_cast<std::uint32_t>(relevant_of(query.judged, rel_));
      own.relevant = {&own.single, 1};
      own.covered = own.single > 0 ? 1 : 0;
    }
    if (own.covered == 0) return {};
    return mean_of(value(own));
  }

 protected:
  struct Query {
    const QueryView& view;
    std::span<const std::uint32_t> relevant;  // documents by subtopic
    std::uint32_t subtopics;
    std::uint32_t covered;  // subtopics with a relevant document
    Scratch& scratch;
    std::uint32_t single = 0;
  };

  virtual double value(const Query& query) const = 0;

  // Calls `visit(subtopic)` for each subtopic that the i-th ranked document is relevant to.
  template <typename Visit>
  void each_subtopic(const QueryView& view, std::size_t i, Visit visit) const {
    if (view.subtopics == nullptr) {
      if (view.ranked[i].grade >= rel_) visit(0U);
      return;
    }
    for (const Subtopics::Grade& judged : view.subtopics->of(view.documents[i])) {
      if (judged.grade >= rel_) visit(judged.subtopic);
    }
  }

  // Calls `visit(tie, counts)` for every tie: of each subtopic, how many of its documents are
  // relevant.
  template <typename Visit>
  void each_tie(const Query& query, Visit visit) const {
    std::vector<std::int64_t>& counts = query.scratch.integers;
    std::size_t start = 0;
    for_ties(query.view.ranked, [&](const Tie& tie) {
      if (tie.first > limit_) return false;
      counts.assign(query.subtopics, 0);
      for (std::size_t i = 0; i < tie.members.size(); ++i) {
        each_subtopic(query.view, start + i, [&](std::uint32_t subtopic) { ++counts[subtopic]; });
      }
      start += tie.members.size();
      visit(tie, std::span<const std::int64_t>(counts));
      return true;
    });
  }

  const double alpha_;
  const double rel_;
  const bool expected_;
};

// What a document adds shrinks with each document above it about the same subtopic.
class Novelty final : public DiversityKernel {
 public:
  enum class Norm { subtopics, ideal };  // by the number of subtopics, or by the best list

  Novelty(std::uint32_t k, double alpha, double rel, bool expected, Weight weight, Norm norm)
      : DiversityKernel(k, alpha, rel, expected), weight_(weight), norm_(norm) {}

 protected:
  double value(const Query& query) const override {
    const double sum = expected_ ? mean(query) : plain(query);
    return sum == 0 ? 0.0 : sum / (norm_ == Norm::ideal ? ideal(query) : bound(query));
  }

 private:
  double plain(const Query& query) const {
    std::vector<double>& left = query.scratch.doubles;
    left.assign(query.subtopics, 1.0);
    Weight::Walk walk(weight_);
    double sum = 0.0;
    for (std::size_t i = 0; i < query.view.ranked.size(); ++i) {
      const std::uint32_t rank = query.view.ranked[i].rank;
      if (rank > limit_) break;
      double gain = 0.0;
      each_subtopic(query.view, i, [&](std::uint32_t subtopic) {
        gain += left[subtopic];
        left[subtopic] *= 1.0 - alpha_;
      });
      if (gain > 0) sum += gain * walk.to(rank);
    }
    return sum;
  }

  double mean(const Query& query) const {
    std::vector<double>& left = query.scratch.doubles;
    left.assign(query.subtopics, 1.0);
    double sum = 0.0;
    each_tie(query, [&](const Tie& tie, std::span<const std::int64_t> counts) {
      for (std::uint32_t subtopic = 0; subtopic < query.subtopics; ++subtopic) {
        if (counts[subtopic] == 0 || left[subtopic] == 0) continue;
        const auto documents = static_cast<std::size_t>(counts[subtopic]);
        sum += left[subtopic] * within(tie, documents, query.scratch.more_doubles);
        for (std::size_t i = 0; i < documents; ++i) left[subtopic] *= 1.0 - alpha_;
      }
    });
    return sum;
  }

  // What the relevant documents of one subtopic add in a tie, as if none were above it.
  double within(const Tie& tie, std::size_t relevant, std::vector<double>& drawn) const {
    // drawn[j]: the chance that j of them are above the rank.
    drawn.assign(relevant + 1, 0.0);
    drawn[0] = 1.0;
    Weight::Walk walk(weight_);
    const std::uint64_t end = std::min<std::uint64_t>(tie.last, limit_);
    double sum = 0.0;
    for (std::uint64_t rank = tie.first; rank <= end; ++rank) {
      const double open = static_cast<double>(tie.last - rank) + 1.0;
      double gain = 1.0;
      double here = 0.0;
      double before = 0.0;  // of drawn[j - 1], with the document of this rank
      for (std::size_t j = 0; j <= relevant; ++j) {
        const double comes = drawn[j] * static_cast<double>(relevant - j) / open;
        here += comes * gain;
        drawn[j] = drawn[j] - comes + before;
        before = comes;
        gain *= 1.0 - alpha_;
      }
      sum += here * walk.to(rank);
    }
    return sum;
  }

  // A list whose every document is about every subtopic: none can be better.
  double bound(const Query& query) const {
    const double covered = query.covered;
    if (weight_.kind() == Weight::Kind::geometric)
      return covered / (1.0 - (1.0 - alpha_) * weight_.beta());
    Weight::Walk walk(weight_);
    double gain = covered;
    double sum = 0.0;
    const std::uint64_t end = k_ == 0 ? query.view.retrieved : k_;
    for (std::uint64_t rank = 1; rank <= end && gain > 0; ++rank) {
      sum += gain * walk.to(rank);
      gain *= 1.0 - alpha_;
    }
    return sum;
  }

  double ideal(const Query& query) const {
    Weight::Walk walk(weight_);
    double sum = 0.0;
    if (query.view.subtopics != nullptr) {
      std::uint64_t rank = 0;
      for (const double gain : query.scratch.ideal.gains(limit_)) sum += gain * walk.to(++rank);
      return sum;
    }
    double gain = 1.0;
    for (std::uint64_t rank = 1; rank <= std::min<std::uint64_t>(limit_, query.single) && gain > 0;
         ++rank) {
      sum += gain * walk.to(rank);
      gain *= 1.0 - alpha_;
    }
    return sum;
  }

  const Weight weight_;
  const Norm norm_;
};

class IntentAwarePrecision final : public DiversityKernel {
 public:
  using DiversityKernel::DiversityKernel;

 protected:
  double value(const Query& query) const override {
    const double ranks = k_ == 0 ? static_cast<double>(query.view.retrieved) : k_;
    if (ranks == 0) return 0.0;
    double sum = 0.0;
    if (expected_) {
      each_tie(query, [&](const Tie& tie, std::span<const std::int64_t> counts) {
        for (const std::int64_t count : counts) {
          sum += static_cast<double>(count) * (tie.within(limit_) / tie.size());
        }
      });
    } else {
      for (std::size_t i = 0; i < query.view.ranked.size() && query.view.ranked[i].rank <= limit_;
           ++i) {
        each_subtopic(query.view, i, [&](std::uint32_t) { sum += 1.0; });
      }
    }
    return sum / (ranks * query.covered);
  }
};

class SubtopicRecall final : public DiversityKernel {
 public:
  using DiversityKernel::DiversityKernel;

 protected:
  double value(const Query& query) const override {
    std::vector<double>& open =
        query.scratch.doubles;  // the chance that a subtopic is not there yet
    open.assign(query.subtopics, 1.0);
    double seen = 0.0;
    if (expected_) {
      each_tie(query, [&](const Tie& tie, std::span<const std::int64_t> counts) {
        for (std::uint32_t subtopic = 0; subtopic < query.subtopics; ++subtopic) {
          if (counts[subtopic] == 0 || open[subtopic] == 0) continue;
          const auto others = tie.size() - static_cast<double>(counts[subtopic]);
          double none = 1.0;
          for (double drawn = 0; drawn < tie.within(limit_) && none > 0; ++drawn) {
            none *= std::max(others - drawn, 0.0) / (tie.size() - drawn);
          }
          seen += 1.0 - none;
          open[subtopic] = 0.0;  // a tie that goes on below k is the last
        }
      });
    } else {
      for (std::size_t i = 0; i < query.view.ranked.size() && query.view.ranked[i].rank <= limit_;
           ++i) {
        each_subtopic(query.view, i, [&](std::uint32_t subtopic) {
          seen += open[subtopic];
          open[subtopic] = 0.0;
        });
      }
    }
    return seen / query.covered;
  }
};

class IntentAwareAveragePrecision final : public DiversityKernel {
 public:
  using DiversityKernel::DiversityKernel;

 protected:
  double value(const Query& query) const override {
    std::vector<double>& above = query.scratch.doubles;
    std::vector<double>& sums = query.scratch.more_doubles;
    above.assign(query.subtopics, 0.0);
    sums.assign(query.subtopics, 0.0);
    if (expected_) {
      each_tie(query, [&](const Tie& tie, std::span<const std::int64_t> counts) {
        for (std::uint32_t subtopic = 0; subtopic < query.subtopics; ++subtopic) {
          if (counts[subtopic] == 0) continue;
          const auto relevant = static_cast<double>(counts[subtopic]);
          // Above a relevant document of the tie stand others, each with the same chance.
          const double step = tie.size() > 1 ? (relevant - 1.0) / (tie.size() - 1.0) : 0.0;
          double sum = 0.0;
          for (double t = 0; t < tie.within(limit_); ++t) {
            sum += (above[subtopic] + 1.0 + step * t) / (tie.first + t);
          }
          sums[subtopic] += sum * relevant / tie.size();
          above[subtopic] += relevant;
        }
      });
    } else {
      for (std::size_t i = 0; i < query.view.ranked.size() && query.view.ranked[i].rank <= limit_;
           ++i) {
        each_subtopic(query.view, i, [&](std::uint32_t subtopic) {
          sums[subtopic] += ++above[subtopic] / query.view.ranked[i].rank;
        });
      }
    }
    double total = 0.0;
    for (std::uint32_t subtopic = 0; subtopic < query.subtopics; ++subtopic) {
      if (query.relevant[subtopic] > 0) total += sums[subtopic] / query.relevant[subtopic];
    }
    return total / query.covered;
  }
};

}  // namespace

std::unique_ptr<Kernel> make_diversity_kernel(Parameters& parameters, const Rules& rules) {
  const std::string& name = parameters.kernel();
  const bool expected = rules.ties == Ties::expected;
  if (name == "p_ia" || name == "ap_ia" || name == "strecall") {
    const std::uint32_t k = parameters.take_cutoff();
    const double rel = parameters.take_rel();
    if (name == "p_ia") return std::make_unique<IntentAwarePrecision>(k, 0.5, rel, expected);
    if (name == "ap_ia")
      return std::make_unique<IntentAwareAveragePrecision>(k, 0.5, rel, expected);
    return std::make_unique<SubtopicRecall>(k, 0.5, rel, expected);
  }
  if (name != "novelty") return nullptr;
  const std::uint32_t k = parameters.take_cutoff();
  const double rel = parameters.take_rel();
  const double alpha = parameters.take_number("alpha", 0.5);
  if (!(alpha >= 0 && alpha <= 1)) parameters.refuse("alpha", "from 0 to 1");
  const double beta = parameters.take_number("beta", 0.5);
  if (!(beta >= 0 && beta < 1)) parameters.refuse("beta", "from 0 to below 1");
  const auto kind =
      static_cast<Weight::Kind>(parameters.take_choice("weight", {"log2", "inverse", "geometric"}));
  const auto norm =
      static_cast<Novelty::Norm>(parameters.take_choice("norm", {"subtopics", "ideal"}));
  return std::make_unique<Novelty>(k, alpha, rel, expected, Weight(kind, beta), norm);
}

}  // namespace relyon
