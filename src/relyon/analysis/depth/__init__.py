"""How measures, and the power to distinguish runs, grow with the cutoff."""

from relyon.analysis.depth.advice import Advice
from relyon.analysis.depth.clicks import LastClicks
from relyon.analysis.depth.measuring import LADDER, depth
from relyon.analysis.depth.result import Depth, DepthRow
from relyon.analysis.depth.sensitivity import QueriesNeeded

__all__ = ["LADDER", "Advice", "Depth", "DepthRow", "LastClicks", "QueriesNeeded", "depth"]
