// Lists whose order has to be found: all of it, and then the wanted documents.
#include <algorithm>
#include <limits>

#include "huge.hpp"
#include "radix.hpp"
#include "ranking.hpp"
#include "simd.hpp"

namespace relyon {
namespace {

constexpr std::size_t radix_from = 1024;

}  // namespace

// The list is ordered first, and wanted documents are picked from the order.
void Ranker::rank_sorted() {
  untied_ = sort_rows();
  const auto size = static_cast<std::uint32_t>(order_.size());
  if (fill_scores_) {
    sorted_scores_.resize(size);
    for (std::uint32_t i = 0; i < size; ++i) sorted_scores_[i] = scores_[order_[i]];
    view_.scores = sorted_scores_;
  }
  if (grades_.empty()) {
    row_grades_.assign(scores_.size(), std::numeric_limits<double>::quiet_NaN());
    for (const Match& match : wanted_) row_grades_[match.row] = match.grade;
    grades_ = row_grades_;
  }
  if (untied_) {
    take_untied();
    return;
  }
  const double lowest = complete_ ? -std::numeric_limits<double>::infinity() : 0.0;
  const auto is_wanted = [lowest](double grade) { return grade > lowest; };
  std::size_t count = 0;
  // One more than are wanted: others are written, too, and then overwritten.
  const std::size_t most = std::min<std::size_t>(wanted_count_, size) + 1;
  resize_huge(ranked_, most);
  const std::uint32_t* const order = order_.data();
  const double* const scores = scores_.data();
  const double* const grades = grades_.data();
  double score = size > 0 ? scores[order[0]] : 0.0;
  for (std::uint32_t place = 0; place < size;) {
    Ranked* const ranked = ranked_.data();
    const auto take = [&] {
      const double grade = grades[order[place]];
      ranked[count] = {grade, score, place + 1, place + 1, place + 1, order[place]};
      count += is_wanted(grade) ? 1 : 0;
      ++place;
    };
    while (place + 1 < size) {
      const double next = scores[order[place + 1]];
      if (!(next < score)) break;
      take();
      score = next;
    }
    if (place + 1 == size) {
      take();
      break;
    }
    std::uint32_t end = place + 2;
    while (end < size && scores[order[end]] == score) ++end;
    if (count_ties_) view_.tied_pairs += std::uint64_t{end - place} * (end - place - 1) / 2;
    members_.clear();
    for (std::uint32_t i = place; i < end; ++i) {
      const double grade = grades[order[i]];
      if (is_wanted(grade)) members_.push_back({i - place, grade});
    }
    if (!members_.empty()) {
      ranked_.resize(count);
      tie_score_ = score;
      place_tie(place, end - place, order_.data() + place);
      count = ranked_.size();
      ranked_.resize(most);
    }
    place = end;
    if (place < size) score = scores[order[place]];
  }
  ranked_.resize(count);
}

// Picks the wanted documents of an order without ties.
void Ranker::take_untied() {
  const auto size = static_cast<std::uint32_t>(order_.size());
  const double lowest = complete_ ? -std::numeric_limits<double>::infinity() : 0.0;
  resize_huge(places_, size + 1);
  std::uint32_t count = 0;
  for (std::uint32_t place = 0; place < size; ++place) {
    places_[count] = place;
    count += grades_[order_[place]] > lowest ? 1 : 0;
  }
  resize_huge(ranked_, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t row = order_[places_[i]];
    const std::uint32_t rank = places_[i] + 1;
    ranked_[i] = {grades_[row], scores_[row], rank, rank, rank, row};
  }
}

// True where it is known that no two scores are equal.
bool Ranker::sort_rows() {
  if (reaches_best() && order_best()) return untied_;
  const auto size = static_cast<std::uint32_t>(scores_.size());
  resize_huge(order_, size);
  if (size <= simd::most_to_order) {
    return simd::order(scores_.data(), size, order_.data());
  }
  resize_huge(keys_, size);
  for (std::uint32_t row = 0; row < size; ++row) keys_[row] = {~ascending_key(scores_[row]), row};
  if (size >= radix_from) {
    radix_sort(keys_, more_keys_, [](const Key& key) { return key.key; });
  } else {
    std::sort(keys_.begin(), keys_.end(), [](const Key& one, const Key& other) {
      return one.key != other.key ? one.key < other.key : one.row < other.row;
    });
  }
  for (std::uint32_t i = 0; i < size; ++i) order_[i] = keys_[i].row;
  return false;
}

}  // namespace relyon
