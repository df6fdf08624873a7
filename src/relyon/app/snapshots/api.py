"""Snapshots for programs of leads."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from relyon.app.authentication import LeadingCaller, OpenStore, note_event
from relyon.app.bodies import takes_text
from relyon.app.long_work import in_background
from relyon.app.rest import ERRORS, LARGEST_ID, Id
from relyon.app.snapshots.files import send_run, send_tape, whole_snapshot
from relyon.app.snapshots.listing import run_in_background
from relyon.app.snapshots.versus import chosen_pair
from relyon.app.snapshots.wishes import DEFAULT_K, MOST_K, Wish, allowed_engines, begin, go_on
from relyon.core.document.json import json_values
from relyon.judging.snapshots.comparing import QueryChange, compare_snapshots
from relyon.judging.snapshots.kept import (
    Snapshot,
    delete_snapshot,
    find_snapshot,
    list_snapshots,
    read_answers,
)
from relyon.judging.snapshots.quality import (
    Quality,
    cutoff,
    grades_of,
    judge_snapshot,
    recent_quality,
)
from relyon.judging.snapshots.unjudged import add_unjudged, count_unjudged

__all__ = ["router"]

router = APIRouter(prefix="/api", responses=ERRORS, tags=["snapshots"])
Number = Annotated[int, Query(ge=1, le=LARGEST_ID)]
SHOWN = (
    "id", "name", "engine", "kind", "variant", "parameters", "k", "queries", "answered", "state",
    "checksum", "failed", "empty", "retried", "created_at", "ended_at", "by",
)  # fmt: skip


class Wanted(BaseModel):
    """A snapshot to take."""

    model_config = ConfigDict(extra="forbid")

    engine: str = Field(max_length=200, description="The name of an engine of this server.")
    variant: str = Field("", max_length=200, description="By default its first.")
    k: int = Field(DEFAULT_K, ge=1, le=MOST_K, description="Results per query.")
    name: str = Field("", max_length=200)
    parameters: dict[str, str] = Field(
        {}, description="Values in place of those of the variant, as text."
    )
    queries: list[str] = Field([], description="Queries besides those of the project.")


class Unjudged(BaseModel):
    """The snapshots whose unjudged results are to be graded."""

    model_config = ConfigDict(extra="forbid")

    snapshots: list[Annotated[int, Field(ge=1, le=LARGEST_ID)]] = Field(min_length=1, max_length=2)


def _described(shot: Snapshot, quality: Quality | None = None) -> dict[str, object]:
    """Returns a snapshot as JSON; the quality of one that is not complete is null."""
    found: dict[str, object] = {name: json_values(getattr(shot, name)) for name in SHOWN}
    found["p50_ms"], found["p95_ms"] = shot.p50, shot.p95
    found["quality"] = None
    if quality is not None:
        found["quality"] = {
            "measure": quality.measure,
            "value": quality.ndcg,
            "interval": quality.interval,
            "queries": quality.queries,
            "judged": json_values(quality.judged),
        }
    return found


@router.get("/projects/{project}/snapshots")
def list_all(store: OpenStore, user: LeadingCaller, project: Id) -> list[dict[str, object]]:
    """For leads: the snapshots of a project, latest first."""
    found = list_snapshots(store, project)
    qualities = recent_quality(store, store.projects.get(project), found)
    return [_described(one, qualities.get(one.id)) for one in found]


@router.post("/projects/{project}/snapshots", status_code=202)
@takes_text
def take(
    request: Request, store: OpenStore, user: LeadingCaller, project: Id, wanted: Wanted
) -> dict[str, object]:
    """For leads: takes a snapshot, in the background."""
    found = store.projects.get(project)
    more = "\n".join(wanted.queries)
    wish = Wish(
        wanted.engine, wanted.variant, wanted.k, wanted.name.strip(), wanted.parameters, more
    )
    run = begin(store, found, wish, allowed_engines(request), by=user)
    run_in_background(request, user, found, run)
    return _described(run.snapshot) | {"job": run.work.job_id}


@router.get("/projects/{project}/snapshots/compare")
def compare(
    store: OpenStore, user: LeadingCaller, project: Id, first: Number, second: Number
) -> dict[str, object]:
    """For leads: two snapshots against each other, by the grades as they are now."""
    one, two = chosen_pair(store, project, first, second)
    found = compare_snapshots(store, store.projects.get(project), one, two)
    return {
        "k": found.k,
        "queries": found.shared,
        "moved": found.moved,
        "contrast": None if found.contrast is None else found.contrast.to_dict(),
        "judged": json_values(found.judged),
        "unjudged": None if found.finding is None else json_values(found.finding.evidence),
        "results": asdict(found.unjudged),
        "lost": [_change(change) for change in found.lost],
        "gained": [_change(change) for change in found.gained],
    }


def _change(change: QueryChange) -> dict[str, object]:
    return {
        "query": change.query,
        "text": change.text,
        "before": change.before,
        "after": change.after,
        "new": change.new,
    }


@router.post("/projects/{project}/snapshots/unjudged")
@takes_text
def grade(
    request: Request, store: OpenStore, user: LeadingCaller, project: Id, wanted: Unjudged
) -> dict[str, object]:
    """For leads: adds the results of snapshots that the project does not have, to be graded."""
    found = store.projects.get(project)
    chosen = [whole_snapshot(store, project, one) for one in dict.fromkeys(wanted.snapshots)]
    made = add_unjudged(store, found, chosen, by=user)
    note_event(request, user, "imported", f"{found.name}: {', '.join(one.name for one in chosen)}")
    if isinstance(made, tuple):
        return {"added": made.items, "job": None}
    in_background(made.run, f"adding results of snapshots to project {project}")
    return {"added": None, "job": made.work.job_id}


@router.get("/projects/{project}/snapshots/{snapshot}")
def show(store: OpenStore, user: LeadingCaller, project: Id, snapshot: Id) -> dict[str, object]:
    """For leads: one snapshot."""
    found, shot = store.projects.get(project), find_snapshot(store, project, snapshot)
    if not shot.whole:
        return _described(shot)
    answers = read_answers(store, shot)
    quality = judge_snapshot(found, shot, answers, grades_of(store, found))
    unjudged = count_unjudged(store, found, [answers], cutoff(found, shot))
    return _described(shot, quality) | {"results": asdict(unjudged)}


@router.post("/projects/{project}/snapshots/{snapshot}/continue", status_code=202)
def keep_on(
    request: Request, store: OpenStore, user: LeadingCaller, project: Id, snapshot: Id
) -> dict[str, object]:
    """For leads: goes on with a snapshot that was stopped or has failed."""
    found, shot = store.projects.get(project), find_snapshot(store, project, snapshot)
    run = go_on(store, found, shot, allowed_engines(request), by=user)
    run_in_background(request, user, found, run)
    return _described(run.snapshot) | {"job": run.work.job_id}


@router.post("/projects/{project}/snapshots/{snapshot}/delete")
def delete(
    request: Request, store: OpenStore, user: LeadingCaller, project: Id, snapshot: Id
) -> dict[str, bool]:
    """For leads: deletes a snapshot with its answers; grades of its results stay."""
    shot = find_snapshot(store, project, snapshot)
    delete_snapshot(store, shot)
    note_event(
        request, user, "snapshot_deleted", f"{store.projects.get(project).name}: {shot.name}"
    )
    return {"deleted": True}


@router.get("/projects/{project}/snapshots/{snapshot}/run", response_class=Response)
def download_run(store: OpenStore, user: LeadingCaller, project: Id, snapshot: Id) -> Response:
    """For leads: the run of a snapshot in the format of TREC, or CSV if ids have white space."""
    return send_run(store, whole_snapshot(store, project, snapshot))


@router.get("/projects/{project}/snapshots/{snapshot}/tape", response_class=Response)
def download_tape(store: OpenStore, user: LeadingCaller, project: Id, snapshot: Id) -> Response:
    """For leads: the tape of a snapshot."""
    return send_tape(store, whole_snapshot(store, project, snapshot))
