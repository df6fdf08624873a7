// Tables as bytes and back, for pickling: what was read travels to other processes.
#pragma once

#include <string>
#include <string_view>

#include "judgments.hpp"
#include "runs.hpp"

namespace relyon {

std::string to_state(const JudgmentTable& table);
std::string to_state(const RunTable& table);

// Throws InputError where the bytes are not what `to_state` made.
JudgmentTable judgments_from_state(std::string_view state);
RunTable run_from_state(std::string_view state);

}  // namespace relyon
