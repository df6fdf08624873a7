"""What there is to judge, and how far it is."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from relkit.judging.app.pages import render
from relkit.judging.app.visitor import OpenStore, Person
from relkit.judging.assignment import measure_progress

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/")
def show_projects(request: Request, store: OpenStore, visitor: Person) -> Response:
    """All projects with one's own progress."""
    found = [
        (project, measure_progress(store, project.id, visitor.account))
        for project in store.projects()
    ]
    return render(request, visitor, "projects.html", projects=found)
