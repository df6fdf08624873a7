#include "parallel.hpp"

#include <algorithm>
#include <unordered_set>

#include "collector.hpp"
#include "environment.hpp"

namespace relyon {

std::uint64_t stretch_size(std::uint64_t usual) {
  const std::uint64_t asked = environment_number("RELYON_STRETCH");
  return asked > 0 ? asked : usual;
}

bool join(std::vector<Stretch>& stretches, const JudgmentTable& judgments, const Plan& plan,
          Batch& whole) {
  std::vector<std::uint32_t> groups;
  std::vector<bool> met(judgments.size(), false);
  for (const Stretch& stretch : stretches) {
    for (const std::uint32_t number : stretch.groups) {
      if (met[number]) return false;
      met[number] = true;
      groups.push_back(number);
    }
  }
  whole = Evaluator(plan).take();
  std::unordered_set<std::string> unjudged;
  for (Stretch& stretch : stretches) {
    append(whole, std::move(stretch.batch));
    whole.rows += stretch.rows;
    for (std::string& id : stretch.unjudged) {
      const bool example = whole.unjudged_examples.size() < 5;
      const auto [kept, added] = unjudged.insert(std::move(id));
      if (added && example) whole.unjudged_examples.push_back(*kept);
    }
  }
  whole.unjudged_queries = unjudged.size();
  add_missing(whole, judgments, plan, groups);
  return true;
}

}  // namespace relyon
