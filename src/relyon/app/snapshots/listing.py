"""The tab of snapshots: their list, and taking one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import CheckedForm, Leader, OpenStore, Visitor, note_event
from relyon.app.bodies import takes_text
from relyon.app.long_work import in_background
from relyon.app.project.tabs import PATIENCE, render_tab
from relyon.app.rest import Id
from relyon.app.snapshots.wishes import (
    Wish,
    WishForm,
    allowed_engines,
    begin,
    describe,
    go_on,
)
from relyon.core.errors import InputError, ParameterError, RelyonError, UnknownNameError
from relyon.core.texts import Language, translate
from relyon.engines.asked import Variant
from relyon.engines.files.configuration import Configuration
from relyon.judging.job_reasons import read_reason
from relyon.judging.records import Project, User
from relyon.judging.snapshots.kept import (
    MOST_SNAPSHOTS,
    Snapshot,
    delete_snapshot,
    find_snapshot,
    list_snapshots,
)
from relyon.judging.snapshots.quality import Quality, cutoff, recent_quality
from relyon.judging.snapshots.queries import project_queries
from relyon.judging.snapshots.taking import SnapshotRun, last_snapshot_job
from relyon.judging.store import Store
from relyon.measures.display_names import convention_line

__all__ = ["name_rules", "router", "run_in_background"]

router = APIRouter(include_in_schema=False)
Chosen = Annotated[str, Query(max_length=200)]


def _show(
    request: Request,
    store: Store,
    visitor: Visitor,
    project: Project,
    *,
    wish: Wish,
    error: RelyonError | None = None,
) -> Response:
    """Returns the tab.

    Args:
        request: The request.
        store: The database.
        visitor: Who sees it.
        project: The project.
        wish: A form that was filled in, or the engine and variant chosen for one.
        error: What went wrong.
    """
    engines = allowed_engines(request)
    names = engines.names(project.id) if project.kind == "grades" else []
    chosen = None
    if names:
        try:
            chosen = engines.get(wish.engine if wish.engine in names else names[0], project.id)
        except ParameterError as unusable:
            error = error or unusable
    known = list_snapshots(store, project.id)
    job = last_snapshot_job(store, project.id)
    found = recent_quality(store, project, known, patience=PATIENCE)
    return render_tab(
        request,
        store,
        visitor,
        project,
        "snapshots",
        names=names,
        chosen=chosen,
        variant=None if chosen is None else _variant(chosen, wish),
        editable=chosen is not None and "parameters" in chosen.app.editable,
        wish=wish,
        queries=len(project_queries(store, project.id)),
        snapshots=known,
        quality=found,
        k=cutoff(project),
        rules=name_rules([*found.values()], visitor.language),
        most=MOST_SNAPSHOTS,
        run=job,
        taken=None if job is None else _of_job(job.source, known),
        reason="" if job is None else read_reason(job.message, visitor.language),
        describe=describe,
        problem="" if error is None else translate(error.message, visitor.language),
        hint="" if error is None else translate(error.hint, visitor.language),
        status=400 if error is not None else 200,
    )


def _variant(chosen: Configuration, wish: Wish) -> Variant:
    """Returns the variant whose values the form shows."""
    found = [one for one in chosen.variants if one.name == wish.variant]
    return found[0] if found else chosen.variants[0]


def _of_job(source: str, known: list[Snapshot]) -> Snapshot | None:
    """Returns the snapshot of a job, whose source begins with its number."""
    number = source.partition(" ")[0]
    return next((one for one in known if str(one.id) == number), None)


def name_rules(found: list[Quality], language: Language) -> str:
    """Returns the rules behind numbers, in one line; empty without numbers."""
    for one in found:
        if one.convention is not None:
            return convention_line(one.convention, [one.measure], language=language)
    return ""


@router.get("/projects/{project}/snapshots")
def show_snapshots(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    engine: Chosen = "",
    variant: Chosen = "",
) -> Response:
    """The snapshots of a project, and the form that takes one."""
    found = store.projects.get(project)
    return _show(request, store, visitor, found, wish=Wish(engine, variant))


@router.post("/projects/{project}/snapshots", dependencies=[CheckedForm])
@takes_text
def take(
    request: Request, store: OpenStore, visitor: Leader, project: Id, wish: WishForm
) -> Response:
    """Takes a snapshot, in the background."""
    found = store.projects.get(project)
    try:
        run = begin(store, found, wish, allowed_engines(request), by=visitor.account)
    except UnknownNameError:
        raise
    except (InputError, ParameterError) as error:
        return _show(request, store, visitor, found, wish=wish, error=error)
    run_in_background(request, visitor.account, found, run)
    return RedirectResponse(f"/projects/{project}/snapshots", 303)


def run_in_background(request: Request, user: User, project: Project, run: SnapshotRun) -> None:
    """Lets a job ask its engine in the background, and notes who started it."""
    shot = run.snapshot
    detail = f"{project.name}: {shot.name} ({shot.engine}, {shot.variant}, {shot.queries} queries)"
    note_event(request, user, "snapshot_taken", detail)
    in_background(run.run, f"taking snapshot {shot.id}")


@router.post("/projects/{project}/snapshots/{snapshot}/continue", dependencies=[CheckedForm])
def keep_on(
    request: Request, store: OpenStore, visitor: Leader, project: Id, snapshot: Id
) -> Response:
    """Goes on with a snapshot that was stopped or has failed."""
    found = store.projects.get(project)
    chosen = find_snapshot(store, project, snapshot)
    try:
        run = go_on(store, found, chosen, allowed_engines(request), by=visitor.account)
    except (InputError, ParameterError, UnknownNameError) as error:
        return _show(request, store, visitor, found, wish=Wish(), error=error)
    run_in_background(request, visitor.account, found, run)
    return RedirectResponse(f"/projects/{project}/snapshots", 303)


@router.post("/projects/{project}/snapshots/{snapshot}/delete", dependencies=[CheckedForm])
def delete(
    request: Request, store: OpenStore, visitor: Leader, project: Id, snapshot: Id
) -> Response:
    """Deletes a snapshot; its page asked before."""
    found = store.projects.get(project)
    chosen = find_snapshot(store, project, snapshot)
    try:
        delete_snapshot(store, chosen)
    except ParameterError as error:
        return _show(request, store, visitor, found, wish=Wish(), error=error)
    note_event(request, visitor, "snapshot_deleted", f"{found.name}: {chosen.name}")
    return RedirectResponse(f"/projects/{project}/snapshots", 303)
