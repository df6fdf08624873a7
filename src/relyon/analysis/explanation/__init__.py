"""Explains one query's value: derivations, and what changed between two runs."""

from relyon.analysis.explanation.change import Change, Move, explain_change
from relyon.analysis.explanation.derivation import Explanation
from relyon.analysis.explanation.discrepancy import Discrepancy, RuleShare
from relyon.analysis.explanation.entry import explain
from relyon.analysis.explanation.parts import IdealStep, Missed
from relyon.analysis.explanation.tasks import ExplainedCall, ExplainedResult, TaskExplanation

__all__ = [
    "Change",
    "Discrepancy",
    "ExplainedCall",
    "ExplainedResult",
    "Explanation",
    "IdealStep",
    "Missed",
    "Move",
    "RuleShare",
    "TaskExplanation",
    "explain",
    "explain_change",
]
