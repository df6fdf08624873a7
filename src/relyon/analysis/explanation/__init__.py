"""Explains one query's value: derivations, and what changed between two runs."""

from relyon.analysis.explanation.change import Change, Move, explain_change
from relyon.analysis.explanation.derivation import Explanation, explain
from relyon.analysis.explanation.discrepancy import Discrepancy, RuleShare
from relyon.analysis.explanation.parts import IdealStep, Missed

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
