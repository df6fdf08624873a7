// Text for Python as an Arrow array: Polars and others take it without a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <functional>
#include <string_view>

namespace relyon {

// An object with `__arrow_c_array__`, holding `text(0)` to `text(count - 1)`.
nanobind::object arrow_texts(std::size_t count,
                             const std::function<std::string_view(std::size_t)>& text);

void bind_texts(nanobind::module_& module);

}  // namespace relyon
