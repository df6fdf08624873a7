"""The public names and where each lives; they are imported when first used."""

from .accumulator import Accumulator as Accumulator
from .curves import (
    Classification as Classification,
    Curve as Curve,
    classify as classify,
    precision_recall_curve as precision_recall_curve,
    roc_curve as roc_curve,
)
from .defaults import (
    DEFAULT_MEASURES as DEFAULT_MEASURES,
    DEFAULT_SCORE_MEASURES as DEFAULT_SCORE_MEASURES,
)
from .entry import Entry as Entry
from .evaluator import Evaluator as Evaluator, evaluate as evaluate
from .program import Average as Average, MeasureNames as MeasureNames, Program as Program
from .results import Results as Results
from .scores import evaluate_scores as evaluate_scores
from .stored import read_results as read_results
