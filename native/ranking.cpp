#include "ranking.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "error.hpp"
#include "rank_counts.hpp"

namespace relkit {

namespace {

// Lists up to this length are ranked by counting better scores, which needs no branch.
constexpr std::size_t longest_counted = 256;

}  // namespace

const QueryView& Ranker::rank(const List& list) {
  const Rules& rules = plan_.rules;
  const bool needs_all = needs_all_;
  matches_.assign(list.matches.begin(), list.matches.end());
  pooled_rows_.clear();
  std::span<const double> judged = list.judged;

  if (!judged.empty() && judged.back() < 0 && rules.negative != Negative::nonrelevant) {
    if (rules.negative == Negative::error) {
      throw InputError("a grade is negative: " + std::to_string(judged.back()), "", 0,
                       "set negative=nonrelevant or negative=unjudged");
    }
    const auto first = std::find_if(judged.begin(), judged.end(), [](double grade) { return grade < 0; });
    judged = judged.first(static_cast<std::size_t>(first - judged.begin()));
    for (const Match& match : matches_) {
      if (match.grade < 0) pooled_rows_.push_back(match.row);
    }
    std::erase_if(matches_, [](const Match& match) { return match.grade < 0; });
  }

  // The scores that are compared: rounded, and only those of judged documents if condensed.
  std::span<const double> scores = list.scores;
  const bool condensed = rules.unjudged == Unjudged::removed;
  if (rules.float32 || condensed) {
    scores_.clear();
    if (condensed) {
      for (const Match& match : matches_) scores_.push_back(list.scores[match.row]);
      pooled_rows_.clear();
    } else {
      scores_.assign(list.scores.begin(), list.scores.end());
    }
    if (rules.float32) {
      for (double& score : scores_) score = static_cast<double>(static_cast<float>(score));
    }
    scores = scores_;
  }
  const std::size_t count = scores.size();
  // Row of a match among `scores`.
  const auto row_of = [&](std::size_t place) {
    return condensed ? static_cast<std::uint32_t>(place) : matches_[place].row;
  };
  const auto input_row = [&](std::uint32_t row) { return condensed ? matches_[row].row : row; };

  view_.retrieved = count;
  view_.judged = judged;
  view_.complete = needs_all;
  ranked_.clear();
  pooled_.clear();
  unjudged_.clear();
  if (count > 0 && (!matches_.empty() || !pooled_rows_.empty() || needs_unjudged_)) {
    std::vector<std::uint32_t>& wanted = wanted_;
    wanted.clear();
    for (std::size_t place = 0; place < matches_.size(); ++place) {
      if (needs_all || matches_[place].grade > 0) wanted.push_back(static_cast<std::uint32_t>(place));
    }
    rows_.clear();
    for (const std::uint32_t place : wanted) rows_.push_back(row_of(place));
    rows_.insert(rows_.end(), pooled_rows_.begin(), pooled_rows_.end());
    if (needs_unjudged_ && !condensed) {
      std::size_t next = 0;
      for (std::uint32_t row = 0; row < count; ++row) {
        if (next < matches_.size() && matches_[next].row == row) {
          ++next;
        } else {
          rows_.push_back(row);
        }
      }
    }
    const std::size_t total = rows_.size();
    counts_.resize(total);

    bool descending = true;
    for (std::size_t row = 1; row < count; ++row) descending &= scores[row - 1] >= scores[row];
    if (descending) {
      for (std::size_t at = 0; at < total; ++at) {
        const auto [first, last] = std::equal_range(scores.begin(), scores.end(), scores[rows_[at]],
                                                    [](double a, double b) { return a > b; });
        counts_[at] = {static_cast<std::uint32_t>(first - scores.begin()),
                       static_cast<std::uint32_t>(last - first)};
      }
    } else if (count <= longest_counted || total * 8 < 64) {
      for (std::size_t at = 0; at < total; ++at) counts_[at] = count_better(scores, scores[rows_[at]]);
    } else {
      sorted_.assign(scores.begin(), scores.end());
      std::sort(sorted_.begin(), sorted_.end(), [](double a, double b) { return a > b; });
      for (std::size_t at = 0; at < total; ++at) {
        const auto [first, last] = std::equal_range(sorted_.begin(), sorted_.end(), scores[rows_[at]],
                                                    [](double a, double b) { return a > b; });
        counts_[at] = {static_cast<std::uint32_t>(first - sorted_.begin()),
                       static_cast<std::uint32_t>(last - first)};
      }
    }

    std::size_t tied = 0;
    for (const Count& each : counts_) tied += each.equal > 1;
    // A few ties are settled one by one; many by ordering the whole list.
    const bool ordered = rules.ties == Ties::rank || tied > 16;
    const bool settled = tied > 0 && !ordered && rules.ties != Ties::expected;
    if (ordered && rules.ties != Ties::expected) {
      order_all(list, scores, input_row);
    } else if (settled && (rules.ties == Ties::worst || rules.ties == Ties::best)) {
      set_gains(count);
    }
    for (std::size_t at = 0; at < total; ++at) {
      const Count& each = counts_[at];
      const std::uint32_t first = each.better + 1;
      std::uint32_t rank = first;
      if (ordered && rules.ties != Ties::expected) {
        rank = places_[rows_[at]] + 1;
      } else if (settled && each.equal > 1) {
        const std::uint32_t row = rows_[at];
        const std::size_t from = descending ? each.better : 0;
        const std::size_t to = descending ? from + each.equal : count;
        for (auto other = static_cast<std::uint32_t>(from); other < to; ++other) {
          if (scores[other] == scores[row] && other != row) rank += goes_before(list, input_row, other, row);
        }
      }
      if (at < wanted.size()) {
        ranked_.push_back({matches_[wanted[at]].grade, scores[rows_[at]], rank, first,
                           each.better + each.equal});
      } else if (at < wanted.size() + pooled_rows_.size()) {
        pooled_.push_back(rank);
      } else {
        unjudged_.push_back({0.0, scores[rows_[at]], rank, first, each.better + each.equal});
      }
    }
    const auto by_rank = [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; };
    if (!std::is_sorted(ranked_.begin(), ranked_.end(), by_rank)) {
      std::stable_sort(ranked_.begin(), ranked_.end(), by_rank);
    }
    std::stable_sort(unjudged_.begin(), unjudged_.end(), by_rank);
    std::sort(pooled_.begin(), pooled_.end());
  }
  view_.ranked = ranked_;
  view_.pooled = pooled_;
  view_.unjudged = unjudged_;
  return view_;
}

// Whether one of two rows with equal scores comes before the other.
template <class InputRow>
bool Ranker::goes_before(const List& list, const InputRow& input_row, std::uint32_t one,
                         std::uint32_t other) const {
  switch (plan_.rules.ties) {
    case Ties::doc_desc:
      if (list.ids == nullptr) return one > other;
      return list.ids->id(input_row(one)) > list.ids->id(input_row(other));
    case Ties::doc_asc:
      if (list.ids == nullptr) return one < other;
      return list.ids->id(input_row(one)) < list.ids->id(input_row(other));
    case Ties::worst:
      return gains_[one] != gains_[other] ? gains_[one] < gains_[other] : one < other;
    case Ties::best:
      return gains_[one] != gains_[other] ? gains_[one] > gains_[other] : one < other;
    default:
      return one < other;
  }
}

void Ranker::set_gains(std::size_t count) {
  gains_.assign(count, 0.0);
  const bool condensed = plan_.rules.unjudged == Unjudged::removed;
  for (std::size_t place = 0; place < matches_.size(); ++place) {
    gains_[condensed ? place : matches_[place].row] = std::max(matches_[place].grade, 0.0);
  }
}

// Fills places_: the place from 0 of every row in the whole order.
template <class InputRow>
void Ranker::order_all(const List& list, std::span<const double> scores, const InputRow& input_row) {
  const Ties ties = plan_.rules.ties;
  order_.resize(scores.size());
  std::iota(order_.begin(), order_.end(), 0u);
  if (ties == Ties::rank) {
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return list.ranks[input_row(a)] < list.ranks[input_row(b)];
    });
  } else {
    if (ties == Ties::worst || ties == Ties::best) set_gains(scores.size());
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return scores[a] != scores[b] ? scores[a] > scores[b] : goes_before(list, input_row, a, b);
    });
  }
  places_.resize(order_.size());
  for (std::size_t place = 0; place < order_.size(); ++place) {
    places_[order_[place]] = static_cast<std::uint32_t>(place);
  }
}

}  // namespace relkit
