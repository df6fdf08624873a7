// Plan, Batch and Total as Python sees them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "batch.hpp"
#include "bind.hpp"
#include "error.hpp"
#include "kernels.hpp"
#include "total.hpp"

namespace nb = nanobind;

namespace relkit {

namespace {

template <class T>
T choose(const std::string& field, const std::string& value,
         std::initializer_list<std::pair<const char*, T>> choices) {
  for (const auto& [name, choice] : choices) {
    if (value == name) return choice;
  }
  throw InputError("impossible value of `" + field + "`: `" + value + "`");
}

Parameters read_parameters(nb::handle given) {
  Parameters parameters;
  for (const auto& [key, value] : nb::cast<nb::dict>(given)) {
    const auto name = nb::cast<std::string>(key);
    if (PyUnicode_Check(value.ptr())) {
      parameters[name] = nb::cast<std::string>(value);
    } else if (PyDict_Check(value.ptr())) {
      GainMap map;
      for (const auto& [grade, gain] : nb::cast<nb::dict>(value)) map[nb::cast<double>(grade)] = nb::cast<double>(gain);
      parameters[name] = map;
    } else {
      parameters[name] = PyFloat_AsDouble(value.ptr());
      if (PyErr_Occurred()) throw nb::python_error();
    }
  }
  return parameters;
}

nb::object text(const std::string& id) {
  return nb::steal(PyUnicode_DecodeUTF8(id.data(), static_cast<Py_ssize_t>(id.size()), "surrogateescape"));
}

nb::list texts(const std::vector<std::string>& ids) {
  nb::list list;
  for (const std::string& id : ids) list.append(text(id));
  return list;
}

const Column& column(const Batch& batch, std::size_t measure) {
  if (measure >= batch.columns.size()) throw nb::index_error("no such measure in this batch");
  return batch.columns[measure];
}

nb::object view(const std::vector<double>& values, nb::handle owner) {
  const std::size_t shape[] = {values.size()};
  return nb::cast(nb::ndarray<nb::numpy, const double, nb::ndim<1>>(values.data(), 1, shape, owner));
}

}  // namespace

void bind_plan(nb::module_& module) {
  nb::class_<Plan>(module, "Plan")
      .def("__init__",
           [](Plan* plan, nb::sequence kernels, const std::string& ties, const std::string& unjudged,
              const std::string& negative, const std::string& missing, bool float32) {
             new (plan) Plan();
             plan->rules.ties = choose<Ties>("ties", ties,
                                             {{"doc-desc", Ties::doc_desc},
                                              {"doc-asc", Ties::doc_asc},
                                              {"input", Ties::input},
                                              {"rank", Ties::rank},
                                              {"expected", Ties::expected},
                                              {"worst", Ties::worst},
                                              {"best", Ties::best}});
             plan->rules.unjudged = choose<Unjudged>(
                 "unjudged", unjudged, {{"nonrelevant", Unjudged::nonrelevant}, {"removed", Unjudged::removed}});
             plan->rules.negative = choose<Negative>("negative", negative,
                                                     {{"nonrelevant", Negative::nonrelevant},
                                                      {"unjudged", Negative::unjudged},
                                                      {"error", Negative::error}});
             plan->rules.missing = choose<Missing>(
                 "missing", missing, {{"zero", Missing::zero}, {"skip", Missing::skip}, {"error", Missing::error}});
             plan->rules.float32 = float32;
             for (const nb::handle kernel : kernels) {
               const auto pair = nb::cast<nb::sequence>(kernel);
               plan->kernels.push_back(make_kernel(nb::cast<std::string>(pair[0]), read_parameters(pair[1]), plan->rules));
             }
           },
           nb::arg("kernels"), nb::kw_only(), nb::arg("ties") = "doc-desc", nb::arg("unjudged") = "nonrelevant",
           nb::arg("negative") = "nonrelevant", nb::arg("missing") = "zero", nb::arg("float32") = false);
}

void bind_batch(nb::module_& module) {
  nb::class_<Batch>(module, "Batch")
      .def_prop_ro("queries", [](const Batch& batch) { return texts(batch.queries); })
      .def_prop_ro("missing", [](const Batch& batch) {
        std::size_t count = 0;
        for (const std::uint8_t flag : batch.missing) count += flag;
        return count;
      })
      .def("__len__", [](const Batch& batch) { return batch.columns.empty() ? batch.queries.size() : batch.columns[0].values.size(); })
      .def_ro("rows", &Batch::rows)
      .def_ro("matched", &Batch::matched)
      .def_ro("unjudged_queries", &Batch::unjudged_queries)
      .def_prop_ro("unjudged_examples", [](const Batch& batch) { return texts(batch.unjudged_examples); })
      .def_ro("regrouped", &Batch::regrouped)
      .def("values", [](const Batch& batch, std::size_t measure) { return column(batch, measure).values; }, nb::arg("measure"))
      .def("arrays", [](nb::object self, std::size_t measure) {
            const Column& found = column(nb::cast<const Batch&>(self), measure);
            return nb::make_tuple(view(found.values, self), view(found.numerators, self), view(found.denominators, self));
          }, nb::arg("measure"))
      .def("total", [](const Batch& batch, std::size_t measure) {
            Total total;
            total.add(column(batch, measure), batch.missing);
            return total;
          }, nb::arg("measure"), nb::call_guard<nb::gil_scoped_release>());

  nb::class_<Total>(module, "Total")
      .def(nb::init<>())
      .def("merge", [](Total& total, const Total& other) { total.merge(other); }, nb::arg("other"))
      .def("add",
           [](Total& total, const std::vector<double>& values, const std::vector<double>& numerators,
              const std::vector<double>& denominators, std::size_t missing) {
             if (numerators.size() != values.size() || denominators.size() != values.size() || missing > values.size()) {
               throw nb::value_error("values, numerators and denominators must have one length");
             }
             for (std::size_t row = 0; row < values.size(); ++row) {
               total.add(values[row], numerators[row], denominators[row], row + missing >= values.size());
             }
           },
           nb::arg("values"), nb::arg("numerators"), nb::arg("denominators"), nb::arg("missing"))
      .def_ro("queries", &Total::queries)
      .def_ro("undefined", &Total::undefined)
      .def_ro("missing", &Total::missing)
      .def_ro("tie_sensitive", &Total::tie_sensitive)
      .def_prop_ro("numerator", [](const Total& total) { return total.numerators.value(); })
      .def_prop_ro("denominator", [](const Total& total) { return total.denominators.value(); })
      .def("mean", [](const Total& total, const std::string& undefined) {
            if (undefined == "skip") return total.mean_of_defined();
            return total.mean(undefined == "one" ? 1.0 : 0.0);
          }, nb::arg("undefined") = "skip")
      .def("ratio", &Total::ratio)
      .def("auc", &Total::auc, nb::call_guard<nb::gil_scoped_release>())
      .def("to_bytes", [](const Total& total) {
            const std::string state = total.to_bytes();
            return nb::bytes(state.data(), state.size());
          })
      .def_static("from_bytes", [](nb::bytes state) { return Total::from_bytes({state.c_str(), state.size()}); }, nb::arg("state"));
}

}  // namespace relkit
