"""Settings of a project: its name, guideline and gold; closing and reopening it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import CheckedForm, Leader, OpenStore, note_event
from relyon.app.bodies import takes_files
from relyon.app.project.guidelines import WRITTEN_IN, GuidelineForm
from relyon.app.project.tabs import render_tab
from relyon.app.rest import Id
from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
Text = Annotated[str, Form()]


async def _find_target(request: Request) -> str | None:
    """Returns the target in a form: an empty one removes it, which forms make a missing one."""
    found = (await request.form()).get("target")
    return found if isinstance(found, str) else None


SentTarget = Annotated[str | None, Depends(_find_target)]


@router.get("/projects/{project}/settings")
def show_settings(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """The guideline, the name, the share of gold items, and the state."""
    found = store.projects.get(project)
    return render_tab(
        request,
        store,
        visitor,
        found,
        "settings",
        languages=WRITTEN_IN,
        shares=sorted({0.0, 0.05, 0.1, 0.2, found.gold_share}),
    )


@router.post("/projects/{project}/guideline", dependencies=[CheckedForm])
@takes_files
def change_guideline(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    guideline: GuidelineForm,
) -> Response:
    """Changes the guideline."""
    found = store.projects.get(project)
    store.projects.set_guideline(found.id, guideline)
    note_event(request, visitor, "project_changed", f"{found.name}: guideline")
    return RedirectResponse(f"/projects/{project}/settings", 303)


@router.post("/projects/{project}/settings", dependencies=[CheckedForm])
def change_project(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    name: Text = "",
    gold_share: Annotated[float | None, Form(ge=0, lt=1)] = None,
    target: SentTarget = None,
) -> Response:
    """Renames a project, and changes its share of gold items and its target of agreement."""
    found = store.projects.get(project)
    if name.strip() != found.name:
        if any(one.name == name.strip() for one in store.projects.all()):
            raise HTTPException(400, "project_taken")
        store.projects.rename(found.id, name)
        note_event(request, visitor, "project_changed", f"{found.name}: {name.strip()}")
    if gold_share is not None and gold_share != found.gold_share:
        store.projects.set_gold_share(found.id, gold_share)
        note_event(request, visitor, "project_changed", f"{found.name}: gold {gold_share:.0%}")
    wanted = found.target_agreement if target is None else _read_target(target)
    if wanted != found.target_agreement:
        store.projects.set_target_agreement(found.id, wanted)
        note_event(request, visitor, "project_changed", f"{found.name}: α {wanted}")
    return RedirectResponse(f"/projects/{project}/settings", 303)


def _read_target(text: str) -> float | None:
    """Returns a target from a form; None for an empty one.

    Raises:
        ParameterError: If it is not a number.
    """
    if not text.strip():
        return None
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise ParameterError(
            message("judging.parameter-target-agreement", target=text[:20])
        ) from None


@router.post("/projects/{project}/close", dependencies=[CheckedForm])
def close_project(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """Closes a project."""
    note_event(request, visitor, "project_changed", f"{store.projects.close(project).name}: closed")
    return RedirectResponse(f"/projects/{project}/settings", 303)


@router.post("/projects/{project}/reopen", dependencies=[CheckedForm])
def reopen_project(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """Reopens a project."""
    note_event(
        request, visitor, "project_changed", f"{store.projects.reopen(project).name}: opened"
    )
    return RedirectResponse(f"/projects/{project}/settings", 303)
