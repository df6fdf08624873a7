"""How far a project is: its progress, by judge."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from relyon.app.authentication import Leader, OpenStore
from relyon.app.project.judges import view_judges
from relyon.app.project.tabs import PATIENCE, render_tab
from relyon.app.projects import list_levels
from relyon.app.rest import Id
from relyon.judging.keys import count_confirmed
from relyon.judging.llm.descriptions import describe_machines
from relyon.judging.recent import recent_work
from relyon.judging.samples import sampled_month

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/projects/{project}")
def show_progress(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """Progress, overall and by judge."""
    found = store.projects.get(project)
    return render_tab(
        request,
        store,
        visitor,
        found,
        "progress",
        found=recent_work(store, project, patience=PATIENCE),
        machines=describe_machines(store, project),
        keys=list_levels(found, visitor.language),
        confirmed=count_confirmed(store, project),
        month=sampled_month(store, project),
        judges=view_judges(store, found, "progress", visitor.language),
    )
