// Parameters from Python.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "parameters.hpp"

namespace relyon {

// The entries of a mapping, as the parameters of a kernel or a loss of that name.
Parameters to_parameters(const std::string& kernel, nanobind::handle mapping);

}  // namespace relyon
