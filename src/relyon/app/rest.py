"""The REST interface for the judging page and for programs with a token."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal
from weakref import WeakKeyDictionary

from fastapi import APIRouter, HTTPException, Path, Query, Request
from fastapi.responses import PlainTextResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from relyon.app.authentication import (
    COOKIE,
    Caller,
    LeadingCaller,
    OpenStore,
    enter_project,
    enter_to_grade,
    note_event,
    see_projects,
)
from relyon.app.bodies import takes_text
from relyon.app.downloads import LEFT_OUT, TABLES, send_text
from relyon.app.protection import csrf_token
from relyon.core.document.json import json_values
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.aggregation import Rule
from relyon.io.sheets import sheet_format, sheet_formats
from relyon.judging.actions import LONGEST, LONGEST_KEY, SLOWEST, Action, Again
from relyon.judging.assignment import Task, Unit
from relyon.judging.exchange import export_sheet
from relyon.judging.gold_turns import mask_item, split_item, unmask_item
from relyon.judging.keys import confirm_keys
from relyon.judging.members import project_of_item
from relyon.judging.needs import needs_of
from relyon.judging.places import see_preference
from relyon.judging.recent import recent_agreement, recent_progress, recent_queue, recent_work
from relyon.judging.records import ActionKind, Item, Project, Trait, User, item_parts
from relyon.judging.shown import choose_fields
from relyon.judging.store import Store

__all__ = ["Id", "check_format", "describe_project", "fitting_formats", "router"]

LARGEST_ID = 2**31 - 1
#: Judges see item numbers that do not reveal when an item was added.
LARGEST_NUMBER = 2**53 - 1
Id = Annotated[int, Path(ge=1, le=LARGEST_ID)]

ERRORS: dict[int | str, dict[str, object]] = {
    400: {"description": "The request cannot be done; the answer says why."},
    401: {"description": "Not signed in, and no token."},
    403: {"description": "The account may not do this."},
    404: {"description": "Not found."},
    409: {"description": "It already has an answer, which is kept."},
    413: {"description": "The request is too large."},
}
router = APIRouter(prefix="/api", responses=ERRORS, tags=["judging"])

#: The parts of an item that a judge sees, and those of each result of a ranking.
SHOWN = item_parts(Trait.SHOWN)
OF_RESULT = item_parts(Trait.SHOWN | Trait.RESULT | Trait.FILLED)


#: The parts of a project and of its progress that a judge sees.
TOLD = ("id", "name", "kind", "scale", "guideline")
OWN = ("done", "open", "later", "available", "seconds")


class SentAction(BaseModel):
    """One action of a judge, as sent by a page or a program."""

    model_config = ConfigDict(extra="forbid")

    kind: ActionKind
    key: str = Field(
        min_length=1,
        max_length=LONGEST_KEY,
        description="New for each action, the same when it is resent.",
    )
    item_id: int | None = Field(None, ge=1, le=LARGEST_NUMBER)
    project_id: int | None = Field(None, ge=1, le=LARGEST_ID, description="For `undo`.")
    grade: float | None = Field(None, allow_inf_nan=False, strict=True)
    reason: str = Field("", max_length=LONGEST)
    note: str = Field("", max_length=LONGEST)
    seconds: float | None = Field(None, ge=0, le=SLOWEST, allow_inf_nan=False, strict=True)
    undoes: str | None = Field(None, max_length=LONGEST_KEY, description="For `undo`: a key.")
    again: Again = Field(
        "refuse",
        description="What happens to a second answer to an item by the same judge: it is rejected"
        " (409), or replaces the first.",
    )


class Decision(BaseModel):
    """A lead's decision."""

    model_config = ConfigDict(extra="forbid")

    item_id: int = Field(ge=1, le=LARGEST_ID)
    grade: float = Field(allow_inf_nan=False, strict=True)
    key: str = Field(min_length=1, max_length=LONGEST_KEY)
    note: str = Field("", max_length=LONGEST)
    project_id: int | None = Field(
        None, ge=1, le=LARGEST_ID, description="Rejects an item of another project."
    )


class Adjudicated(BaseModel):
    """The outcome of a decision."""

    repeated: bool = Field(description="Whether the same request was stored before.")
    project_id: int = Field(description="The project that the item belongs to.")
    project: str = Field(description="The project's name.")


def describe_project(project: Project, user: User) -> dict[str, object]:
    """Returns a project as JSON. Judges get no more than they need to grade."""
    found: dict[str, object] = json_values(asdict(project))
    del found["random_key"]
    return {name: found[name] for name in TOLD} if user.role == "judge" else found


def fitting_formats(project: Project) -> list[str]:
    """Returns the formats that can represent a project's grades.

    Preferences between two rankings are not grades of documents: programs that read those would
    take a pair of systems for a document.
    """
    whole = ("csv", "jsonl")
    return [name for name in sheet_formats() if project.kind == "grades" or name in whole]


def check_format(project: Project, name: str) -> str:
    """Returns the name of a format that fits a project.

    Raises:
        UnknownNameError: If the format is unknown.
        InputError: If it cannot represent preferences between rankings.
    """
    name = sheet_format(name).name
    fitting = fitting_formats(project)
    if name not in fitting:
        raise InputError(
            message(
                "app.is-for-grades",
                name=name,
                project_name=project.name,
            ),
            hint=message("app.use-fitting", fitting=" or ".join(fitting)),
        )
    return name


def _number(user: User, project: Project, item: int) -> int:
    """Returns the number that a user sees for an item: to judges its own would reveal its age."""
    return mask_item(project, item) if user.role == "judge" else item


#: The mask of item numbers never changes, and project ids are never reused.
_masks: WeakKeyDictionary[Store, dict[int, Project]] = WeakKeyDictionary()


def _find_item(
    request: Request, user: User, number: int | None
) -> tuple[int | None, Project | None, User]:
    """Returns the item of a number that a user sees, its project, and the user in their role there.

    The project is None for a number that is not masked. The caller must check whether the item
    belongs to the project.

    Raises:
        HTTPException: 404 if the user does not see the project that masks the number.
        InputError: If the user sees no item of that number.
    """
    store: Store = request.app.state.store
    mask, item = (0, None) if number is None else split_item(number)
    if item is None:
        return None, None, user
    if not mask:
        return item, None, _enter_item(request, user, item)
    user = enter_to_grade(request, user, mask)
    known = _masks.setdefault(store, {})
    if mask not in known:
        known[mask] = store.projects.get(mask)
    return unmask_item(known[mask], item), known[mask], user


def _enter_item(request: Request, user: User, item: int) -> User:
    """Returns a user in their role in the project of an item.

    Raises:
        InputError: If there is no such item, or the user does not see its project.
    """
    project = project_of_item(request.app.state.store, item)
    try:
        return enter_project(request, user, project or 0)
    except HTTPException:
        raise InputError(message("judging.there-is-no-item-item-id", item_id=item)) from None


def _shown(item: Item) -> dict[str, object]:
    found = {name: json_values(getattr(item, name)) for name in SHOWN}
    return found | {"fields": json_values(choose_fields(item))}


def _task(user: User, project: Project, task: Task) -> dict[str, object]:
    found = _shown(task.item) | {"later": task.later}
    found["id"] = _number(user, project, task.item.id)
    if task.left or task.right:
        found["left"] = [_result(one) for one in task.left]
        found["right"] = [_result(one) for one in task.right]
    return found


def _result(item: Item) -> dict[str, object]:
    return {name: value for name, value in _shown(item).items() if name in OF_RESULT}


def _progress(store: Store, project: int, user: User) -> dict[str, object]:
    found: dict[str, object] = json_values(asdict(recent_progress(store, project, user)))
    del found["free"]
    if user.role == "judge":
        # The project's progress, which excludes gold, would reveal which items are gold.
        return {name: found[name] for name in OWN}
    return found


@router.get("/session")
def session(request: Request, user: Caller) -> dict[str, object]:
    """Returns who is signed in, and the token for the pages' requests."""
    secret = request.cookies.get(COOKIE, "")
    return {"id": user.id, "name": user.name, "role": user.role, "csrf": csrf_token(secret)}


@router.get("/projects")
def list_projects(request: Request, user: Caller) -> list[dict[str, object]]:
    """All projects that the caller sees; judges see only open ones."""
    return [describe_project(project, here) for project, here in see_projects(request, user)]


@router.get("/projects/{project}")
def show_project(store: OpenStore, user: Caller, project: Id) -> dict[str, object]:
    """One project, its scale and guideline; judges see only open ones."""
    found = store.projects.get(project)
    if user.role == "judge" and found.state != "open":
        raise HTTPException(404)
    return describe_project(found, user)


@router.get("/projects/{project}/progress")
def show_progress(store: OpenStore, user: Caller, project: Id) -> dict[str, object]:
    """The caller's progress; for leads also the project's."""
    return _progress(store, project, user)


@router.post("/projects/{project}/tasks")
def take(
    store: OpenStore,
    user: Caller,
    project: Id,
    count: Annotated[int, Query(ge=1, le=100)] = 10,
    by: Annotated[
        Unit, Query(description="Whether these are any results, or those of one query.")
    ] = "result",
) -> dict[str, object]:
    """Returns the next items to grade; called again, those that are not done yet."""
    found = store.projects.get(project)
    taken = store.grading.take(user, project, count=count, by=by)
    needs = needs_of(store, project, {one.item.query for one in taken})
    tasks = [_task(user, found, one) for one in taken]
    for task, one in zip(tasks, taken, strict=True):
        task["need"] = needs.get(one.item.query, "")
    return {"tasks": tasks, "progress": _progress(store, project, user)}


@router.post("/actions")
@takes_text
def act(request: Request, store: OpenStore, user: Caller, action: SentAction) -> dict[str, object]:
    """Stores a judge's action. Sending it again with the same key stores nothing twice."""
    item, project, user = _find_item(request, user, action.item_id)
    if action.kind == "undo" and action.project_id is not None:
        user = enter_project(request, user, action.project_id)
    sent = action.model_dump() | {"item_id": item}
    if action.kind != "undo":
        sent["project_id"] = None if project is None else project.id
    receipt = store.grading.record(user, Action(**sent))
    told = asdict(receipt)
    if user.role == "judge":
        if project is None or receipt.item_id != item:
            project = store.projects.of_item(receipt.item_id)
        told["item_id"] = _number(user, project, receipt.item_id)
        del told["counted"]
    return told


@router.post("/projects/{project}/keys", status_code=204)
def confirm(store: OpenStore, user: Caller, project: Id) -> None:
    """Confirms that the caller has read that the page's keys have changed."""
    confirm_keys(store, project, user)


@router.get("/projects/{project}/history")
def show_history(store: OpenStore, user: Caller, project: Id) -> list[dict[str, object]]:
    """The caller's history in a project; leads see everybody's."""
    found = store.projects.get(project)
    history = store.grades.history(found.id)
    if user.role == "judge":
        history = [
            {
                **one,
                "item_id": _number(user, found, one["item_id"]),
                "grade": see_preference(found, user, one["item_id"], one["grade"]),
            }
            for one in history
            if one["user_id"] == user.id
        ]
    return [json_values(one) for one in history]


@router.get("/projects/{project}/status")
def show_status(store: OpenStore, user: LeadingCaller, project: Id) -> dict[str, object]:
    """For leads: progress by judge, agreement and gold quality, as in `relyon judge status`."""
    return {**recent_work(store, project), **recent_agreement(store, project)}


@router.get("/projects/{project}/queue")
def show_queue(
    store: OpenStore,
    user: LeadingCaller,
    project: Id,
    limit: Annotated[int | None, Query(ge=1, le=100_000)] = None,
) -> list[dict[str, object]]:
    """For leads: disagreements to decide, the largest first, at most `limit`."""
    found = store.projects.get(project).id
    if limit is None:
        chosen = store.decisions.queue(found)
    else:
        chosen, _ = recent_queue(store, found, most=limit)
    return [json_values(asdict(one)) for one in chosen]


@router.post("/adjudications")
@takes_text
def adjudicate(request: Request, store: OpenStore, user: Caller, decision: Decision) -> Adjudicated:
    """For leads: decides an item's grade, once per key."""
    try:
        user = _enter_item(request, user, decision.item_id)
    except InputError:
        if user.role != "judge":
            raise
    if user.role == "judge":
        raise HTTPException(403)
    new = store.decisions.decide(
        decision.item_id,
        user,
        decision.grade,
        key=decision.key,
        note=decision.note,
        project_id=decision.project_id,
    )
    project = store.projects.of_item(decision.item_id)
    return Adjudicated(repeated=not new, project_id=project.id, project=project.name)


@router.get(
    "/projects/{project}/export",
    response_class=PlainTextResponse,
    responses={
        200: {
            "headers": {
                LEFT_OUT: {
                    "description": "What the format cannot represent, and in how many items it was"
                    " left out: `tier=3, note=1`. Empty if the file is complete.",
                    "schema": {"type": "string"},
                },
                TABLES: {
                    "description": "The tables that map ids in the file to texts, if it cannot"
                    " contain queries or documents as they are: `queries, documents`.",
                    "schema": {"type": "string"},
                },
            }
        }
    },
)
def export_text(
    request: Request,
    store: OpenStore,
    user: LeadingCaller,
    project: Id,
    format: str = "csv",
    rule: Rule = "median",
    table: Annotated[
        Literal["queries", "documents"] | None,
        Query(description="Returns one of the file's tables instead, as TSV."),
    ] = None,
) -> Response:
    """For leads: the project in another program's format."""
    found = store.projects.get(project)
    chosen = sheet_format(check_format(found, format))
    note_event(request, user, "exported", f"{found.name}: {format}")
    return send_text(export_sheet(store, found.id, rule=rule), chosen, table)
