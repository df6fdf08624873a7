"""How measures, and the power to distinguish runs, grow with the cutoff."""

from relyon.analysis.depth.advice import Advice
from relyon.analysis.depth.clicks import LastClicks
from relyon.analysis.depth.cutoff_table import Depth, DepthRow
from relyon.analysis.depth.evaluation import LADDER, depth
from relyon.analysis.depth.sensitivity import QueriesNeeded

__all__ = ["LADDER", "Advice", "Depth", "DepthRow", "LastClicks", "QueriesNeeded", "depth"]
