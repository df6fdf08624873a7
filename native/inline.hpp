// Functions on the way of every line, worth a copy in each place that calls them.
#pragma once

#include <cstddef>

#if defined(__GNUC__)
#define RELYON_INLINE __attribute__((always_inline)) inline
#else
#define RELYON_INLINE inline
#endif

namespace relyon {

// Asks for memory that is about to be read: what comes in no order is waited for otherwise.
RELYON_INLINE void prefetch([[maybe_unused]] const void* from, [[maybe_unused]] std::size_t size) {
#if defined(__GNUC__)
  constexpr std::size_t line = 64;
  const auto* const bytes = static_cast<const char*>(from);
  for (std::size_t at = 0; at < size; at += line) __builtin_prefetch(bytes + at);
  if (size > 0) __builtin_prefetch(bytes + size - 1);
#endif
}

}  // namespace relyon
