// Traces through the evaluator: call by call, then task by task.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "collector.hpp"
#include "parallel.hpp"
#include "total.hpp"
#include "traces.hpp"

namespace relyon {

namespace {

// Judged tasks of the traces, in their order.
std::vector<std::uint32_t> judged_tasks(const JudgmentTable& judgments, const TraceTable& traces) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t task = 0; task < traces.size(); ++task) {
    if (judgments.find(traces.task(task)) != Index::none) found.push_back(task);
  }
  return found;
}

double logarithm(double value) { return std::log(std::max(value, 0.00001)); }

// One row of a column.
Partial partial_at(const Column& column, std::size_t row) {
  return {column.values[row], column.numerators[row], column.denominators[row]};
}

// The sum of the numbers among some values, correctly rounded, and how many there are.
std::pair<double, std::size_t> sum_of(std::span<const double> values) {
  double sum = 0.0;
  std::size_t defined = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++defined;
  }
  if (defined <= 2) return {sum, defined};  // one addition is rounded once
  ExactSum exact;
  exact.add(values, true);
  return {exact.value(), defined};
}

// The rows [from, to) of a column as one.
Partial of_task(const Column& column, std::size_t from, std::size_t to, const TaskForm& form,
                const Rules& rules) {
  Partial found;
  if (to - from == 1) {
    found = partial_at(column, from);
    found.value = rules.rounded(found.value);
    return found;
  }
  if (form.which == Which::mean || form.which == Which::sum) {
    const std::span rows(column.values.data() + from, to - from);
    for (std::size_t row = from; row < to; ++row) {
      found.numerator += column.numerators[row];
      found.denominator += column.denominators[row];
    }
    const auto [sum, defined] = sum_of(rows);
    if (defined > 0)
      found.value = form.which == Which::sum ? sum : sum / static_cast<double>(defined);
  } else {
    std::size_t chosen = form.which == Which::last ? to - 1 : from;
    if (form.which == Which::best) {
      for (std::size_t row = from + 1; row < to; ++row) {
        const double value = column.values[row], most = column.values[chosen];
        if (std::isnan(value)) continue;
        if (std::isnan(most) || (form.higher ? value > most : value < most)) chosen = row;
      }
    }
    found = partial_at(column, chosen);
  }
  found.value = rules.rounded(found.value);
  if (form.geometric || form.own) {
    const bool none = std::isnan(found.value);
    found.numerator = none ? 0.0 : form.geometric ? logarithm(found.value) : found.value;
    found.denominator = none ? 0.0 : 1.0;
  }
  return found;
}

bool differ(double one, double other) {
  if (std::isnan(one) || std::isnan(other) || one == other) return false;
  if (std::isinf(one) || std::isinf(other)) return true;
  return !(std::abs(one - other) <= 1e-12 * std::max(std::abs(one), std::abs(other)));
}

void push(Column& column, const Partial& partial) {
  column.values.push_back(partial.value);
  column.numerators.push_back(partial.numerator);
  column.denominators.push_back(partial.denominator);
}

}  // namespace

std::vector<std::uint8_t> tied_tasks(const JudgmentTable& judgments, const Rules& rules,
                                     const TraceTable& traces, int threads) {
  std::vector<std::uint8_t> found(traces.size(), 0);
  if (rules.ties == Ties::rank) return found;
  const std::size_t block = std::clamp<std::size_t>(traces.size() / 16, 1, 4096);
  each_part((traces.size() + block - 1) / block, threads, [&](std::size_t part) {
    std::vector<std::pair<double, double>> pairs;  // scores and labels
    const std::size_t last = std::min(traces.size(), (part + 1) * block);
    for (std::size_t task = part * block; task < last; ++task) {
      const std::uint32_t number = judgments.find(traces.task(task));
      if (number == Index::none) continue;
      const JudgmentTable::Query& judged = judgments.query(number);
      for (std::uint64_t one = traces.first_call(task); one < traces.first_call(task + 1); ++one) {
        const TraceTable::Call& call = traces.calls()[one];
        const auto score = [&](std::uint32_t row) {
          const double value = traces.score(call.row + row);
          return rules.float32 ? static_cast<double>(static_cast<float>(value)) : value;
        };
        bool falling = true;
        for (std::uint32_t row = 1; row < call.rows && falling; ++row)
          falling = score(row - 1) > score(row);
        if (falling) continue;
        pairs.clear();
        for (std::uint32_t row = 0; row < call.rows; ++row) {
          const std::string_view name = traces.name(task, traces.document(call.row + row));
          const JudgmentTable::Judged* grade = judged.find(name, hash_bytes(name));
          // Kernels may tell unjudged documents from those of grade 0.
          pairs.emplace_back(score(row), grade == nullptr ? -0.5 : grade->grade);
        }
        std::sort(pairs.begin(), pairs.end());
        for (std::size_t row = 1; row < pairs.size() && found[task] == 0; ++row)
          found[task] = pairs[row - 1].first == pairs[row].first &&
                        pairs[row - 1].second != pairs[row].second;
        if (found[task] != 0) break;
      }
    }
  });
  return found;
}

Batch evaluate_calls(const JudgmentTable& judgments, const Plan& plan, const TraceTable& traces,
                     int threads, const std::vector<std::uint8_t>* only) {
  if (plan.rules.ties == Ties::rank && !traces.has_ranks()) {
    throw InputError("native.ties-rank-needs-rank-column", "", 0, "data.choose-another-tie-rule");
  }
  const std::size_t block = std::clamp<std::size_t>(traces.size() / 8, 1, 64);
  std::vector<Stretch> stretches((traces.size() + block - 1) / block);
  each_part(stretches.size(), threads, [&](std::size_t part) {
    Collector collector(judgments, plan);
    Stretch& out = stretches[part];
    const std::size_t last = std::min(traces.size(), (part + 1) * block);
    for (std::size_t task = part * block; task < last; ++task) {
      if (only != nullptr && (*only)[task] == 0) continue;
      collector.begin(traces.task(task));
      if (!collector.judged()) {
        out.unjudged.emplace_back(traces.task(task));
        continue;
      }
      out.groups.push_back(collector.number());
      for (std::uint64_t one = traces.first_call(task); one < traces.first_call(task + 1); ++one) {
        if (one > traces.first_call(task)) collector.begin(traces.task(task));
        const TraceTable::Call& call = traces.calls()[one];
        for (std::uint32_t row = 0; row < call.rows; ++row) {
          collector.add(traces.name(task, traces.document(call.row + row)),
                        traces.score(call.row + row));
          if (plan.rules.ties == Ties::rank) collector.add_rank(traces.rank(call, row));
        }
        collector.finish();
      }
    }
    out.batch = collector.evaluator().take();
  });
  Batch whole;
  join(stretches, judgments, plan, whole);
  whole.rows = traces.rows();
  return whole;
}

Batch by_task(const JudgmentTable& judgments, const TraceTable& traces, const Batch& calls,
              const TiedCalls* tied, const std::vector<TaskForm>& forms, const Rules& rules) {
  const std::vector<std::uint32_t> tasks = judged_tasks(judgments, traces);
  Batch whole;
  whole.rows = calls.rows;
  whole.matched = calls.matched;
  whole.tied = calls.tied;
  whole.unjudged_queries = calls.unjudged_queries;
  whole.unjudged_examples = calls.unjudged_examples;
  whole.columns.resize(calls.columns.size());
  std::vector<std::size_t> starts{0};
  std::vector<std::size_t> tied_starts{0};  // among the calls of tied tasks
  for (const std::uint32_t task : tasks) {
    whole.queries.emplace_back(traces.task(task));
    whole.missing.push_back(0);
    const std::size_t count = traces.first_call(task + 1) - traces.first_call(task);
    starts.push_back(starts.back() + count);
    tied_starts.push_back(tied_starts.back() +
                          (tied != nullptr && tied->tasks[task] != 0 ? count : 0));
  }
  std::vector<std::uint64_t> task_of(starts.back());
  for (std::size_t task = 0; task < tasks.size(); ++task)
    std::fill(task_of.begin() + static_cast<std::ptrdiff_t>(starts[task]),
              task_of.begin() + static_cast<std::ptrdiff_t>(starts[task + 1]), task);
  for (std::size_t row = starts.back(); row < calls.queries.size(); ++row) {
    whole.queries.push_back(calls.queries[row]);
    whole.missing.push_back(calls.missing[row]);
  }
  for (std::size_t i = 0; i < calls.columns.size(); ++i) {
    const Column& from = calls.columns[i];
    Column& column = whole.columns[i];
    column.tie_sensitive = from.tie_sensitive;
    column.pools = from.pools;
    for (const PoolPart& part : from.pool_parts) {
      const std::uint64_t row =
          part.row < starts.back() ? task_of[part.row] : tasks.size() + (part.row - starts.back());
      if (!column.pool_parts.empty() && column.pool_parts.back().row == row) {
        column.pool_parts.back().positives += part.positives;
        column.pool_parts.back().negatives += part.negatives;
      } else {
        column.pool_parts.push_back({row, part.positives, part.negatives});
      }
    }
    const bool orders = from.ties && tied != nullptr;
    for (std::size_t task = 0; task < tasks.size(); ++task) {
      const std::size_t first = starts[task], last = starts[task + 1];
      const Partial found = of_task(from, first, last, forms[i], rules);
      push(column, found);
      if (!from.levels.empty()) {
        PairLevels levels = from.levels[first];
        for (std::size_t row = first + 1; row < last; ++row) {
          levels.equal_positive += from.levels[row].equal_positive;
          levels.equal_negative += from.levels[row].equal_negative;
        }
        if (last - first > 1) {
          const auto mean = [&](double PairLevels::* member) {
            std::vector<double> values;
            for (std::size_t row = first; row < last; ++row)
              values.push_back(from.levels[row].*member);
            const auto [sum, defined] = sum_of(values);
            return defined == 0 ? unknown : sum / static_cast<double>(defined);
          };
          levels.strict = mean(&PairLevels::strict);
          levels.random = mean(&PairLevels::random);
        }
        column.levels.push_back(levels);
      }
      const std::size_t from_tied = tied_starts[task], to_tied = tied_starts[task + 1];
      if (!orders || from_tied == to_tied) continue;
      const Partial low = of_task(tied->worst.columns[i], from_tied, to_tied, forms[i], rules);
      const Partial high = of_task(tied->best.columns[i], from_tied, to_tied, forms[i], rules);
      if (!differ(low.value, high.value) && !differ(found.value, high.value)) continue;
      if (!column.ties) column.ties = std::make_shared<TieSums>();
      ++column.ties->queries;
      column.ties->worst.replace(found, low);
      column.ties->best.replace(found, high);
    }
    for (std::size_t row = starts.back(); row < from.values.size(); ++row) {
      push(column, partial_at(from, row));
      if (!from.levels.empty()) column.levels.push_back(from.levels[row]);
    }
  }
  return whole;
}

}  // namespace relyon
