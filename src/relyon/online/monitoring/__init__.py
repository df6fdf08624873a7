"""The monthly number: rounds of graded samples, their trend, its cause and its alarm."""

from relyon.online.monitoring.alarms import Alarm
from relyon.online.monitoring.archive import read_round, read_rounds, write_round
from relyon.online.monitoring.change_attribution import Losses
from relyon.online.monitoring.changes import Difference, MonthlyChange
from relyon.online.monitoring.looked_month import TierLook
from relyon.online.monitoring.looks import MonthLook, look_at_month
from relyon.online.monitoring.month_notes import (
    LONGEST_NOTE,
    MonthNote,
    add_month_note,
    read_month_notes,
)
from relyon.online.monitoring.planned_interval import PlannedInterval, plan_intervals
from relyon.online.monitoring.points import ALL, Point
from relyon.online.monitoring.rounds import Round, create_round
from relyon.online.monitoring.sample_plan import PlannedSample, SamplePlan, plan_sample
from relyon.online.monitoring.simulated_months import Moments, moments_of
from relyon.online.monitoring.timeline import Monitor, monitor

__all__ = [
    "ALL",
    "LONGEST_NOTE",
    "Alarm",
    "Difference",
    "Losses",
    "Moments",
    "Monitor",
    "MonthLook",
    "MonthNote",
    "MonthlyChange",
    "PlannedInterval",
    "PlannedSample",
    "Point",
    "Round",
    "SamplePlan",
    "TierLook",
    "add_month_note",
    "create_round",
    "look_at_month",
    "moments_of",
    "monitor",
    "plan_intervals",
    "plan_sample",
    "read_month_notes",
    "read_round",
    "read_rounds",
    "write_round",
]
