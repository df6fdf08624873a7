// Resampling for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>

#include "bind.hpp"
#include "error.hpp"
#include "resample.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

using Input = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Runs a kernel into a new array of columns x count, or of count alone where the result is flat.
template <class Kernel>
nb::object run(const Input& values, std::int64_t first, std::int64_t count, std::int64_t seed,
               int threads, bool flat, const Kernel& kernel) {
  if (first < 0 || count < 0 || seed < 0) throw InputError("native.first-count-and-seed");
  const Columns data{values.data(), values.shape(0), values.shape(1)};
  const Draw draw{static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(first),
                  static_cast<std::size_t>(count), threads};
  const std::size_t rows = flat ? 1 : data.columns;
  if (rows > 0 && draw.count > (std::size_t{1} << 60) / rows)
    throw InputError("native.count-is-too-large");
  auto sums = std::make_unique<std::int64_t[]>(rows * draw.count);
  {
    const nb::gil_scoped_release release;
    kernel(data, draw, sums.get());
  }
  std::int64_t* kept = sums.release();
  const nb::capsule owner(
      kept, [](void* pointer) noexcept { delete[] static_cast<std::int64_t*>(pointer); });
  if (flat)
    return nb::cast(nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(kept, {draw.count}, owner));
  return nb::cast(
      nb::ndarray<nb::numpy, std::int64_t, nb::ndim<2>>(kept, {rows, draw.count}, owner));
}

using Scores = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Items = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_resample(nb::module_& module) {
  const auto define = [&](const char* name, bool flat,
                          void (*kernel)(const Columns&, const Draw&, std::int64_t*)) {
    module.def(
        name,
        [flat, kernel](const Input& values, std::int64_t first, std::int64_t count,
                       std::int64_t seed, int threads) {
          return run(values, first, count, seed, threads, flat, kernel);
        },
        nb::arg("values"), nb::arg("first"), nb::arg("count"), nb::arg("seed"),
        nb::arg("threads") = 0);
  };
  define("signed_sums", false, &signed_sums);
  define("resampled_sums", false, &resampled_sums);
  define("permuted_ranges", true, &permuted_ranges);
  const auto define_auc =
      [&](const char* name, void (*kernel)(const PooledRows&, std::size_t, const Draw&, double*)) {
        module.def(
            name,
            [kernel](const Scores& scores, const Items& items, const Flags& positive,
                     std::int64_t queries, std::int64_t first, std::int64_t count,
                     std::int64_t seed, int threads) {
              if (scores.size() != items.size() || scores.size() != positive.size())
                throw InputError("native.scores-items-and-classes");
              if (queries < 1 || queries > (std::int64_t{1} << 31) || first < 0 || count < 0 ||
                  seed < 0)
                throw InputError("native.queries-must-be-1");
              if (count > (std::int64_t{1} << 60)) throw InputError("native.count-is-too-large");
              const PooledRows rows{scores.data(), items.data(), positive.data(), scores.size()};
              const Draw draw{static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(first),
                              static_cast<std::size_t>(count), threads};
              auto found = std::make_unique<double[]>(draw.count);
              {
                const nb::gil_scoped_release release;
                kernel(rows, static_cast<std::size_t>(queries), draw, found.get());
              }
              double* kept = found.release();
              const nb::capsule owner(
                  kept, [](void* pointer) noexcept { delete[] static_cast<double*>(pointer); });
              return nb::ndarray<nb::numpy, double, nb::ndim<1>>(kept, {draw.count}, owner);
            },
            nb::arg("scores"), nb::arg("items"), nb::arg("positive"), nb::arg("queries"),
            nb::arg("first"), nb::arg("count"), nb::arg("seed"), nb::arg("threads") = 0);
      };
  define_auc("resampled_auc", &resampled_auc);
  define_auc("swapped_auc", &swapped_auc);
}

}  // namespace relyon
