#include "evaluator.hpp"

#include <iterator>

namespace relkit {

Evaluator::Evaluator(const Plan& plan) : plan_(plan), ranker_(plan) { batch_.columns.resize(plan.kernels.size()); }

void Evaluator::add(std::string query, const List& list, bool missing) {
  batch_.queries.push_back(std::move(query));
  batch_.missing.push_back(missing ? 1 : 0);
  add_unnamed(list);
}

void Evaluator::add_unnamed(const List& list) {
  const QueryView& view = ranker_.rank(list);
  batch_.matched += list.matches.size();
  for (std::size_t place = 0; place < plan_.kernels.size(); ++place) {
    const Kernel& kernel = *plan_.kernels[place];
    Column& column = batch_.columns[place];
    const Partial partial = kernel.score(view, scratch_);
    column.values.push_back(partial.value);
    column.numerators.push_back(partial.numerator);
    column.denominators.push_back(partial.denominator);
    const std::uint32_t cutoff = kernel.cutoff();
    if (cutoff != 0) {
      for (const Ranked& document : view.ranked) {
        if (document.grade > 0 && document.first <= cutoff && cutoff < document.last) {
          ++column.tie_sensitive;
          break;
        }
      }
    }
    if (kernel.pooled()) kernel.pool(view, column.pool);
  }
}

Batch Evaluator::take() {
  Batch taken = std::move(batch_);
  batch_ = Batch{};
  batch_.columns.resize(plan_.kernels.size());
  return taken;
}

namespace {

template <class T>
void extend(std::vector<T>& whole, std::vector<T>&& part) {
  if (whole.empty()) {
    whole = std::move(part);
  } else {
    whole.insert(whole.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  }
}

}  // namespace

void append(Batch& whole, Batch&& part) {
  extend(whole.queries, std::move(part.queries));
  extend(whole.missing, std::move(part.missing));
  if (whole.columns.size() < part.columns.size()) whole.columns.resize(part.columns.size());
  for (std::size_t place = 0; place < part.columns.size(); ++place) {
    Column& into = whole.columns[place];
    Column& from = part.columns[place];
    extend(into.values, std::move(from.values));
    extend(into.numerators, std::move(from.numerators));
    extend(into.denominators, std::move(from.denominators));
    extend(into.pool.positive, std::move(from.pool.positive));
    extend(into.pool.negative, std::move(from.pool.negative));
    into.tie_sensitive += from.tie_sensitive;
  }
  whole.matched += part.matched;
}

}  // namespace relkit
