"""From judgments and a run to every measure."""

from relkit.evaluation.accumulator import Accumulator
from relkit.evaluation.evaluator import DEFAULT_MEASURES, Evaluator, evaluate
from relkit.evaluation.program import Average, MeasureNames, Program
from relkit.evaluation.scores import DEFAULT_SCORE_MEASURES, evaluate_scores

__all__ = [
    "DEFAULT_MEASURES",
    "DEFAULT_SCORE_MEASURES",
    "Accumulator",
    "Average",
    "Evaluator",
    "MeasureNames",
    "Program",
    "evaluate",
    "evaluate_scores",
]
