"""Compares candidates with a baseline: what changed, and whether it is significant."""

from relyon.analysis.comparison.comparison import Comparison
from relyon.analysis.comparison.contrast import Contrast, PairContrast
from relyon.analysis.comparison.inputs import compare, compare_results
from relyon.analysis.comparison.plans.query_plan import PlannedDifference, QueryPlan, plan_queries
from relyon.analysis.comparison.scored import compare_scores, matched_scores
from relyon.analysis.comparison.values import compare_values

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
