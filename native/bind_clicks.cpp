// Click models for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow_texts.hpp"
#include "bind.hpp"
#include "click_cells.hpp"
#include "click_chains.hpp"
#include "click_counts.hpp"
#include "click_information.hpp"
#include "click_profile.hpp"
#include "clicks.hpp"
#include "error.hpp"
#include "owned.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

// The texts of all pairs, in their order.
auto pair_texts(auto text) {
  return [text](const ClickLog& log) {
    return log.guard.read([&] {
      std::size_t shard = 0, before = 0;
      return ArrowTexts(log.pairs(), [&](std::size_t pair) {
        while (pair - before >= log.parts()[shard].pairs()) before += log.parts()[shard++].pairs();
        return (log.parts()[shard].*text)(static_cast<std::uint32_t>(pair - before));
      });
    });
  };
}

auto count(auto number) {
  return [number](const ClickLog& log) { return log.guard.read([&] { return (log.*number)(); }); };
}

auto fault(auto number) {
  return [number](const ClickLog& log) {
    return log.guard.read([&] { return log.faults().*number; });
  };
}

nb::dict patterns(const ClickLog& log) {
  std::vector<std::int64_t> starts{0};
  std::vector<std::uint64_t> counts;
  std::vector<std::uint32_t> pairs;
  std::vector<std::uint16_t> positions;
  std::vector<std::uint8_t> clicked;
  log.guard.read([&] {
    std::uint32_t first = 0;
    for (const ClickShard& shard : log.parts()) {
      for (std::size_t number = 0; number < shard.patterns(); ++number) {
        for (const Shown& result : shard.pattern(number)) {
          pairs.push_back(first + result.pair);
          positions.push_back(result.position);
          clicked.push_back(static_cast<std::uint8_t>(result.clicked));
        }
        starts.push_back(static_cast<std::int64_t>(pairs.size()));
        counts.push_back(shard.count(number));
      }
      first += static_cast<std::uint32_t>(shard.pairs());
    }
  });
  nb::dict out;
  out["starts"] = owned(std::move(starts));
  out["counts"] = owned(std::move(counts));
  out["pairs"] = owned(std::move(pairs));
  out["positions"] = owned(std::move(positions));
  out["clicked"] = owned(std::move(clicked));
  return out;
}

nb::dict counts(const ClickLog& log) {
  ClickCounts found = log.guard.read([&] { return count_clicks(log); });
  nb::dict out;
  out["shown"] = owned(std::move(found.documents.shown));
  out["clicks"] = owned(std::move(found.documents.clicks));
  out["expected"] = owned(std::move(found.documents.expected));
  out["first_shown"] = owned(std::move(found.documents.first_shown));
  out["first_clicks"] = owned(std::move(found.documents.first_clicks));
  out["above"] = owned(std::move(found.documents.above));
  out["last_clicks"] = owned(std::move(found.documents.last_clicks));
  out["position_shown"] = owned(std::move(found.ranks.shown));
  out["position_clicks"] = owned(std::move(found.ranks.clicks));
  out["position_followed"] = owned(std::move(found.ranks.followed));
  return out;
}

// The cells of all pairs, in their order: by pair, and then by position.
nb::dict cells(const ClickLog& log) {
  std::vector<std::uint32_t> pairs, positions;
  std::vector<std::uint64_t> clicks, shown;
  log.guard.read([&] {
    std::uint32_t first = 0;
    for (const ClickShard& shard : log.parts()) {
      const Cells found = count_cells(shard, Context::position);
      std::size_t place = 0;
      for (std::uint32_t pair = 0; pair < found.ends.size(); ++pair) {
        const std::size_t begin = pairs.size();
        for (; place < found.ends[pair]; ++place) {
          const Cells::Cell& cell = found.cells[place];
          if (pairs.size() == begin || positions.back() != cell.context + 1) {
            pairs.push_back(first + pair);
            positions.push_back(cell.context + 1);
            clicks.push_back(0);
            shown.push_back(0);
          }
          clicks.back() += cell.clicks;
          shown.back() += std::uint64_t{cell.clicks} + cell.skips;
        }
      }
      first += static_cast<std::uint32_t>(shard.pairs());
    }
  });
  nb::dict out;
  out["pairs"] = owned(std::move(pairs));
  out["positions"] = owned(std::move(positions));
  out["clicks"] = owned(std::move(clicks));
  out["shown"] = owned(std::move(shown));
  return out;
}

Prior prior_of(double clicks, double shown) {
  if (!(clicks >= 0.0) || !(shown >= clicks) || shown > 1e15)
    throw InputError("native.prior-counts-clicks");
  return {clicks, shown};
}

Context context_of(const std::string& name) {
  return name == "position" ? Context::position : Context::last_click;
}

// What was found, emptied.
nb::dict told(Examination& found) {
  nb::dict out;
  out["attraction"] = owned(std::move(found.attraction));
  out["weight"] = owned(std::move(found.weight));
  out["examination"] = owned(std::move(found.examination));
  out["shown"] = owned(std::move(found.shown));
  out["log_likelihood"] = found.log_likelihood;
  out["change"] = found.change;
  out["rounds"] = found.rounds;
  return out;
}

nb::dict examination(const ClickLog& log, const std::string& context, std::uint64_t rounds,
                     double tolerance, double prior_clicks, double prior_shown, double begin) {
  const Prior prior = prior_of(prior_clicks, prior_shown);
  const Context kind = context_of(context);
  Examination found =
      log.guard.read([&] { return fit_examination(log, kind, rounds, tolerance, prior, begin); });
  return told(found);
}

nb::dict profile(const ClickLog& log, const std::string& context, std::uint64_t rounds,
                 double tolerance, double prior_clicks, double prior_shown) {
  const Prior prior = prior_of(prior_clicks, prior_shown);
  const Context kind = context_of(context);
  Profile found = log.guard.read([&] { return fit_profile(log, kind, rounds, tolerance, prior); });
  nb::dict out = told(found);
  out["spread"] = owned(std::move(found.spread));
  return out;
}

nb::dict chain(const ClickLog& log, const std::string& model, std::uint64_t rounds,
               double tolerance, double prior_clicks, double prior_shown, double begin,
               std::optional<double> going_on) {
  const Prior prior = prior_of(prior_clicks, prior_shown);
  const ChainKind kind = model == "dbn" ? ChainKind::dbn : ChainKind::ccm;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> spread;
  Chain found = log.guard.read([&] {
    Chain fitted =
        fit_chain(log, kind, rounds, tolerance, prior, begin, going_on.value_or(unknown));
    if (tolerance > 0.0) spread = measure_spread(log, kind, fitted, prior, going_on.has_value());
    return fitted;
  });
  std::vector<double> weight, pleased_weight;
  for (const Trials& trials : found.attraction_trials) {
    weight.push_back(trials.known);
  }
  for (const Trials& trials : found.satisfaction_trials) pleased_weight.push_back(trials.known);
  nb::dict out;
  out["attraction"] = owned(std::move(found.attraction));
  out["satisfaction"] = owned(std::move(found.satisfaction));
  out["weight"] = owned(std::move(weight));
  out["satisfaction_weight"] = owned(std::move(pleased_weight));
  out["spread"] = owned(std::move(spread));
  out["going_on"] = nb::make_tuple(found.going_on[0], found.going_on[1], found.going_on[2]);
  out["change"] = found.change;
  out["rounds"] = found.rounds;
  return out;
}

}  // namespace

void bind_clicks(nb::module_& module) {
  bind_texts(module);
  nb::class_<ClickLog>(module, "ClickLog", nb::is_final())
      .def(
          "__init__",
          [](ClickLog* place, std::int64_t depth, bool remember, int threads) {
            if (depth < 1 || depth > 1000) throw InputError("native.depth-must-be-1");
            new (place) ClickLog(depth, remember, threads);
          },
          nb::arg("depth"), nb::arg("remember") = false, nb::arg("threads") = 0)
      .def(
          "add",
          [](ClickLog& log, nb::handle session, nb::handle query, nb::handle document,
             nb::handle position, nb::handle clicked) {
            const LogColumns columns(session, query, document, position, clicked);
            return log.guard.change([&] { return log.add(columns); });
          },
          nb::arg("session"), nb::arg("query"), nb::arg("document"), nb::arg("position"),
          nb::arg("clicked"))
      .def(
          "merge",
          [](ClickLog& log, nb::handle query, nb::handle count, nb::handle size,
             nb::handle document, nb::handle position, nb::handle clicked,
             const std::array<std::uint64_t, 3>& faults) {
            const PatternColumns columns(query, count, size, document, position, clicked);
            log.guard.change([&] { log.merge(columns, {faults[0], faults[1], faults[2]}); });
          },
          nb::arg("query"), nb::arg("count"), nb::arg("size"), nb::arg("document"),
          nb::arg("position"), nb::arg("clicked"), nb::arg("faults"))
      .def("finish", [](ClickLog& log) { return log.guard.finish([&] { return log.finish(); }); })
      .def_prop_ro("sessions", count(&ClickLog::sessions))
      .def_prop_ro("rows", count(&ClickLog::rows))
      .def_prop_ro("pairs", count(&ClickLog::pairs))
      .def_prop_ro("deep", fault(&LogFaults::deep))
      .def_prop_ro("repeated", fault(&LogFaults::repeated))
      .def_prop_ro("shared", fault(&LogFaults::shared))
      .def("queries", pair_texts(&ClickShard::query))
      .def("documents", pair_texts(&ClickShard::document))
      .def("patterns", &patterns)
      .def("counts", &counts)
      .def("cells", &cells)
      .def("examination", &examination, nb::arg("context"), nb::arg("rounds"), nb::arg("tolerance"),
           nb::arg("prior_clicks"), nb::arg("prior_shown"), nb::arg("begin"))
      .def("profile", &profile, nb::arg("context"), nb::arg("rounds"), nb::arg("tolerance"),
           nb::arg("prior_clicks"), nb::arg("prior_shown"))
      .def("chain", &chain, nb::arg("model"), nb::arg("rounds"), nb::arg("tolerance"),
           nb::arg("prior_clicks"), nb::arg("prior_shown"), nb::arg("begin"),
           nb::arg("going_on") = nb::none());
}

}  // namespace relyon
