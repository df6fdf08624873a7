// Measures as native functions: made by name from their parameters.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>

#include "plan.hpp"

namespace relkit {

using GainMap = std::map<double, double>;
using Value = std::variant<double, std::string, GainMap>;
using Parameters = std::map<std::string, Value>;

std::unique_ptr<Kernel> make_kernel(const std::string& name, const Parameters& parameters,
                                    const Rules& rules);

}  // namespace relkit
