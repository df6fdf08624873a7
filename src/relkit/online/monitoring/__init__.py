"""The monthly number: rounds of graded samples, their trend, its cause and its alarm."""

from relkit.online.monitoring.alarms import Alarm
from relkit.online.monitoring.archive import read_round, read_rounds, write_round
from relkit.online.monitoring.changes import Difference, MonthlyChange
from relkit.online.monitoring.drawing import Moments, moments_of
from relkit.online.monitoring.losses import Losses
from relkit.online.monitoring.planning import PlannedSample, SamplePlan, plan_sample
from relkit.online.monitoring.points import ALL, Point
from relkit.online.monitoring.rounds import Round, create_round
from relkit.online.monitoring.timeline import Monitor, monitor

__all__ = [
    "ALL",
    "Alarm",
    "Difference",
    "Losses",
    "Moments",
    "Monitor",
    "MonthlyChange",
    "PlannedSample",
    "Point",
    "Round",
    "SamplePlan",
    "create_round",
    "moments_of",
    "monitor",
    "plan_sample",
    "read_round",
    "read_rounds",
    "write_round",
]
