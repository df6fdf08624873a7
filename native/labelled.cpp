#include "labelled.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <utility>

#include "class_loops.hpp"
#include "error.hpp"
#include "huge.hpp"
#include "radix.hpp"

namespace relyon {

namespace {

// Sorts labels, the highest first. Levels are counted already.
void sort_descending(const LabelledRows& rows, std::vector<double>& sorted) {
  const std::size_t size = rows.labels.size();
  if (rows.levels.count > 0) {
    // In steps, each level over the end of the one before.
    constexpr std::size_t step = 8;
    resize_huge(sorted, size + step);
    std::size_t next = 0;
    for (std::size_t level = rows.levels.count; level-- > 0;) {
      const std::size_t end = next + rows.levels.labels[level];
      for (std::size_t i = next; i < end; i += step)
        std::fill_n(sorted.data() + i, step, static_cast<double>(level));
      next = end;
    }
    sorted.resize(size);
    return;
  }
  resize_huge(sorted, size);
  constexpr std::size_t few = 1000;
  if (sorted.size() <= few) {
    std::copy(rows.labels.begin(), rows.labels.end(), sorted.begin());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    return;
  }
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint64_t> spare;
  resize_huge(keys, sorted.size());
  std::transform(rows.labels.begin(), rows.labels.end(), keys.begin(), [](double label) {
    const auto bits = std::bit_cast<std::uint64_t>(label);
    return (bits & sign) != 0 ? bits : ~(bits | sign);
  });
  radix_sort(keys, spare, [](std::uint64_t key) { return key; });
  std::transform(keys.begin(), keys.end(), sorted.begin(), [](std::uint64_t key) {
    return std::bit_cast<double>((key & sign) != 0 ? key : ~key & ~sign);
  });
}

}  // namespace

void split_classes(std::span<const double> labels, std::span<const double> scores, double threshold,
                   Pool& into) {
  const auto pick = [&](bool positives, std::vector<double>& scores_of_class) {
    scores_of_class.resize(labels.size() + loops::spare);
    scores_of_class.resize(loops::pick(labels.data(), scores.data(), labels.size(), threshold,
                                       positives, scores_of_class.data()));
  };
  pick(true, into.positive);
  pick(false, into.negative);
}

LabelledEvaluator::LabelledEvaluator(const Plan& plan)
    : plan_(plan),
      classes_only_(plan.classes_only() && !plan.rules.float32),
      evaluator_(plan),
      kept_(plan.kernels.size()) {}

void LabelledEvaluator::store_counts(std::size_t row, std::size_t kernel, const ClassPairs& counts,
                                     std::vector<Column>& columns) {
  Partial partial = plan_.kernels[kernel]->score_classes(counts);
  partial.value = plan_.rules.rounded(partial.value);
  columns[kernel].values[row] = partial.value;
  columns[kernel].numerators[row] = partial.numerator;
  columns[kernel].denominators[row] = partial.denominator;
  if (plan_.kernels[kernel]->pools())
    kept_[kernel].parts.push_back({row, counts.positives, counts.negatives});
}

void LabelledEvaluator::add_classes_at(std::size_t row, std::size_t kernel, Pool& classes,
                                       int threads, std::vector<Column>& columns) {
  store_counts(
      row, kernel,
      count_class_pairs(classes.positive, classes.negative, static_cast<unsigned>(threads)),
      columns);
  if (!plan_.kernels[kernel]->pools()) return;
  Pool& pool = kept_[kernel].pool;
  if (pool.size() == 0) {
    pool = std::exchange(classes, {});
    return;
  }
  pool.positive.insert(pool.positive.end(), classes.positive.begin(), classes.positive.end());
  pool.negative.insert(pool.negative.end(), classes.negative.begin(), classes.negative.end());
}

void LabelledEvaluator::add_counts_at(std::size_t row, std::size_t kernel, const ClassPairs& counts,
                                      const Pools& pools, std::vector<Column>& columns) {
  store_counts(row, kernel, counts, columns);
  if (!plan_.kernels[kernel]->pools()) return;
  Kept& kept = kept_[kernel];
  pack(kept.pool, kept.pools);
  kept.pools.insert(kept.pools.end(), pools.begin(), pools.end());
}

void LabelledEvaluator::add_at(std::size_t row, const LabelledRows& rows,
                               std::vector<Column>& columns) {
  if (rows.labels.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError("native.query-has-more-than-4");
  }
  if (!rows.weights.empty()) {
    add_weighted_at(row, rows, columns);
    return;
  }
  if (classes_only_ && (plan_.rules.negative == Negative::nonrelevant || rows.levels.count > 0 ||
                        std::none_of(rows.labels.begin(), rows.labels.end(),
                                     [](double label) { return label < 0; }))) {
    for (std::size_t kernel = 0; kernel < plan_.kernels.size(); ++kernel) {
      const double threshold = *plan_.kernels[kernel]->class_threshold();
      if (plan_.kernels[kernel]->pools()) {
        split_classes(rows.labels, rows.scores, threshold, classes_);
        add_classes_at(row, kernel, classes_, 1, columns);
      } else {
        store_counts(row, kernel,
                     count_unordered_class_pairs({rows.scores, rows.labels}, threshold, room_),
                     columns);
      }
    }
    return;
  }
  sort_descending(rows, judged_);
  List list;
  list.scores = rows.scores;
  list.grades = rows.labels;
  list.judged = judged_;
  list.levels = rows.levels.count;
  evaluator_.add_at(row, list, columns);
}

void LabelledEvaluator::add_weighted_at(std::size_t row, const LabelledRows& rows,
                                        std::vector<Column>& columns) {
  const WeightedRows own = weighted_.order(rows.labels, rows.scores, rows.weights, plan_.rules);
  WeightedRows worst = own;
  if (std::find(plan_.in_worst_order.begin(), plan_.in_worst_order.end(), 1) !=
      plan_.in_worst_order.end()) {
    Rules rules = plan_.rules;
    rules.ties = Ties::worst;
    worst = weighted_worst_.order(rows.labels, rows.scores, rows.weights, rules);
  }
  for (std::size_t i = 0; i < plan_.kernels.size(); ++i) {
    const Kernel& kernel = *plan_.kernels[i];
    const bool in_worst = !plan_.in_worst_order.empty() && plan_.in_worst_order[i] != 0;
    const WeightedRows& seen = in_worst ? worst : own;
    Partial partial = kernel.score_weighted(seen, scratch_);
    partial.value = plan_.rules.rounded(partial.value);
    columns[i].values[row] = partial.value;
    columns[i].numerators[row] = partial.numerator;
    columns[i].denominators[row] = partial.denominator;
    if (kernel.pair_levels()) columns[i].levels[row] = scratch_.levels;
    if (!kernel.pools()) continue;
    Pool& pool = kept_[i].pool;
    const std::uint64_t positives = pool.positive.size();
    const std::uint64_t negatives = pool.negative.size();
    kernel.pool_weighted(seen, pool);
    kept_[i].parts.push_back(
        {row, pool.positive.size() - positives, pool.negative.size() - negatives});
  }
}

Batch LabelledEvaluator::take(bool small) {
  Batch rest = evaluator_.take();
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    Kept kept = std::exchange(kept_[i], {});
    Column& column = rest.columns[i];
    pack(kept.pool, kept.pools, small);
    column.pools.insert(column.pools.end(), kept.pools.begin(), kept.pools.end());
    column.pool_parts.insert(column.pool_parts.end(), kept.parts.begin(), kept.parts.end());
  }
  return rest;
}

}  // namespace relyon
