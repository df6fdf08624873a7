// Settings from environment variables.
#pragma once

#include <cstdint>
#include <string_view>

namespace relyon {

// The value of a variable; empty if it is not set.
std::string_view environment(const char* name);

// The whole number above 0 that a variable is set to; 0 if it is set to anything else.
std::uint64_t environment_number(const char* name);

}  // namespace relyon
