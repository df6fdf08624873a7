"""A judge's own grades in a project: found again, and changed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import BaseModel, Field

from relyon.app.authentication import CheckedForm, OpenStore, Person
from relyon.app.pages import render
from relyon.app.projects import list_levels
from relyon.app.rest import LARGEST_ID, LARGEST_NUMBER, Id
from relyon.app.results.asked import Grade
from relyon.judging.access import new_secret
from relyon.judging.actions import Action
from relyon.judging.gold_turns import split_item, unmask_item
from relyon.judging.keys import is_notice_due
from relyon.judging.own_results import OwnFilter, list_own
from relyon.judging.records import Project
from relyon.judging.store import Store

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


class Searched(BaseModel):
    """What a judge looks for among the own grades."""

    text: str = Field("", max_length=500)
    grade: Grade = None
    cannot: bool = False
    before: int = Field(0, ge=0, le=LARGEST_ID)
    at: int = Field(0, ge=0, le=LARGEST_NUMBER)


class Change(BaseModel):
    """How a judge changes an answer."""

    csrf: str = ""
    number: int = Field(ge=1, le=LARGEST_NUMBER)
    grade: str = Field("", max_length=50)
    undoes: str = Field("", max_length=200)
    note: str = Field("", max_length=5000)
    key: str = Field(min_length=1, max_length=200)
    shown: str = Field("", max_length=2000, pattern=r"^[\w%+.=&-]*$")


def _open(store: Store, project: int) -> Project:
    found = store.projects.get(project)
    if found.state != "open":
        raise HTTPException(409, "project_closed")
    return found


@router.get("/projects/{project}/mine")
def show_mine(
    request: Request,
    store: OpenStore,
    visitor: Person,
    project: Id,
    searched: Annotated[Searched, Query()],
) -> Response:
    """The judge's own grades, the newest first."""
    found = _open(store, project)
    chosen = OwnFilter(searched.text, searched.grade, searched.cannot)
    page = list_own(store, found, visitor.account, chosen, before=searched.before)
    return render(
        request,
        visitor,
        "mine.html",
        project=found,
        searched=searched,
        page=page,
        rows=[(one, new_secret()) for one in page.answers],
        levels=list_levels(found, visitor.language),
        keys_changed=is_notice_due(store, found, visitor.account),
        filtered=bool(searched.text or searched.grade is not None or searched.cannot),
    )


@router.post("/projects/{project}/mine", dependencies=[CheckedForm])
def change_mine(
    store: OpenStore, visitor: Person, project: Id, change: Annotated[Change, Form()]
) -> Response:
    """Replaces a grade, or takes it back so that the result comes again."""
    found = _open(store, project)
    masked, rest = split_item(change.number)
    if masked != found.id:
        raise HTTPException(404)
    item = unmask_item(found, rest)
    if change.undoes:
        action = Action("undo", change.key, project_id=found.id, undoes=change.undoes)
    else:
        action = Action(
            "grade", change.key, item_id=item, project_id=found.id, grade=change.grade,
            note=change.note, again="replace",
        )  # fmt: skip
    store.grading.record(visitor.account, action)
    return RedirectResponse(f"/projects/{project}/mine?{change.shown}&at={change.number}", 303)
