// How sure a fitted chain is: the joint information of all its parameters (Louis, 1982). What a
// session hides is how far the user went below the last click, and what that click did.
#pragma once

#include <vector>

#include "click_chains.hpp"
#include "clicks.hpp"

namespace relyon {

// Documents of a query whose errors are found together, those shown most often; the others count as
// if these were known.
inline constexpr std::size_t joint_documents = 150;

// Of each pair the standard error of the logarithm of its relevance that comes from the errors of
// other parameters: those of the documents beside it, and of going on, unless that is known.
std::vector<double> measure_spread(const ClickLog& log, ChainKind kind, const Chain& chain,
                                   Prior prior, bool known);

}  // namespace relyon
