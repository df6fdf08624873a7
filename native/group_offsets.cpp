// Where the rows of each group are, from one group id a row.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "owned.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

using Ids = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple group_offsets(const Ids& groups) {
  const std::int64_t* ids = groups.data();
  const std::size_t size = groups.size();
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> order;
  bool contiguous = true;
  {
    const nb::gil_scoped_release release;
    bool ascending = true;
    for (std::size_t i = 0; i < size; ++i) {
      if (i > 0 && ids[i] == ids[i - 1]) continue;
      ascending &= i == 0 || ids[i] > ids[i - 1];
      offsets.push_back(static_cast<std::int64_t>(i));
    }
    if (!ascending) {
      // Groups in the order of their first rows.
      std::unordered_map<std::int64_t, std::size_t> numbers;
      std::vector<std::size_t> number_of_run;
      std::vector<std::int64_t> sizes;
      for (std::size_t run = 0; run < offsets.size(); ++run) {
        const auto start = static_cast<std::size_t>(offsets[run]);
        const std::size_t end =
            run + 1 < offsets.size() ? static_cast<std::size_t>(offsets[run + 1]) : size;
        const auto [found, added] = numbers.emplace(ids[start], sizes.size());
        if (added) sizes.push_back(0);
        contiguous &= added;
        sizes[found->second] += static_cast<std::int64_t>(end - start);
        number_of_run.push_back(found->second);
      }
      if (!contiguous) {
        std::vector<std::int64_t> starts;
        std::int64_t start = 0;
        for (const std::int64_t rows : sizes) {
          starts.push_back(start);
          start += rows;
        }
        std::vector<std::int64_t> next = starts;
        order.resize(size);
        for (std::size_t run = 0; run < offsets.size(); ++run) {
          const std::int64_t end =
              run + 1 < offsets.size() ? offsets[run + 1] : static_cast<std::int64_t>(size);
          for (std::int64_t row = offsets[run]; row < end; ++row) {
            order[static_cast<std::size_t>(next[number_of_run[run]]++)] = row;
          }
        }
        offsets = std::move(starts);
      }
    }
    offsets.push_back(static_cast<std::int64_t>(size));
  }
  nb::object rows = nb::none();
  if (!contiguous) rows = owned(std::move(order));
  return nb::make_tuple(owned(std::move(offsets)), rows);
}

}  // namespace

void bind_groups(nb::module_& module) {
  module.def("group_offsets", &group_offsets, nb::arg("groups"));
}

}  // namespace relyon
