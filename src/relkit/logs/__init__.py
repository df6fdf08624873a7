"""What is wrong with a search log, what that does to the numbers, and how to repair it."""

from __future__ import annotations

from relkit.logs.base import Check, Finding, Log, checks, register
from relkit.logs.checkup import Change, Checkup, Repair, examine
from relkit.logs.overview import Overview, summarise

__all__ = [
    "Change",
    "Check",
    "Checkup",
    "Finding",
    "Log",
    "Overview",
    "Repair",
    "checks",
    "examine",
    "register",
    "summarise",
]
