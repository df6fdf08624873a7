"""How measures, and the power to distinguish runs, grow with the cutoff."""

from relkit.analysis.depth.advice import Advice
from relkit.analysis.depth.clicks import LastClicks
from relkit.analysis.depth.measuring import LADDER, depth
from relkit.analysis.depth.result import Depth, DepthRow
from relkit.analysis.depth.sensitivity import QueriesNeeded

__all__ = ["LADDER", "Advice", "Depth", "DepthRow", "LastClicks", "QueriesNeeded", "depth"]
