"""The page of one snapshot: what was asked, its numbers, and the queries that it does worst on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import Response

from relyon.app.authentication import Leader, OpenStore
from relyon.app.project.tabs import render_tab
from relyon.app.rest import Id
from relyon.app.snapshots.links import try_link
from relyon.app.snapshots.listing import name_rules
from relyon.app.snapshots.wishes import allowed_engines, describe
from relyon.core.texts import Language
from relyon.engines.remarks import remarks
from relyon.judging.records import Project
from relyon.judging.snapshots.kept import (
    Snapshot,
    Stored,
    find_snapshot,
    list_snapshots,
    read_answers,
    run_of,
)
from relyon.judging.snapshots.quality import Quality, cutoff, grades_of, judge_snapshot
from relyon.judging.snapshots.taking import running_snapshot
from relyon.judging.snapshots.unjudged import UnjudgedTop, count_unjudged
from relyon.judging.store import Store

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
#: Queries that the page lists.
WORST = 20


@dataclass(frozen=True)
class _Numbers:
    """What the page shows of a snapshot that is whole.

    Attributes:
        quality: By the grades as they are now.
        worst: The answers to the queries with the lowest values, and these.
        refused: Answers to queries that the engine refused.
        unjudged: How many of its first results are graded.
        notes: What was noticed about its answers.
        rules: The rules behind the numbers, in one line.
    """

    quality: Quality
    worst: Sequence[tuple[Stored, float]]
    refused: Sequence[Stored]
    unjudged: UnjudgedTop
    notes: Sequence[str]
    rules: str


def _numbers(store: Store, project: Project, shot: Snapshot, language: Language) -> _Numbers:
    answers = read_answers(store, shot)
    quality = judge_snapshot(project, shot, answers, grades_of(store, project))
    by_id = {one.query.id: one for one in answers}
    worst = sorted(quality.values.items(), key=lambda pair: pair[1])[:WORST]
    _, notes = run_of(shot, answers)
    return _Numbers(
        quality,
        [(by_id[query], value) for query, value in worst],
        [one for one in answers if one.entry.failed][:WORST],
        count_unjudged(store, project, [answers], cutoff(project, shot)),
        [one.text(language) for one in (*notes, *remarks([one.entry for one in answers], shot.k))],
        name_rules([quality], language),
    )


@router.get("/projects/{project}/snapshots/{snapshot}")
def show_snapshot(
    request: Request, store: OpenStore, visitor: Leader, project: Id, snapshot: Id
) -> Response:
    """One snapshot."""
    found = store.projects.get(project)
    shot = find_snapshot(store, project, snapshot)
    numbers = _numbers(store, found, shot, visitor.language) if shot.whole else None
    engines = allowed_engines(request)
    return render_tab(
        request,
        store,
        visitor,
        found,
        "snapshot",
        shot=shot,
        running=running_snapshot(store, project) == shot.id,
        offered=shot.engine in engines.names(project),
        link=lambda query: try_link(engines, project, query, [shot]),
        others=[one for one in list_snapshots(store, project) if one.whole and one != shot],
        describe=describe,
        numbers=numbers,
    )
