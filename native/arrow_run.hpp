// A run in Arrow columns, evaluated part after part: a part is a whole frame, or some rows of a
// file.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow.hpp"
#include "collector.hpp"
#include "error.hpp"
#include "guard.hpp"
#include "judgments.hpp"
#include "parallel.hpp"
#include "plan.hpp"

namespace relyon {

// The message about a document that a query holds twice; rows count from 0.
Sentence repeated_document(std::string_view query, std::string_view document, std::uint64_t first,
                           std::uint64_t second);

struct RunColumns {
  RunColumns(nanobind::handle query_column, nanobind::handle document_column,
             nanobind::handle score_column, nanobind::handle rank_column);

  ArrowColumn query;
  ArrowColumn document;
  ArrowColumn score;
  std::optional<ArrowColumn> rank;
};

class RunParts {
 public:
  Guard guard;  // of all calls from Python

  RunParts(const JudgmentTable& judgments, const Plan& plan, int threads)
      : judgments_(judgments), plan_(plan), threads_(threads), met_(judgments.size(), false) {}

  // Evaluates the queries of a part; the last one is kept, as its rows may go on, unless the part
  // is the last. False as soon as the rows of a judged query turn out not to be together.
  // InputError for an empty id, and for a document that a judged query holds twice.
  bool add(const RunColumns& part, bool last = false);
  // The whole, after the last part; false as `add`.
  bool finish(Batch& whole);

 private:
  // The rows so far of the judged query that ended the last part.
  struct Open {
    std::string query;
    std::uint64_t begin;
    Arena texts;
    std::vector<std::string_view> documents;
    std::vector<double> scores;
    std::vector<std::int64_t> ranks;
  };

  void evaluate(const RunColumns& part, std::uint64_t from, std::uint64_t end);
  void keep(const RunColumns& part, std::uint64_t from, std::uint64_t end);
  void close();
  void take(std::vector<Stretch>& stretches);

  const JudgmentTable& judgments_;
  const Plan& plan_;
  const int threads_;
  std::optional<Open> open_;
  std::vector<Stretch> stretches_;
  std::vector<bool> met_;
  std::uint64_t rows_ = 0;  // of the parts before
  bool grouped_ = true;
};

}  // namespace relyon
