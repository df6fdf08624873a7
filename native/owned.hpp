// Numbers that Python owns: memory of C++ becomes a NumPy array without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace relyon {

// An array over what `memory` holds, which has `data()`. Its elements cannot be written if they are
// `const`.
template <class Element, class Memory>
nanobind::object owned(Memory memory, std::initializer_list<std::size_t> shape) {
  auto kept = std::make_unique<Memory>(std::move(memory));
  Element* data = kept->data();
  const nanobind::capsule owner(
      kept.get(), [](void* pointer) noexcept { delete static_cast<Memory*>(pointer); });
  kept.release();
  static std::remove_const_t<Element> nothing{};  // NOLINT(misc-const-correctness)
  if (data == nullptr) data = &nothing;
  return nanobind::cast(
      nanobind::ndarray<nanobind::numpy, Element>(data, shape.size(), shape.begin(), owner));
}

template <class Value, class Element = Value>
nanobind::object owned(std::vector<Value>&& values) {
  const std::size_t size = values.size();
  return owned<Element>(std::move(values), {size});
}

}  // namespace relyon
