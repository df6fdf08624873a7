"""How sure a measure is: over other queries, and over what its labels may be."""

from relkit.analysis.uncertainty.measuring import measure_intervals
from relkit.analysis.uncertainty.result import MeasureInterval, MeasureIntervals

__all__ = ["MeasureInterval", "MeasureIntervals", "measure_intervals"]
