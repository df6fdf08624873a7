// Judgments and runs from Arrow columns, read in blocks from any number of threads.
#include <algorithm>
#include <optional>

#include "arrow.hpp"
#include "arrow_run.hpp"
#include "error.hpp"
#include "sources.hpp"

namespace nb = nanobind;

namespace relyon {

namespace {

constexpr std::size_t block = 1024;  // rows decoded at once: they stay in the cache

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
  throw InputError(repeated_document(query, document, first, second), "", 0,
                   "native.keep-one-of-two");
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
  const nb::gil_scoped_release released;
  RunParts parts(judgments, plan, threads);
  Batch whole;
  if (parts.add(run, true) && parts.finish(whole)) return whole;
  return evaluate_run(judgments, plan, table_of(run), threads);
}

}  // namespace relyon
