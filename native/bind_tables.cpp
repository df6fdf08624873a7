// Tables and sources as Python sees them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind.hpp"
#include "callable.hpp"
#include "error.hpp"
#include "python_text.hpp"
#include "runs.hpp"
#include "sources.hpp"
#include "state.hpp"
#include "trec.hpp"

namespace nb = nanobind;

namespace relyon {

namespace {

nb::list queries(const auto& table) {
  nb::list ids;
  for (std::uint32_t number = 0; number < table.size(); ++number)
    ids.append(text(table.id(number)));
  return ids;
}

std::uint32_t find(const auto& table, nb::handle query) {
  const std::uint32_t number =
      PyUnicode_Check(query.ptr()) ? table.find(bytes_of(query)) : Index::none;
  if (number == Index::none) throw nb::key_error(nb::repr(query).c_str());
  return number;
}

bool holds(const auto& table, nb::handle query) {
  return PyUnicode_Check(query.ptr()) && table.find(bytes_of(query)) != Index::none;
}

JudgmentTable judgments_from_text(const std::string& path) {
  const File file(path);
  FileBytes bytes(file, 0);
  return read_qrels(bytes, path);
}

RunTable run_from_text(const std::string& path) {
  const File file(path);
  FileBytes bytes(file, 0);
  RunTable table = read_run(bytes, path);
  FileBytes again(file, 0);
  refuse_duplicates(table, path, &again);
  return table;
}

RunTable run_from_chunks(nb::callable read, const std::string& name) {
  Callable bytes(std::move(read));
  const nb::gil_scoped_release released;
  RunTable table = read_run(bytes, name);
  refuse_duplicates(table, name, nullptr);
  return table;
}

// Streams if the input can be opened again should its queries turn out not to be grouped.
Batch evaluate_chunks(const JudgmentTable& judgments, const Plan& plan, nb::callable read,
                      const std::string& name, const nb::object& again, int threads) {
  if (again.is_none()) {
    Callable bytes(std::move(read));
    const nb::gil_scoped_release released;
    const RunTable run = read_run(bytes, name);
    refuse_duplicates(run, name, nullptr, &judgments);
    return evaluate_run(judgments, plan, run, threads);
  }
  {
    Callable bytes(std::move(read));
    const nb::gil_scoped_release released;
    if (std::optional<Batch> batch = evaluate_stream(judgments, plan, bytes, name))
      return std::move(*batch);
  }
  Callable bytes(nb::cast<nb::callable>(again()));
  Callable once_more(nb::cast<nb::callable>(again()));
  const nb::gil_scoped_release released;
  const RunTable run = read_run(bytes, name);
  refuse_duplicates(run, name, &once_more, &judgments);
  return evaluate_run(judgments, plan, run, threads);
}

nb::object run_documents(const RunTable& table, nb::handle query) {
  const std::uint32_t number = find(table, query);
  nb::list documents, scores, ranks;
  for (const RunTable::Row& row : table.rows(number)) {
    if (table.has_ranks) ranks.append(table.rank(number, documents.size()));
    documents.append(text(row.document()));
    scores.append(row.score);
  }
  nb::object last = table.has_ranks ? nb::object(ranks) : nb::none();
  return nb::make_tuple(documents, scores, last);
}

nb::bytes run_to_text(const RunTable& table, std::size_t first, std::size_t count,
                      const nb::str& tag) {
  const std::string name = bytes_of(tag);
  const std::size_t from = std::min(first, table.size()),
                    to = from + std::min(count, table.size() - from);
  std::string written;
  {
    const nb::gil_scoped_release released;
    written =
        run_text(table, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), name);
  }
  return nb::bytes(written.data(), written.size());
}

nb::object run_columns_of(const RunTable& table) {
  nb::list ids, documents, scores, ranks;
  for (std::uint32_t number = 0; number < table.size(); ++number) {
    const nb::object query = text(table.id(number));
    std::size_t place = 0;
    for (const RunTable::Row& row : table.rows(number)) {
      ids.append(query);
      documents.append(text(row.document()));
      scores.append(row.score);
      if (table.has_ranks) ranks.append(table.rank(number, place++));
    }
  }
  nb::object last = table.has_ranks ? nb::object(ranks) : nb::none();
  return nb::make_tuple(ids, documents, scores, last);
}

// Pickling: `restore` makes a table of what `to_state` wrote.
template <typename Table>
void bind_state(nb::class_<Table>& bound, Table (*restore)(std::string_view)) {
  bound
      .def("__getstate__",
           [](const Table& table) {
             const std::string state = to_state(table);
             return nb::bytes(state.data(), state.size());
           })
      .def("__setstate__", [restore](Table& table, const nb::bytes& state) {
        new (&table) Table(restore({state.c_str(), state.size()}));
      });
}

}  // namespace

void bind_tables(nb::module_& module) {
  nb::class_<JudgmentTable> judgments(module, "JudgmentTable", nb::is_weak_referenceable());
  bind_state(judgments, &judgments_from_state);
  judgments
      .def_static(
          "from_text",
          [](const std::string& path, int) {
            const nb::gil_scoped_release released;
            return judgments_from_text(path);
          },
          nb::arg("path"), nb::arg("threads") = 0)
      .def_static(
          "from_chunks",
          [](nb::callable read, const std::string& name) {
            Callable bytes(std::move(read));
            return read_qrels(bytes, name);
          },
          nb::arg("read"), nb::arg("name"))
      .def_static("from_dict", &judgments_from_dict, nb::arg("judgments"))
      .def_static("from_arrow", &judgments_from_arrow, nb::arg("query"), nb::arg("document"),
                  nb::arg("grade"), nb::arg("subtopic") = nb::none())
      .def_ro("rows", &JudgmentTable::rows)
      .def_ro("has_subtopics", &JudgmentTable::several)
      .def_ro("overlapping", &JudgmentTable::overlapping)
      .def_ro("duplicates", &JudgmentTable::duplicates)
      .def_ro("negatives", &JudgmentTable::negatives)
      .def_ro("highest", &JudgmentTable::highest)
      .def_ro("fractions", &JudgmentTable::fractions)
      .def_ro("fractional", &JudgmentTable::fractional)
      .def("__len__", &JudgmentTable::size)
      .def("__contains__",
           [](const JudgmentTable& table, nb::handle query) { return holds(table, query); })
      .def("queries", [](const JudgmentTable& table) { return queries(table); })
      .def(
          "grades",
          [](const JudgmentTable& table, nb::handle query) {
            nb::dict grades;
            for (const auto& judged : table.query(find(table, query)).documents) {
              grades[text(judged.document)] = judged.grade;
            }
            return grades;
          },
          nb::arg("query"))
      .def(
          "subtopics",
          [](const JudgmentTable& table, nb::handle query) {
            const JudgmentTable::Query& judged = table.query(find(table, query));
            nb::dict documents;
            if (!judged.subtopics) return documents;
            nb::list names;
            for (const std::uint32_t name : judged.subtopics->names)
              names.append(text(table.subtopic(name)));
            for (std::uint32_t document = 0; document < judged.documents.size(); ++document) {
              nb::dict grades;
              for (const auto& one : judged.subtopics->of(document))
                grades[names[one.subtopic]] = one.grade;
              documents[text(judged.documents[document].document)] = grades;
            }
            return documents;
          },
          nb::arg("query"))
      .def("columns", [](const JudgmentTable& table) {
        nb::list ids, documents, grades;
        for (std::uint32_t number = 0; number < table.size(); ++number) {
          const nb::object query = text(table.id(number));
          for (const auto& judged : table.query(number).documents) {
            ids.append(query);
            documents.append(text(judged.document));
            grades.append(judged.grade);
          }
        }
        return nb::make_tuple(ids, documents, grades);
      });

  nb::class_<RunTable> run(module, "RunTable", nb::is_weak_referenceable());
  bind_state(run, &run_from_state);
  run.def_static(
         "from_text",
         [](const std::string& path, int) {
           const nb::gil_scoped_release released;
           return run_from_text(path);
         },
         nb::arg("path"), nb::arg("threads") = 0)
      .def_static("from_chunks", &run_from_chunks, nb::arg("read"), nb::arg("name"))
      .def_static("from_dict", &run_from_dict, nb::arg("run"))
      .def_static("from_arrow", &run_from_arrow, nb::arg("query"), nb::arg("document"),
                  nb::arg("score"), nb::arg("rank") = nb::none())
      .def_ro("rows", &RunTable::count)
      .def_prop_ro("tag", [](const RunTable& table) { return text(table.tag); })
      .def_ro("has_ranks", &RunTable::has_ranks)
      .def("__len__", &RunTable::size)
      .def("__contains__",
           [](const RunTable& table, nb::handle query) { return holds(table, query); })
      .def("queries", [](const RunTable& table) { return queries(table); })
      .def("documents", &run_documents, nb::arg("query"))
      .def("columns", &run_columns_of)
      .def("to_text", &run_to_text, nb::kw_only(), nb::arg("first"), nb::arg("count"),
           nb::arg("tag"));
}

void bind_sources(nb::module_& module) {
  module.def("evaluate_text", &evaluate_run_file, nb::arg("judgments"), nb::arg("plan"),
             nb::arg("path"), nb::arg("threads") = 0, nb::call_guard<nb::gil_scoped_release>());
  module.def("evaluate_chunks", &evaluate_chunks, nb::arg("judgments"), nb::arg("plan"),
             nb::arg("read"), nb::arg("name"), nb::arg("again") = nb::none(),
             nb::arg("threads") = 0);
  module.def("evaluate_run", &evaluate_run, nb::arg("judgments"), nb::arg("plan"), nb::arg("run"),
             nb::arg("threads") = 0, nb::call_guard<nb::gil_scoped_release>());
  module.def("evaluate_dict", &evaluate_dict, nb::arg("judgments"), nb::arg("plan"),
             nb::arg("run"));
  module.def("evaluate_arrow", &evaluate_arrow, nb::arg("judgments"), nb::arg("plan"),
             nb::arg("query"), nb::arg("document"), nb::arg("score"), nb::arg("rank") = nb::none(),
             nb::arg("threads") = 0);
}

}  // namespace relyon
