// A fast hash of short ids. Equal hashes are always confirmed by comparing the bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "inline.hpp"

namespace relyon {

inline std::uint64_t load8(const char* from) {
  std::uint64_t word;
  std::memcpy(&word, from, 8);
  return word;
}

inline std::uint64_t load4(const char* from) {
  std::uint32_t word;
  std::memcpy(&word, from, 4);
  return word;
}

inline bool same_bytes(const char* one, const char* other, std::size_t size) {
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 <= size; i += 8) {
      if (load8(one + i) != load8(other + i)) return false;
    }
    return load8(one + size - 8) == load8(other + size - 8);
  }
  if (size >= 4)
    return load4(one) == load4(other) && load4(one + size - 4) == load4(other + size - 4);
  for (std::size_t i = 0; i < size; ++i) {
    if (one[i] != other[i]) return false;
  }
  return true;
}

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t hash_bytes(const char* data, std::size_t size) {
  constexpr std::uint64_t one = 0x9e3779b97f4a7c15ULL;
  constexpr std::uint64_t two = 0xd1b54a32d192ed03ULL;
  std::uint64_t a, b, seed = one ^ size;
  const char* p = data;
  std::size_t left = size;
  while (left > 16) {
    seed = mix(load8(p) ^ one, load8(p + 8) ^ seed);
    p += 16;
    left -= 16;
  }
  if (left >= 8) {
    a = load8(p);
    b = load8(p + left - 8);
  } else if (left >= 4) {
    a = load4(p);
    b = load4(p + left - 4);
  } else if (left > 0) {
    const auto byte = [p](std::size_t i) {
      return static_cast<std::uint64_t>(static_cast<unsigned char>(p[i]));
    };
    a = byte(0) << 16 | byte(left / 2) << 8 | byte(left - 1);
    b = 0;
  } else {
    a = b = 0;
  }
  return mix(a ^ two, b ^ seed);
}

inline std::uint64_t hash_bytes(std::string_view text) {
  return hash_bytes(text.data(), text.size());
}

}  // namespace relyon
