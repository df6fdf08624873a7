// Labelled scores in arrays: complete lists of which every document is judged.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "bind.hpp"
#include "class_rows.hpp"
#include "error.hpp"
#include "labelled.hpp"
#include "labelled_arrays.hpp"
#include "number_array.hpp"
#include "parallel.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

constexpr std::size_t block_queries = 256;
constexpr std::size_t very_many = std::size_t{1} << 17;  // rows of one query

// What one thread needs to read one query after the other.
struct Reader {
  explicit Reader(const Plan& plan) : evaluator(plan) {}

  // Evaluates rows [start, end) as query `query`.
  void read(const NumberArray& labels, const NumberArray& scores, const NumberArray* weights,
            std::size_t start, std::size_t end, std::size_t query, std::vector<Column>& columns) {
    LabelledRows rows;
    rows.scores = finite_doubles(scores, start, end, score_room);
    rows.labels = doubles(labels, start, end, label_room);
    rows.levels = Levels(rows.labels);
    if (rows.levels.count == 0 && !labels.whole()) check_finite(rows.labels, labels.what, start);
    facts.add(rows.labels, rows.levels);
    if (weights != nullptr) rows.weights = weight_doubles(*weights, start, end, weight_room);
    evaluator.add_at(query, rows, columns);
  }

  // The same of very many rows, for measures that see nothing but the two classes.
  void read_classes(const Plan& plan, const NumberArray& labels, const NumberArray& scores,
                    std::size_t start, std::size_t end, std::size_t query, int threads,
                    std::vector<Column>& columns) {
    for (std::size_t kernel = 0; kernel < plan.kernels.size(); ++kernel) {
      const ClassRows rows(labels, scores, start, end, *plan.kernels[kernel]->class_threshold(),
                           threads);
      if (kernel == 0) facts.add(rows.facts());
      Pool classes;
      classes.positive = rows.all(true);
      classes.negative = rows.all(false);
      evaluator.add_classes_at(query, kernel, classes, threads, columns);
    }
  }

  LabelledEvaluator evaluator;
  LabelFacts facts;
  std::vector<double> label_room;
  std::vector<double> score_room;
  std::vector<double> weight_room;
};

Batch evaluate_arrays(const Plan& plan, nb::handle label_array, nb::handle score_array,
                      const std::optional<Offsets>& offsets, int threads, nb::handle weight_array) {
  const LabelledArrays arrays(label_array, score_array, offsets, weight_array);
  const NumberArray& labels = arrays.labels;
  const NumberArray& scores = arrays.scores;
  const NumberArray* weights = arrays.weights ? &*arrays.weights : nullptr;
  for (const auto& kernel : plan.kernels) {
    if (weights != nullptr && !kernel->takes_weights())
      throw InputError("native.measure-of-this-plan");
  }

  const std::size_t queries = arrays.queries();
  Batch batch;
  batch.columns.resize(plan.kernels.size());
  {
    const nb::gil_scoped_release release;
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      Column& column = batch.columns[i];
      column.values.resize(queries);
      column.numerators.resize(queries);
      column.denominators.resize(queries);
      if (plan.kernels[i]->pair_levels()) column.levels.resize(queries);
    }
    const std::size_t blocks = (queries + block_queries - 1) / block_queries;
    std::vector<std::unique_ptr<Reader>> readers;
    const std::size_t workers = worker_count(blocks, threads);
    readers.reserve(workers);
    for (std::size_t i = 0; i < workers; ++i) readers.push_back(std::make_unique<Reader>(plan));
    each_part(blocks, threads, [&](std::size_t worker, std::size_t block) {
      const std::size_t last = std::min(queries, (block + 1) * block_queries);
      for (std::size_t query = block * block_queries; query < last; ++query) {
        const std::size_t start = arrays.start(query);
        const std::size_t end = arrays.start(query + 1);
        if (weights == nullptr && end - start >= very_many &&
            readers[worker]->evaluator.classes_suffice()) {
          readers[worker]->read_classes(plan, labels, scores, start, end, query,
                                        queries == 1 ? threads : 1, batch.columns);
        } else {
          readers[worker]->read(labels, scores, weights, start, end, query, batch.columns);
        }
      }
    });
    for (const auto& reader : readers) {
      append(batch, reader->evaluator.take());
      batch.labels.add(reader->facts);
    }
  }
  batch.rows = labels.size;
  batch.matched = labels.size;
  return batch;
}

double pooled_auc(nb::handle label_array, nb::handle score_array, double threshold, int threads) {
  const NumberArray labels(label_array, "labels");
  const NumberArray scores(score_array, "scores");
  if (labels.size != scores.size) {
    throw InputError(Sentence(
        "native.labels-and-scores-differ",
        {{"labels", std::to_string(labels.size)}, {"scores", std::to_string(scores.size)}}));
  }
  const nb::gil_scoped_release release;
  const ClassRows rows(labels, scores, 0, labels.size, threshold, threads);
  ClassPairs counts;
  counts.positives = rows.count(true);
  counts.negatives = rows.count(false);
  if (counts.positives == 0 || counts.negatives == 0) return counts.auc();
  // Only the smaller class is kept; the rows of the other pass by.
  const bool few_positives = counts.positives <= counts.negatives;
  const Finder finder(rows.all(few_positives));
  std::vector<std::uint64_t> won(rows.blocks());
  rows.each([&](std::size_t block) {
    const std::unique_ptr<double[]> memory = ClassRows::room();
    const std::span<const double> many = rows.pick(block, !few_positives, memory.get());
    const std::uint64_t sum = finder.sum(many);
    won[block] = few_positives ? 2 * std::uint64_t{finder.size()} * many.size() - sum : sum;
  });
  counts.twice_won = std::accumulate(won.begin(), won.end(), std::uint64_t{0});
  return counts.auc();
}

}  // namespace

void bind_arrays(nb::module_& module) {
  module.def("evaluate_arrays", &evaluate_arrays, nb::arg("plan"), nb::arg("labels"),
             nb::arg("scores"), nb::arg("offsets") = nb::none(), nb::arg("threads") = 0,
             nb::arg("weights") = nb::none());
  module.def("pooled_auc", &pooled_auc, nb::arg("labels"), nb::arg("scores"), nb::arg("threshold"),
             nb::arg("threads") = 0);
}

}  // namespace relyon
