"""Leaderboards that say which ranks are certain: intervals of ranks, groups, cost and quality."""

from relyon.analysis.leaderboard.board import Board, FirstTwo
from relyon.analysis.leaderboard.costs import CostStanding, read_costs
from relyon.analysis.leaderboard.groups import maximal_groups
from relyon.analysis.leaderboard.measurement import (
    leaderboard,
    leaderboard_results,
    leaderboard_values,
)
from relyon.analysis.leaderboard.result import Leaderboard
from relyon.analysis.leaderboard.standing import Standing

__all__ = [
    "Board",
    "CostStanding",
    "FirstTwo",
    "Leaderboard",
    "Standing",
    "leaderboard",
    "leaderboard_results",
    "leaderboard_values",
    "maximal_groups",
    "read_costs",
]
