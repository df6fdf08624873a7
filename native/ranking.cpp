#include "ranking.hpp"

#include <algorithm>
#include <numeric>

#include "error.hpp"
#include "parameters.hpp"
#include "radix.hpp"
#include "simd.hpp"

namespace relkit {
namespace {

constexpr std::uint32_t absent = 0xffffffff;
constexpr std::size_t radix_from = 1024;
constexpr std::size_t count_to = 256;  // up to here counting better scores beats sorting

double positive_part(double grade) { return grade > 0 ? grade : 0.0; }

}  // namespace

Ranker::Ranker(const Plan& plan)
    : plan_(plan),
      all_(plan.needs_all_ranks()),
      needs_scores_(plan.needs_scores()),
      needs_pooled_(plan.needs_pooled()) {}

void Ranker::push(double grade, double score, std::uint32_t rank, std::uint32_t first,
                  std::uint32_t last) {
  view_.tied |= first != last;
  ranked_.push_back({grade, score, rank, first, last});
}

const QueryView& Ranker::rank(const List& list) {
  view_ = QueryView{};
  ranked_.clear();
  prepare(list);
  view_.retrieved = scores_.size();
  view_.complete = all_;
  if (plan_.rules.ties == Ties::rank) {
    rank_by_column();
  } else if (simd::descending(scores_.data(), scores_.size())) {
    if (needs_scores_) view_.scores = scores_;
    rank_ordered(nullptr);
  } else if (needs_scores_ || wanted_.size() > 16) {
    rank_sorted();
  } else {
    rank_counted();
  }
  if (has_pooled_) take_pooled();
  view_.ranked = ranked_;
  return view_;
}

// Applies the rules on negative and unjudged documents and on the precision of scores.
void Ranker::prepare(const List& list) {
  const Rules& rules = plan_.rules;
  scores_ = list.scores;
  wanted_ = list.matches;
  view_.judged = list.judged;
  ranks_ = list.ranks;
  ids_ = list.ids;
  condensed_ = rules.unjudged == Unjudged::removed;
  has_pooled_ = false;

  bool drop_negative = false;
  if (!list.judged.empty() && list.judged.back() < 0) {
    if (rules.negative == Negative::error) {
      throw InputError("negative grade " + short_text(list.judged.back()), {}, 0,
                       "set negative=nonrelevant or negative=unjudged");
    }
    if (rules.negative == Negative::unjudged) {
      std::size_t kept = list.judged.size();
      while (kept > 0 && list.judged[kept - 1] < 0) --kept;
      view_.judged = list.judged.first(kept);
      has_pooled_ = needs_pooled_ && !condensed_;
      drop_negative = !has_pooled_;
    }
  }
  if (drop_negative || !all_ || condensed_) {
    matches_.clear();
    rows_.clear();
    for (const Match& match : list.matches) {
      if (drop_negative && match.grade < 0) continue;
      if (!all_ && !(match.grade > 0)) continue;
      matches_.push_back(match);
    }
    wanted_ = matches_;
  }
  if (condensed_) {
    own_scores_.clear();
    for (Match& match : matches_) {
      own_scores_.push_back(scores_[match.row]);
      rows_.push_back(match.row);
      match.row = static_cast<std::uint32_t>(rows_.size() - 1);
    }
    scores_ = own_scores_;
  }
  if (rules.float32) {
    const std::size_t size = scores_.size();
    if (!condensed_) own_scores_.assign(scores_.begin(), scores_.end());
    for (std::size_t i = 0; i < size; ++i) own_scores_[i] = static_cast<float>(own_scores_[i]);
    scores_ = {own_scores_.data(), size};
  }
}

// Ranks follow from places: `order` holds the rows from the best score to the worst, stable, or is
// nullptr where the list is sorted already.
void Ranker::rank_ordered(const std::uint32_t* order) {
  const auto size = static_cast<std::uint32_t>(scores_.size());
  const auto score_at = [&](std::uint32_t place) { return scores_[order ? order[place] : place]; };
  const bool every = wanted_.size() == size;
  if (order != nullptr && !every) {
    index_.assign(size, absent);
    for (std::uint32_t i = 0; i < wanted_.size(); ++i) index_[wanted_[i].row] = i;
  }
  if (order != nullptr && every) {
    // Most complete lists hold no tie: their ranks are the places.
    ranked_.resize(size);
    bool tied = false;
    double before = 0.0;
    for (std::uint32_t i = 0; i < size; ++i) {
      const double score = scores_[order[i]];
      tied |= i > 0 && score == before;
      before = score;
      ranked_[i] = {wanted_[order[i]].grade, score, i + 1, i + 1, i + 1};
    }
    if (!tied) return;
    ranked_.clear();
  }
  std::uint32_t next = 0;
  std::uint32_t place = 0;
  while (place < size) {
    if (order == nullptr) {
      if (next == wanted_.size()) return;
      // Jump to the next wanted document, and back to the start of its tie.
      const std::uint32_t row = wanted_[next].row;
      const double score = scores_[row];
      std::uint32_t start = row;
      while (start > place && scores_[start - 1] == score) --start;
      place = start;
    }
    const double score = score_at(place);
    std::uint32_t end = place + 1;
    while (end < size && score_at(end) == score) ++end;
    members_.clear();
    if (order == nullptr) {
      for (; next < wanted_.size() && wanted_[next].row < end; ++next) {
        members_.push_back({wanted_[next].row - place, wanted_[next].grade});
      }
    } else {
      for (std::uint32_t i = place; i < end; ++i) {
        const std::uint32_t index = every ? order[i] : index_[order[i]];
        if (index != absent) members_.push_back({i - place, wanted_[index].grade});
      }
    }
    if (!members_.empty()) {
      tie_score_ = score;
      place_tie(place, end - place, order ? order + place : nullptr);
    }
    place = end;
  }
}

// Few documents in a list without order: each one's rank is the number of better scores.
void Ranker::rank_counted() {
  struct Found {
    Match match;
    simd::Counts counts;
  };
  Found found[16];
  const std::size_t size = wanted_.size();
  for (std::size_t i = 0; i < size; ++i) {
    found[i] = {wanted_[i], simd::count(scores_.data(), scores_.size(), scores_[wanted_[i].row])};
  }
  std::sort(found, found + size, [](const Found& one, const Found& other) {
    return one.counts.better != other.counts.better ? one.counts.better < other.counts.better
                                                    : one.match.row < other.match.row;
  });
  for (std::size_t i = 0; i < size;) {
    const std::uint32_t better = found[i].counts.better;
    const std::uint32_t equal = found[i].counts.equal;
    const double score = scores_[found[i].match.row];
    if (equal == 1) {
      push(found[i].match.grade, score, better + 1, better + 1, better + 1);
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

void Ranker::sort_rows() {
  const auto size = static_cast<std::uint32_t>(scores_.size());
  order_.resize(size);
  if (size <= count_to) {
    padded_.resize(count_to + simd::padding);
    places_.resize(count_to + simd::padding);
    std::copy(scores_.begin(), scores_.end(), padded_.begin());
    simd::places(padded_.data(), size, places_.data());
    for (std::uint32_t row = 0; row < size; ++row) order_[static_cast<std::size_t>(places_[row])] = row;
    return;
  }
  keys_.resize(size);
  for (std::uint32_t row = 0; row < size; ++row) keys_[row] = {~ascending_key(scores_[row]), row};
  if (size >= radix_from) {
    radix_sort(keys_, more_keys_, [](const Key& key) { return key.key; });
  } else {
    std::sort(keys_.begin(), keys_.end(), [](const Key& one, const Key& other) {
      return one.key != other.key ? one.key < other.key : one.row < other.row;
    });
  }
  for (std::uint32_t i = 0; i < size; ++i) order_[i] = keys_[i].row;
}

void Ranker::rank_sorted() {
  sort_rows();
  if (needs_scores_) {
    sorted_scores_.resize(scores_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) sorted_scores_[i] = scores_[order_[i]];
    view_.scores = sorted_scores_;
  }
  rank_ordered(order_.data());
}

// The rank column alone is the order; ties are still those of scores.
void Ranker::rank_by_column() {
  const auto size = static_cast<std::uint32_t>(scores_.size());
  if (ranks_ == nullptr && size > 0) {
    throw InputError("ties=rank needs a rank column", {}, 0,
                     "choose another tie rule, such as ties=doc-desc");
  }
  order_.resize(size);
  std::iota(order_.begin(), order_.end(), 0U);
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t one, std::uint32_t other) {
    return ranks_[source_row(one)] < ranks_[source_row(other)];
  });
  if (needs_scores_) {
    sorted_scores_.resize(size);
    for (std::uint32_t i = 0; i < size; ++i) sorted_scores_[i] = scores_[order_[i]];
    view_.scores = sorted_scores_;
  }
  index_.assign(size, absent);
  for (std::uint32_t i = 0; i < wanted_.size(); ++i) index_[wanted_[i].row] = i;
  keys_.resize(size);
  for (std::uint32_t row = 0; row < size; ++row) keys_[row] = {~ascending_key(scores_[row]), row};
  std::sort(keys_.begin(), keys_.end(),
            [](const Key& one, const Key& other) { return one.key < other.key; });
  const auto earlier = [](const Key& one, const Key& other) { return one.key < other.key; };
  for (std::uint32_t place = 0; place < size; ++place) {
    const std::uint32_t row = order_[place];
    if (index_[row] == absent) continue;
    const auto [low, high] = std::equal_range(keys_.begin(), keys_.end(),
                                              Key{~ascending_key(scores_[row]), row}, earlier);
    push(wanted_[index_[row]].grade, scores_[row], place + 1,
         static_cast<std::uint32_t>(low - keys_.begin()) + 1,
         static_cast<std::uint32_t>(high - keys_.begin()));
  }
}

// Ranks the wanted `members_` of one tie: `size` documents with the same score, `better` above it.
void Ranker::place_tie(std::uint32_t better, std::uint32_t size, const std::uint32_t* rows) {
  const std::uint32_t first = better + 1;
  const std::uint32_t last = better + size;
  if (size == 1) {
    push(members_[0].grade, tie_score_, first, first, last);
    return;
  }
  switch (plan_.rules.ties) {
    case Ties::doc_desc:
    case Ties::doc_asc:
      order_by_id(better, size, rows);
      return;
    case Ties::worst:
    case Ties::best: {
      const bool best = plan_.rules.ties == Ties::best;
      const auto with_gain = static_cast<std::uint32_t>(std::count_if(
          members_.begin(), members_.end(), [](const Member& member) { return member.grade > 0; }));
      // Documents without gain keep their order among themselves, listed here or not.
      std::uint32_t gains_before = 0;
      const std::size_t start = ranked_.size();
      for (const Member& member : members_) {
        if (member.grade > 0) {
          ++gains_before;
        } else {
          const std::uint32_t offset = member.place - gains_before + (best ? with_gain : 0);
          push(member.grade, tie_score_, first + offset, first, last);
        }
      }
      std::stable_sort(members_.begin(), members_.end(), [&](const Member& one, const Member& other) {
        const double left = positive_part(one.grade);
        const double right = positive_part(other.grade);
        return best ? left > right : left < right;
      });
      const auto without = static_cast<std::uint32_t>(members_.size()) - with_gain;
      for (std::uint32_t i = 0; i < with_gain; ++i) {
        const std::uint32_t rank = best ? first + i : last - with_gain + 1 + i;
        push(members_[best ? i : without + i].grade, tie_score_, rank, first, last);
      }
      std::sort(ranked_.begin() + static_cast<std::ptrdiff_t>(start), ranked_.end(),
                [](const Ranked& one, const Ranked& other) { return one.rank < other.rank; });
      return;
    }
    default:
      for (const Member& member : members_) {
        push(member.grade, tie_score_, first + member.place, first, last);
      }
  }
}

void Ranker::order_by_id(std::uint32_t better, std::uint32_t size, const std::uint32_t* rows) {
  const std::uint32_t first = better + 1;
  const std::uint32_t last = better + size;
  const bool descending = plan_.rules.ties == Ties::doc_desc;
  if (ids_ == nullptr) {
    if (descending) {
      for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
        push(member->grade, tie_score_, last - member->place, first, last);
      }
    } else {
      for (const Member& member : members_) {
        push(member.grade, tie_score_, first + member.place, first, last);
      }
    }
    return;
  }
  const auto id = [&](std::uint32_t place) {
    return ids_->id(source_row(rows ? rows[place] : better + place));
  };
  if (members_.size() == 1) {
    const std::string_view own = id(members_[0].place);
    std::uint32_t above = 0;
    for (std::uint32_t place = 0; place < size; ++place) {
      if (place == members_[0].place) continue;
      above += (descending ? id(place) > own : id(place) < own) ? 1 : 0;
    }
    push(members_[0].grade, tie_score_, first + above, first, last);
    return;
  }
  names_.clear();
  for (std::uint32_t place = 0; place < size; ++place) names_.emplace_back(id(place), place);
  std::sort(names_.begin(), names_.end());
  if (descending) std::reverse(names_.begin(), names_.end());
  std::vector<const Member*> by_place(size, nullptr);
  for (const Member& member : members_) by_place[member.place] = &member;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (const Member* member = by_place[names_[i].second]) {
      push(member->grade, tie_score_, first + i, first, last);
    }
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

}  // namespace relkit
