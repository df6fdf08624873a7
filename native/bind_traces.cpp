// Traces as Python sees them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bind.hpp"
#include "error.hpp"
#include "owned.hpp"
#include "python_text.hpp"
#include "text.hpp"
#include "traces.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

// Texts of Python, kept at fixed addresses.
std::vector<std::string_view> kept_texts(const nb::list& texts, Arena& arena) {
  std::vector<std::string_view> found;
  found.reserve(texts.size());
  for (nb::handle one : texts) found.push_back(arena.keep(bytes_of(one)));
  return found;
}

// Calls in columns: `tasks`, `queries`, `numbers` (None: in order), `lines`, `rows`, `reads` (-1:
// not recorded), `tokens`, `seconds` by call; `documents`, `scores`, `ranks`, `starts`, `ends` by
// result; `read` by document read.
TraceTable traces_from_columns(const nb::dict& columns, const std::string& path, bool has_ranks) {
  const auto memory = std::make_shared<Arena>();
  const auto texts = [&](const char* name) {
    return kept_texts(nb::cast<nb::list>(columns[name]), *memory);
  };
  const auto doubles = [&](const char* name) {
    return nb::cast<std::vector<double>>(columns[name]);
  };
  const auto wholes = [&](const char* name) {
    return nb::cast<std::vector<std::int64_t>>(columns[name]);
  };
  ReadCalls found;
  const auto documents = texts("documents");
  const auto scores = doubles("scores");
  found.documents.assign(documents.begin(), documents.end());
  found.scores.assign(scores.begin(), scores.end());
  if (!columns["ranks"].is_none()) found.ranks = wholes("ranks");
  if (!columns["starts"].is_none()) {
    found.starts = doubles("starts");
    found.ends = doubles("ends");
  }
  found.read = texts("read");
  const auto tasks = texts("tasks"), queries = texts("queries");
  const auto lines = wholes("lines"), rows = wholes("rows"), reads = wholes("reads");
  const auto tokens = doubles("tokens"), seconds = doubles("seconds");
  const auto numbers = nb::cast<std::vector<std::optional<std::int64_t>>>(columns["numbers"]);
  for (std::size_t one = 0; one < tasks.size(); ++one) {
    ReadCalls::Call call;
    call.task = tasks[one];
    call.query = queries[one];
    call.number = numbers[one].value_or(ReadCalls::unnumbered);
    call.rows = static_cast<std::uint64_t>(rows[one]);
    call.reading = reads[one] >= 0;
    call.reads = call.reading ? static_cast<std::uint64_t>(reads[one]) : 0;
    call.tokens = tokens[one];
    call.seconds = seconds[one];
    call.line = static_cast<std::uint64_t>(lines[one]);
    found.calls.push_back(call);
  }
  return {std::move(found), memory, path, has_ranks, 1};
}

std::optional<TraceTable> traces_from_lines(const std::string& path,
                                            const std::optional<nb::bytes>& lines, int threads) {
  const nb::gil_scoped_release released;
  if (lines) return read_trace_lines(TraceText({lines->c_str(), lines->size()}), path, threads);
  return read_trace_lines(TraceText(File(path)), path, threads);
}

nb::object number_or_none(double value) {
  return std::isnan(value) ? nb::none() : nb::object(nb::float_(value));
}

// One call as a tuple; see the stub.
nb::tuple call_at(const TraceTable& traces, std::size_t task, std::size_t number) {
  if (task >= traces.size() || number >= traces.first_call(task + 1) - traces.first_call(task)) {
    throw nb::index_error("the traces have no call of this number");
  }
  const TraceTable::Call& call = traces.calls()[traces.first_call(task) + number];
  nb::list documents, scores, ranks, starts, ends, read;
  for (std::uint32_t row = 0; row < call.rows; ++row) {
    documents.append(text(traces.name(task, traces.document(call.row + row))));
    scores.append(traces.score(call.row + row));
    ranks.append(traces.rank(call, row));
    if (traces.has_spans()) {
      starts.append(number_or_none(traces.start(call.row + row)));
      ends.append(number_or_none(traces.end(call.row + row)));
    }
  }
  for (std::uint32_t row = 0; row < call.reads; ++row)
    read.append(text(traces.name(task, traces.read_document(call.read + row))));
  const bool spans = traces.has_spans();
  return nb::make_tuple(text(call.query), documents, scores, call.scored,
                        traces.has_ranks() ? nb::object(ranks) : nb::none(),
                        spans ? nb::object(starts) : nb::none(),
                        spans ? nb::object(ends) : nb::none(),
                        call.reading ? nb::object(read) : nb::none(), call.tokens, call.seconds);
}

std::uint32_t find_task(const TraceTable& traces, nb::handle task) {
  const std::uint32_t number =
      PyUnicode_Check(task.ptr()) ? traces.find(bytes_of(task)) : Index::none;
  if (number == Index::none) throw nb::key_error(nb::repr(task).c_str());
  return number;
}

Which which_of(const std::string& name) {
  if (name == "mean") return Which::mean;
  if (name == "sum") return Which::sum;
  if (name == "first") return Which::first;
  if (name == "last") return Which::last;
  if (name == "best") return Which::best;
  throw InputError(Sentence(
      "native.name-must-be-one-of-names",
      {{"name", "which"}, {"names", "`mean`, `sum`, `first`, `last`, `best`"}, {"value", name}}));
}

using Form = std::tuple<std::string, bool, bool, bool>;

Batch tasks_of(const JudgmentTable& judgments, const Plan& plan, const TraceTable& traces,
               const Batch& calls, const std::vector<Form>& forms, const TiedCalls* tied) {
  std::vector<TaskForm> converted;
  converted.reserve(forms.size());
  for (const auto& [which, higher, geometric, own] : forms)
    converted.push_back({which_of(which), higher, geometric, own});
  if (converted.size() != calls.columns.size())
    throw nb::value_error("there must be one form per measure");
  const nb::gil_scoped_release released;
  return by_task(judgments, traces, calls, tied, converted, plan.rules);
}

TiedCalls evaluate_tied_calls(const JudgmentTable& judgments, const Plan& worst, const Plan& best,
                              const TraceTable& traces, int threads) {
  TiedCalls found;
  found.tasks = tied_tasks(judgments, worst.rules, traces, threads);
  found.worst = evaluate_calls(judgments, worst, traces, threads, &found.tasks);
  found.best = evaluate_calls(judgments, best, traces, threads, &found.tasks);
  return found;
}

nb::dict judged_columns(const JudgmentTable& judgments, const Plan& plan, const TraceTable& traces,
                        bool tied, int threads) {
  JudgedArrays found;
  {
    const nb::gil_scoped_release released;
    std::vector<std::uint8_t> only;
    if (tied) only = tied_tasks(judgments, plan.rules, traces, threads);
    found = judge_calls(judgments, plan.rules, traces, threads, tied ? &only : nullptr);
  }
  nb::list tasks;
  for (const std::uint32_t task : found.tasks) tasks.append(text(traces.task(task)));
  for (const std::uint32_t number : found.missing) tasks.append(text(judgments.id(number)));
  nb::dict columns;
  columns["tasks"] = tasks;
  columns["calls"] = owned(std::move(found.calls));
  columns["rows"] = owned(std::move(found.rows));
  const std::size_t rows_of_calls = found.documents.size();
  columns["documents"] = owned<std::int64_t>(std::move(found.documents), {rows_of_calls});
  columns["grades"] = owned<double>(std::move(found.grades), {rows_of_calls});
  columns["judged"] = owned(std::move(found.judged));
  columns["judged_documents"] = owned(std::move(found.judged_documents));
  columns["judged_grades"] = owned(std::move(found.judged_grades));
  columns["judged_sets"] = judgments.several ? owned(std::move(found.judged_sets)) : nb::none();
  columns["reads"] = traces.reading ? owned(std::move(found.reads)) : nb::none();
  columns["read_documents"] = traces.reading ? owned(std::move(found.read_documents)) : nb::none();
  columns["read_grades"] = traces.reading ? owned(std::move(found.read_grades)) : nb::none();
  columns["tokens"] = owned(std::move(found.tokens));
  columns["seconds"] = owned(std::move(found.seconds));
  return columns;
}

}  // namespace

void bind_traces(nb::module_& module) {
  nb::class_<TraceTable>(module, "TraceTable", nb::is_final())
      .def_static("from_columns", &traces_from_columns, nb::arg("columns"), nb::kw_only(),
                  nb::arg("path") = "", nb::arg("has_ranks") = true)
      .def_static("from_lines", &traces_from_lines, nb::arg("path"), nb::arg("lines") = nb::none(),
                  nb::arg("threads") = 0)
      .def_prop_ro("rows", &TraceTable::rows)
      .def_ro("unscored", &TraceTable::unscored)
      .def_ro("most_calls", &TraceTable::most_calls)
      .def_ro("reading", &TraceTable::reading)
      .def_prop_ro("has_ranks", &TraceTable::has_ranks)
      .def_prop_ro("has_spans", &TraceTable::has_spans)
      .def_prop_ro("calls", [](const TraceTable& traces) { return traces.calls().size(); })
      .def("__len__", &TraceTable::size)
      .def("__contains__",
           [](const TraceTable& traces, nb::handle task) {
             return PyUnicode_Check(task.ptr()) && traces.find(bytes_of(task)) != Index::none;
           })
      .def("tasks",
           [](const TraceTable& traces) {
             nb::list found;
             for (std::size_t task = 0; task < traces.size(); ++task)
               found.append(text(traces.task(task)));
             return found;
           })
      .def("place", &find_task, nb::arg("task"))
      .def(
          "count",
          [](const TraceTable& traces, std::size_t task) {
            if (task >= traces.size()) throw nb::index_error("there is no task of this number");
            return traces.first_call(task + 1) - traces.first_call(task);
          },
          nb::arg("task"))
      .def("call", &call_at, nb::arg("task"), nb::arg("call"));
  const nb::class_<TiedCalls> tied(module, "TiedCalls", nb::is_final());
  module.def(
      "evaluate_calls",
      [](const JudgmentTable& judgments, const Plan& plan, const TraceTable& traces, int threads) {
        return evaluate_calls(judgments, plan, traces, threads);
      },
      nb::arg("judgments"), nb::arg("plan"), nb::arg("traces"), nb::arg("threads") = 0,
      nb::call_guard<nb::gil_scoped_release>());
  module.def("evaluate_tied_calls", &evaluate_tied_calls, nb::arg("judgments"), nb::arg("worst"),
             nb::arg("best"), nb::arg("traces"), nb::arg("threads") = 0,
             nb::call_guard<nb::gil_scoped_release>());
  module.def("by_task", &tasks_of, nb::arg("judgments"), nb::arg("plan"), nb::arg("traces"),
             nb::arg("calls"), nb::arg("forms"), nb::arg("tied") = nb::none());
  module.def("judged_calls", &judged_columns, nb::arg("judgments"), nb::arg("plan"),
             nb::arg("traces"), nb::kw_only(), nb::arg("tied") = false, nb::arg("threads") = 0);
}

}  // namespace relyon
