"""From a baseline and candidates to what changed, and whether it is real."""

from relkit.comparison.comparison import Comparison, compare, compare_results, compare_values
from relkit.comparison.contrast import Contrast, PairContrast

__all__ = [
    "Comparison",
    "Contrast",
    "PairContrast",
    "compare",
    "compare_results",
    "compare_values",
]
