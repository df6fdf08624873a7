// Numbers that Python owns: a vector becomes a NumPy array without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

namespace relyon {

// An array of `const` elements cannot be written.
template <class Value, class Element = Value>
nanobind::object owned(std::vector<Value>&& values) {
  auto* kept = new std::vector<Value>(std::move(values));
  const nanobind::capsule owner(
      kept, [](void* pointer) noexcept { delete static_cast<std::vector<Value>*>(pointer); });
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, Element, nanobind::ndim<1>>(
      kept->data(), {kept->size()}, owner));
}

}  // namespace relyon
