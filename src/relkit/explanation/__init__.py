"""Why one query has the value it has: derivations, and what changed between two runs."""

from relkit.explanation.change import Change, Move, explain_change
from relkit.explanation.derivation import Explanation, IdealStep, Missed, explain

__all__ = [
    "Change",
    "Explanation",
    "IdealStep",
    "Missed",
    "Move",
    "explain",
    "explain_change",
]
