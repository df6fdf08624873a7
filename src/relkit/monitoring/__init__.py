"""The monthly number: rounds of graded samples, their trend, its cause and its alarm."""

from relkit.monitoring.archive import read_round, read_rounds, write_round
from relkit.monitoring.points import ALL, Point
from relkit.monitoring.rounds import Round, make_round

__all__ = [
    "ALL",
    "Point",
    "Round",
    "make_round",
    "read_round",
    "read_rounds",
    "write_round",
]
