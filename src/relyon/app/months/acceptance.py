"""What speaks against storing a month, and who accepted it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Request

from relyon.app.authentication import Visitor, note_event, see_projects
from relyon.app.months.rounds import RoundsFolder
from relyon.judging.month_gate import GateSide, MonthGate
from relyon.judging.records import Project
from relyon.online.monitoring import LONGEST_NOTE, Round, add_month_note

__all__ = ["SIDES", "Reason", "is_accepted", "list_led", "measure_coverage", "note_stored"]

#: The pages of a project on which findings are mended, by the last part of their address.
SIDES: dict[GateSide, str] = {
    "progress": "", "quality": "/agreement", "queue": "/queue", "settings": "/settings",
}  # fmt: skip
#: Why a month is stored in spite of what speaks against it.
Reason = Annotated[str, Form(max_length=LONGEST_NOTE)]


def is_accepted(gate: MonthGate, *, accept: bool, reason: str) -> bool:
    """Returns whether a month may be stored: nothing speaks against it, or that was accepted."""
    return gate.open or (accept and bool(reason.strip()))


def note_stored(
    request: Request,
    visitor: Visitor,
    rounds: RoundsFolder,
    month: str,
    gate: MonthGate,
    reason: str,
) -> None:
    """Records that a month was stored, and why in spite of what spoke against it; sends alarms."""
    if not gate.open:
        by = visitor.account.name
        add_month_note(rounds.folder, month, reason, by=by, kind="accepted")
    note_event(request, visitor, "month_stored", month)
    request.app.state.alarms.wake()


def list_led(request: Request, visitor: Visitor) -> list[Project]:
    """Returns the projects of grades that a visitor leads, the latest first."""
    found = see_projects(request, visitor.account)
    led = [one for one, user in found if one.kind == "grades" and user.role != "judge"]
    return led[::-1]


def measure_coverage(made: Round) -> dict[str, object]:
    """Returns how much of a month's sample is judged, for the page.

    Args:
        made: The month.

    Returns:
        `pairs`, the number of query-document pairs in the sample, and how many are `judged`; and
        for `tiers` the tier, its sessions, how many of them show no judged result, and their shown
        and judged results.
    """
    import polars as pl

    pairs = made.sample.results.select("query", "doc").unique()
    known = {query: made.judgments[query] for query in made.judgments.queries}
    judged = sum(doc in known.get(query, {}) for query, doc in pairs.iter_rows())
    values = made.results.group_by("tier").agg(
        pl.len().alias("sessions"),
        pl.col("dcg").is_null().sum().alias("without"),
        pl.col("shown").sum(),
        pl.col("judged").sum(),
    )
    by_tier = {row["tier"]: row for row in values.iter_rows(named=True)}
    return {
        "pairs": pairs.height,
        "judged": judged,
        "tiers": [by_tier[tier] for tier in made.tiers if tier in by_tier],
    }
