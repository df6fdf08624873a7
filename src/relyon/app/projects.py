"""The list of projects, their progress, and the judging page."""

from __future__ import annotations

from typing import TypedDict

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from relyon.app.authentication import OpenStore, Person, see_projects
from relyon.app.catalogue import say, sentence_case, texts
from relyon.app.pages import render
from relyon.app.rest import Id
from relyon.core.language import Language
from relyon.data.scale import scales
from relyon.judging.figures import NotReadyError
from relyon.judging.keys import choose_keys, is_notice_due
from relyon.judging.progress import Progress
from relyon.judging.recent import recent_progress
from relyon.judging.records import REASONS, Project, User
from relyon.judging.store import Store

__all__ = ["list_levels", "list_scales", "router"]

router = APIRouter(include_in_schema=False)


@router.get("/")
def show_projects(request: Request, store: OpenStore, visitor: Person) -> Response:
    """All projects with the user's progress."""
    seen = see_projects(request, visitor.account)
    found = [
        (project, user.role != "judge", _progress(store, project.id, user))
        for project, user in seen
        if project.state == "open"
    ]
    closed = [project for project, _ in seen if project.state == "closed"]
    return render(
        request,
        visitor,
        "projects.html",
        projects=found,
        closed=closed,
        scales=list_scales(visitor.language),
    )


def _progress(store: Store, project: int, user: User) -> Progress | None:
    """Returns a project's progress; None while a large one is counted for the first time."""
    try:
        return recent_progress(store, project, user, patience=0.2)
    except NotReadyError:
        return None


def list_scales(language: Language) -> dict[str, str]:
    """Returns the scales a project can have, and their levels in words."""
    found = {}
    for name in scales:
        one = scales.get(name)
        levels = [sentence_case(one.label(level.grade, language)) for level in one.levels]
        found[name] = " / ".join(levels) or say(language, "lead.any_number")
    return found


class LevelKey(TypedDict):
    """A grade on a page: its number, key and name, and the number as text if neither shows it."""

    grade: float
    key: str
    name: str
    worth: str


def list_levels(project: Project, language: Language) -> list[LevelKey]:
    """Returns the grades of a project with their keys and names.

    `worth` is the grade as a number, if neither the key nor the name shows it.

    Args:
        project: The project, with its scale.
        language: `en` or `zh`.

    Returns:
        `grade`, `key`, `name` and `worth` of each, in the order of the scale. Empty if grades are
        typed, because the scale has no levels or more levels than keys.
    """
    keys = choose_keys(project)
    if project.kind == "side_by_side":
        names = ("left_much", "left", "equal", "right", "right_much")
        return [
            {"grade": grade, "key": key, "name": say(language, f"judge.{name}"), "worth": ""}
            for (grade, key), name in zip(keys.items(), names, strict=True)
        ]
    found: list[LevelKey] = []
    for grade, key in keys.items():
        name, number = sentence_case(project.scale.label(grade, language)), f"{grade:g}"
        worth = "" if number in (key, name) else number
        found.append({"grade": grade, "key": key, "name": name, "worth": worth})
    return found


@router.get("/projects/{project}/judge")
def show_judging(request: Request, store: OpenStore, visitor: Person, project: Id) -> Response:
    """The judging page; its items come from the REST interface."""
    found = store.projects.get(project)
    if found.state != "open":
        raise HTTPException(409, "project_closed")
    messages = {
        key.removeprefix("judge."): text
        for key, text in texts(visitor.language).items()
        if key.startswith("judge.")
    }
    return render(
        request,
        visitor,
        "judge.html",
        project=found,
        levels=list_levels(found, visitor.language),
        keys_changed=is_notice_due(store, found, visitor.account),
        guideline=found.guideline_in(visitor.language),
        messages=messages,
        reasons=REASONS,
    )
