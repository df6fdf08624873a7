"""What is wrong with a search log, what that does to the numbers, and how to repair it."""

from __future__ import annotations

from relkit.online.logs.base import Check, Finding, Log, checks, register
from relkit.online.logs.checkup import Change, Checkup, Repair, examine
from relkit.online.logs.overview import Overview, summarise

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
