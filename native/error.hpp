// Bad input. Becomes relkit.core.errors.InputError (or ParseError when it has a line) in Python.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace relkit {

struct InputError : std::runtime_error {
  explicit InputError(const std::string& message, std::string from = {}, std::uint64_t at = 0,
                      std::string advice = {})
      : std::runtime_error(message), path(std::move(from)), line(at), hint(std::move(advice)) {}
  std::string path;
  std::uint64_t line;  // 1-based; 0: no line to name
  std::string hint;
};

// A measure that `ties=expected` has no formula for.
struct NoClosedForm : InputError {
  using InputError::InputError;
};

}  // namespace relkit
