#include "evaluator.hpp"

#include <iterator>
#include <utility>

#include "error.hpp"

namespace relkit {
namespace {

// Whether equal scores of a document with gain straddle rank k.
bool tie_across(const QueryView& query, std::uint32_t k) {
  if (!query.tied) return false;
  for (const Ranked& document : query.ranked) {
    if (document.first <= k && k < document.last && document.grade > 0) return true;
  }
  return false;
}

template <typename Value>
void move_back(std::vector<Value>& whole, std::vector<Value>&& part) {
  if (whole.empty()) {
    whole = std::move(part);
    return;
  }
  whole.insert(whole.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
}

}  // namespace

Evaluator::Evaluator(const Plan& plan) : plan_(plan), ranker_(plan) {
  batch_.columns.resize(plan.kernels.size());
}

template <typename Store>
void Evaluator::score(const std::string& query, const List& list, Store store) {
  try {
    const QueryView& view = ranker_.rank(list);
    for (std::size_t i = 0; i < plan_.kernels.size(); ++i) {
      const Kernel& kernel = *plan_.kernels[i];
      Column& column = batch_.columns[i];
      store(i, kernel.score(view, scratch_));
      const std::uint32_t k = kernel.cutoff();
      if (k != 0 && tie_across(view, k)) ++column.tie_sensitive;
      if (kernel.pools()) {
        if (!column.pool) column.pool = std::make_shared<Pool>();
        kernel.pool(view, *column.pool);
      }
    }
  } catch (const InputError& error) {
    if (query.empty()) throw;
    throw InputError("query `" + query + "`: " + error.what(), error.path, error.line, error.hint);
  }
}

void Evaluator::add(std::string query, const List& list, bool missing) {
  score(query, list, [this](std::size_t i, const Partial& partial) {
    Column& column = batch_.columns[i];
    column.values.push_back(partial.value);
    column.numerators.push_back(partial.numerator);
    column.denominators.push_back(partial.denominator);
  });
  batch_.matched += list.matches.size();
  batch_.queries.push_back(std::move(query));
  batch_.missing.push_back(missing ? 1 : 0);
}

void Evaluator::add_at(std::size_t row, const List& list, std::vector<Column>& whole) {
  score({}, list, [&whole, row](std::size_t i, const Partial& partial) {
    Column& column = whole[i];
    column.values[row] = partial.value;
    column.numerators[row] = partial.numerator;
    column.denominators[row] = partial.denominator;
  });
}

Batch Evaluator::take() {
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
    move_back(column.values, std::move(more.values));
    move_back(column.numerators, std::move(more.numerators));
    move_back(column.denominators, std::move(more.denominators));
    if (!column.pool) {
      column.pool = std::move(more.pool);
    } else if (more.pool) {
      move_back(column.pool->positive, std::move(more.pool->positive));
      move_back(column.pool->negative, std::move(more.pool->negative));
    }
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
}

}  // namespace relkit
