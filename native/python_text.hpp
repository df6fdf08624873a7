// Ids are bytes; in Python they are text, and bytes that are not UTF-8 survive as surrogates.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace relyon {

inline nanobind::object text(std::string_view id) {
  return nanobind::steal(
      PyUnicode_DecodeUTF8(id.data(), static_cast<Py_ssize_t>(id.size()), "surrogateescape"));
}

inline std::string bytes_of(nanobind::handle id) {
  nanobind::object encoded =
      nanobind::steal(PyUnicode_AsEncodedString(id.ptr(), "utf-8", "surrogateescape"));
  if (!encoded.is_valid()) throw nanobind::python_error();
  return {PyBytes_AS_STRING(encoded.ptr()),
          static_cast<std::size_t>(PyBytes_GET_SIZE(encoded.ptr()))};
}

}  // namespace relyon
