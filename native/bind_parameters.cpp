#include "bind_parameters.hpp"

#include <nanobind/stl/string.h>

#include <map>
#include <utility>

#include "error.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

double to_double(nb::handle value, const std::string& kernel, const std::string& name) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw InputError(Sentence("native.parameter-of-is-no", {{"name", name}, {"kernel", kernel}}));
  }
  return number;
}

Parameter to_parameter(nb::handle value, const std::string& kernel, const std::string& name) {
  if (value.is_none()) return {};
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True;
  if (PyLong_Check(value.ptr())) {
    int overflow = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow != 0) return to_double(value, kernel, name);
    return static_cast<std::int64_t>(whole);
  }
  if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value);
  if (PyMapping_Check(value.ptr()) != 0 && nb::hasattr(value, "items")) {
    GainMap map;
    for (nb::handle item : value.attr("items")()) {
      map.emplace_back(to_double(item[0], kernel, name), to_double(item[1], kernel, name));
    }
    return map;
  }
  return to_double(value, kernel, name);
}

}  // namespace

Parameters to_parameters(const std::string& kernel, nb::handle mapping) {
  std::map<std::string, Parameter> parameters;
  for (nb::handle entry : mapping.attr("items")()) {
    const auto key = nb::cast<std::string>(nb::object(entry[0]));
    parameters.emplace(key, to_parameter(nb::object(entry[1]), kernel, key));
  }
  return {kernel, std::move(parameters)};
}

}  // namespace relyon
