// What several kernels share: cutoffs, gains, discounts, ties.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "error.hpp"
#include "parameters.hpp"
#include "plan.hpp"
#include "query.hpp"

namespace relyon {

inline constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

// A measure whose queries are averaged.
inline Partial mean_of(double value) {
  if (std::isnan(value)) return {};
  return {value, value, 1.0};
}

// The number of judged grades of `rel` or more: R. `judged` descends.
inline std::uint64_t relevant_of(std::span<const double> judged, double rel) {
  const auto end = std::partition_point(judged.begin(), judged.end(),
                                        [rel](double grade) { return grade >= rel; });
  return static_cast<std::uint64_t>(end - judged.begin());
}

[[noreturn]] inline void refuse_expected(const std::string& measure) {
  throw NoClosedForm(Sentence("native.has-no-closed-form", {{"measure", measure}}), {}, 0,
                     "data.choose-another-tie-rule");
}

// The judged documents of one tie.
struct Tie {
  std::span<const Ranked> members;
  std::uint32_t first;
  std::uint32_t last;
  double size() const { return static_cast<double>(last) - first + 1; }
  // How many ranks of the tie are among the first k.
  double within(std::uint64_t k) const {
    return k < first ? 0.0 : static_cast<double>(std::min<std::uint64_t>(last, k)) - first + 1;
  }
  template <typename Condition>
  double count(Condition condition) const {
    return static_cast<double>(std::count_if(members.begin(), members.end(), condition));
  }
};

// Calls `visit(tie)` for every tie with a judged document, best scores first, until it returns
// false.
template <typename Visit>
void for_ties(std::span<const Ranked> ranked, Visit visit) {
  for (std::size_t start = 0; start < ranked.size();) {
    std::size_t end = start + 1;
    while (end < ranked.size() && ranked[end].first == ranked[start].first) ++end;
    if (!visit(Tie{ranked.subspan(start, end - start), ranked[start].first, ranked[start].last}))
      return;
    start = end;
  }
}

// A kernel with a cutoff.
class CutKernel : public Kernel {
 public:
  explicit CutKernel(std::uint32_t k)
      : k_(k), limit_(k == 0 ? std::numeric_limits<std::uint64_t>::max() : k) {}
  std::uint32_t cutoff() const override { return k_; }
  std::uint32_t window() const override { return k_; }

 protected:
  // Ranks that count in a list of `retrieved` documents: min(k, retrieved).
  std::uint64_t depth(const QueryView& query) const { return std::min(limit_, query.retrieved); }

  const std::uint32_t k_;
  const std::uint64_t limit_;
};

// A kernel that asks only whether a document is relevant: grade >= rel.
class BinaryKernel : public CutKernel {
 public:
  BinaryKernel(std::uint32_t k, double rel, bool expected)
      : CutKernel(k), rel_(rel), expected_(expected) {}

  bool needs_all_ranks() const override { return rel_ <= 0; }
  std::uint32_t reach() const override { return k_; }

 protected:
  bool relevant(const Ranked& document) const { return document.grade >= rel_; }

  std::uint64_t relevant_judged(const QueryView& query) const {
    return relevant_of(query.judged, rel_);
  }

  // Relevant documents of a tie.
  double relevant_in(const Tie& tie) const {
    return tie.count([this](const Ranked& document) { return relevant(document); });
  }

  // Relevant documents among the first `limit` ranks, or their expected number.
  double hits(const QueryView& query, std::uint64_t limit) const {
    if (expected_) {
      double sum = 0.0;
      for_ties(query.ranked, [&](const Tie& tie) {
        const double within = tie.within(limit);
        if (within <= 0) return false;
        const double found = relevant_in(tie);
        sum += within == tie.size() ? found : found * within / tie.size();
        return true;
      });
      return sum;
    }
    std::uint64_t found = 0;
    for (const Ranked& document : query.ranked) {
      if (document.rank > limit) break;
      found += relevant(document) ? 1 : 0;
    }
    return static_cast<double>(found);
  }

  const double rel_;
  const bool expected_;
};

class Gain {
 public:
  enum class Kind { linear, exponential, map };

  Gain() = default;
  static Gain take(Parameters& parameters);

  double operator()(double grade) const {
    if (kind_ == Kind::linear) return std::max(grade, 0.0);
    if (!(grade > 0) && !(kind_ == Kind::map && grade == 0)) return 0.0;
    if (grade < table_size) {
      const auto whole = static_cast<std::size_t>(grade);
      if (static_cast<double>(whole) == grade) {
        const double gain = table_[whole];
        if (gain >= 0) return gain;
      }
    }
    return look_up(grade);
  }

  bool knows(double grade) const {
    return kind_ != Kind::map || others_ ||
           std::any_of(map_.begin(), map_.end(),
                       [grade](const auto& entry) { return entry.first == grade; });
  }
  // Whether a higher grade never has a lower gain.
  bool ascending() const { return ascending_; }
  // Whether documents of grade 0 have a gain, or none in the map.
  bool counts_zero() const { return kind_ == Kind::map && table_[0] != 0; }
  Kind kind() const { return kind_; }

 private:
  static constexpr std::size_t table_size = 64;
  double look_up(double grade) const;

  Kind kind_ = Kind::linear;
  bool ascending_ = true;
  std::array<double, table_size> table_{};  // gains of whole grades; -1: not known
  GainMap map_;                             // sorted
  bool others_ = false;                     // grades that the map lacks are their own gain
};

class Discount {
 public:
  enum class Kind { log2, inverse, none };

  Discount() = default;
  explicit Discount(Kind kind) : kind_(kind) {}
  static Discount take(Parameters& parameters) {
    return Discount(
        static_cast<Kind>(parameters.take_choice("discount", {"log2", "inverse", "none"})));
  }

  // What the gain at a rank is divided by.
  double operator()(std::uint64_t rank) const {
    switch (kind_) {
      case Kind::log2:
        return rank < table_->size() ? (*table_)[rank] : std::log2(static_cast<double>(rank) + 1.0);
      case Kind::inverse:
        return static_cast<double>(rank);
      default:
        return 1.0;
    }
  }

  Kind kind() const { return kind_; }

  // log2(rank + 1) by rank.
  static const std::array<double, 4096>& logarithms();

 private:
  const std::array<double, 4096>* table_ = &logarithms();
  Kind kind_ = Kind::log2;
};

}  // namespace relyon
