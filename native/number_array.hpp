// Arrays of numbers of any kind, read as doubles.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "error.hpp"
#include "simd.hpp"

namespace relyon {

using AnyArray = nanobind::ndarray<nanobind::ro, nanobind::device::cpu>;

enum class NumberType {
  float64,
  float32,
  int64,
  int32,
  int16,
  int8,
  uint64,
  uint32,
  uint16,
  uint8
};

inline NumberType type_of(const AnyArray& array, const char* what) {
  const nanobind::dlpack::dtype type = array.dtype();
  const auto is = [&](nanobind::dlpack::dtype_code code, int bits) {
    return type.code == static_cast<std::uint8_t>(code) && type.bits == bits && type.lanes == 1;
  };
  using Code = nanobind::dlpack::dtype_code;
  if (is(Code::Float, 64)) return NumberType::float64;
  if (is(Code::Float, 32)) return NumberType::float32;
  if (is(Code::Int, 64)) return NumberType::int64;
  if (is(Code::Int, 32)) return NumberType::int32;
  if (is(Code::Int, 16)) return NumberType::int16;
  if (is(Code::Int, 8)) return NumberType::int8;
  if (is(Code::UInt, 64)) return NumberType::uint64;
  if (is(Code::UInt, 32)) return NumberType::uint32;
  if (is(Code::UInt, 16)) return NumberType::uint16;
  if (is(Code::UInt, 8) || is(Code::Bool, 8)) return NumberType::uint8;
  throw InputError(Sentence("native.are-neither-whole-numbers", {{"what", Sentence(what)}}));
}

template <typename Visit>
decltype(auto) visit(NumberType type, const void* data, Visit use) {
  switch (type) {
    case NumberType::float64:
      return use(static_cast<const double*>(data));
    case NumberType::float32:
      return use(static_cast<const float*>(data));
    case NumberType::int64:
      return use(static_cast<const std::int64_t*>(data));
    case NumberType::int32:
      return use(static_cast<const std::int32_t*>(data));
    case NumberType::int16:
      return use(static_cast<const std::int16_t*>(data));
    case NumberType::int8:
      return use(static_cast<const std::int8_t*>(data));
    case NumberType::uint64:
      return use(static_cast<const std::uint64_t*>(data));
    case NumberType::uint32:
      return use(static_cast<const std::uint32_t*>(data));
    case NumberType::uint16:
      return use(static_cast<const std::uint16_t*>(data));
    default:
      return use(static_cast<const std::uint8_t*>(data));
  }
}

// An array in C order; one that is not is copied.
struct NumberArray {
  NumberArray(nanobind::handle source, const char* name) : what(name) {
    array = nanobind::cast<AnyArray>(source);
    std::int64_t stride = 1;
    bool contiguous = true;
    for (std::size_t i = array.ndim(); i-- > 0;) {
      contiguous &= array.shape(i) <= 1 || array.stride(i) == stride;
      stride *= static_cast<std::int64_t>(array.shape(i));
    }
    if (!contiguous) {
      array = nanobind::cast<AnyArray>(
          nanobind::module_::import_("numpy").attr("ascontiguousarray")(source));
    }
    type = type_of(array, name);
    data = array.data();
    size = array.size();
  }

  bool whole() const { return type != NumberType::float64 && type != NumberType::float32; }

  // Rows [start, start + out.size()) as doubles.
  void copy(std::size_t start, std::span<double> out) const {
    visit(type, data, [&](const auto* values) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(values[start + i]);
    });
  }

  const char* what;
  AnyArray array;
  NumberType type = NumberType::float64;
  const void* data = nullptr;
  std::size_t size = 0;
};

[[noreturn]] inline void refuse_number(const char* what, double value, std::size_t row) {
  throw InputError(Sentence(std::isnan(value) ? "native.row-not-number" : "native.row-not-finite",
                            {{"what", Sentence(what)}, {"row", std::to_string(row)}}),
                   {}, 0, "ltr.rows-count-from-0");
}

inline void check_finite(std::span<const double> values, const char* what, std::size_t first_row) {
  if (simd::finite(values.data(), values.size())) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) refuse_number(what, values[i], first_row + i);
  }
}

}  // namespace relyon
