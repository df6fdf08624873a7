// Runs and labelled rows that Python hands over part by part.
#include <nanobind/nanobind.h>

#include "arrow_run.hpp"
#include "bind.hpp"
#include "error.hpp"
#include "labelled_parts.hpp"

namespace nb = nanobind;

namespace relyon {
void bind_parts(nb::module_& module) {
  nb::class_<RunParts>(module, "RunParts", nb::is_final())
      .def(nb::init<const JudgmentTable&, const Plan&, int>(), nb::arg("judgments"),
           nb::arg("plan"), nb::arg("threads") = 0, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def(
          "add",
          [](RunParts& parts, nb::handle query, nb::handle document, nb::handle score,
             nb::handle rank) {
            const RunColumns columns(query, document, score, rank);
            return parts.guard.change([&] { return parts.add(columns); });
          },
          nb::arg("query"), nb::arg("document"), nb::arg("score"), nb::arg("rank") = nb::none())
      .def("finish", [](RunParts& parts) {
        Batch whole;
        if (!parts.guard.finish([&] { return parts.finish(whole); }))
          throw InputError("native.rows-of-judged-query");
        return whole;
      });

  nb::class_<LabelledParts>(module, "LabelledParts", nb::is_final())
      .def(nb::init<const Plan&, int>(), nb::arg("plan"), nb::arg("threads") = 0,
           nb::keep_alive<1, 2>())
      .def(
          "add",
          [](LabelledParts& parts, nb::handle query, nb::handle label, nb::handle score,
             nb::handle weight, nb::handle document) {
            const LabelledColumns columns(query, label, score, weight, document);
            return parts.guard.change([&] { return parts.add(columns); });
          },
          nb::arg("query").none(), nb::arg("label"), nb::arg("score"),
          nb::arg("weight") = nb::none(), nb::arg("document") = nb::none())
      .def("finish", [](LabelledParts& parts) {
        Batch whole;
        if (!parts.guard.finish([&] { return parts.finish(whole); }))
          throw InputError("native.rows-of-query");
        return whole;
      });
}

}  // namespace relyon
