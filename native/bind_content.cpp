// What tables contain, as SHA-256 for Python to make fingerprints of.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "bind.hpp"
#include "content.hpp"
#include "python_text.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

nb::bytes bytes_of(const Sha256& hash) { return nb::bytes(hash.data(), hash.size()); }

// The SHA-256 of the whole, of queries and of documents; the rows; and the queries by the bytes of
// their ids, with their hashes one after the other.
template <typename Table>
nb::tuple contents_of(const Table& table, int threads) {
  Contents found;
  {
    const nb::gil_scoped_release released;
    found = contents(table, threads);
  }
  nb::list queries;
  for (const std::uint32_t query : found.order) queries.append(text(table.id(query)));
  const std::vector<Sha256>& own = found.by_query;
  return nb::make_tuple(
      bytes_of(found.whole), bytes_of(found.queries), bytes_of(found.documents), found.rows,
      queries, nb::bytes(own.empty() ? "" : own.front().data(), own.size() * sizeof(Sha256)));
}

}  // namespace

void bind_content(nb::module_& module) {
  module.def("judgment_contents", &contents_of<JudgmentTable>, nb::arg("table"),
             nb::arg("threads") = 0);
  module.def("run_contents", &contents_of<RunTable>, nb::arg("table"), nb::arg("threads") = 0);
}

}  // namespace relyon
