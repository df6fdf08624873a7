"""Disagreements, decided by leads."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import CheckedForm, Leader, OpenStore
from relyon.app.pages import render
from relyon.app.project.tabs import PATIENCE
from relyon.app.projects import list_levels
from relyon.app.rest import LARGEST_ID, Id
from relyon.judging.access import new_secret
from relyon.judging.keys import is_notice_due
from relyon.judging.recent import recent_queue

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
Text = Annotated[str, Form()]
#: An item, or 0 for none.
Number = Annotated[int, Query(ge=0, le=LARGEST_ID)]
#: Disagreements on one page.
SHOWN = 20


@router.get("/projects/{project}/queue")
def show_queue(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    at: Number = 0,
    decided: Number = 0,
    again: Number = 0,
) -> Response:
    """Disagreements, the largest first.

    Args:
        at: The item to continue with, if it exists.
        decided: The item that has just been decided.
        again: An item to decide again.
    """
    found = store.projects.get(project)
    shown, waiting = recent_queue(store, project, again=again, most=SHOWN, patience=PATIENCE)
    ids = [one.item.id for one in shown]
    grade = store.decisions.all(project).get(decided)
    return render(
        request,
        visitor,
        "queue.html",
        project=found,
        count=waiting,
        queue=[
            (one, new_secret(), following)
            for one, following in zip(shown, [*ids[1:], 0], strict=False)
        ],
        at=at if at in ids else next(iter(ids), 0),
        going_on=bool(at or decided or again),
        decided=next(iter(store.items.all(project, ids=[decided])), None),
        decision=grade,
        guideline=found.guideline_in(visitor.language),
        levels=list_levels(found, visitor.language),
        keys_changed=is_notice_due(store, found, visitor.account),
    )


@router.post("/projects/{project}/queue", dependencies=[CheckedForm])
def decide(
    store: OpenStore,
    visitor: Leader,
    project: Id,
    item: Annotated[int, Form(ge=1, le=LARGEST_ID)],
    grade: Text,
    key: Annotated[str, Form(min_length=1, max_length=200)],
    note: Annotated[str, Form(max_length=10_000)] = "",
    following: Annotated[int, Form()] = 0,
) -> Response:
    """Decides a disagreement. Sending the same form twice decides once."""
    store.decisions.decide(item, visitor.account, grade, key=key, note=note, project_id=project)
    return RedirectResponse(f"/projects/{project}/queue?at={following}&decided={item}", 303)
