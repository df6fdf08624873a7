"""Corrections in the browser: asked before, with the number; done, and taken back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field

from relyon.app.authentication import CheckedForm, Leader, OpenStore, Visitor, note_event
from relyon.app.long_work import in_background
from relyon.app.pages import render
from relyon.app.projects import list_levels
from relyon.app.rest import LARGEST_ID, Id
from relyon.app.results.asked import read_asked
from relyon.core.errors import InputError
from relyon.judging.access import new_secret
from relyon.judging.corrections import (
    BulkKind,
    Correcting,
    correct,
    find_correction,
    undo_correction,
)
from relyon.judging.jobs import find_job
from relyon.judging.records import Project
from relyon.judging.result_filter import ResultFilter
from relyon.judging.result_list import count_results
from relyon.judging.result_rows import follow
from relyon.judging.store import Store

__all__ = ["router", "start"]

router = APIRouter(include_in_schema=False)
#: Seconds in which the list is brought up to date before the results of a filter are counted.
PATIENCE = 20.0


class Wish(BaseModel):
    """What a lead wants to do with results, as a form sends it."""

    kind: BulkKind
    item: list[Annotated[int, Field(ge=1, le=LARGEST_ID)]] = []
    every: bool = False
    shown: str = Field("", max_length=6000)
    grade: str = Field("", max_length=50)
    reason: str = Field("", max_length=2000)
    request: str = Field(min_length=1, max_length=200)
    csrf: str = ""

    def chosen(self) -> list[int] | ResultFilter:
        """Returns the results, or the filter that lists them."""
        return read_asked(self.shown).chosen() if self.every else self.item


Wished = Annotated[Wish, Form()]


@router.post("/projects/{project}/results/ask", dependencies=[CheckedForm])
def ask(request: Request, store: OpenStore, visitor: Leader, project: Id, wish: Wished) -> Response:
    """Asks before many results are corrected, and says how many."""
    found = store.projects.get(project)
    chosen = wish.chosen()
    counted = None
    if isinstance(chosen, ResultFilter):
        follow(store, project, seconds=PATIENCE)
        counted = count_results(store, project, chosen)
    return render(
        request,
        visitor,
        "correct.html",
        project=found,
        wish=wish,
        count=len(set(wish.item)) if counted is None else counted.count,
        more=counted is not None and counted.more,
        asked=read_asked(wish.shown),
        levels=list_levels(found, visitor.language),
    )


@router.post("/projects/{project}/results/correct", dependencies=[CheckedForm])
def correct_results(
    request: Request, store: OpenStore, visitor: Leader, project: Id, wish: Wished
) -> Response:
    """Corrects results: a few at once, many in the background."""
    found = store.projects.get(project)
    begun = correct(
        store, project, visitor.account, wish.kind, wish.chosen(), request=wish.request,
        reason=wish.reason, grade=wish.grade or None,
    )  # fmt: skip
    return start(request, store, visitor, found, begun, wish.kind)


def start(
    request: Request, store: Store, visitor: Visitor, project: Project, begun: Correcting, kind: str
) -> Response:
    """Runs a correction, in the background if it is a job, and leads to its page."""
    detail = f"{project.name}: {kind}, {begun.id}"
    note_event(request, visitor, "results_corrected", detail)
    if begun.job_id is not None:
        in_background(begun.run, f"correcting results of project {project.id}")
    return RedirectResponse(f"/projects/{project.id}/corrections/{begun.id}", 303)


@router.get("/projects/{project}/corrections/{number}")
def show_correction(
    request: Request, store: OpenStore, visitor: Leader, project: Id, number: Id
) -> Response:
    """What a correction did, and a way to take it back."""
    found = store.projects.get(project)
    try:
        correction = find_correction(store, project, number)
    except InputError:
        raise HTTPException(404) from None
    return render(
        request,
        visitor,
        "correction.html",
        project=found,
        correction=correction,
        job=None if correction.job_id is None else find_job(store, correction.job_id),
        request_key=new_secret(),
    )


@router.post("/projects/{project}/corrections/{number}/undo", dependencies=[CheckedForm])
def undo(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    number: Id,
    key: Annotated[str, Form(min_length=1, max_length=200)],
) -> Response:
    """Takes a correction back."""
    found = store.projects.get(project)
    begun = undo_correction(store, project, visitor.account, number, request=key)
    return start(request, store, visitor, found, begun, "undo")
