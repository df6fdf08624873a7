// The documents of the first ranks, where no measure looks further.
#include "ranking.hpp"

namespace relyon {

// Whether only the first ranks of a complete list count, and finding their documents beats ordering
// all.
bool Ranker::reaches_best() const {
  return reach_ != 0 && reach_ <= simd::most_best && scores_.size() >= simd::best_groups &&
         scores_.size() >= 3 * std::size_t{reach_} && !complete_ && !count_ties_ &&
         !grades_.empty() && !condensed_ && !has_pooled_;
}

// Orders the documents of the first ranks and those that tie with them; false if they are many.
bool Ranker::order_best() {
  best_.resize(scores_.size() + 1);
  const std::size_t count = simd::best(scores_.data(), scores_.size(), reach_, best_.data());
  if (count > simd::most_to_order) return false;
  best_scores_.resize(count);
  for (std::size_t i = 0; i < count; ++i) best_scores_[i] = scores_[best_[i]];
  order_.resize(count);
  untied_ = simd::order(best_scores_.data(), count, order_.data());
  std::size_t end = reach_;
  const double last = best_scores_[order_[end - 1]];
  while (end < count && best_scores_[order_[end]] == last) ++end;
  order_.resize(end);
  for (std::uint32_t& row : order_) row = best_[row];
  return true;
}

}  // namespace relyon
