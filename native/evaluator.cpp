#include "evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "error.hpp"
#include "total.hpp"

namespace relyon {
namespace {

constexpr std::size_t pool_size = std::size_t{1} << 16;  // scores that are packed at once

// Whether equal scores of a document with gain straddle rank k.
bool tie_across(const QueryView& query, std::uint32_t k) {
  if (!query.tied) return false;
  for (const Ranked& document : query.ranked) {
    if (document.first <= k && k < document.last && document.grade > 0) return true;
  }
  return false;
}

// The first rank of a tie whose order can change a value: it holds documents of two grades. 0:
// there is none, or a rank column decides.
std::uint32_t open_tie(const QueryView& query, Ties rule) {
  if (!query.tied || rule == Ties::rank) return 0;
  const std::span<const Ranked> ranked = query.ranked;
  for (std::size_t start = 0; start < ranked.size();) {
    std::size_t end = start + 1;
    if (ranked[start].first != ranked[start].last) {
      double least = ranked[start].grade;
      double most = least;
      while (end < ranked.size() && ranked[end].first == ranked[start].first) {
        least = std::min(least, ranked[end].grade);
        most = std::max(most, ranked[end++].grade);
      }
      // Documents that are not listed have the grade 0.
      if (end - start < ranked[start].last - ranked[start].first + 1) {
        least = std::min(least, 0.0);
        most = std::max(most, 0.0);
      }
      if (least < most) return ranked[start].first;
    }
    start = end;
  }
  return 0;
}

// Whether two orders give two values, and not the same one with another rounding.
bool differ(double one, double other) {
  if (std::isnan(one) || std::isnan(other) || one == other) return false;
  if (std::isinf(one) || std::isinf(other)) return true;
  return !(std::abs(one - other) <= 1e-12 * std::max(std::abs(one), std::abs(other)));
}

template <typename Value>
void move_back(std::vector<Value>& whole, std::vector<Value>&& part) {
  if (whole.empty()) {
    whole = std::move(part);
    return;
  }
  whole.insert(whole.end(), std::make_move_iterator(part.begin()),
               std::make_move_iterator(part.end()));
}

// Writes into one row of columns that are long enough.
struct Writer {
  const Plan& plan;
  std::vector<Column>& columns;
  std::size_t row;

  void operator()(std::size_t i, const Partial& partial, const PairLevels& levels) const {
    Column& column = columns[i];
    column.values[row] = partial.value;
    column.numerators[row] = partial.numerator;
    column.denominators[row] = partial.denominator;
    if (plan.kernels[i]->pair_levels()) column.levels[row] = levels;
  }
};

}  // namespace

// The first k ranks, all of them for 0, without the documents that nobody judged.
const QueryView& Condenser::cut(const QueryView& whole, std::uint32_t k) {
  view_ = whole;
  ranked_.clear();
  scores_.clear();
  std::uint32_t before = 0;  // rank in the whole list of the first document of the last tie
  for (const Ranked& document : whole.ranked) {
    if (k != 0 && document.rank > k) break;
    const auto rank = static_cast<std::uint32_t>(ranked_.size() + 1);
    const bool joins = rank > 1 && document.first == before;
    before = document.first;
    ranked_.push_back({document.grade, document.score, rank, joins ? ranked_.back().first : rank,
                       rank, document.row});
    if (!whole.scores.empty()) scores_.push_back(document.score);
  }
  view_.tied = false;
  for (std::size_t i = ranked_.size(); i-- > 1;) {
    if (ranked_[i - 1].first != ranked_[i].first) continue;
    ranked_[i - 1].last = ranked_[i].last;
    view_.tied = true;
  }
  if (plan_.rules.unretrieved_removed) {
    grades_.clear();
    for (const Ranked& document : ranked_) grades_.push_back(document.grade);
    std::sort(grades_.begin(), grades_.end(), std::greater<>());
    view_.judged = grades_;
  }
  view_.ranked = ranked_;
  view_.scores = scores_;
  view_.retrieved = ranked_.size();
  return view_;
}

Evaluator::Evaluator(const Plan& plan)
    : plan_(plan),
      ignores_(plan.rules.unjudged == Unjudged::ignored),
      ranker_(plan),
      condenser_(plan) {
  batch_.columns.resize(plan.kernels.size());
}

const QueryView& Evaluator::seen_by(const Kernel& kernel, const QueryView& whole) {
  // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): views outlive this.
  return ignores_ ? condenser_.cut(whole, kernel.window()) : whole;
}

Partial Evaluator::value(const Kernel& kernel, const QueryView& view) {
  Partial partial = kernel.score(view, scratch_);
  partial.value = plan_.rules.rounded(partial.value);
  return partial;
}

template <typename Store>
void Evaluator::score(const std::string& query, std::size_t row, const List& list, Store store) {
  try {
    const QueryView& whole = ranker_.rank(list);
    if (whole.tied) ++batch_.tied;
    const std::uint32_t open = open_tie(whole, plan_.rules.ties);
    const bool one_order = !whole.tied && !plan_.of_one_order.empty();
    const auto& kernels = one_order ? plan_.of_one_order : plan_.kernels;
    if (open != 0) as_is_.resize(kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const Kernel& kernel = *kernels[i];
      Column& column = batch_.columns[i];
      const QueryView& view = seen_by(kernel, whole);
      const Partial partial = value(kernel, view);
      if (open != 0) as_is_[i] = partial;
      store(i, partial, scratch_.levels);
      const std::uint32_t k = kernel.cutoff();
      if (k != 0 && tie_across(whole, k)) ++column.tie_sensitive;
      if (kernel.pools()) {
        const std::uint64_t positives = column.pool.positive.size();
        const std::uint64_t negatives = column.pool.negative.size();
        kernel.pool(view, column.pool);
        column.pool_parts.push_back({row, column.pool.positive.size() - positives,
                                     column.pool.negative.size() - negatives});
        if (column.pool.size() >= pool_size) pack(column.pool, column.pools);
      }
    }
    if (open != 0) score_orders(open, store);
  } catch (const InputError& error) {
    if (query.empty()) throw;
    throw InputError(
        Sentence("spark.query-message", {{"query", query}, {"message", error.sentence}}),
        error.path, error.line, error.hint);
  }
}

// Measures the list again with tied documents in the worst and in the best order.
template <typename Store>
void Evaluator::score_orders(std::uint32_t open, Store replace) {
  const auto& kernels = plan_.of_one_order.empty() ? plan_.kernels : plan_.of_one_order;
  const auto reached = [&](std::size_t i) {
    const std::uint32_t k = kernels[i]->cutoff();
    return kernels[i]->sees_ties() && (k == 0 || open <= k);
  };
  bool any = false;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    any |= reached(i) &&
           (plan_.rules.spans || (!plan_.in_worst_order.empty() && plan_.in_worst_order[i] != 0));
  }
  if (!any) return;
  worst_.resize(kernels.size());
  const QueryView& worst = ranker_.reorder(false);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!reached(i)) continue;
    worst_[i] = value(*kernels[i], seen_by(*kernels[i], worst));
    if (!plan_.in_worst_order.empty() && plan_.in_worst_order[i] != 0) {
      as_is_[i] = worst_[i];
      replace(i, worst_[i], scratch_.levels);
    }
  }
  if (!plan_.rules.spans) return;
  const QueryView& best = ranker_.reorder(true);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!reached(i)) continue;
    const Partial partial = value(*kernels[i], seen_by(*kernels[i], best));
    if (!differ(worst_[i].value, partial.value) && !differ(as_is_[i].value, partial.value))
      continue;
    std::shared_ptr<TieSums>& ties = batch_.columns[i].ties;
    if (!ties) ties = std::make_shared<TieSums>();
    ++ties->queries;
    ties->worst.replace(as_is_[i], worst_[i]);
    ties->best.replace(as_is_[i], partial);
  }
}

void Evaluator::add(std::string query, const List& list, bool missing) {
  const std::size_t row = batch_.queries.size();
  for (std::size_t i = 0; i < plan_.kernels.size(); ++i) {
    Column& column = batch_.columns[i];
    column.values.emplace_back();
    column.numerators.emplace_back();
    column.denominators.emplace_back();
    if (plan_.kernels[i]->pair_levels()) column.levels.emplace_back();
  }
  score(query, row, list, Writer{plan_, batch_.columns, row});
  batch_.matched += list.matches.size();
  batch_.queries.push_back(std::move(query));
  batch_.missing.push_back(missing ? 1 : 0);
}

void Evaluator::add_at(std::size_t row, const List& list, std::vector<Column>& whole) {
  score({}, row, list, Writer{plan_, whole, row});
}

Batch Evaluator::take() {
  for (Column& column : batch_.columns) pack(column.pool, column.pools);
  Batch taken = std::move(batch_);
  batch_ = Batch{};
  batch_.columns.resize(plan_.kernels.size());
  return taken;
}

void append(Batch& whole, Batch&& part) {
  if (whole.columns.size() < part.columns.size()) whole.columns.resize(part.columns.size());
  for (std::size_t i = 0; i < part.columns.size(); ++i) {
    Column& column = whole.columns[i];
    Column& more = part.columns[i];
    // Without values of its own a part has written into rows of the whole.
    const std::uint64_t first = more.values.empty() ? 0 : column.values.size();
    for (PoolPart& rows : more.pool_parts) rows.row += first;
    move_back(column.values, std::move(more.values));
    move_back(column.numerators, std::move(more.numerators));
    move_back(column.denominators, std::move(more.denominators));
    move_back(column.pools, std::move(more.pools));
    move_back(column.pool_parts, std::move(more.pool_parts));
    if (!column.ties) {
      column.ties = std::move(more.ties);
    } else if (more.ties) {
      column.ties->merge(*more.ties);
    }
    move_back(column.levels, std::move(more.levels));
    column.tie_sensitive += more.tie_sensitive;
  }
  move_back(whole.queries, std::move(part.queries));
  move_back(whole.missing, std::move(part.missing));
  whole.rows += part.rows;
  whole.matched += part.matched;
  whole.unjudged_queries += part.unjudged_queries;
  for (std::string& example : part.unjudged_examples) {
    if (whole.unjudged_examples.size() < 5) whole.unjudged_examples.push_back(std::move(example));
  }
  whole.regrouped |= part.regrouped;
  whole.tied += part.tied;
  whole.labels.add(part.labels);
}

}  // namespace relyon
