"""Creates projects."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import CheckedForm, Leader, OpenStore, note_event
from relyon.app.bodies import takes_files
from relyon.app.project.guidelines import GuidelineForm
from relyon.data.scale import scales
from relyon.judging.records import Kind

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
Text = Annotated[str, Form()]


@router.post("/projects", dependencies=[CheckedForm])
@takes_files
def create_project(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    guideline: GuidelineForm,
    name: Text = "",
    kind: Annotated[Kind, Form()] = "grades",
    scale: Text = "search",
    overlap: Annotated[int, Form(ge=1, le=1000)] = 1,
    gold_share: Annotated[float, Form(ge=0, lt=1)] = 0.0,
) -> Response:
    """Creates a project."""
    if any(one.name == name.strip() for one in store.projects.all()):
        raise HTTPException(400, "project_taken")
    made = store.projects.create(
        name,
        kind=kind,
        # A scale can also be a file, but only on the command line.
        scale=scales.get(scale),
        overlap=overlap,
        gold_share=gold_share,
        guideline=guideline,
    )
    note_event(request, visitor, "project_made", made.name)
    return RedirectResponse(f"/projects/{made.id}", 303)
