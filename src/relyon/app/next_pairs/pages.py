"""The page on which a lead draws the next results to grade for two snapshots."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response

from relyon.analysis.next_pairs import BUDGET
from relyon.app.authentication import CheckedForm, Leader, OpenStore, Visitor, note_event
from relyon.app.project.tabs import render_tab
from relyon.app.rest import LARGEST_ID, Id
from relyon.app.snapshots.versus import chosen_pair
from relyon.core.errors import InputError, ParameterError, RelyonError
from relyon.core.texts import translate
from relyon.judging.next_pairs import NextOfSnapshots, Queued, Step
from relyon.judging.store import Store

__all__ = ["MOST", "router"]

router = APIRouter(include_in_schema=False)
Number = Annotated[int, Query(ge=1, le=LARGEST_ID)]
#: Results of one batch.
MOST = 1000


@router.get("/projects/{project}/snapshots/next")
def show_next(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    first: Number,
    second: Number,
) -> Response:
    """What was drawn for two snapshots, and what it says."""
    found = store.projects.get(project)
    chosen = NextOfSnapshots(store, found, *chosen_pair(store, project, first, second))
    return _show(request, store, visitor, chosen)


@router.post("/projects/{project}/snapshots/next", dependencies=[CheckedForm])
def draw_next(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    first: Annotated[int, Form(ge=1, le=LARGEST_ID)],
    second: Annotated[int, Form(ge=1, le=LARGEST_ID)],
    after: Annotated[int, Form(ge=0, le=LARGEST_ID)],
    budget: Annotated[int, Form(ge=1, le=MOST)] = BUDGET,
) -> Response:
    """Draws the next results, for the project's judges: once, if the form is sent twice."""
    found = store.projects.get(project)
    chosen = NextOfSnapshots(store, found, *chosen_pair(store, project, first, second))
    try:
        queued = chosen.draw(budget, by=visitor.account, after=after)
    except (InputError, ParameterError) as error:
        return _show(request, store, visitor, chosen, error=error)
    names = f"{chosen.first.name} → {chosen.second.name}"
    note_event(request, visitor, "imported", f"{found.name}: {names}")
    return _show(request, store, visitor, chosen, queued=queued)


def _show(
    request: Request,
    store: Store,
    visitor: Visitor,
    chosen: NextOfSnapshots,
    *,
    queued: Queued | None = None,
    error: RelyonError | None = None,
) -> Response:
    request.state.about = {"first": chosen.first.id, "second": chosen.second.id}
    steps: list[Step] = []
    try:
        steps = chosen.steps()
    except (InputError, ParameterError) as other:
        error = error or other
    last = steps[-1] if steps else None
    language = visitor.language
    return render_tab(
        request,
        store,
        visitor,
        chosen.project,
        "next",
        first=chosen.first,
        second=chosen.second,
        k=chosen.k,
        steps=steps,
        last=last,
        queued=queued,
        budget=BUDGET,
        most=MOST,
        notes=[] if last is None else [note.text(language) for note in last.estimate.notes],
        problem="" if error is None else translate(error.message, language),
        hint="" if error is None else translate(error.hint, language),
        status=400 if error is not None else 200,
    )
