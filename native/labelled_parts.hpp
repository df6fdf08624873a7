// Labelled rows in Arrow columns, evaluated part after part: a part is some rows of a file.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow.hpp"
#include "batch.hpp"
#include "guard.hpp"
#include "judgments.hpp"
#include "labelled.hpp"
#include "plan.hpp"
#include "seen.hpp"

namespace relyon {

struct LabelledColumns {
  // Queries and weights may be None: all rows are of one query, and weigh the same. Documents may
  // be None, too, and are read only to notice those that a query has twice.
  LabelledColumns(nanobind::handle query_column, nanobind::handle label_column,
                  nanobind::handle score_column, nanobind::handle weight_column,
                  nanobind::handle document_column);

  std::optional<ArrowColumn> query;
  ArrowColumn label;
  ArrowColumn score;
  std::optional<ArrowColumn> weight;
  std::optional<ArrowColumn> document;
};

class LabelledParts {
 public:
  Guard guard;  // of all calls from Python

  LabelledParts(const Plan& plan, int threads);

  // Evaluates the queries of a part but the last, whose rows may go on. False as soon as the rows
  // of a query turn out not to be together, or a document may be in a query twice.
  bool add(const LabelledColumns& part);
  // The whole, after the last part; false as `add`.
  bool finish(Batch& whole);

 private:
  // The two classes of the open query.
  struct OpenClasses {
    double threshold;
    Pool pool;
    Pools pools;
  };
  // The rows so far of the query that ended the last part; where the classes suffice, only these.
  struct Open {
    std::string query;
    std::vector<double> labels;
    std::vector<double> scores;
    std::vector<double> weights;
    std::vector<OpenClasses> classes;
    Distinct documents;
  };
  // What one stretch of rows gave.
  struct Stretch {
    Batch batch;
    std::vector<std::string> queries;
    bool repeated = false;  // a document may be in a query twice
  };

  void evaluate(const LabelledColumns& part, std::uint64_t from, std::uint64_t end);
  void keep(const LabelledColumns& part, std::uint64_t from, std::uint64_t end);
  void close();
  void take(Stretch&& stretch);
  void add_row(Batch& batch) const;

  const Plan& plan_;
  const int threads_;
  const bool classes_suffice_;
  std::optional<Open> open_;
  Batch batch_;
  Index queries_;
  Arena names_;
  std::uint64_t rows_ = 0;
  bool usable_ = true;  // queries are together, and no document is twice in one
};

}  // namespace relyon
