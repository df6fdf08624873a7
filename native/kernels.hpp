// Measure kernels, by name.
#pragma once

#include <memory>

#include "parameters.hpp"
#include "plan.hpp"

namespace relyon {

// Throws InputError for an unknown kernel or parameter, and for a measure that has no closed form
// under the rules.
std::unique_ptr<Kernel> make_kernel(Parameters parameters, const Rules& rules);

// One a family; nullptr where the name is not theirs.
std::unique_ptr<Kernel> make_gain_kernel(Parameters& parameters, const Rules& rules);
std::unique_ptr<Kernel> make_binary_kernel(Parameters& parameters, const Rules& rules);
std::unique_ptr<Kernel> make_cascade_kernel(Parameters& parameters, const Rules& rules);
std::unique_ptr<Kernel> make_continuation_kernel(Parameters& parameters, const Rules& rules);
std::unique_ptr<Kernel> make_order_kernel(Parameters& parameters, const Rules& rules);
std::unique_ptr<Kernel> make_incomplete_kernel(Parameters& parameters, const Rules& rules);
std::unique_ptr<Kernel> make_diversity_kernel(Parameters& parameters, const Rules& rules);
std::unique_ptr<Kernel> make_pair_kernel(Parameters& parameters, const Rules& rules);
std::unique_ptr<Kernel> make_class_kernel(Parameters& parameters, const Rules& rules);
std::unique_ptr<Kernel> make_set_kernel(Parameters& parameters, const Rules& rules);
std::unique_ptr<Kernel> make_trec_kernel(Parameters& parameters, const Rules& rules);

// The same measure of the judged documents alone. Throws InputError where it needs more of a list
// than ranks.
std::unique_ptr<Kernel> condense(std::unique_ptr<Kernel> kernel, const std::string& name);

}  // namespace relyon
