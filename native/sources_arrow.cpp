// Judgments and runs from Arrow columns, read in blocks from any number of threads.
#include <algorithm>
#include <cstring>
#include <optional>

#include "arrow.hpp"
#include "collector.hpp"
#include "error.hpp"
#include "parallel.hpp"
#include "sources.hpp"

namespace nb = nanobind;

namespace relkit {

namespace {

constexpr std::size_t block =
    1024;  // rows decoded at once: their ids and numbers stay in the cache

void same_length(const ArrowColumn& first, const ArrowColumn& other) {
  if (first.rows() == other.rows()) return;
  throw InputError("the columns differ in length: " + first.name() + " has " +
                   std::to_string(first.rows()) + " rows, " + other.name() + " has " +
                   std::to_string(other.rows()));
}

struct RunColumns {
  RunColumns(nb::handle query_column, nb::handle document_column, nb::handle score_column,
             nb::handle rank_column)
      : query(query_column, "query", ArrowColumn::Role::id),
        document(document_column, "document", ArrowColumn::Role::id),
        score(score_column, "score", ArrowColumn::Role::number) {
    same_length(query, document);
    same_length(query, score);
    if (!rank_column.is_none()) {
      rank.emplace(rank_column, "rank", ArrowColumn::Role::integer);
      same_length(query, *rank);
    }
  }

  ArrowColumn query;
  ArrowColumn document;
  ArrowColumn score;
  std::optional<ArrowColumn> rank;
};

std::string twice(std::string_view query, std::string_view document, std::uint64_t first,
                  std::uint64_t second) {
  return "document `" + std::string(document) + "` stands twice in query `" + std::string(query) +
         "`: rows " + std::to_string(first + 1) + " and " + std::to_string(second + 1);
}

// Evaluates the queries that begin in rows [from, stop).
void evaluate_rows(const RunColumns& run, const JudgmentTable& judgments, const Plan& plan,
                   std::uint64_t from, std::uint64_t stop, Stretch& out) {
  Collector collector(judgments, plan);
  const bool ranks = plan.rules.ties == Ties::rank;
  std::vector<std::string_view> queries(block), documents(block);
  std::vector<double> scores(block);
  std::vector<std::int64_t> places(ranks ? block : 0);
  Texts query_texts, document_texts;
  std::string query;           // of the open group
  std::uint64_t begin = from;  // its first row
  std::size_t group_mark = 0;  // where its document texts begin
  bool open = false;
  bool judged = false;

  const auto close = [&] {
    if (!judged) return;
    std::uint32_t first, second;
    if (collector.duplicate(first, second)) {
      throw InputError(twice(query, collector.id(second), begin + first, begin + second), "", 0,
                       "keep one of the two rows");
    }
    out.groups.push_back(collector.number());
    collector.finish();
    judged = false;
  };

  if (from > 0) {
    // The group that reaches over the border belongs to the part before.
    run.query.ids(from - 1, 1, queries.data(), query_texts);
    query = queries[0];
  }
  bool skipping = from > 0;
  for (std::uint64_t row = from; row < run.query.rows();) {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(block, run.query.rows() - row));
    query_texts.drop(query_texts.mark());
    document_texts.drop(judged ? group_mark : document_texts.mark());
    const std::size_t mark = document_texts.mark();
    run.query.ids(row, count, queries.data(), query_texts);
    run.document.ids(row, count, documents.data(), document_texts);
    run.score.numbers(row, count, scores.data());
    if (ranks) run.rank->integers(row, count, places.data());
    for (std::size_t place = 0; place < count; ++place) {
      const std::string_view id = queries[place];
      const bool same =
          id.size() == query.size() && std::memcmp(id.data(), query.data(), id.size()) == 0;
      if (skipping) {
        if (same && row + place >= stop) return;
        if (same) continue;
        skipping = false;
      }
      if (!same || !open) {
        close();
        if (row + place >= stop) {
          out.batch = collector.evaluator().take();
          return;
        }
        open = true;
        query = id;
        begin = row + place;
        group_mark = mark;
        collector.begin(query);
        judged = collector.judged();
        if (!judged) out.unjudged.push_back(query);
      }
      ++out.rows;
      if (!judged) continue;
      collector.add(documents[place], scores[place]);
      if (ranks) collector.add_rank(places[place]);
    }
    row += count;
  }
  close();
  out.batch = collector.evaluator().take();
}

// Calls visit(row, query, document, number, rank) for every row.
template <class Visit>
void each_row(const ArrowColumn& query, const ArrowColumn& document, const ArrowColumn& number,
              const ArrowColumn* rank, const Visit& visit) {
  std::vector<std::string_view> queries(block), documents(block);
  std::vector<double> numbers(block);
  std::vector<std::int64_t> ranks(block);
  for (std::uint64_t row = 0; row < query.rows(); row += block) {
    Texts texts;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block, query.rows() - row));
    query.ids(row, count, queries.data(), texts);
    document.ids(row, count, documents.data(), texts);
    number.numbers(row, count, numbers.data());
    if (rank != nullptr) rank->integers(row, count, ranks.data());
    for (std::size_t place = 0; place < count; ++place) {
      visit(row + place, queries[place], documents[place], numbers[place], ranks[place]);
    }
  }
}

RunTable table_of(const RunColumns& run) {
  RunTable table;
  const ArrowColumn* rank = run.rank ? &*run.rank : nullptr;
  each_row(run.query, run.document, run.score, rank,
           [&](std::uint64_t, std::string_view query, std::string_view document, double score,
               std::int64_t at) { table.add(query, document, score, at); });
  table.has_ranks = rank != nullptr;
  std::string_view query, document;
  if (!table.duplicate(query, document)) return table;
  std::uint64_t first = 0, second = 0;
  int seen = 0;
  each_row(
      run.query, run.document, run.score, nullptr,
      [&](std::uint64_t row, std::string_view one, std::string_view other, double, std::int64_t) {
        if (one != query || other != document || seen == 2) return;
        (seen++ == 0 ? first : second) = row;
      });
  throw InputError(twice(query, document, first, second), "", 0, "keep one of the two rows");
}

}  // namespace

JudgmentTable judgments_from_arrow(nb::handle query, nb::handle document, nb::handle grade,
                                   nb::handle subtopic) {
  const ArrowColumn queries(query, "query", ArrowColumn::Role::id);
  const ArrowColumn documents(document, "document", ArrowColumn::Role::id);
  const ArrowColumn grades(grade, "grade", ArrowColumn::Role::number);
  same_length(queries, documents);
  same_length(queries, grades);
  std::optional<ArrowColumn> subtopics;
  if (!subtopic.is_none()) {
    subtopics.emplace(subtopic, "subtopic", ArrowColumn::Role::id);
    same_length(queries, *subtopics);
  }
  const nb::gil_scoped_release released;
  JudgmentTable table;
  if (subtopics) {
    std::vector<std::string_view> names(block);
    Texts texts;
    each_row(queries, documents, grades, nullptr,
             [&](std::uint64_t row, std::string_view one, std::string_view other, double value,
                 std::int64_t) {
               if (row % block == 0) {
                 texts.drop(texts.mark());
                 const auto count =
                     static_cast<std::size_t>(std::min<std::uint64_t>(block, queries.rows() - row));
                 subtopics->ids(row, count, names.data(), texts);
               }
               table.add(one, names[row % block], other, value, row + 1);
             });
    table.finish("");
    return table;
  }
  each_row(queries, documents, grades, nullptr,
           [&](std::uint64_t row, std::string_view one, std::string_view other, double value,
               std::int64_t) { table.add(one, other, value, row + 1); });
  table.finish("");
  return table;
}

RunTable run_from_arrow(nb::handle query, nb::handle document, nb::handle score, nb::handle rank) {
  const RunColumns run(query, document, score, rank);
  const nb::gil_scoped_release released;
  return table_of(run);
}

Batch evaluate_arrow(const JudgmentTable& judgments, const Plan& plan, nb::handle query,
                     nb::handle document, nb::handle score, nb::handle rank, int threads) {
  const RunColumns run(query, document, score, rank);
  if (plan.rules.ties == Ties::rank && !run.rank) {
    throw InputError("ties=rank needs a rank column", "", 0,
                     "choose another tie rule, such as ties=doc-desc");
  }
  const nb::gil_scoped_release released;
  const std::uint64_t rows = run.query.rows();
  const std::uint64_t step = stretch_size(std::clamp<std::uint64_t>(rows / 32, 1 << 14, 1 << 18));
  std::vector<Stretch> stretches(static_cast<std::size_t>((rows + step - 1) / step));
  each_part(stretches.size(), threads, [&](std::size_t part) {
    evaluate_rows(run, judgments, plan, part * step, std::min(rows, (part + 1) * step),
                  stretches[part]);
  });
  Batch whole;
  if (join(stretches, judgments, plan, whole)) return whole;
  stretches.clear();
  return evaluate_run(judgments, plan, table_of(run), threads);
}

}  // namespace relkit
