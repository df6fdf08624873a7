"""The monthly number: rounds of graded samples, their trend, its cause and its alarm."""

from relkit.monitoring.alarms import Alarm
from relkit.monitoring.archive import read_round, read_rounds, write_round
from relkit.monitoring.changes import Difference, MonthlyChange
from relkit.monitoring.losses import Losses
from relkit.monitoring.points import ALL, Point
from relkit.monitoring.rounds import Round, make_round
from relkit.monitoring.timeline import Monitor, monitor

__all__ = [
    "ALL",
    "Alarm",
    "Difference",
    "Losses",
    "Monitor",
    "MonthlyChange",
    "Point",
    "Round",
    "make_round",
    "monitor",
    "read_round",
    "read_rounds",
    "write_round",
]
