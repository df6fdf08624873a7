// One function a family of measures: returns a kernel, or nullptr for a name of another family.
#pragma once

#include <memory>
#include <string>

#include "parameters.hpp"

namespace relkit {

std::unique_ptr<Kernel> make_gain_kernel(const std::string& name, Reader& reader, const Rules& rules);
std::unique_ptr<Kernel> make_binary_kernel(const std::string& name, Reader& reader, const Rules& rules);
std::unique_ptr<Kernel> make_incomplete_kernel(const std::string& name, Reader& reader, const Rules& rules);
std::unique_ptr<Kernel> make_pair_kernel(const std::string& name, Reader& reader, const Rules& rules);

}  // namespace relkit
