// What tables contain, as SHA-256 for Python to make fingerprints of.
#include <nanobind/nanobind.h>

#include <vector>

#include "bind.hpp"
#include "content.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

// The hashes one after the other.
nb::bytes joined(const std::vector<Sha256>& hashes) {
  return nb::bytes(hashes.empty() ? "" : hashes.front().data(), hashes.size() * sizeof(Sha256));
}

template <typename Table>
nb::tuple contents_of(const Table& table, int threads) {
  Contents found;
  {
    const nb::gil_scoped_release released;
    found = contents(table, threads);
  }
  return nb::make_tuple(joined(found.documents), joined(found.queries), found.rows);
}

}  // namespace

void bind_content(nb::module_& module) {
  module.def("judgment_contents", &contents_of<JudgmentTable>, nb::arg("table"),
             nb::arg("threads") = 0);
  module.def("run_contents", &contents_of<RunTable>, nb::arg("table"), nb::arg("threads") = 0);
}

}  // namespace relyon
