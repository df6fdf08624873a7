"""Which pairs to grade next: drawn with known probabilities, so that the estimate is unbiased."""

from relyon.analysis.next_pairs.drawn import DrawnPair, read_drawn
from relyon.analysis.next_pairs.estimate import LEAST_DRAWS
from relyon.analysis.next_pairs.pairs import BUDGET, MEASURE, estimate_pairs, next_pairs
from relyon.analysis.next_pairs.results import NextPairs, PairsEstimate

__all__ = [
    "BUDGET",
    "LEAST_DRAWS",
    "MEASURE",
    "DrawnPair",
    "NextPairs",
    "PairsEstimate",
    "estimate_pairs",
    "next_pairs",
    "read_drawn",
]
