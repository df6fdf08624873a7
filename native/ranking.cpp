#include "ranking.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "error.hpp"
#include "parameters.hpp"
#include "radix.hpp"
#include "simd.hpp"

namespace relyon {
namespace {

constexpr std::uint32_t absent = 0xffffffff;

}  // namespace

Ranker::Ranker(const Plan& plan)
    : plan_(plan),
      all_(plan.needs_all_ranks()),
      pairs_(plan.needs_pairs()),
      needs_scores_(plan.needs_scores()),
      needs_pooled_(plan.needs_pooled()),
      reach_(plan.reach()) {}

const QueryView& Ranker::rank(const List& list) {
  view_ = QueryView{};
  prepare(list);
  view_.retrieved = scores_.size();
  view_.complete = complete_;
  if (plan_.rules.ties == Ties::rank) {
    rank_by_column();
  } else if (simd::descending(scores_.data(), scores_.size())) {
    if (fill_scores_) view_.scores = scores_;
    if (!listed_) list_wanted(grades_, false);
    rank_in_order();
  } else if (fill_scores_ || !few_wanted()) {
    rank_sorted();
  } else {
    if (!listed_) list_wanted(grades_, false);
    rank_counted();
  }
  whole_.clear();
  if (has_pooled_) {
    if (view_.tied) whole_ = ranked_;
    take_pooled();
  }
  view_.ranked = ranked_;
  list_ = &list;
  if (list.subtopics != nullptr) name_documents(list);
  return view_;
}

// Applies the rules on negative and unjudged documents and on the precision of scores.
void Ranker::prepare(const List& list) {
  const Rules& rules = plan_.rules;
  scores_ = list.scores;
  view_.judged = list.judged;
  view_.levels = list.levels;
  if (rules.unretrieved_removed && list.grades.empty()) {
    retrieved_grades_.clear();
    for (const Match& match : list.matches) retrieved_grades_.push_back(match.grade);
    std::sort(retrieved_grades_.begin(), retrieved_grades_.end(), std::greater<>());
    view_.judged = retrieved_grades_;
  }
  const std::span<const double> judged = view_.judged;
  ranks_ = list.ranks;
  ids_ = list.ids;
  condensed_ = rules.unjudged == Unjudged::removed;
  has_pooled_ = false;

  bool drop_negative = false;
  if (!judged.empty() && judged.back() < 0) {
    if (rules.negative == Negative::error) {
      throw InputError(Sentence("native.negative-grade", {{"grade", short_text(judged.back())}}),
                       {}, 0, "data.set-negative-nonrelevant");
    }
    if (rules.negative == Negative::unjudged) {
      std::size_t kept = judged.size();
      while (kept > 0 && judged[kept - 1] < 0) --kept;
      view_.judged = judged.first(kept);
      has_pooled_ = needs_pooled_ && rules.unjudged == Unjudged::nonrelevant;
      drop_negative = !has_pooled_;
    }
  }
  choose_wanted(list, drop_negative);
  if (condensed_ && wanted_.size() < list.scores.size()) {
    own_scores_.clear();
    rows_.clear();
    for (Match& match : matches_) {
      own_scores_.push_back(scores_[match.row]);
      rows_.push_back(match.row);
      match.row = static_cast<std::uint32_t>(rows_.size() - 1);
    }
    scores_ = own_scores_;
    grades_ = {};
  } else {
    condensed_ = false;
  }
  if (rules.float32) {
    const std::size_t size = scores_.size();
    if (!condensed_) own_scores_.assign(scores_.begin(), scores_.end());
    for (std::size_t i = 0; i < size; ++i) own_scores_[i] = static_cast<float>(own_scores_[i]);
    scores_ = {own_scores_.data(), size};
  }
}

void Ranker::choose_wanted(const List& list, bool drop_negative) {
  const bool dense = !list.grades.empty();
  listed_ = true;
  const bool every_judged =
      (dense || list.matches.size() == list.scores.size()) && !drop_negative && !has_pooled_;
  const bool negatives = !view_.judged.empty() && view_.judged.back() < 0;
  complete_ = all_ || (pairs_ && (!every_judged || negatives || plan_.rules.ties == Ties::rank));
  count_ties_ = pairs_ && !complete_;
  fill_scores_ = needs_scores_ && complete_;
  grades_ = dense && !drop_negative && !has_pooled_ ? list.grades : std::span<const double>{};
  if (!dense && complete_ && !drop_negative && !condensed_) {
    wanted_ = list.matches;
    wanted_count_ = wanted_.size();
    return;
  }
  if (dense) {
    if (!grades_.empty() && !condensed_ && plan_.rules.ties != Ties::rank) {
      // Listed only where it turns out to be of use.
      wanted_count_ = complete_ ? list.grades.size()
                                : static_cast<std::size_t>(
                                      std::partition_point(view_.judged.begin(), view_.judged.end(),
                                                           [](double grade) { return grade > 0; }) -
                                      view_.judged.begin());
      wanted_ = {};
      listed_ = false;
      return;
    }
    list_wanted(list.grades, drop_negative);
  } else {
    matches_.clear();
    for (const Match& match : list.matches) {
      if (complete_ ? !(drop_negative && match.grade < 0) : match.grade > 0)
        matches_.push_back(match);
    }
  }
  wanted_ = matches_;
  wanted_count_ = wanted_.size();
}

void Ranker::list_wanted(std::span<const double> grades, bool drop_negative) {
  matches_.resize(grades.size());
  std::size_t count = 0;
  for (std::uint32_t row = 0; row < grades.size(); ++row) {
    const double grade = grades[row];
    matches_[count] = {row, grade};
    count += (complete_ && !(drop_negative && grade < 0)) || grade > 0 ? 1 : 0;
  }
  matches_.resize(count);
  wanted_ = matches_;
  listed_ = true;
}

// Whether looking up each wanted document beats ordering the whole list.
bool Ranker::few_wanted() const {
  const std::uint64_t size = scores_.size();
  // Measured, in processor cycles.
  const std::uint64_t counting = wanted_count_ * (size / 4 + 20) + (count_ties_ ? 4 * size : 0);
  const std::uint64_t ordering = reaches_best()                ? 6 * size + 300
                                 : size <= simd::most_to_order ? size * size / 24 + 9 * size
                                                               : 60 * size;
  return counting < ordering;
}

// The list comes sorted: ranks follow from rows.
void Ranker::rank_in_order() {
  ranked_.clear();
  const auto size = static_cast<std::uint32_t>(scores_.size());
  std::uint32_t next = 0;
  std::uint32_t place = 0;
  while (place < size) {
    if (!count_ties_) {
      if (next == wanted_.size()) return;
      // Jump to the next wanted document, and back to the start of its tie.
      const std::uint32_t row = wanted_[next].row;
      const double score = scores_[row];
      std::uint32_t start = row;
      while (start > place && scores_[start - 1] == score) --start;
      place = start;
    }
    tie_score_ = scores_[place];
    std::uint32_t end = place + 1;
    while (end < size && scores_[end] == tie_score_) ++end;
    if (count_ties_ && end - place > 1) {
      view_.tied_pairs += std::uint64_t{end - place} * (end - place - 1) / 2;
    }
    if (end - place == 1) {
      if (next < wanted_.size() && wanted_[next].row == place) {
        push(wanted_[next++].grade, tie_score_, place + 1, place + 1, place + 1, place);
      }
    } else {
      members_.clear();
      for (; next < wanted_.size() && wanted_[next].row < end; ++next) {
        members_.push_back({wanted_[next].row - place, wanted_[next].grade});
      }
      if (!members_.empty()) place_tie(place, end - place, nullptr);
    }
    place = end;
  }
}

// Few documents in a list without order: each one's rank is the number of better scores.
void Ranker::rank_counted() {
  ranked_.clear();
  if (count_ties_) view_.tied_pairs = count_tied_pairs();
  const std::size_t size = wanted_.size();
  found_.resize(size);
  Found* const found = found_.data();
  for (std::size_t i = 0; i < size; ++i) {
    found[i] = {wanted_[i], simd::count(scores_.data(), scores_.size(), scores_[wanted_[i].row])};
  }
  std::sort(found_.begin(), found_.end(), [](const Found& one, const Found& other) {
    return one.counts.better != other.counts.better ? one.counts.better < other.counts.better
                                                    : one.match.row < other.match.row;
  });
  for (std::size_t i = 0; i < size;) {
    const std::uint32_t better = found[i].counts.better;
    const std::uint32_t equal = found[i].counts.equal;
    const double score = scores_[found[i].match.row];
    if (equal == 1) {
      push(found[i].match.grade, score, better + 1, better + 1, better + 1, found[i].match.row);
      ++i;
      continue;
    }
    group_.clear();
    members_.clear();
    for (std::uint32_t row = 0; row < scores_.size(); ++row) {
      if (scores_[row] != score) continue;
      if (i < size && found[i].match.row == row) {
        members_.push_back({static_cast<std::uint32_t>(group_.size()), found[i].match.grade});
        ++i;
      }
      group_.push_back(row);
    }
    tie_score_ = score;
    place_tie(better, equal, group_.data());
  }
}

// Counts pairs of equal scores. A table without keys finds every score that may have come before,
// and few that did not; those are looked for.
std::uint64_t Ranker::count_tied_pairs() {
  const std::size_t size = scores_.size();
  const unsigned bits = static_cast<unsigned>(std::bit_width(size | 15)) + 5;
  if (seen_.size() < std::size_t{1} << bits) {
    seen_.assign(std::size_t{1} << bits, 0);
    stamp_ = 0;
  }
  if (++stamp_ == 0) {
    std::fill(seen_.begin(), seen_.end(), std::uint16_t{0});
    stamp_ = 1;
  }
  suspects_.resize(size);
  std::size_t count = 0;
  for (const double score : scores_) {
    const std::size_t slot =
        std::bit_cast<std::uint64_t>(score + 0.0) * 0x9e3779b97f4a7c15U >> (64 - bits);
    suspects_[count] = score;
    count += seen_[slot] == stamp_ ? 1 : 0;
    seen_[slot] = stamp_;
  }
  if (count == 0) return 0;
  if (count * size > 1000 * (size + 64)) {
    suspects_.assign(scores_.begin(), scores_.end());
    std::sort(suspects_.begin(), suspects_.end());
    std::uint64_t pairs = 0;
    for (std::size_t start = 0; start < size;) {
      std::size_t end = start + 1;
      while (end < size && suspects_[end] == suspects_[start]) ++end;
      pairs += std::uint64_t{end - start} * (end - start - 1) / 2;
      start = end;
    }
    return pairs;
  }
  std::sort(suspects_.begin(), suspects_.begin() + static_cast<std::ptrdiff_t>(count));
  std::uint64_t pairs = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && suspects_[i] == suspects_[i - 1]) continue;
    const std::uint64_t equal = simd::count(scores_.data(), size, suspects_[i]).equal;
    pairs += equal * (equal - 1) / 2;
  }
  return pairs;
}

// The rank column alone is the order; ties are still those of scores.
void Ranker::rank_by_column() {
  ranked_.clear();
  const auto size = static_cast<std::uint32_t>(scores_.size());
  if (ranks_ == nullptr && size > 0) {
    throw InputError("native.ties-rank-needs-rank", {}, 0, "data.choose-another-tie-rule");
  }
  order_.resize(size);
  std::iota(order_.begin(), order_.end(), 0U);
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t one, std::uint32_t other) {
    return ranks_[source_row(one)] < ranks_[source_row(other)];
  });
  if (fill_scores_) {
    sorted_scores_.resize(size);
    for (std::uint32_t i = 0; i < size; ++i) sorted_scores_[i] = scores_[order_[i]];
    view_.scores = sorted_scores_;
  }
  std::vector<std::uint32_t> index(size, absent);
  for (std::uint32_t i = 0; i < wanted_.size(); ++i) index[wanted_[i].row] = i;
  keys_.resize(size);
  for (std::uint32_t row = 0; row < size; ++row) keys_[row] = {~ascending_key(scores_[row]), row};
  std::sort(keys_.begin(), keys_.end(),
            [](const Key& one, const Key& other) { return one.key < other.key; });
  const auto earlier = [](const Key& one, const Key& other) { return one.key < other.key; };
  for (std::uint32_t place = 0; place < size; ++place) {
    const std::uint32_t row = order_[place];
    if (index[row] == absent) continue;
    const auto [low, high] = std::equal_range(keys_.begin(), keys_.end(),
                                              Key{~ascending_key(scores_[row]), row}, earlier);
    push(wanted_[index[row]].grade, scores_[row], place + 1,
         static_cast<std::uint32_t>(low - keys_.begin()) + 1,
         static_cast<std::uint32_t>(high - keys_.begin()), row);
  }
}

// Moves pooled but unjudged documents out of the ranked ones.
void Ranker::take_pooled() {
  pooled_.clear();
  std::size_t kept = 0;
  for (const Ranked& document : ranked_) {
    if (document.grade < 0) {
      pooled_.push_back(document.rank);
    } else {
      ranked_[kept++] = document;
    }
  }
  ranked_.resize(kept);
  view_.pooled = pooled_;
}

// Says which judged document each ranked one is: kernels of diversity measures ask.
void Ranker::name_documents(const List& list) {
  documents_.clear();
  for (const Ranked& document : ranked_) {
    const std::uint32_t row = source_row(document.row);
    const auto match =
        std::lower_bound(list.matches.begin(), list.matches.end(), row,
                         [](const Match& one, std::uint32_t wanted) { return one.row < wanted; });
    documents_.push_back(list.documents[static_cast<std::size_t>(match - list.matches.begin())]);
  }
  view_.subtopics = list.subtopics;
  view_.documents = documents_;
}

}  // namespace relyon
