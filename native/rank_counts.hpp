// The rank of a document is one more than the number of better scores.
#pragma once

#include <cstdint>
#include <span>

namespace relkit {

struct Count {
  std::uint32_t better;  // scores above it
  std::uint32_t equal;   // scores equal to it, its own included
};

// Vectorised for the processor at hand.
Count count_better(std::span<const double> scores, double score);

// The instruction set in use.
const char* count_name();

}  // namespace relkit
