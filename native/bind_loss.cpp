// Losses of ranked lists for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bind.hpp"
#include "bind_parameters.hpp"
#include "error.hpp"
#include "labelled_arrays.hpp"
#include "loss.hpp"
#include "owned.hpp"
#include "parallel.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

constexpr double least_work = 1 << 16;  // of one part: less is not worth a thread

// What one thread needs to read one list after the other.
struct Reader {
  std::vector<double> labels, scores, weights;
  LossScratch scratch;
};

// Where parts of about `least_work` begin and end: list numbers.
std::vector<std::size_t> parts_of(const Loss& loss, const LabelledArrays& arrays) {
  std::vector<std::size_t> bounds{0};
  double work = 0.0;
  for (std::size_t list = 0; list < arrays.queries(); ++list) {
    work += loss.work(arrays.start(list + 1) - arrays.start(list));
    if (work < least_work) continue;
    bounds.push_back(list + 1);
    work = 0.0;
  }
  if (bounds.back() != arrays.queries()) bounds.push_back(arrays.queries());
  return bounds;
}

// A loss that Python owns.
struct OwnedLoss {
  std::unique_ptr<Loss> loss;
};

void check_value(double value, std::size_t first_row) {
  if (std::isfinite(value)) return;
  throw InputError(Sentence("native.loss-of-list", {{"row", std::to_string(first_row)}}), {}, 0,
                   "native.scores-labels-or-weights");
}

nb::tuple evaluate(const OwnedLoss& owner, nb::handle label_array, nb::handle score_array,
                   const std::optional<Offsets>& offsets, nb::handle weight_array, bool hessian,
                   std::int64_t seed, int threads) {
  const Loss& loss = *owner.loss;
  if (seed < 0) throw InputError("native.seed-must-be-0");
  const LabelledArrays arrays(label_array, score_array, offsets, weight_array);
  std::vector<double> values(arrays.queries());
  std::vector<double> gradient(arrays.labels.size);
  std::vector<double> hessians(hessian ? arrays.labels.size : 0);
  {
    const nb::gil_scoped_release release;
    const std::vector<std::size_t> parts = parts_of(loss, arrays);
    std::vector<Reader> readers(worker_count(parts.size() - 1, threads));
    each_part(parts.size() - 1, threads, [&](std::size_t worker, std::size_t part) {
      Reader& reader = readers[worker];
      for (std::size_t number = parts[part]; number < parts[part + 1]; ++number) {
        const std::size_t start = arrays.start(number);
        const std::size_t end = arrays.start(number + 1);
        if (start == end) continue;
        LossList list;
        list.labels = finite_doubles(arrays.labels, start, end, reader.labels);
        list.scores = finite_doubles(arrays.scores, start, end, reader.scores);
        if (arrays.weights)
          list.weights = weight_doubles(*arrays.weights, start, end, reader.weights);
        list.first_row = start;
        list.number = number;
        list.seed = static_cast<std::uint64_t>(seed);
        LossSlopes slopes;
        slopes.gradient = {gradient.data() + start, end - start};
        if (hessian) slopes.hessian = {hessians.data() + start, end - start};
        values[number] = loss.evaluate(list, slopes, reader.scratch);
        check_value(values[number], start);
      }
    });
  }
  nb::object bends = nb::none();
  if (hessian) bends = owned(std::move(hessians));
  return nb::make_tuple(owned(std::move(values)), owned(std::move(gradient)), bends);
}

}  // namespace

void bind_loss(nb::module_& module) {
  nb::class_<OwnedLoss>(module, "Loss", nb::is_final())
      .def(
          "__init__",
          [](OwnedLoss* place, const std::string& name, nb::handle parameters) {
            new (place) OwnedLoss{make_loss(to_parameters(name, parameters))};
          },
          nb::arg("name"), nb::arg("parameters"))
      .def("evaluate", &evaluate, nb::arg("labels"), nb::arg("scores"),
           nb::arg("offsets") = nb::none(), nb::arg("weights") = nb::none(),
           nb::arg("hessian") = true, nb::arg("seed") = 0, nb::arg("threads") = 0);
}

}  // namespace relyon
