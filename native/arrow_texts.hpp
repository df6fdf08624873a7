// Text for Python as an Arrow array: Polars and others take it without a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace relyon {

// One column of text, with `__arrow_c_array__`; exports share its buffers.
class ArrowTexts {
 public:
  // `text(0)` to `text(count - 1)`. Needs no GIL.
  ArrowTexts(std::size_t count, const std::function<std::string_view(std::size_t)>& text);

  std::size_t size() const { return buffers_->offsets.size() - 1; }
  nanobind::tuple exported() const;

 private:
  struct Buffers {
    std::vector<std::int64_t> offsets{0};
    std::string bytes;
  };
  struct Exported;  // what an exported array owns

  std::shared_ptr<const Buffers> buffers_;
};

void bind_texts(nanobind::module_& module);

}  // namespace relyon
