// Judgments and runs from {query: {document: number}}, read through the C API without copies.
#include <nanobind/nanobind.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_set>

#include "collector.hpp"
#include "error.hpp"
#include "sources.hpp"

namespace nb = nanobind;

namespace relyon {

namespace {

std::string shown(nb::handle thing) {
  nb::object text = nb::steal(PyObject_Repr(thing.ptr()));
  if (!text.is_valid()) {
    PyErr_Clear();
    return "?";
  }
  const char* bytes = PyUnicode_AsUTF8(text.ptr());
  if (bytes == nullptr) {
    PyErr_Clear();
    return "?";
  }
  return bytes;
}

// The bytes of an id: text as UTF-8, whole numbers in decimal. `owner` keeps what had to be made.
std::string_view id_bytes(PyObject* id, nb::object& owner) {
  PyObject* text = id;
  if (!PyUnicode_Check(id)) {
    if (PyBytes_Check(id))
      return {PyBytes_AS_STRING(id), static_cast<std::size_t>(PyBytes_GET_SIZE(id))};
    if (PyBool_Check(id) || !PyIndex_Check(id)) {
      throw InputError(Sentence("native.id-must-be-text", {{"id", shown(id)}}));
    }
    nb::object number = nb::steal(PyNumber_Index(id));
    if (!number.is_valid()) throw nb::python_error();
    owner = nb::steal(PyObject_Str(number.ptr()));
    if (!owner.is_valid()) throw nb::python_error();
    text = owner.ptr();
  }
  Py_ssize_t size = 0;
  if (PyUnicode_IS_COMPACT_ASCII(text)) {
    return {static_cast<const char*>(PyUnicode_DATA(text)),
            static_cast<std::size_t>(PyUnicode_GET_LENGTH(text))};
  }
  if (const char* bytes = PyUnicode_AsUTF8AndSize(text, &size))
    return {bytes, static_cast<std::size_t>(size)};
  // Text that is not valid UTF-8: bytes that were read as surrogates.
  PyErr_Clear();
  owner = nb::steal(PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape"));
  if (!owner.is_valid()) {
    PyErr_Clear();
    throw InputError(Sentence("native.id-is-not-valid", {{"id", shown(id)}}), "", 0,
                     "native.holds-half-of-character");
  }
  return {PyBytes_AS_STRING(owner.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(owner.ptr()))};
}

[[noreturn]] void bad_number(PyObject* query, PyObject* document, const char* what,
                             PyObject* value) {
  throw InputError(Sentence("native.query-document-is-not-finite", {{"query", shown(query)},
                                                                    {"document", shown(document)},
                                                                    {"what", Sentence(what)},
                                                                    {"value", shown(value)}}));
}

double number(PyObject* value, PyObject* query, PyObject* document, const char* what) {
  if (PyFloat_CheckExact(value)) {
    const double found = PyFloat_AS_DOUBLE(value);
    if (std::isfinite(found)) return found;
    bad_number(query, document, what, value);
  }
  if (PyBool_Check(value) || PyUnicode_Check(value) || PyBytes_Check(value))
    bad_number(query, document, what, value);
  const double found = PyFloat_AsDouble(value);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    bad_number(query, document, what, value);
  }
  if (!std::isfinite(found)) bad_number(query, document, what, value);
  return found;
}

// Calls visit(key, value) for every item of a dict, or of any mapping.
template <class Visit>
void each_item(nb::handle mapping, const char* what, const Visit& visit) {
  if (PyDict_CheckExact(mapping.ptr())) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    const Py_ssize_t size = PyDict_GET_SIZE(mapping.ptr());
    while (PyDict_Next(mapping.ptr(), &at, &key, &value)) {
      visit(key, value);
      if (PyDict_GET_SIZE(mapping.ptr()) != size)
        throw InputError("native.dictionary-changed-while");
    }
    return;
  }
  if (!PyMapping_Check(mapping.ptr()) || !nb::hasattr(mapping, "items")) {
    throw InputError(Sentence(
        "native.expected-what",
        {{"what", Sentence(what)},
         {"found", shown(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(mapping.ptr()))))}}));
  }
  for (nb::handle item : mapping.attr("items")()) {
    nb::object key = item[0], value = item[1];
    visit(key.ptr(), value.ptr());
  }
}

// Whether a grade is in truth one grade a subtopic.
bool is_mapping(PyObject* grade) {
  if (PyFloat_CheckExact(grade) || PyLong_CheckExact(grade)) return false;
  return PyDict_Check(grade) ||
         (PyMapping_Check(grade) != 0 && nb::hasattr(nb::handle(grade), "items"));
}

constexpr const char* outer = "a mapping {query: {document: number}}";
constexpr const char* inner = "a mapping {document: number} for each query";
constexpr const char* innermost = "a mapping {subtopic: number} for a document";

}  // namespace

JudgmentTable judgments_from_dict(nb::handle judgments) {
  JudgmentTable table;
  std::uint64_t row = 0;  // counted from 1, for errors
  each_item(judgments, outer, [&](PyObject* query, PyObject* grades) {
    nb::object query_owner;
    const std::string_view id = id_bytes(query, query_owner);
    each_item(grades, inner, [&](PyObject* document, PyObject* grade) {
      nb::object owner;
      const std::string_view name = id_bytes(document, owner);
      if (!is_mapping(grade)) {
        table.add(id, unnamed_subtopic, name, number(grade, query, document, "grade"), ++row);
        return;
      }
      each_item(grade, innermost, [&](PyObject* subtopic, PyObject* value) {
        nb::object subtopic_owner;
        table.add(id, id_bytes(subtopic, subtopic_owner), name,
                  number(value, query, document, "grade"), ++row);
      });
    });
  });
  table.finish("");
  return table;
}

RunTable run_from_dict(nb::handle run) {
  RunTable table;
  each_item(run, outer, [&](PyObject* query, PyObject* scores) {
    nb::object query_owner;
    const std::string_view id = id_bytes(query, query_owner);
    each_item(scores, inner, [&](PyObject* document, PyObject* score) {
      nb::object owner;
      table.add(id, id_bytes(document, owner), number(score, query, document, "score"));
    });
  });
  std::string_view query, document;
  if (table.duplicate(query, document)) {
    throw InputError(Sentence("native.document-stands-twice-in-query",
                              {{"document", std::string(document)}, {"query", std::string(query)}}),
                     "", 0, "native.use-one-type");
  }
  return table;
}

Batch evaluate_dict(const JudgmentTable& judgments, const Plan& plan, nb::handle run) {
  if (plan.rules.ties == Ties::rank) {
    throw InputError("native.ties-rank", "", 0, "data.choose-another-tie-rule");
  }
  Collector collector(judgments, plan);
  std::vector<std::uint32_t> groups;
  std::vector<bool> met(judgments.size(), false);
  std::vector<nb::object> owners;
  std::unordered_set<std::string> unjudged;
  Batch counts;
  each_item(run, outer, [&](PyObject* query, PyObject* scores) {
    nb::object query_owner;
    const std::string_view id = id_bytes(query, query_owner);
    collector.begin(id);
    owners.clear();
    const bool judged = collector.judged();
    if (judged && met[collector.number()]) {
      throw InputError(Sentence("native.query-stands-twice", {{"query", std::string(id)}}));
    }
    each_item(scores, inner, [&](PyObject* document, PyObject* score) {
      nb::object owner;
      const std::string_view bytes = id_bytes(document, owner);
      const double value = number(score, query, document, "score");
      ++counts.rows;
      if (!judged) return;
      collector.add(bytes, value);
      if (owner.is_valid()) owners.push_back(std::move(owner));
    });
    if (!judged) {
      if (unjudged.emplace(id).second && counts.unjudged_examples.size() < 5)
        counts.unjudged_examples.emplace_back(id);
      return;
    }
    std::uint32_t first, second;
    if (collector.duplicate(first, second)) {
      throw InputError(
          Sentence("native.document-stands-twice-in-query",
                   {{"document", std::string(collector.id(second))}, {"query", std::string(id)}}),
          "", 0, "native.use-one-type");
    }
    met[collector.number()] = true;
    groups.push_back(collector.number());
    collector.finish();
  });
  Batch whole = collector.evaluator().take();
  whole.rows = counts.rows;
  whole.unjudged_queries = unjudged.size();
  whole.unjudged_examples = std::move(counts.unjudged_examples);
  add_missing(whole, judgments, plan, groups);
  return whole;
}

}  // namespace relyon
