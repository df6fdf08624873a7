"""Questions without an answer: which systems know them, and from which threshold to answer."""

from relyon.analysis.abstention.answers import Answers
from relyon.analysis.abstention.contrast import AbstentionContrast
from relyon.analysis.abstention.curves import AnswerCurve
from relyon.analysis.abstention.measurement import (
    Abstention,
    abstention,
    abstention_of,
)
from relyon.analysis.abstention.notes import ranking_notes
from relyon.analysis.abstention.rates import Rate
from relyon.analysis.abstention.rules import AbstentionRules
from relyon.analysis.abstention.system import SystemAbstention
from relyon.analysis.abstention.thresholds import Choice, fold_of

__all__ = [
    "Abstention",
    "AbstentionContrast",
    "AbstentionRules",
    "AnswerCurve",
    "Answers",
    "Choice",
    "Rate",
    "SystemAbstention",
    "abstention",
    "abstention_of",
    "fold_of",
    "ranking_notes",
]
