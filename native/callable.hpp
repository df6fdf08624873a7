// Bytes that a Python function gives.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>
#include <utility>

#include "text.hpp"

namespace relyon {

// Bytes from read(size), which returns b"" at the end.
class Callable final : public Bytes {
 public:
  explicit Callable(nanobind::callable read) : read_(std::move(read)) {}

  std::size_t read(char* into, std::size_t size) override {
    const nanobind::gil_scoped_acquire held;
    const nanobind::object got = read_(size);
    if (!PyBytes_Check(got.ptr())) throw nanobind::type_error("read(size) must return bytes");
    const auto length = static_cast<std::size_t>(PyBytes_GET_SIZE(got.ptr()));
    if (length > size) throw nanobind::value_error("read(size) returned more bytes than asked for");
    std::memcpy(into, PyBytes_AS_STRING(got.ptr()), length);
    return length;
  }

 private:
  nanobind::callable read_;
};

}  // namespace relyon
