// Loops over the scores of two classes, in the widest instruction set, with the same results in
// each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace relyon::loops {

// Copies the scores of the rows whose label reaches the threshold, or of all others, to `into`,
// which has room for all and `spare` more. Returns how many there are.
inline constexpr std::size_t spare = 8;
std::size_t pick(const double* labels, const double* scores, std::size_t size, double threshold,
                 bool reached, double* into);

// Twice the number of pairs of a score of `few` and a better one of `many`, equal ones counting
// once. Compares each with each.
std::uint64_t twice_above(const double* few, std::size_t few_size, const double* many,
                          std::size_t many_size);

}  // namespace relyon::loops
