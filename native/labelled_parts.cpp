#include "labelled_parts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "arrow_groups.hpp"
#include "error.hpp"
#include "evaluator.hpp"
#include "parallel.hpp"

namespace nb = nanobind;

namespace relyon {

namespace {

constexpr std::size_t block = 1 << 13;        // rows that are split into classes at once
constexpr std::size_t ids_at_once = 1 << 10;  // ids that are read at once: they stay in the cache
constexpr std::size_t pool_size = 1 << 18;    // scores that are packed at once
constexpr std::string_view all_rows = "all";  // the query, where there is no column of queries

// The numbers of some rows of a part.
class Numbers {
 public:
  explicit Numbers(const LabelledColumns& part) : part_(part) {}

  LabelledRows read(std::uint64_t from, std::uint64_t end, LabelFacts& facts) {
    const auto count = static_cast<std::size_t>(end - from);
    const auto numbers = [&](const ArrowColumn& column, std::vector<double>& room) {
      if (room.size() < count) room.resize(count);
      column.numbers(from, count, room.data());
      return std::span<const double>(room.data(), count);
    };
    const std::span<const double> labels = numbers(part_.label, labels_);
    LabelledRows rows{labels, numbers(part_.score, scores_), {}, Levels(labels)};
    if (part_.weight) rows.weights = numbers(*part_.weight, weights_);
    facts.add(rows.labels, rows.levels);
    for (const double weight : rows.weights) {
      if (weight < 0)
        throw InputError("native.weight-is-below-0", {}, 0, "native.row-weights-must-be-0");
    }
    return rows;
  }

 private:
  const LabelledColumns& part_;
  std::vector<double> labels_;
  std::vector<double> scores_;
  std::vector<double> weights_;
};

// Adds the documents of some rows of a part to those of a query.
void add_documents(const LabelledColumns& part, std::uint64_t from, std::uint64_t end,
                   std::vector<std::string_view>& room, Texts& texts, Distinct& seen) {
  if (!part.document || !part.query) return;
  if (room.empty()) room.resize(ids_at_once);
  for (std::uint64_t row = from; row < end; row += ids_at_once) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(ids_at_once, end - row));
    part.document->ids(row, count, room.data(), texts);
    for (std::size_t place = 0; place < count; ++place) seen.add(room[place]);
    texts.drop(texts.mark());
  }
}

void extend(std::vector<double>& whole, std::span<const double> more) {
  whole.insert(whole.end(), more.begin(), more.end());
}

}  // namespace

LabelledColumns::LabelledColumns(nb::handle query_column, nb::handle label_column,
                                 nb::handle score_column, nb::handle weight_column,
                                 nb::handle document_column)
    : label(label_column, "label", ArrowColumn::Role::number),
      score(score_column, "score", ArrowColumn::Role::number) {
  same_length(label, score);
  if (!query_column.is_none()) {
    query.emplace(query_column, "query", ArrowColumn::Role::id);
    same_length(label, *query);
  }
  if (!weight_column.is_none()) {
    weight.emplace(weight_column, "weight", ArrowColumn::Role::number);
    same_length(label, *weight);
  }
  if (!document_column.is_none()) {
    document.emplace(document_column, "document", ArrowColumn::Role::id);
    same_length(label, *document);
  }
}

LabelledParts::LabelledParts(const Plan& plan, int threads)
    : plan_(plan), threads_(threads), classes_suffice_(LabelledEvaluator(plan).classes_suffice()) {
  batch_.columns.resize(plan.kernels.size());
}

// Room for one more query.
void LabelledParts::add_row(Batch& batch) const {
  for (std::size_t i = 0; i < plan_.kernels.size(); ++i) {
    Column& column = batch.columns[i];
    column.values.emplace_back();
    column.numerators.emplace_back();
    column.denominators.emplace_back();
    if (plan_.kernels[i]->pair_levels()) column.levels.emplace_back();
  }
}

// Evaluates the queries of the rows [from, end).
void LabelledParts::evaluate(const LabelledColumns& part, std::uint64_t from, std::uint64_t end) {
  const GroupStretches shares(*part.query, from, end);
  std::vector<Stretch> stretches(shares.size());
  each_part(stretches.size(), threads_, [&](std::size_t number) {
    Stretch& stretch = stretches[number];
    stretch.batch.columns.resize(plan_.kernels.size());
    GroupWalk walk = shares.walk(number);
    LabelledEvaluator evaluator(plan_);
    Numbers numbers(part);
    Texts texts;
    Distinct documents;
    std::vector<std::string_view> ids;
    for (std::uint64_t first, last; walk.next(first, last);) {
      documents.begin();
      add_documents(part, first, last, ids, texts, documents);
      stretch.repeated |= documents.suspect();
      add_row(stretch.batch);
      evaluator.add_at(stretch.queries.size(), numbers.read(first, last, stretch.batch.labels),
                       stretch.batch.columns);
      stretch.queries.emplace_back(part.query->id(first, texts));
      texts.drop(texts.mark());
    }
    append(stretch.batch, evaluator.take(true));
  });
  for (Stretch& stretch : stretches) take(std::move(stretch));
}

// Adds rows to the open query.
void LabelledParts::keep(const LabelledColumns& part, std::uint64_t from, std::uint64_t end) {
  Texts texts;
  std::vector<std::string_view> ids;
  add_documents(part, from, end, ids, texts, open_->documents);
  Numbers numbers(part);
  Pool split;
  for (std::uint64_t row = from; row < end; row += block) {
    const LabelledRows rows =
        numbers.read(row, std::min<std::uint64_t>(end, row + block), batch_.labels);
    if (part.weight || !classes_suffice_) {
      extend(open_->labels, rows.labels);
      extend(open_->scores, rows.scores);
      extend(open_->weights, rows.weights);
      continue;
    }
    for (OpenClasses& classes : open_->classes) {
      split_classes(rows.labels, rows.scores, classes.threshold, split);
      extend(classes.pool.positive, split.positive);
      extend(classes.pool.negative, split.negative);
      if (classes.pool.size() >= pool_size) pack(classes.pool, classes.pools, true);
    }
  }
}

void LabelledParts::close() {
  if (!open_) return;
  Open open = *std::exchange(open_, std::nullopt);
  Stretch stretch;
  stretch.batch.columns.resize(plan_.kernels.size());
  add_row(stretch.batch);
  LabelledEvaluator evaluator(plan_);
  if (open.labels.empty()) {
    for (OpenClasses& classes : open.classes) {
      pack(classes.pool, classes.pools, true);
      const ClassPairs counts = count_class_pairs(classes.pools, threads_);
      for (std::size_t i = 0; i < plan_.kernels.size(); ++i) {
        if (*plan_.kernels[i]->class_threshold() == classes.threshold)
          evaluator.add_counts_at(0, i, counts, classes.pools, stretch.batch.columns);
      }
    }
  } else {
    evaluator.add_at(0, {open.labels, open.scores, open.weights, Levels(open.labels)},
                     stretch.batch.columns);
  }
  append(stretch.batch, evaluator.take(true));
  stretch.queries.push_back(std::move(open.query));
  stretch.repeated = open.documents.suspect();
  take(std::move(stretch));
}

void LabelledParts::take(Stretch&& stretch) {
  for (const std::string& query : stretch.queries) {
    const std::size_t before = queries_.size();
    usable_ &= queries_.insert(query, names_) == before;
  }
  usable_ &= !stretch.repeated;
  append(batch_, std::move(stretch.batch));
}

bool LabelledParts::add(const LabelledColumns& part) {
  const std::uint64_t rows = part.label.rows();
  if (!usable_ || rows == 0) return usable_;
  std::uint64_t from = 0;
  Texts texts;
  if (open_) {
    if (!part.query) {
      from = rows;
    } else if (part.query->id(0, texts) == open_->query) {
      from = part.query->same_until(0, rows);
    }
    keep(part, 0, from);
    if (from < rows) close();
  }
  if (from < rows) {
    const std::uint64_t tail = part.query ? part.query->last_run() : 0;
    if (tail > from) evaluate(part, from, tail);
    if (usable_) {
      open_.emplace();
      open_->documents.begin();
      open_->query = part.query ? part.query->id(tail, texts) : all_rows;
      for (const auto& kernel : plan_.kernels) {
        if (!classes_suffice_) break;
        const double threshold = *kernel->class_threshold();
        if (std::none_of(open_->classes.begin(), open_->classes.end(),
                         [&](const OpenClasses& one) { return one.threshold == threshold; }))
          open_->classes.push_back({threshold, {}, {}});
      }
      keep(part, tail, rows);
    }
  }
  rows_ += rows;
  return usable_;
}

bool LabelledParts::finish(Batch& whole) {
  close();
  if (!usable_) return false;
  whole = std::move(batch_);
  for (std::uint32_t number = 0; number < queries_.size(); ++number)
    whole.queries.emplace_back(queries_.id(number));
  whole.rows = whole.matched = rows_;
  return true;
}

}  // namespace relyon
