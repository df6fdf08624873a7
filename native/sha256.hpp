// SHA-256 (FIPS 180-4) of bytes in memory.
#pragma once

#include <array>
#include <string_view>

namespace relyon {

using Sha256 = std::array<char, 32>;

Sha256 sha256(std::string_view bytes);

}  // namespace relyon
