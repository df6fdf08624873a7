// LambdaRank from Python: rows whose labels stay, and scores that change.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "bind_parameters.hpp"
#include "labelled_arrays.hpp"
#include "lambdas.hpp"
#include "owned.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

std::vector<double> finite_numbers(const NumberArray& numbers) {
  std::vector<double> room;
  const std::span<const double> found = finite_doubles(numbers, 0, numbers.size, room);
  return {found.begin(), found.end()};
}

void make_lists(LambdaLists* place, nb::handle parameters, nb::handle label_array,
                const Offsets& offsets, nb::handle weight_array) {
  const LabelledArrays arrays(label_array, label_array, offsets, weight_array);
  std::vector<double> weights;
  if (arrays.weights) {
    std::vector<double> room;
    const auto found = weight_doubles(*arrays.weights, 0, arrays.weights->size, room);
    weights.assign(found.begin(), found.end());
  }
  Parameters given = to_parameters("lambdarank", parameters);
  new (place) LambdaLists(make_lambdarank(given), finite_numbers(arrays.labels), arrays.bounds,
                          std::move(weights));
}

nb::tuple derivatives(const LambdaLists& lists, nb::handle score_array, std::uint64_t seed,
                      int threads) {
  const NumberArray scores(score_array, "scores");
  if (scores.size != lists.rows()) {
    throw InputError(Sentence(
        "native.labels-and-scores-differ",
        {{"labels", std::to_string(lists.rows())}, {"scores", std::to_string(scores.size)}}));
  }
  std::vector<float> gradient(lists.rows());
  std::vector<float> hessian(lists.rows());
  {
    const nb::gil_scoped_release released;
    lists.derivatives(
        [&scores](std::size_t start, std::size_t end, std::vector<double>& room) {
          return finite_doubles(scores, start, end, room);
        },
        gradient, hessian, seed, threads);
  }
  return nb::make_tuple(owned(std::move(gradient)), owned(std::move(hessian)));
}

nb::list swap_changes(nb::handle parameters, nb::handle label_array) {
  Parameters chosen = to_parameters("lambdarank", parameters);
  const LambdaRank rank = make_lambdarank(chosen);
  const Swaps* const swaps = &rank.swaps();
  const NumberArray given(label_array, "labels");
  const std::vector<double> labels = finite_numbers(given);
  std::vector<double> worths;
  worths.reserve(labels.size());
  for (const double label : labels) worths.push_back(swaps->worth(label));
  std::vector<double> sorted = worths;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const SwapList list{worths, swaps->scale(sorted)};
  SwapRoom room;
  swaps->begin(list, room);
  nb::list rows;
  for (std::size_t rank = 0; rank < worths.size(); ++rank) {
    std::vector<double> changes(worths.size());
    if (list.scale != 0) swaps->fill(list, rank, room, changes.data());
    rows.append(owned(std::move(changes)));
  }
  return rows;
}

}  // namespace

void bind_lambdas(nb::module_& module) {
  nb::class_<LambdaLists>(module, "LambdaLists", nb::is_final())
      .def("__init__", &make_lists, nb::arg("parameters"), nb::arg("labels"), nb::arg("offsets"),
           nb::arg("weights") = nb::none())
      .def_prop_ro("effective", &LambdaLists::effective)
      .def("derivatives", &derivatives, nb::arg("scores"), nb::arg("seed") = 0,
           nb::arg("threads") = 0);
  module.def("swap_changes", &swap_changes, nb::arg("parameters"), nb::arg("labels"));
}

}  // namespace relyon
