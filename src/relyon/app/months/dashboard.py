"""The monitor as a page, as a file to share, and for programs."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from relyon.app.authentication import (
    Leader,
    LeadingCaller,
    OpenStore,
    Visitor,
    see_projects,
)
from relyon.app.months.rounds import RoundsFolder
from relyon.app.months.staging import find_last_added
from relyon.app.pages import render
from relyon.app.rest import ERRORS
from relyon.core.document.json import json_values
from relyon.core.errors import InputError, RelyonError
from relyon.core.texts import catalogue, message
from relyon.core.texts.languages import Language, file_name
from relyon.judging.records import Project
from relyon.judging.samples import list_sampled
from relyon.judging.store import Store
from relyon.online.monitoring import ALL, Monitor
from relyon.online.monitoring.archive import find_rounds
from relyon.online.monitoring.sentences import change_sentence, tier_name

__all__ = ["api", "router"]

router = APIRouter(include_in_schema=False)
api = APIRouter(prefix="/api", responses=ERRORS, tags=["monitor"])


def _rounds_of(request: Request) -> RoundsFolder:
    rounds: RoundsFolder | None = request.app.state.rounds
    if rounds is None:
        raise InputError(
            message("app.this-app-was-started"),
            hint=message("app.start-with-relyon-judge"),
        )
    return rounds


OpenRounds = Annotated[RoundsFolder, Depends(_rounds_of)]


@router.get("/monitor")
def show_monitor(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    added: Annotated[str, Query(max_length=20)] = "",
    before: Annotated[str, Query(max_length=20)] = "",
    after: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """The monthly numbers, the alarm and its cause.

    Args:
        added: The month that has just been stored.
        before: The earlier of two months to compare.
        after: The later one.
    """
    rounds: RoundsFolder | None = request.app.state.rounds
    last = None if rounds is None else find_last_added(rounds.folder)

    def without_numbers(
        *, folder: object = "", problem: str = "", hint: str = "", status: int = 200
    ) -> Response:
        return render(
            request,
            visitor,
            "rounds.html",
            status=status,
            folder=folder,
            month=f"{date.today():%Y-%m}",
            problem=problem,
            hint=hint,
            added=added,
            last=last,
            waiting=waiting,
        )

    waiting = _waiting(request, store, visitor, rounds)
    if rounds is None:
        return without_numbers()
    if rounds.is_empty():
        return without_numbers(folder=rounds.folder)
    try:
        found, opening, sections = rounds.parts(visitor.language)
    except RelyonError as error:
        return without_numbers(problem=error.message, hint=error.hint, status=400)
    return render(
        request,
        visitor,
        "monitor.html",
        added=added,
        last=last,
        month=found.months[-1],
        single=len(found.months) < 2,
        alarms=_alarms(found, visitor.language),
        opening=opening,
        sections=sections,
        waiting=waiting,
        months=found.months,
        worst=_worst(found),
        pair=(before, after) if before and after else found.months[-2:],
        compared=_compare(found, before, after, visitor.language),
    )


def _worst(found: Monitor) -> list[str]:
    """Returns the queries that the page lists, each once: the worst ones and those that fell."""
    listed = (found.worst(), found.largest_drops())
    return list(dict.fromkeys(str(one) for frame in listed for one in frame["query"]))


def _waiting(
    request: Request, store: Store, visitor: Visitor, rounds: RoundsFolder | None
) -> list[tuple[Project, str]]:
    """Returns the projects that the visitor leads whose months are not stored, and these months."""
    stored = set() if rounds is None else {one.name for one in find_rounds(rounds.folder)}
    sampled = list_sampled(store)
    return [
        (project, sampled[project.id])
        for project, user in see_projects(request, visitor.account)
        if project.id in sampled
        and sampled[project.id] not in stored
        and user.role != "judge"
        and project.state == "open"
    ]


def _compare(found: Monitor, before: str, after: str, language: Language) -> list[str] | None:
    """Returns the changes between two months in sentences; None if none were chosen."""
    from relyon.report.monthly import typeset

    if not (before and after):
        return None
    changes = [one for one in found.compare(before, after) if one.can_alarm]
    changes.sort(key=lambda one: one.tier != ALL)
    return [typeset(change_sentence(one, language)) for one in changes]


def _alarms(found: Monitor, language: Language) -> dict[str, list[str]]:
    """Returns the affected tiers by kind of alarm."""
    texts = catalogue("monitoring", language)
    tiers: dict[str, list[str]] = {}
    for alarm in found.alarms():
        text = texts.say(f"alarm.short.{alarm.kind}", month=found.months[-1])
        tiers.setdefault(text, []).append(tier_name(alarm.tier, language))
    return tiers


@router.get("/monitor/report")
def send_report(visitor: Leader, rounds: OpenRounds) -> Response:
    """The page as one file that opens offline."""
    from relyon.report import render_monitor_report

    text = render_monitor_report(rounds.monitor(), language=visitor.language)
    name = file_name("monitor.html", visitor.language)
    return Response(
        text,
        media_type="text/html; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@api.get("/monitor")
def show_numbers(
    user: LeadingCaller,
    rounds: OpenRounds,
    queries: Annotated[int, Query(ge=0, le=1000)] = 5,
) -> dict[str, object]:
    """For leads: the monthly numbers, as in `relyon monitor show --format json`."""
    return json_values(rounds.monitor().to_dict(queries=queries))
