// Registration only.
#include <nanobind/nanobind.h>

#include "bind.hpp"
#include "error.hpp"
#include "trec.hpp"

namespace nb = nanobind;

namespace {

nb::object decode(const std::string& bytes) {
  return nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()),
                                        "backslashreplace"));
}

// A sentence as relyon.core.texts.message makes it.
nb::object message(const relyon::Sentence& sentence) {
  if (sentence.empty()) return nb::str("");
  nb::dict values;
  for (const relyon::Put& put : sentence.values) {
    values[put.name] = put.translated ? message(put.value) : decode(put.value.kind);
  }
  nb::object say = nb::module_::import_("relyon.core.texts.message").attr("message");
  return say(decode(sentence.kind), **values);
}

// InputError becomes relyon.ParseError where it has a line, relyon.InputError elsewhere.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const relyon::InputError& error) {
    nb::module_ errors = nb::module_::import_("relyon.core.errors");

    nb::dict details;
    details["path"] = decode(error.path);
    details["hint"] = message(error.hint);
    if (error.line != 0 && !error.path.empty()) details["line"] = error.line;
    const char* kind = details.contains("line") ? "ParseError" : "InputError";
    nb::object type = errors.attr(kind);
    nb::object value = type(message(error.sentence), **details);
    PyErr_SetObject(type.ptr(), value.ptr());
  }
}

// Python never frees what a daemon thread holds at the end, down to the globals of its functions.
// What nanobind then finds left says nothing of this module; in all other cases it is to be told.
void forgive_daemons() {
  nb::dict modules = nb::module_::import_("sys").attr("modules");
  if (!modules.contains("threading")) return;
  for (nb::handle thread : modules["threading"].attr("enumerate")()) {
    if (nb::cast<bool>(thread.attr("daemon"))) nb::set_leak_warnings(false);
  }
}

}  // namespace

NB_MODULE(_native, module) {
  module.attr("__version__") = RELYON_VERSION;
  nb::register_exception_translator(translate);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&forgive_daemons));
  relyon::bind_tables(module);
  relyon::bind_traces(module);
  relyon::bind_judged(module);
  relyon::bind_plan(module);
  relyon::bind_batch(module);
  relyon::bind_sources(module);
  relyon::bind_parts(module);
  relyon::bind_scans(module);
  relyon::bind_arrays(module);
  relyon::bind_groups(module);
  relyon::bind_resample(module);
  relyon::bind_hash(module);
  relyon::bind_content(module);
  relyon::bind_answers(module);
  relyon::bind_distributions(module);
  relyon::bind_fusion(module);
  relyon::bind_clicks(module);
  relyon::bind_lambdas(module);
  relyon::bind_loss(module);
  relyon::bind_letor(module);
}
