// Two classes over all thresholds, from the highest score down: what ROC and precision-recall
// curves are made of.
#pragma once

#include "pool.hpp"

namespace relyon {

// The area below the ROC curve up to the false-positive rate `max_fpr`; below 1 it is standardised
// to be 0.5 for a random order and 1 for the best (McClish 1989). NaN where one class is absent.
double roc_area(const Pool& pool, double max_fpr);

// The sum over thresholds of (recall - recall before) x precision. NaN without a positive.
double average_precision(const Pool& pool);

}  // namespace relyon
