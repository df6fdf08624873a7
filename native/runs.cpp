#include "runs.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <unordered_set>

#include "collector.hpp"
#include "text.hpp"

namespace relkit {

void RunTable::add(std::string_view query, std::string_view document, double score,
                   std::int32_t rank) {
  if (last_ == Index::none || index_.id(last_) != query) {
    last_ = index_.insert(query, arena_);
    if (last_ == queries_.size()) {
      queries_.emplace_back();
    } else {
      grouped = false;
    }
  }
  const std::string_view kept = arena_.keep(document);
  queries_[last_].push_back({kept.data(), static_cast<std::uint32_t>(kept.size()), rank, score});
  ++count;
}

bool RunTable::duplicate(std::string_view& query, std::string_view& document) const {
  std::vector<std::uint64_t> hashes;
  for (std::uint32_t number = 0; number < queries_.size(); ++number) {
    const std::vector<Row>& all = queries_[number];
    hashes.clear();
    for (const Row& row : all) hashes.push_back(hash_bytes(row.document()));
    std::sort(hashes.begin(), hashes.end());
    if (std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end()) continue;
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
    if (++missing <= 5) examples += (missing > 1 ? ", `" : "`") + std::string(judgments.id(number)) + "`";
    List list;
    list.judged = judgments.query(number).grades;
    evaluator.add(std::string(judgments.id(number)), list, true);
  }
  if (missing > 0 && plan.rules.missing == Missing::error) {
    throw InputError(std::to_string(missing) + " judged " + (missing == 1 ? "query is" : "queries are") +
                         " not in the run: " + examples + (missing > 5 ? ", …" : ""),
                     "", 0, "set missing=zero to count them as 0, or missing=skip to leave them out");
  }
  if (missing > 0) append(batch, evaluator.take());
}

Batch evaluate_run(const JudgmentTable& judgments, const Plan& plan, const RunTable& run, int threads) {
  if (plan.rules.ties == Ties::rank && !run.has_ranks) {
    throw InputError("ties=rank needs a rank column of whole numbers", "", 0,
                     "choose another tie rule, such as ties=doc-desc");
  }
  const std::size_t block = std::max<std::size_t>(1, std::min<std::size_t>(64, run.size() / 8));
  const std::size_t blocks = (run.size() + block - 1) / block;
  struct Part {
    Batch batch;
    std::vector<std::uint32_t> groups;
    std::vector<std::string> unjudged;
    std::exception_ptr error;
  };
  std::vector<Part> parts(blocks);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    Collector collector(judgments, plan);
    for (std::size_t at; (at = next.fetch_add(1)) < blocks;) {
      Part& part = parts[at];
      try {
        const std::size_t last = std::min(run.size(), (at + 1) * block);
        for (auto number = static_cast<std::uint32_t>(at * block); number < last; ++number) {
          collector.begin(run.id(number));
          if (!collector.judged()) {
            part.unjudged.emplace_back(run.id(number));
            continue;
          }
          for (const RunTable::Row& row : run.rows(number)) {
            collector.add(row.document(), row.score);
            if (plan.rules.ties == Ties::rank) collector.add_rank(row.rank);
          }
          part.groups.push_back(collector.number());
          collector.finish();
        }
        part.batch = collector.evaluator().take();
      } catch (...) {
        part.error = std::current_exception();
        collector.evaluator().take();
      }
    }
  };
  const int workers = std::min<int>(thread_count(threads), static_cast<int>(std::max<std::size_t>(1, blocks)));
  std::vector<std::thread> pool;
  for (int worker = 1; worker < workers; ++worker) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  Batch whole = Evaluator(plan).take();
  std::vector<std::uint32_t> groups;
  for (Part& part : parts) {
    if (part.error) std::rethrow_exception(part.error);
    append(whole, std::move(part.batch));
    groups.insert(groups.end(), part.groups.begin(), part.groups.end());
    whole.unjudged_queries += part.unjudged.size();
    for (std::string& id : part.unjudged) {
      if (whole.unjudged_examples.size() < 5) whole.unjudged_examples.push_back(std::move(id));
    }
  }
  add_missing(whole, judgments, plan, groups);
  whole.rows = run.count;
  whole.regrouped = !run.grouped;
  return whole;
}

}  // namespace relkit
