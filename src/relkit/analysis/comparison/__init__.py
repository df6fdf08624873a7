"""From a baseline and candidates to what changed, and whether it is real."""

from relkit.analysis.comparison.comparison import Comparison
from relkit.analysis.comparison.contrast import Contrast, PairContrast
from relkit.analysis.comparison.inputs import compare, compare_results, compare_values

__all__ = [
    "Comparison",
    "Contrast",
    "PairContrast",
    "compare",
    "compare_results",
    "compare_values",
]
