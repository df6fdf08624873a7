#include "judged.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "hash.hpp"
#include "parallel.hpp"

namespace relyon {
namespace {

constexpr std::size_t queries_a_part = 1024;

std::size_t parts_of(std::size_t queries) {
  return (queries + queries_a_part - 1) / queries_a_part;
}

// Calls work(query) for every query of a part.
template <class Work>
void each_query(std::size_t part, std::size_t queries, const Work& work) {
  const std::size_t from = part * queries_a_part;
  for (std::size_t query = from; query < std::min(from + queries_a_part, queries); ++query)
    work(query);
}

// The rows of a list's first k, best first. Orders that no single list shows are those of doc-desc.
class Top {
 public:
  Top(const Rules& rules, std::uint32_t k) : rules_(rules), k_(k) {}

  const std::vector<std::uint32_t>& of(const RunTable& run, std::uint32_t list) {
    const std::vector<RunTable::Row>& rows = run.rows(list);
    order_.resize(rows.size());
    std::iota(order_.begin(), order_.end(), 0U);
    const auto score = [&](std::uint32_t row) {
      return rules_.float32 ? static_cast<double>(static_cast<float>(rows[row].score))
                            : rows[row].score;
    };
    const auto first = [&](const auto& better) {
      const auto end =
          order_.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(k_, order_.size()));
      std::partial_sort(order_.begin(), end, order_.end(), better);
      order_.erase(end, order_.end());
    };
    // Compares scores, then what `tie` says, then rows.
    const auto by_score = [&](const auto& tie) {
      first([&](std::uint32_t one, std::uint32_t other) {
        const double mine = score(one), theirs = score(other);
        if (mine != theirs) return mine > theirs;
        return tie(one, other);
      });
    };
    const TieRule& rule = tie_rule(rules_.ties);
    switch (rule.key) {
      case TieKey::rank:
        if (run.has_ranks) {
          first([&](std::uint32_t one, std::uint32_t other) {
            const std::int64_t mine = run.rank(list, one), theirs = run.rank(list, other);
            return mine != theirs ? mine < theirs : one < other;
          });
          break;
        }
        [[fallthrough]];
      case TieKey::input:
        by_score([&](std::uint32_t one, std::uint32_t other) {
          return rule.descending ? one > other : one < other;
        });
        break;
      default: {
        const TieRule& of_ids = rule.key == TieKey::grade ? tie_rule(Ties::doc_desc) : rule;
        by_score([&](std::uint32_t one, std::uint32_t other) {
          return id_before(of_ids, rows[one].document(), rows[other].document());
        });
      }
    }
    return order_;
  }

 private:
  const Rules& rules_;
  std::uint32_t k_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

JudgedScores judged_scores(const JudgmentTable& judgments, const RunTable& run, int threads) {
  std::vector<std::size_t> starts(judgments.size() + 1, 0);
  for (std::uint32_t query = 0; query < judgments.size(); ++query)
    starts[query + 1] = starts[query] + judgments.query(query).documents.size();
  JudgedScores found;
  found.grades.resize(starts.back());
  found.scores.assign(starts.back(), std::numeric_limits<double>::quiet_NaN());
  each_part(parts_of(judgments.size()), threads, [&](std::size_t part) {
    each_query(part, judgments.size(), [&](std::size_t number) {
      const JudgmentTable::Query& query = judgments.query(static_cast<std::uint32_t>(number));
      const std::size_t start = starts[number];
      for (std::size_t place = 0; place < query.documents.size(); ++place)
        found.grades[start + place] = query.documents[place].grade;
      const std::uint32_t list = run.find(judgments.id(static_cast<std::uint32_t>(number)));
      if (list == Index::none) return;
      for (const RunTable::Row& row : run.rows(list)) {
        const JudgmentTable::Judged* judged =
            query.find(row.document(), hash_bytes(row.document()));
        if (judged == nullptr) continue;
        found.scores[start + static_cast<std::size_t>(judged - query.documents.data())] = row.score;
      }
    });
  });
  return found;
}

UnjudgedTops::UnjudgedTops(const JudgmentTable& judgments, const RunTable& before,
                           const RunTable& after, const Rules& rules, std::uint32_t k,
                           std::vector<std::string> queries, int threads)
    : judgments_(judgments), queries_(std::move(queries)) {
  const bool negatives_count = rules.negative != Negative::unjudged;
  std::vector<std::vector<One>> parts(parts_of(queries_.size()));
  each_part(parts.size(), threads, [&](std::size_t part) {
    Top top(rules, k);
    std::vector<One> here;
    each_query(part, queries_.size(), [&](std::size_t place) {
      const std::uint32_t number = judgments.find(queries_[place]);
      here.clear();
      for (const bool second : {false, true}) {
        const RunTable& run = second ? after : before;
        const std::uint32_t list = run.find(queries_[place]);
        if (list == Index::none) continue;
        const std::vector<RunTable::Row>& rows = run.rows(list);
        std::uint32_t rank = 0;
        for (const std::uint32_t at : top.of(run, list)) {
          ++rank;
          const RunTable::Row& row = rows[at];
          const JudgmentTable::Judged* judged =
              number == Index::none
                  ? nullptr
                  : judgments.query(number).find(row.document(), hash_bytes(row.document()));
          if (judged != nullptr && (judged->grade >= 0 || negatives_count)) continue;
          here.push_back({static_cast<std::uint32_t>(place), second ? 0 : rank, second ? rank : 0,
                          row.data, row.size});
        }
      }
      std::sort(here.begin(), here.end(),
                [](const One& one, const One& other) { return one.document() < other.document(); });
      for (const One& one : here) {
        std::vector<One>& found = parts[part];
        const bool both = !found.empty() && found.back().query == one.query &&
                          found.back().document() == one.document();
        if (!both) {
          found.push_back(one);
          continue;
        }
        found.back().before += one.before;
        found.back().after += one.after;
      }
    });
  });
  for (std::vector<One>& part : parts) {
    all_.insert(all_.end(), part.begin(), part.end());
    part = {};
  }
}

JudgmentTable UnjudgedTops::judged_as(double grade) const {
  // By query of the judgments: where its documents begin and end.
  std::vector<std::pair<std::size_t, std::size_t>> ranges(judgments_.size(), {0, 0});
  for (std::size_t from = 0; from < all_.size();) {
    std::size_t to = from;
    while (to < all_.size() && all_[to].query == all_[from].query) ++to;
    const std::uint32_t number = judgments_.find(queries_[all_[from].query]);
    if (number != Index::none) ranges[number] = {from, to};
    from = to;
  }
  JudgmentTable table;
  std::uint64_t row = 0;
  for (std::uint32_t number = 0; number < judgments_.size(); ++number) {
    const auto [from, to] = ranges[number];
    const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = all_.begin() + static_cast<std::ptrdiff_t>(to);
    for (const JudgmentTable::Judged& judged : judgments_.query(number).documents) {
      const auto found = std::lower_bound(
          begin, end, judged.document,
          [](const One& one, std::string_view document) { return one.document() < document; });
      if (found != end && found->document() == judged.document) continue;
      table.add(judgments_.id(number), judged.document, judged.grade, ++row);
    }
    for (auto one = begin; one != end; ++one)
      table.add(judgments_.id(number), one->document(), grade, ++row);
  }
  table.finish("");
  return table;
}

}  // namespace relyon
