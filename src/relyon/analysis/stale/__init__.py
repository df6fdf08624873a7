"""Labels that no longer describe the collection: what changed, what it can move, what to judge."""

from relyon.analysis.stale.bounds import Bounds, Figures
from relyon.analysis.stale.facts import Number, Rules
from relyon.analysis.stale.staleness import StaleJudgments, stale_judgments
from relyon.analysis.stale.states import STATES, State

__all__ = [
    "STATES",
    "Bounds",
    "Figures",
    "Number",
    "Rules",
    "StaleJudgments",
    "State",
    "stale_judgments",
]
