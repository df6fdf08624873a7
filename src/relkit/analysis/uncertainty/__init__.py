"""The uncertainty of a measure: over other queries, and from its labels."""

from relkit.analysis.uncertainty.measuring import measure_intervals
from relkit.analysis.uncertainty.result import MeasureInterval, MeasureIntervals

__all__ = ["MeasureInterval", "MeasureIntervals", "measure_intervals"]
