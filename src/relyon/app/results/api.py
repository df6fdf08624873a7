"""Results and corrections for programs of leads."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field

from relyon.app.authentication import LeadingCaller, OpenStore, note_event
from relyon.app.bodies import takes_text
from relyon.app.long_work import in_background
from relyon.app.rest import ERRORS, LARGEST_ID, Id
from relyon.app.results.asked import Asked, AskedFor
from relyon.app.results.listing import follow_up
from relyon.core.document.json import json_values
from relyon.core.errors import InputError
from relyon.judging.actions import LONGEST, LONGEST_KEY
from relyon.judging.corrections import (
    BulkKind,
    Correcting,
    Correction,
    correct,
    find_correction,
    undo_correction,
)
from relyon.judging.records import User
from relyon.judging.result_details import ResultDetails, find_result, read_details, read_history
from relyon.judging.result_list import list_results
from relyon.judging.store import Store

__all__ = ["router"]

router = APIRouter(prefix="/api", responses=ERRORS, tags=["results"])


class Wanted(BaseModel):
    """A correction, as a program sends it."""

    model_config = ConfigDict(extra="forbid")

    kind: BulkKind
    items: list[Annotated[int, Field(ge=1, le=LARGEST_ID)]] | None = Field(
        None, max_length=10_000, description="The results; or give `filter`."
    )
    filter: Asked | None = Field(None, description="All results that it lists; or give `items`.")
    grade: float | None = Field(None, allow_inf_nan=False, strict=True)
    reason: str = Field(min_length=1, max_length=LONGEST)
    key: str = Field(
        min_length=1,
        max_length=LONGEST_KEY,
        description="New for each correction, the same when it is resent.",
    )


class Again(BaseModel):
    """A request to take a correction back."""

    model_config = ConfigDict(extra="forbid")

    key: str = Field(min_length=1, max_length=LONGEST_KEY)
    reason: str = Field("", max_length=LONGEST)


@router.get("/projects/{project}/results")
def find_results(
    store: OpenStore,
    user: LeadingCaller,
    project: Id,
    asked: AskedFor,
) -> dict[str, object]:
    """For leads: results with their grades, filtered and sorted, fifty at a time.

    `next` is the `after` of the next page, empty after the last one. `looked` says how many results
    were looked through for a page that has fewer; `count` is on the first page; `complete` says
    whether the list is up to date.
    """
    share = follow_up(store, store.projects.get(project).id)
    chosen = asked.chosen()
    page = list_results(store, project, chosen, order=asked.order, after=asked.after)
    details = read_details(store, project, [one.id for one in page.results])
    return {
        "results": [
            {**asdict(one), **_describe(details[one.id])}
            for one in page.results
            if one.id in details
        ],
        "next": page.following,
        "looked": page.looked,
        "count": None if page.counted is None else asdict(page.counted),
        "complete": share == 1,
    }


def _describe(details: ResultDetails | Correction) -> dict[str, object]:
    found: dict[str, object] = json_values(asdict(details))
    return found


@router.get("/projects/{project}/results/{item}")
def show_result(store: OpenStore, user: LeadingCaller, project: Id, item: Id) -> dict[str, object]:
    """For leads: one result with all grades and its history."""
    store.projects.get(project)
    try:
        found = find_result(store, project, item)
    except InputError:
        raise HTTPException(404) from None
    history = [json_values(asdict(one)) for one in read_history(store, project, item)]
    return {**_describe(found), "history": history}


@router.post("/projects/{project}/corrections")
@takes_text
def correct_results(
    request: Request, store: OpenStore, user: LeadingCaller, project: Id, wanted: Wanted
) -> dict[str, object]:
    """For leads: decides, re-opens, removes or restores results, once for each key.

    Many results are corrected in the background: `state` says how far it is.
    """
    if (wanted.items is None) == (wanted.filter is None):
        raise HTTPException(422)
    chosen = wanted.items if wanted.filter is None else wanted.filter.chosen()
    begun = correct(
        store, project, user, wanted.kind, chosen or [], request=wanted.key, reason=wanted.reason,
        grade=wanted.grade,
    )  # fmt: skip
    return _begin(request, store, user, project, begun)


def _begin(
    request: Request, store: Store, user: User, project: int, begun: Correcting
) -> dict[str, object]:
    found = find_correction(store, project, begun.id)
    name = store.projects.get(project).name
    note_event(request, user, "results_corrected", f"{name}: {found.kind}, {found.id}")
    if begun.job_id is not None:
        in_background(begun.run, f"correcting results of project {project}")
    return _describe(found)


@router.get("/projects/{project}/corrections/{number}")
def show_correction(
    store: OpenStore, user: LeadingCaller, project: Id, number: Id
) -> dict[str, object]:
    """For leads: what a correction did."""
    try:
        return _describe(find_correction(store, project, number))
    except InputError:
        raise HTTPException(404) from None


@router.post("/projects/{project}/corrections/{number}/undo")
@takes_text
def undo(
    request: Request, store: OpenStore, user: LeadingCaller, project: Id, number: Id, again: Again
) -> dict[str, object]:
    """For leads: takes a correction back, except where something else followed."""
    begun = undo_correction(store, project, user, number, request=again.key, reason=again.reason)
    return _begin(request, store, user, project, begun)
