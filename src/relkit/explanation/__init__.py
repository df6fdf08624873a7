"""Why one query has the value it has: derivations, and what changed between two runs."""

from relkit.explanation.change import Change, Move, explain_change
from relkit.explanation.derivation import Explanation, IdealStep, Missed, explain
from relkit.explanation.discrepancy import Discrepancy, RuleShare

__all__ = [
    "Change",
    "Discrepancy",
    "Explanation",
    "IdealStep",
    "Missed",
    "Move",
    "RuleShare",
    "explain",
    "explain_change",
]
