#include "subtopics.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace relyon {
namespace {

bool is_number(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(),
                                      [](char letter) { return letter >= '0' && letter <= '9'; });
}

std::string_view without_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

}  // namespace

bool subtopic_before(std::string_view one, std::string_view other) {
  const bool number = is_number(one);
  if (number != is_number(other)) return number;
  if (number) {
    const std::string_view left = without_zeros(one), right = without_zeros(other);
    if (left.size() != right.size()) return left.size() < right.size();
    if (left != right) return left < right;
  }
  return one < other;
}

void DiverseIdeal::begin(const Subtopics& subtopics, double alpha, double rel) {
  if (query_ == &subtopics && alpha_ == alpha && rel_ == rel) return;
  query_ = &subtopics;
  alpha_ = alpha;
  rel_ = rel;
  covered_ = 0;
  relevant_.assign(subtopics.count(), 0);
  left_.assign(subtopics.count(), 1.0);
  groups_.clear();
  found_.clear();
  std::map<std::vector<std::uint32_t>, std::size_t> known;
  std::vector<std::uint32_t> about;
  for (auto place = static_cast<std::uint32_t>(subtopics.by_id.size()); place-- > 0;) {
    about.clear();
    for (const Subtopics::Grade& judged : subtopics.of(subtopics.by_id[place])) {
      if (judged.grade >= rel) about.push_back(judged.subtopic);
    }
    if (about.empty()) continue;
    for (const std::uint32_t subtopic : about) covered_ += relevant_[subtopic]++ == 0 ? 1 : 0;
    const auto [group, added] = known.emplace(about, groups_.size());
    if (added) groups_.push_back({about, {}});
    groups_[group->second].places.push_back(place);
  }
}

std::span<const double> DiverseIdeal::gains(std::uint64_t ranks) {
  while (found_.size() < ranks) {
    Alike* best = nullptr;
    double highest = 0.0;
    for (Alike& group : groups_) {
      if (group.places.empty()) continue;
      double gain = 0.0;
      for (const std::uint32_t subtopic : group.subtopics) gain += left_[subtopic];
      if (gain > highest ||
          (best != nullptr && gain == highest && group.places.back() < best->places.back())) {
        highest = gain;
        best = &group;
      }
    }
    if (best == nullptr) break;
    best->places.pop_back();
    for (const std::uint32_t subtopic : best->subtopics) left_[subtopic] *= 1.0 - alpha_;
    found_.push_back(highest);
  }
  return {found_.data(), static_cast<std::size_t>(std::min<std::uint64_t>(ranks, found_.size()))};
}

}  // namespace relyon
