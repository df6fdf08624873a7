// Tables in text that are evaluated while they are read.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <map>
#include <optional>
#include <string>

#include "bind.hpp"
#include "callable.hpp"
#include "delimited.hpp"
#include "error.hpp"
#include "json_lines.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

// Of the file of this name, or of what `read` gives.
std::optional<Batch> evaluate_table(const JudgmentTable& judgments, const Plan& plan,
                                    const std::string& name, const nb::object& read,
                                    const TableFormat& format, int threads) {
  if (read.is_none()) {
    const nb::gil_scoped_release released;
    return evaluate_table_file(judgments, plan, name, format, threads);
  }
  Callable bytes(nb::cast<nb::callable>(read));
  const nb::gil_scoped_release released;
  return evaluate_table_stream(judgments, plan, bytes, name, format);
}

std::optional<Batch> evaluate_delimited(const JudgmentTable& judgments, const Plan& plan,
                                        const std::string& name, const nb::object& read,
                                        const std::string& separator, std::uint32_t width,
                                        const std::map<std::string, std::uint32_t>& columns,
                                        int threads) {
  if (separator.size() != 1) throw InputError("native.separator-must-be-one-byte");
  const auto place = [&](const char* role) {
    const auto found = columns.find(role);
    return found == columns.end() ? Delimited::absent : found->second;
  };
  const Delimited format(separator[0], width,
                         {place("query"), place("document"), place("score"), place("rank")});
  return evaluate_table(judgments, plan, name, read, format, threads);
}

std::optional<Batch> evaluate_json_lines(const JudgmentTable& judgments, const Plan& plan,
                                         const std::string& name, const nb::object& read,
                                         const std::map<std::string, std::string>& columns,
                                         int threads) {
  const auto key = [&](const char* role) -> std::optional<std::string> {
    const auto found = columns.find(role);
    if (found == columns.end()) return std::nullopt;
    return found->second;
  };
  const JsonLines format(
      {key("query").value(), key("document").value(), key("score"), key("rank")});
  return evaluate_table(judgments, plan, name, read, format, threads);
}

}  // namespace

void bind_scans(nb::module_& module) {
  module.def("evaluate_delimited", &evaluate_delimited, nb::arg("judgments"), nb::arg("plan"),
             nb::arg("name"), nb::arg("read").none(), nb::kw_only(), nb::arg("separator"),
             nb::arg("width"), nb::arg("columns"), nb::arg("threads") = 0);
  module.def("evaluate_json_lines", &evaluate_json_lines, nb::arg("judgments"), nb::arg("plan"),
             nb::arg("name"), nb::arg("read").none(), nb::kw_only(), nb::arg("columns"),
             nb::arg("threads") = 0);
}

}  // namespace relyon
