#include "environment.hpp"

#include <charconv>
#include <cstdlib>

namespace relyon {

std::string_view environment(const char* name) {
  // Safe as long as nothing sets variables meanwhile. NOLINTNEXTLINE(concurrency-mt-unsafe)
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::uint64_t environment_number(const char* name) {
  const std::string_view text = environment(name);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

}  // namespace relyon
