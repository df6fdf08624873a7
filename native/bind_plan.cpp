// Plan: kernels and rules from Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <utility>
#include <vector>

#include "bind.hpp"
#include "bind_parameters.hpp"
#include "cores.hpp"
#include "error.hpp"
#include "kernels.hpp"
#include "simd.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

template <typename Choice>
Choice choose(const std::string& field, const std::string& given,
              const std::vector<std::pair<const char*, Choice>>& choices) {
  std::string wanted;
  for (const auto& [name, choice] : choices) {
    if (given == name) return choice;
    wanted += std::string(wanted.empty() ? "`" : ", `") + name + "`";
  }
  throw InputError(Sentence("native.name-must-be-one-of-names",
                            {{"name", field}, {"names", wanted}, {"value", given}}));
}

void make_rules(Rules* place, const std::string& ties, const std::string& unjudged,
                const std::string& negative, const std::string& missing,
                const std::string& unretrieved, bool float32, int decimals, bool spans) {
  Rules rules;
  std::vector<std::pair<const char*, Ties>> all_ties;
  all_ties.reserve(tie_rules.size());
  for (const TieRule& rule : tie_rules) all_ties.emplace_back(rule.name, rule.rule);
  rules.ties = choose<Ties>("ties", ties, all_ties);
  rules.unjudged = choose<Unjudged>("unjudged", unjudged,
                                    {{"nonrelevant", Unjudged::nonrelevant},
                                     {"removed", Unjudged::removed},
                                     {"ignored", Unjudged::ignored}});
  rules.negative = choose<Negative>("negative", negative,
                                    {{"nonrelevant", Negative::nonrelevant},
                                     {"unjudged", Negative::unjudged},
                                     {"error", Negative::error}});
  rules.missing = choose<Missing>(
      "missing", missing,
      {{"zero", Missing::zero}, {"skip", Missing::skip}, {"error", Missing::error}});
  rules.float32 = float32;
  rules.unretrieved_removed =
      choose<bool>("unretrieved", unretrieved, {{"counted", false}, {"removed", true}});
  rules.decimals = decimals;
  rules.spans = spans;
  new (place) Rules(rules);
}

void make_plan(Plan* place, const nb::iterable& kernels, const Rules* rules,
               const std::string& without_closed_form) {
  Plan plan;
  if (rules != nullptr) plan.rules = *rules;
  const bool worst =
      choose<bool>("without_closed_form", without_closed_form, {{"error", false}, {"worst", true}});
  const bool expected = plan.rules.ties == Ties::expected;
  Rules one_order = plan.rules;
  one_order.ties = Ties::worst;
  for (nb::handle item : kernels) {
    if (!PySequence_Check(item.ptr()) || nb::len(item) != 2 ||
        !PyUnicode_Check(nb::object(item[0]).ptr())) {
      throw InputError("native.kernel-is-pair");
    }
    const auto name = nb::cast<std::string>(nb::object(item[0]));
    const Parameters parameters = to_parameters(name, nb::object(item[1]));
    if (!expected) {
      plan.kernels.push_back(make_kernel(parameters, plan.rules));
      continue;
    }
    plan.of_one_order.push_back(make_kernel(parameters, one_order));
    plan.in_worst_order.push_back(0);
    try {
      plan.kernels.push_back(make_kernel(parameters, plan.rules));
      if (plan.rules.unjudged == Unjudged::ignored && plan.kernels.back()->window() != 0) {
        plan.kernels.pop_back();
        throw NoClosedForm("native.unjudged-ignored-has-no", {}, 0, "data.choose-another-tie-rule");
      }
    } catch (const NoClosedForm&) {
      if (!worst) throw;
      plan.kernels.push_back(make_kernel(parameters, one_order));
      plan.in_worst_order.back() = 1;
    }
  }
  new (place) Plan(std::move(plan));
}

}  // namespace

void bind_plan(nb::module_& module) {
  module.def("simd", &simd::name);
  module.def("thread_count", &thread_count, nb::arg("threads") = 0);
  module.def("tie_rules", [] {
    nb::dict rules;
    for (const TieRule& rule : tie_rules)
      rules[rule.name] = nb::make_tuple(rule.key_name, rule.descending);
    return rules;
  });
  nb::class_<Rules>(module, "Rules", nb::is_final())
      .def("__init__", &make_rules, nb::kw_only(), nb::arg("ties") = "doc-desc",
           nb::arg("unjudged") = "nonrelevant", nb::arg("negative") = "nonrelevant",
           nb::arg("missing") = "zero", nb::arg("unretrieved") = "counted",
           nb::arg("float32") = false, nb::arg("decimals") = -1, nb::arg("spans") = true);
  nb::class_<Plan>(module, "Plan", nb::is_final())
      .def("__init__", &make_plan, nb::arg("kernels"), nb::arg("rules") = nb::none(), nb::kw_only(),
           nb::arg("without_closed_form") = "error")
      .def_prop_ro("needs_ranks", [](const Plan& plan) { return plan.rules.ties == Ties::rank; })
      .def_prop_ro("in_worst_order", [](const Plan& plan) {
        nb::list places;
        for (std::size_t i = 0; i < plan.in_worst_order.size(); ++i) {
          if (plan.in_worst_order[i] != 0) places.append(i);
        }
        return places;
      });
}

}  // namespace relyon
