"""Explains one query's value: derivations, and what changed between two runs."""

from relkit.analysis.explanation.change import Change, Move, explain_change
from relkit.analysis.explanation.derivation import Explanation, explain
from relkit.analysis.explanation.discrepancy import Discrepancy, RuleShare
from relkit.analysis.explanation.parts import IdealStep, Missed

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
