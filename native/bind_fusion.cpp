// Fusion as Python sees it: a method, and one call that applies it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "bind.hpp"
#include "fusion.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

template <class T, std::size_t size>
using Names = std::array<std::pair<std::string_view, T>, size>;

constexpr Names<Scaling, 8> scalings{{{"none", Scaling::none},
                                      {"min-max", Scaling::min_max},
                                      {"min-max-inverted", Scaling::min_max_inverted},
                                      {"max", Scaling::max},
                                      {"sum", Scaling::sum},
                                      {"zmuv", Scaling::zmuv},
                                      {"rank", Scaling::rank},
                                      {"borda", Scaling::borda}}};
constexpr Names<Points, 6> all_points{{{"score", Points::score},
                                       {"table", Points::table},
                                       {"table_score", Points::table_score},
                                       {"segments", Points::segments},
                                       {"window", Points::window},
                                       {"borda", Points::borda}}};
constexpr Names<Absent, 3> absences{
    {{"nothing", Absent::nothing}, {"value", Absent::value}, {"borda", Absent::borda}}};
constexpr Names<Combine, 6> combinations{{{"sum", Combine::sum},
                                          {"mean", Combine::mean},
                                          {"minimum", Combine::minimum},
                                          {"maximum", Combine::maximum},
                                          {"median", Combine::median},
                                          {"votes", Combine::votes}}};

template <class T, std::size_t size>
T named(const Names<T, size>& names, const std::string& text) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const auto& entry) { return entry.first == text; });
  if (found == names.end()) throw nb::value_error(("unknown name: " + text).c_str());
  return found->second;
}

// A written list has one order of its documents.
Ties order_named(const std::string& text) {
  for (const TieRule& rule : tie_rules) {
    const bool one_order = rule.key != TieKey::rank && rule.key != TieKey::grade;
    if (one_order && text == rule.name) return rule.rule;
  }
  throw nb::value_error(("unknown name: " + text).c_str());
}

std::vector<const RunTable*> tables_of(const nb::list& runs) {
  std::vector<const RunTable*> tables;
  for (nb::handle run : runs) tables.push_back(nb::cast<const RunTable*>(run));
  return tables;
}

void make_method(FusionMethod* place, const std::string& points,
                 std::vector<std::vector<double>> tables, double beyond, std::size_t window,
                 const std::string& absent, double absent_value, const std::string& combine,
                 bool weigh_sum) {
  FusionMethod method;
  method.points = named(all_points, points);
  method.tables = std::move(tables);
  method.beyond = beyond;
  method.window = window;
  method.absent = named(absences, absent);
  method.absent_value = absent_value;
  method.combine = named(combinations, combine);
  method.weigh_sum = weigh_sum;
  new (place) FusionMethod(std::move(method));
}

RunTable fuse_runs(const nb::list& runs, const FusionMethod& method, const std::string& scaling,
                   double floor, std::vector<double> factors, std::vector<double> weights,
                   const std::string& ties, std::size_t top, int threads) {
  const std::vector<const RunTable*> sources = tables_of(runs);
  Fusion fusion;
  fusion.method = method;
  fusion.scaling = named(scalings, scaling);
  fusion.floor = floor;
  fusion.factors = std::move(factors);
  fusion.weights = std::move(weights);
  fusion.ties = order_named(ties);
  fusion.top = top;
  const bool score_only = method.points == Points::score || method.points == Points::borda;
  const bool tabled = method.tables.size() == 1 || method.tables.size() == sources.size();
  const bool segmented =
      method.points != Points::segments || std::none_of(method.tables.begin(), method.tables.end(),
                                                        [](const auto& t) { return t.empty(); });
  if (fusion.weights.size() != sources.size() || (!score_only && !tabled) || !segmented ||
      (!fusion.factors.empty() && fusion.factors.size() <= sources.size())) {
    throw nb::value_error("weights, tables and factors must be as many as the runs");
  }
  const nb::gil_scoped_release released;
  return fuse(sources, fusion, threads);
}

}  // namespace

void bind_fusion(nb::module_& module) {
  nb::class_<FusionMethod>(module, "FusionMethod", nb::is_final())
      .def("__init__", &make_method, nb::kw_only(), nb::arg("points"), nb::arg("tables"),
           nb::arg("beyond"), nb::arg("window"), nb::arg("absent"), nb::arg("absent_value"),
           nb::arg("combine"), nb::arg("weigh_sum"));
  module.def("fuse_runs", &fuse_runs, nb::arg("runs"), nb::arg("method"), nb::kw_only(),
             nb::arg("scaling"), nb::arg("floor"), nb::arg("factors"), nb::arg("weights"),
             nb::arg("ties"), nb::arg("top"), nb::arg("threads"));
  module.def(
      "longest_list",
      [](const nb::list& runs) {
        std::size_t longest = 0;
        for (const RunTable* run : tables_of(runs)) {
          for (std::uint32_t number = 0; number < run->size(); ++number) {
            longest = std::max(longest, run->rows(number).size());
          }
        }
        return longest;
      },
      nb::arg("runs"));
  module.def(
      "find_hits",
      [](const JudgmentTable& judgments, const RunTable& run, double relevant,
         const std::string& ties) {
        nb::list all;
        for (const Hits& hits : find_hits(judgments, run, relevant, order_named(ties))) {
          all.append(nb::make_tuple(hits.retrieved, hits.places));
        }
        return all;
      },
      nb::arg("judgments"), nb::arg("run"), nb::arg("relevant"), nb::arg("ties"));
}

}  // namespace relyon
