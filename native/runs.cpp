#include "runs.hpp"

#include <algorithm>
#include <unordered_set>

#include "collector.hpp"
#include "error.hpp"
#include "parallel.hpp"
#include "seen.hpp"

namespace relyon {

void RunTable::add(std::string_view query, std::string_view document, double score,
                   std::int64_t rank) {
  if (last_ == Index::none || index_.id(last_) != query) {
    // Rows of an ungrouped run come back to their query: room that is given up is needed again.
    if (last_ != Index::none && grouped) queries_[last_].shrink_to_fit();
    last_ = index_.insert(query, arena_);
    if (last_ == queries_.size()) {
      queries_.emplace_back();
    } else {
      grouped = false;
    }
  }
  const std::string_view kept = arena_.keep(document);
  queries_[last_].push_back({kept.data(), static_cast<std::uint32_t>(kept.size()), score});
  ++count;
  if (rank == 0) return;
  ranks_.resize(queries_.size());
  ranks_[last_].resize(queries_[last_].size());
  ranks_[last_].back() = rank;
}

bool RunTable::duplicate(std::string_view& query, std::string_view& document,
                         const JudgmentTable* judgments) const {
  Distinct distinct;
  for (std::uint32_t number = 0; number < queries_.size(); ++number) {
    if (judgments != nullptr && judgments->find(id(number)) == Index::none) continue;
    const std::vector<Row>& all = queries_[number];
    distinct.begin();
    for (const Row& row : all) distinct.add(row.document());
    if (!distinct.suspect()) continue;
    std::unordered_set<std::string_view> seen;
    for (const Row& row : all) {
      if (!seen.insert(row.document()).second) {
        query = id(number);
        document = row.document();
        return true;
      }
    }
  }
  return false;
}

void add_missing(Batch& batch, const JudgmentTable& judgments, const Plan& plan,
                 const std::vector<std::uint32_t>& groups) {
  if (plan.rules.missing == Missing::skip) return;
  std::vector<bool> met(judgments.size(), false);
  for (const std::uint32_t number : groups) met[number] = true;
  Evaluator evaluator(plan);
  std::string examples;
  std::size_t missing = 0;
  for (std::uint32_t number = 0; number < judgments.size(); ++number) {
    if (met[number]) continue;
    if (++missing <= 3)
      examples += (missing > 1 ? ", `" : "`") + std::string(judgments.id(number)) + "`";
    List list;
    list.judged = judgments.query(number).grades;
    list.subtopics = judgments.query(number).subtopics.get();
    evaluator.add(std::string(judgments.id(number)), list, true);
  }
  if (missing > 0 && plan.rules.missing == Missing::error) {
    throw InputError(Sentence(missing == 1 ? "evaluation.judged-query-is-not-in-run"
                                           : "evaluation.judged-queries-are-not-in-run",
                              {{"count", std::to_string(missing)},
                               {"examples", examples + (missing > 3 ? ", …" : "")}}),
                     "", 0, "evaluation.set-missing-zero");
  }
  if (missing > 0) append(batch, evaluator.take());
}

Batch evaluate_run(const JudgmentTable& judgments, const Plan& plan, const RunTable& run,
                   int threads) {
  if (plan.rules.ties == Ties::rank && !run.has_ranks) {
    throw InputError("native.ties-rank-needs-rank-column", "", 0, "data.choose-another-tie-rule");
  }
  const std::size_t block = std::clamp<std::size_t>(run.size() / 8, 1, 64);
  std::vector<Stretch> stretches((run.size() + block - 1) / block);
  each_part(stretches.size(), threads, [&](std::size_t part) {
    Collector collector(judgments, plan);
    Stretch& out = stretches[part];
    const std::size_t last = std::min(run.size(), (part + 1) * block);
    for (auto number = static_cast<std::uint32_t>(part * block); number < last; ++number) {
      collector.begin(run.id(number));
      if (!collector.judged()) {
        out.unjudged.emplace_back(run.id(number));
        continue;
      }
      std::size_t place = 0;
      for (const RunTable::Row& row : run.rows(number)) {
        collector.add(row.document(), row.score);
        if (plan.rules.ties == Ties::rank) collector.add_rank(run.rank(number, place++));
      }
      out.groups.push_back(collector.number());
      collector.finish();
    }
    out.batch = collector.evaluator().take();
  });
  Batch whole;
  join(stretches, judgments, plan, whole);
  whole.rows = run.count;
  whole.regrouped = !run.grouped;
  return whole;
}

}  // namespace relyon
