"""What there is to judge, how far it is, and the page on which it is judged."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from relkit.app.catalogue import say, sentence_case, texts
from relkit.app.interface import Id
from relkit.app.pages import render
from relkit.app.visitor import OpenStore, Person
from relkit.judging.progress import measure_progress
from relkit.judging.records import REASONS, Project
from relkit.language import Language
from relkit.scale import scales

__all__ = ["guideline", "router"]

router = APIRouter(include_in_schema=False)


@router.get("/")
def show_projects(request: Request, store: OpenStore, visitor: Person) -> Response:
    """All projects with one's own progress."""
    found = [
        (project, measure_progress(store, project.id, visitor.account))
        for project in store.projects("open")
    ]
    closed = [one for one in store.projects() if one.state == "closed"] if visitor.leads else []
    return render(
        request,
        visitor,
        "projects.html",
        projects=found,
        closed=closed,
        scales=_scales(visitor.language),
    )


def _scales(language: Language) -> dict[str, str]:
    """The scales a project can have, and their levels in words."""
    found = {}
    for name in scales:
        one = scales.get(name)
        levels = [sentence_case(one.label(level.grade, language)) for level in one.levels]
        found[name] = " / ".join(levels) or say(language, "lead.any_number")
    return found


def guideline(project: Project, language: Language) -> str:
    """Returns the guideline in a language, or in the other one where there is none."""
    both = (project.guideline_en, project.guideline_zh)
    return (both[1] or both[0]) if language == "zh" else (both[0] or both[1])


def _levels(project: Project, language: Language) -> list[dict[str, Any]]:
    if project.kind == "side_by_side":
        names = ("left_much", "left", "equal", "right", "right_much")
        return [
            {"grade": grade, "name": say(language, f"judge.{name}")}
            for grade, name in zip((-2, -1, 0, 1, 2), names, strict=True)
        ]
    return [
        {"grade": level.grade, "name": sentence_case(project.scale.label(level.grade, language))}
        for level in project.scale.levels
    ]


@router.get("/projects/{project}/judge")
def show_judging(request: Request, store: OpenStore, visitor: Person, project: Id) -> Response:
    """The page on which grades are given; what is graded comes from the REST interface."""
    found = store.project(project)
    if found.state != "open":
        raise HTTPException(409, "project_closed")
    levels = _levels(found, visitor.language)
    # There are nine keys; with more levels the grade is typed.
    if len(levels) > 9:
        levels = []
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
        levels=levels,
        guideline=guideline(found, visitor.language),
        messages=messages,
        reasons=REASONS,
    )
