// Bad input. Becomes relkit.errors.InputError (or ParseError when it has a line) in Python.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace relkit {

struct InputError : std::runtime_error {
  InputError(std::string message, std::string path = {}, std::uint64_t line = 0, std::string hint = {})
      : std::runtime_error(message), path(std::move(path)), line(line), hint(std::move(hint)) {}
  std::string path;
  std::uint64_t line;  // 1-based; 0: no line to name
  std::string hint;
};

}  // namespace relkit
