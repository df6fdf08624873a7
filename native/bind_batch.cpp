// Batch and Total: results for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "batch.hpp"
#include "bind.hpp"
#include "error.hpp"
#include "owned.hpp"
#include "total.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

// A value, its numerator and its denominator.
using Triple = std::tuple<double, double, double>;
using Array = nb::ndarray<nb::numpy, const double, nb::ndim<1>>;

// Ids are bytes from files; what is no UTF-8 survives the round trip through Python.
nb::list text_list(const std::vector<std::string>& ids) {
  nb::list list;
  for (const std::string& id : ids) {
    PyObject* text =
        PyUnicode_DecodeUTF8(id.data(), static_cast<Py_ssize_t>(id.size()), "surrogateescape");
    if (text == nullptr) throw nb::python_error();
    list.append(nb::steal(text));
  }
  return list;
}

const Column& column_of(const Batch& batch, std::int64_t measure) {
  if (measure < 0 || static_cast<std::size_t>(measure) >= batch.columns.size()) {
    throw nb::index_error("the batch has no measure of this number");
  }
  return batch.columns[static_cast<std::size_t>(measure)];
}

std::uint64_t missing_in(const Batch& batch) {
  std::uint64_t count = 0;
  for (const std::uint8_t flag : batch.missing) count += flag;
  return count;
}

Undefined rule_of(const std::string& undefined) {
  if (undefined == "skip") return Undefined::skip;
  if (undefined == "zero") return Undefined::zero;
  if (undefined == "one") return Undefined::one;
  throw InputError(
      Sentence("native.name-must-be-one-of-names",
               {{"name", "undefined"}, {"names", "`skip`, `zero`, `one`"}, {"value", undefined}}));
}

}  // namespace

void bind_batch(nb::module_& module) {
  nb::class_<Batch>(module, "Batch", nb::is_final())
      .def_prop_ro("queries", [](const Batch& batch) { return text_list(batch.queries); })
      .def_prop_ro("missing", &missing_in)
      .def_ro("rows", &Batch::rows)
      .def_ro("matched", &Batch::matched)
      .def_ro("unjudged_queries", &Batch::unjudged_queries)
      .def_prop_ro("unjudged_examples",
                   [](const Batch& batch) { return text_list(batch.unjudged_examples); })
      .def_ro("regrouped", &Batch::regrouped)
      .def_ro("tied", &Batch::tied)
      .def_prop_ro("label_facts",
                   [](const Batch& batch) {
                     const LabelFacts& facts = batch.labels;
                     return nb::make_tuple(facts.highest, facts.fractions, facts.negatives,
                                           facts.lowest);
                   })
      .def(
          "values",
          [](const Batch& batch, std::int64_t measure) { return column_of(batch, measure).values; },
          nb::arg("measure"))
      .def(
          "arrays",
          [](nb::pointer_and_handle<Batch> self, std::int64_t measure) {
            const Column& column = column_of(*self.p, measure);
            const auto view = [&](const std::vector<double>& values) {
              return nb::cast(Array(values.data(), {values.size()}, self.h));
            };
            return nb::make_tuple(view(column.values), view(column.numerators),
                                  view(column.denominators));
          },
          nb::arg("measure"))
      .def(
          "levels",
          [](const Batch& batch, std::int64_t measure) {
            std::vector<std::vector<double>> columns(2);
            for (const PairLevels& levels : column_of(batch, measure).levels) {
              columns[0].push_back(levels.equal_positive);
              columns[1].push_back(levels.equal_negative);
            }
            return columns;
          },
          nb::arg("measure"))
      .def(
          "pool",
          [](const Batch& batch, std::int64_t measure) {
            const Column& column = column_of(batch, measure);
            Pool pool = joined(column.pools);
            std::vector<std::uint64_t> rows, positives, negatives;
            for (const PoolPart& part : column.pool_parts) {
              rows.push_back(part.row);
              positives.push_back(part.positives);
              negatives.push_back(part.negatives);
            }
            return nb::make_tuple(owned<double, const double>(std::move(pool.positive)),
                                  owned<double, const double>(std::move(pool.negative)), rows,
                                  positives, negatives);
          },
          nb::arg("measure"))
      .def(
          "total",
          [](const Batch& batch, std::int64_t measure) {
            const Column& column = column_of(batch, measure);
            const nb::gil_scoped_release release;
            Total total;
            total.add(column, missing_in(batch));
            return total;
          },
          nb::arg("measure"));

  nb::class_<Total>(module, "Total", nb::is_final())
      .def(nb::init<>())
      // What changes a total keeps the GIL, and is short; what takes long works on a copy.
      .def("merge", &Total::merge, nb::arg("other"))
      .def(
          "add",
          [](Total& total, const std::vector<double>& values, const std::vector<double>& numerators,
             const std::vector<double>& denominators,
             std::uint64_t missing) { total.add(values, numerators, denominators, missing); },
          nb::arg("values"), nb::arg("numerators"), nb::arg("denominators"), nb::arg("missing"))
      .def_ro("queries", &Total::queries)
      .def_ro("undefined", &Total::undefined)
      .def_ro("missing", &Total::missing)
      .def_ro("tie_sensitive", &Total::tie_sensitive)
      .def_prop_ro("tie_decided", [](const Total& total) { return total.ties.queries; })
      .def(
          "ordered",
          [](const Total& total, const std::string& order) {
            if (order != "worst" && order != "best") {
              throw InputError(
                  Sentence("native.name-must-be-one-of-names",
                           {{"name", "order"}, {"names", "`worst`, `best`"}, {"value", order}}));
            }
            return total.ordered(order == "best");
          },
          nb::arg("order"))
      .def(
          "add_orders",
          [](Total& total, const Triple& as_is, const Triple& worst, const Triple& best) {
            const auto partial = [](const Triple& one) {
              return Partial{std::get<0>(one), std::get<1>(one), std::get<2>(one)};
            };
            ++total.ties.queries;
            total.ties.worst.replace(partial(as_is), partial(worst));
            total.ties.best.replace(partial(as_is), partial(best));
          },
          nb::arg("as_is"), nb::arg("worst"), nb::arg("best"))
      .def_prop_ro("equal_pairs",
                   [](const Total& total) {
                     return nb::make_tuple(total.equal_positives.value(),
                                           total.equal_negatives.value());
                   })
      .def(
          "mean_strict",
          [](const Total& total, const std::string& undefined) {
            return total.mean_level(true, rule_of(undefined));
          },
          nb::arg("undefined") = "skip")
      .def(
          "mean_random",
          [](const Total& total, const std::string& undefined) {
            return total.mean_level(false, rule_of(undefined));
          },
          nb::arg("undefined") = "skip")
      .def_prop_ro("numerator", [](const Total& total) { return total.numerators.value(); })
      .def_prop_ro("denominator", [](const Total& total) { return total.denominators.value(); })
      .def(
          "mean",
          [](const Total& total, const std::string& undefined) {
            return total.mean(rule_of(undefined));
          },
          nb::arg("undefined") = "skip")
      .def("ratio", &Total::ratio)
      .def(
          "auc",
          [](const Total& total, double max_fpr) {
            // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): others may change it.
            const Total copy = total;
            const nb::gil_scoped_release released;
            return copy.auc(max_fpr);
          },
          nb::arg("max_fpr") = 1.0)
      .def("average_precision",
           [](const Total& total) {
             // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): others may change it.
             const Total copy = total;
             const nb::gil_scoped_release released;
             return copy.average_precision();
           })
      .def("drop_scores",
           [](Total& total) {
             Pools dropped = std::exchange(total.pools, {});
             const nb::gil_scoped_release released;
             dropped.clear();
           })
      .def(
          "set_area", [](Total& total, double area) { total.area = area; }, nb::arg("area"))
      .def("to_bytes",
           [](const Total& total) {
             const std::string bytes = total.to_bytes();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def_static(
          "from_bytes",
          [](const nb::bytes& state) { return Total::from_bytes({state.c_str(), state.size()}); },
          nb::arg("state"));
}

}  // namespace relyon
