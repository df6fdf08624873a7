// Judged and unjudged documents of runs for Python.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "error.hpp"
#include "judged.hpp"
#include "owned.hpp"
#include "python_text.hpp"

namespace nb = nanobind;

namespace relyon {

void bind_judged(nb::module_& module) {
  module.def(
      "judged_scores",
      [](const JudgmentTable& judgments, const RunTable& run, int threads) {
        JudgedScores found;
        {
          const nb::gil_scoped_release released;
          found = judged_scores(judgments, run, threads);
        }
        return nb::make_tuple(owned(std::move(found.grades)), owned(std::move(found.scores)));
      },
      nb::arg("judgments"), nb::arg("run"), nb::arg("threads") = 0);

  const auto column = [](auto field) {
    return [field](const UnjudgedTops& tops) {
      std::vector<std::uint32_t> values;
      values.reserve(tops.all().size());
      for (const UnjudgedTops::One& one : tops.all()) values.push_back(one.*field);
      return owned(std::move(values));
    };
  };
  nb::class_<UnjudgedTops>(module, "UnjudgedTops", nb::is_final())
      .def(
          "__init__",
          [](UnjudgedTops* self, const JudgmentTable& judgments, const RunTable& before,
             const RunTable& after, const Plan& plan, std::uint32_t k, const nb::list& queries,
             int threads) {
            std::vector<std::string> ids;
            ids.reserve(nb::len(queries));
            for (nb::handle query : queries) ids.push_back(bytes_of(query));
            const nb::gil_scoped_release released;
            new (self)
                UnjudgedTops(judgments, before, after, plan.rules, k, std::move(ids), threads);
          },
          nb::arg("judgments"), nb::arg("before"), nb::arg("after"), nb::arg("plan"), nb::arg("k"),
          nb::arg("queries"), nb::arg("threads") = 0, nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def("__len__", [](const UnjudgedTops& tops) { return tops.all().size(); })
      .def_prop_ro("query", column(&UnjudgedTops::One::query))
      .def_prop_ro("before", column(&UnjudgedTops::One::before))
      .def_prop_ro("after", column(&UnjudgedTops::One::after))
      .def(
          "document",
          [](const UnjudgedTops& tops, std::size_t place) {
            if (place >= tops.all().size()) throw nb::index_error();
            return text(tops.all()[place].document());
          },
          nb::arg("place"))
      .def("judged_as", &UnjudgedTops::judged_as, nb::arg("grade"),
           nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace relyon
