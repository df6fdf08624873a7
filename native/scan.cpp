#include "scan.hpp"

#include <algorithm>

namespace relyon {

const char* Scanner::skip_to_line() {
  const char* p = window.begin();
  std::size_t skipped = 0;
  for (;;) {
    const auto* newline =
        static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(window.end() - p)));
    if (newline != nullptr) return newline + 1;
    if (window.ended()) return window.end();
    skipped += static_cast<std::size_t>(window.end() - p);
    at = p;
    refuse_long_line(skipped);
    window.refill(window.end());
    p = window.begin();
  }
}

std::uint64_t stretch_of(std::uint64_t size) {
  return stretch_size(
      std::clamp<std::uint64_t>(size / 16, std::uint64_t{1} << 18, std::uint64_t{4} << 20));
}

}  // namespace relyon
