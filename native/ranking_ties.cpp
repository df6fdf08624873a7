// The documents of one tie: in which order the rule for ties puts them.
#include <algorithm>

#include "ranking.hpp"

namespace relyon {

template <typename RowOf>
void Ranker::order_by_grade(std::uint32_t first, std::uint32_t last, bool best, RowOf row) {
  // Documents that were pooled and not judged have no label.
  const auto label = [this](const Member& member) {
    return has_pooled_ && member.grade < 0 ? 0.0 : member.grade;
  };
  const auto count_if = [&](auto condition) {
    return static_cast<std::uint32_t>(
        std::count_if(members_.begin(), members_.end(),
                      [&](const Member& one) { return condition(label(one)); }));
  };
  const std::uint32_t above = count_if([](double value) { return value > 0; });
  const std::uint32_t below = count_if([](double value) { return value < 0; });
  // Documents of the label 0 keep their order among themselves, listed here or not.
  std::uint32_t others_before = 0;
  const std::size_t start = ranked_.size();
  for (const Member& member : members_) {
    if (label(member) != 0) {
      ++others_before;
    } else {
      const std::uint32_t offset = member.place - others_before + (best ? above : below);
      push(member.grade, tie_score_, first + offset, first, last, row(member));
    }
  }
  std::stable_sort(members_.begin(), members_.end(), [&](const Member& one, const Member& other) {
    return best ? label(one) > label(other) : label(one) < label(other);
  });
  const auto listed = static_cast<std::uint32_t>(members_.size());
  const std::uint32_t leading = best ? above : below;
  const std::uint32_t trailing = best ? below : above;
  for (std::uint32_t i = 0; i < leading; ++i) {
    push(members_[i].grade, tie_score_, first + i, first, last, row(members_[i]));
  }
  for (std::uint32_t i = 0; i < trailing; ++i) {
    const std::uint32_t rank = last - trailing + 1 + i;
    const Member& member = members_[listed - trailing + i];
    push(member.grade, tie_score_, rank, first, last, row(member));
  }
  std::sort(ranked_.begin() + static_cast<std::ptrdiff_t>(start), ranked_.end(),
            [](const Ranked& one, const Ranked& other) { return one.rank < other.rank; });
}

// As they come, or the last one first.
template <typename RowOf>
void Ranker::order_by_place(std::uint32_t better, std::uint32_t size, bool descending, RowOf row) {
  const std::uint32_t first = better + 1;
  const std::uint32_t last = better + size;
  if (descending) {
    for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
      push(member->grade, tie_score_, last - member->place, first, last, row(member->place));
    }
  } else {
    for (const Member& member : members_) {
      push(member.grade, tie_score_, first + member.place, first, last, row(member.place));
    }
  }
}

void Ranker::order_tie(std::uint32_t better, std::uint32_t size, const std::uint32_t* rows) {
  const auto row = [&](std::uint32_t place) { return rows ? rows[place] : better + place; };
  const TieRule& rule = tie_rule(plan_.rules.ties);
  switch (rule.key) {
    case TieKey::grade: {
      // Rows may come in any order, and numbers are not to depend on it in their last bits.
      const std::size_t start = ranked_.size();
      order_by_id(better, size, rows);
      tie_.assign(ranked_.begin() + static_cast<std::ptrdiff_t>(start), ranked_.end());
      ranked_.resize(start);
      order_again(tie_, rule.descending);
      return;
    }
    case TieKey::input:
    case TieKey::rank:
      order_by_place(better, size, rule.descending, row);
      return;
    default:
      order_by_id(better, size, rows);
  }
}

// Ranks the documents of one tie by their grades; those of one grade keep their order.
void Ranker::order_again(std::span<const Ranked> tie, bool best) {
  const Ranked leader = tie.front();
  members_.clear();
  tie_rows_.resize(leader.last - leader.first + 1);
  for (const Ranked& one : tie) {
    const std::uint32_t place = one.rank - leader.first;
    members_.push_back({place, one.grade});
    tie_rows_[place] = one.row;
  }
  tie_score_ = leader.score;
  order_by_grade(leader.first, leader.last, best,
                 [this](const Member& member) { return tie_rows_[member.place]; });
}

const QueryView& Ranker::reorder(bool best) {
  if (whole_.empty()) whole_ = ranked_;
  ranked_.clear();
  for (std::size_t start = 0; start < whole_.size();) {
    const Ranked& leader = whole_[start];
    std::size_t end = start + 1;
    if (leader.first == leader.last) {
      ranked_.push_back(leader);
    } else {
      while (end < whole_.size() && whole_[end].first == leader.first) ++end;
      order_again({whole_.data() + start, end - start}, best);
    }
    start = end;
  }
  if (has_pooled_) take_pooled();
  view_.ranked = ranked_;
  if (view_.subtopics != nullptr) name_documents(*list_);
  return view_;
}

void Ranker::order_by_id(std::uint32_t better, std::uint32_t size, const std::uint32_t* rows) {
  const std::uint32_t first = better + 1;
  const std::uint32_t last = better + size;
  // Where grades decide, ids do so first: numbers are not to depend on the order of the input.
  const Ties wanted = plan_.rules.ties;
  const TieRule& rule = tie_rule(tie_rule(wanted).key == TieKey::grade ? Ties::doc_desc : wanted);
  const auto row = [&](std::uint32_t place) { return rows ? rows[place] : better + place; };
  if (ids_ == nullptr) {
    order_by_place(better, size, rule.descending, row);
    return;
  }
  const auto id = [&](std::uint32_t place) { return ids_->id(source_row(row(place))); };
  if (members_.size() == 1) {
    const std::string_view own = id(members_[0].place);
    std::uint32_t above = 0;
    for (std::uint32_t place = 0; place < size; ++place) {
      if (place == members_[0].place) continue;
      above += id_before(rule, id(place), own) ? 1 : 0;
    }
    push(members_[0].grade, tie_score_, first + above, first, last, row(members_[0].place));
    return;
  }
  names_.clear();
  for (std::uint32_t place = 0; place < size; ++place) names_.emplace_back(id(place), place);
  std::sort(names_.begin(), names_.end(), [&](const auto& one, const auto& other) {
    const int sign = compare_ids(rule.key, one.first, other.first);
    return sign != 0 ? sign < 0 : one.second < other.second;
  });
  if (rule.descending) std::reverse(names_.begin(), names_.end());
  std::vector<const Member*> by_place(size, nullptr);
  for (const Member& member : members_) by_place[member.place] = &member;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (const Member* member = by_place[names_[i].second]) {
      push(member->grade, tie_score_, first + i, first, last, row(member->place));
    }
  }
}

}  // namespace relyon
