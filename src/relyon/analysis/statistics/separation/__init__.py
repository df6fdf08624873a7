"""Which of many systems differ: every pair tested together, step by step, by paired draws."""

from relyon.analysis.statistics.separation.draws import MOST_UNITS
from relyon.analysis.statistics.separation.parts import Part
from relyon.analysis.statistics.separation.simultaneous import Separation, separation

__all__ = ["MOST_UNITS", "Part", "Separation", "separation"]
