// A hash of ids that stays the same for ever: samples are chosen by it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "arrow.hpp"
#include "bind.hpp"

namespace nb = nanobind;

namespace relyon {
namespace {

// FNV-1a, 64 bits, over the bytes of the id.
std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : text) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

nb::object hash_ids(nb::handle ids) {
  const ArrowColumn column(ids, "ids", ArrowColumn::Role::id);
  const std::size_t rows = column.rows();
  auto hashes = std::make_unique<std::uint64_t[]>(rows);
  {
    const nb::gil_scoped_release release;
    constexpr std::size_t block = 4096;
    std::vector<std::string_view> views(std::min(rows, block));
    Texts texts;
    for (std::size_t from = 0; from < rows; from += block) {
      const std::size_t count = std::min(block, rows - from);
      texts.drop(texts.mark());
      column.ids(from, count, views.data(), texts);
      for (std::size_t row = 0; row < count; ++row) hashes[from + row] = stable_hash(views[row]);
    }
  }
  std::uint64_t* kept = hashes.release();
  const nb::capsule owner(
      kept, [](void* pointer) noexcept { delete[] static_cast<std::uint64_t*>(pointer); });
  return nb::cast(nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<1>>(kept, {rows}, owner));
}

}  // namespace

void bind_hash(nb::module_& module) { module.def("hash_ids", &hash_ids, nb::arg("ids")); }

}  // namespace relyon
