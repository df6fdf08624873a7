"""Whole projects: their archive, deletion, and long-running jobs."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import asdict
from typing import IO, Annotated

from fastapi import APIRouter, File, Form, HTTPException, Request, UploadFile
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from relyon.app.authentication import (
    CheckedForm,
    Leader,
    LeadingCaller,
    OpenStore,
    Visitor,
    note_event,
)
from relyon.app.bodies import takes_files
from relyon.app.long_work import in_background, stream
from relyon.app.pages import render
from relyon.app.rest import Id
from relyon.judging.archive import pack_project
from relyon.judging.archive_import import Unpacked, prepare_unpacking
from relyon.judging.archive_parts import SUFFIX
from relyon.judging.archive_reader import Archive
from relyon.judging.corrections import correction_of_job
from relyon.judging.job_reasons import read_reason
from relyon.judging.jobs import Job, find_job, list_jobs, refuse_while_importing, stop_job
from relyon.judging.recent import recent_work
from relyon.judging.records import Project
from relyon.judging.removal import start_removal, tidy_up
from relyon.judging.store import Store

__all__ = ["api", "router", "send_archive", "unfinished_job"]

router = APIRouter(include_in_schema=False)
api = APIRouter(prefix="/api", tags=["judging"])
Text = Annotated[str, Form()]

#: Rows of an archive up to which it is unpacked at once.
AT_ONCE = 3000
#: Maximum size in bytes of an archive uploaded through the browser.
LARGEST_ARCHIVE = 2**30


def send_archive(store: Store, project: Project) -> Response:
    """Returns a project's archive, streamed while it is written."""
    with store.database.read() as connection:
        refuse_while_importing(connection, project.id)
    return StreamingResponse(
        stream(lambda file: pack_project(store, project.id, file)),
        media_type="application/zip",
        headers={
            "Content-Disposition": f'attachment; filename="project-{project.id}{SUFFIX}"',
        },
    )


def unfinished_job(store: Store, project: int) -> Job | None:
    """Returns the job in progress in a project, and cleans up after a program that died."""
    found = [job for job in list_jobs(store, project) if job.unfinished]
    if any(not job.alive for job in found):
        in_background(lambda: tidy_up(store), "tidying up")
    return next(iter(found), None)


@router.get("/projects/{project}/archive")
def download_archive(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """The project's archive."""
    note_event(request, visitor, "project_archived", store.projects.get(project).name)
    return send_archive(store, store.projects.get(project))


def _only_admin(visitor: Visitor) -> None:
    if visitor.account.role != "admin":
        raise HTTPException(403)


@router.get("/projects/{project}/delete")
def ask_to_delete(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """Asks for confirmation to delete a project, and offers its archive first."""
    _only_admin(visitor)
    return _ask_to_delete(request, store, visitor, store.projects.get(project))


def _ask_to_delete(
    request: Request, store: Store, visitor: Visitor, project: Project, *, wrong: str = ""
) -> Response:
    return render(
        request,
        visitor,
        "delete_project.html",
        status=400 if wrong else 200,
        project=project,
        found=recent_work(store, project.id),
        wrong=wrong,
    )


@router.post("/projects/{project}/delete", dependencies=[CheckedForm])
def delete_project(
    request: Request, store: OpenStore, visitor: Leader, project: Id, name: Text = ""
) -> Response:
    """Deletes a project if its name was typed."""
    _only_admin(visitor)
    found = store.projects.get(project)
    if name.strip() != found.name:
        return _ask_to_delete(request, store, visitor, found, wrong=name.strip() or " ")
    removal = start_removal(store, found, by=visitor.account)
    note_event(request, visitor, "project_deleted", found.name)
    in_background(removal.run, f"deleting project {project}")
    return RedirectResponse("/", 303)


@router.post("/archives", dependencies=[CheckedForm])
@takes_files
def import_archive(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    file: Annotated[UploadFile, File()],
    name: Text = "",
) -> Response:
    """Creates a project from an archive; a large one in the background."""
    kept: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  outlives the request
    try:
        shutil.copyfileobj(file.file, kept)
        archive = Archive(kept, path=file.filename or "archive", largest=LARGEST_ARCHIVE)
        if any(one.name == (name.strip() or archive.name) for one in store.projects.all()):
            raise HTTPException(400, "project_taken")
        unpacking = prepare_unpacking(store, archive, name=name.strip() or None, by=visitor.account)
    except BaseException:
        kept.close()
        raise
    note_event(request, visitor, "project_restored", name.strip() or archive.name)
    if archive.rows <= AT_ONCE:
        with kept:
            return _show_unpacked(request, visitor, unpacking.run())

    def run() -> None:
        with kept:
            unpacking.run()

    in_background(run, f"unpacking {archive.path}")
    return RedirectResponse(f"/jobs/{unpacking.work.job_id}", 303)


def _show_unpacked(request: Request, visitor: Visitor, made: Unpacked) -> Response:
    return render(request, visitor, "unpacked.html", made=made, project=made.project)


def _job(store: Store, number: int) -> Job:
    found = find_job(store, number)
    if found is None or found.kind == "remove":
        raise HTTPException(404)
    return found


@router.get("/jobs/{job}")
def show_job(request: Request, store: OpenStore, visitor: Leader, job: Id) -> Response:
    """The progress of an import."""
    found = _job(store, job)
    if found.kind == "correct":
        correction = correction_of_job(store, job)
        return RedirectResponse(f"/projects/{found.project_id}/corrections/{correction}", 303)
    if found.unfinished and not found.alive:
        in_background(lambda: tidy_up(store), "tidying up")
    if found.kind in ("model", "audit"):
        return RedirectResponse(f"/projects/{found.project_id}/models", 303)
    if found.kind == "search":
        return RedirectResponse(f"/projects/{found.project_id}/snapshots", 303)
    ready = found.kind == "import" or found.state == "done"
    project = store.projects.get(found.project_id) if ready else None
    return render(request, visitor, "job.html", job=found, project=project)


@router.post("/jobs/{job}/stop", dependencies=[CheckedForm])
def stop(store: OpenStore, visitor: Leader, job: Id) -> Response:
    """Stops an import and rolls it back."""
    stop_job(store, _job(store, job).id)
    return RedirectResponse(f"/jobs/{job}", 303)


@api.get("/jobs/{job}")
def describe_job(store: OpenStore, user: LeadingCaller, job: Id) -> dict[str, object]:
    """For leads: the progress of an import."""
    found = _job(store, job)
    return asdict(found) | {"message": read_reason(found.message, "en")}


@api.post("/jobs/{job}/stop")
def stop_import(store: OpenStore, user: LeadingCaller, job: Id) -> dict[str, bool]:
    """For leads: stops an import and rolls it back."""
    return {"stopping": stop_job(store, _job(store, job).id)}


@api.get("/projects/{project}/archive", response_class=StreamingResponse)
def archive_project(
    request: Request, store: OpenStore, user: LeadingCaller, project: Id
) -> Response:
    """For leads: the project's archive, from which `relyon judge import` restores the project."""
    note_event(request, user, "project_archived", store.projects.get(project).name)
    return send_archive(store, store.projects.get(project))


@api.post("/projects/{project}/close")
def close(request: Request, store: OpenStore, user: LeadingCaller, project: Id) -> dict[str, str]:
    """For leads: closes a project, which becomes read-only and hidden from judges."""
    found = store.projects.close(project)
    note_event(request, user, "project_changed", f"{found.name}: closed")
    return {"state": found.state}


@api.post("/projects/{project}/reopen")
def reopen(request: Request, store: OpenStore, user: LeadingCaller, project: Id) -> dict[str, str]:
    """For leads: reopens a project."""
    found = store.projects.reopen(project)
    note_event(request, user, "project_changed", f"{found.name}: opened")
    return {"state": found.state}
