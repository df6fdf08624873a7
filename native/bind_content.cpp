// What tables contain, for Python to compute fingerprints of.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

#include "bind.hpp"
#include "content.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

nb::bytes bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

template <typename Table>
nb::tuple content_of(const Table& table, std::uint32_t place) {
  if (place >= table.size()) throw nb::index_error("there is no such query");
  const Content found = content(table, place);
  return nb::make_tuple(bytes(found.documents), bytes(found.numbers));
}

}  // namespace

void bind_content(nb::module_& module) {
  module.def("content", &content_of<JudgmentTable>, nb::arg("table"), nb::arg("place"));
  module.def("content", &content_of<RunTable>, nb::arg("table"), nb::arg("place"));
}

}  // namespace relyon
