"""Compares candidates with a baseline: what changed, and whether it is significant."""

from relkit.analysis.comparison.comparison import Comparison
from relkit.analysis.comparison.contrast import Contrast, PairContrast
from relkit.analysis.comparison.inputs import compare, compare_results, compare_values
from relkit.analysis.comparison.planning import PlannedDifference, QueryPlan, plan_queries
from relkit.analysis.comparison.scored import compare_scores, matched_scores

__all__ = [
    "Comparison",
    "Contrast",
    "PairContrast",
    "PlannedDifference",
    "QueryPlan",
    "compare",
    "compare_results",
    "compare_scores",
    "compare_values",
    "matched_scores",
    "plan_queries",
]
