"""From a baseline and candidates to what changed, and whether it is real."""

from relkit.comparison.comparison import Comparison
from relkit.comparison.contrast import Contrast, PairContrast
from relkit.comparison.inputs import compare, compare_results, compare_values

__all__ = [
    "Comparison",
    "Contrast",
    "PairContrast",
    "compare",
    "compare_results",
    "compare_values",
]
