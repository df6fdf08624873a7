// Whether bytes are UTF-8 text.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hash.hpp"

namespace relyon {

// Strict, as Python is: no surrogates, nothing written longer than need be, nothing past U+10FFFF.
inline bool is_utf8(const char* text, std::size_t size) {
  const char* p = text;
  const char* const end = text + size;
  const auto follows = [&](std::ptrdiff_t at) {
    return (static_cast<unsigned char>(p[at]) & 0xc0) == 0x80;
  };
  while (p != end) {
    if (end - p >= 8 && (load8(p) & 0x8080808080808080ULL) == 0) {
      p += 8;
      continue;
    }
    const auto lead = static_cast<unsigned char>(*p);
    if (lead < 0x80) {
      ++p;
    } else if (lead < 0xe0) {
      if (lead < 0xc2 || end - p < 2 || !follows(1)) return false;
      p += 2;
    } else if (lead < 0xf0) {
      if (end - p < 3 || !follows(1) || !follows(2)) return false;
      const auto next = static_cast<unsigned char>(p[1]);
      if ((lead == 0xe0 && next < 0xa0) || (lead == 0xed && next > 0x9f)) return false;
      p += 3;
    } else {
      if (lead > 0xf4 || end - p < 4 || !follows(1) || !follows(2) || !follows(3)) return false;
      const auto next = static_cast<unsigned char>(p[1]);
      if ((lead == 0xf0 && next < 0x90) || (lead == 0xf4 && next > 0x8f)) return false;
      p += 4;
    }
  }
  return true;
}

}  // namespace relyon
