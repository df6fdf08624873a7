"""The uncertainty of a measure: over other queries, and from its labels."""

from relyon.analysis.uncertainty.interval_evaluation import measure_intervals, query_interval
from relyon.analysis.uncertainty.intervals import MeasureInterval, MeasureIntervals
from relyon.analysis.uncertainty.mean_intervals import mean_interval_of
from relyon.analysis.uncertainty.several_runs import SeveralIntervals

__all__ = [
    "MeasureInterval",
    "MeasureIntervals",
    "SeveralIntervals",
    "mean_interval_of",
    "measure_intervals",
    "query_interval",
]
