"""Files of a snapshot: its run and its tape, with which the command line goes on."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from tempfile import TemporaryDirectory

from fastapi import APIRouter, Request
from fastapi.responses import Response

from relyon.app.authentication import Leader, OpenStore, note_event
from relyon.app.rest import Id
from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.engines.tapes.tape import write_tape
from relyon.io.spaced_ids import is_word
from relyon.io.tapes import tape_beside
from relyon.io.writers import write_run
from relyon.judging.snapshots.kept import (
    Snapshot,
    Stored,
    find_snapshot,
    read_answers,
    run_of,
    tape_of,
)
from relyon.judging.store import Store

__all__ = ["router", "send_run", "send_tape", "whole_snapshot"]

router = APIRouter(include_in_schema=False)


def whole_snapshot(store: Store, project: int, number: int) -> Snapshot:
    """Returns a snapshot that has all its answers.

    Raises:
        UnknownNameError: If the project has none with this id.
        ParameterError: If it is open.
    """
    found = find_snapshot(store, project, number)
    if not found.whole:
        raise ParameterError(
            message("judging.snapshot-has-gaps", name=found.name),
            hint=message("judging.finish-snapshot"),
        )
    return found


def send_run(store: Store, snapshot: Snapshot) -> Response:
    """Returns the run of a snapshot in the format of TREC, or as CSV if that cannot contain it."""
    answers = read_answers(store, snapshot)
    run, _ = run_of(snapshot, answers)
    return _send(_name(snapshot, answers), lambda path: write_run(run, path))


def send_tape(store: Store, snapshot: Snapshot) -> Response:
    """Returns the tape of a snapshot, as a file."""
    answers = read_answers(store, snapshot, documents=True)
    tape = tape_of(snapshot, answers)
    return _send(tape_beside(_name(snapshot, answers)), lambda path: write_tape(path, tape))


def _name(snapshot: Snapshot, answers: Sequence[Stored]) -> str:
    """Returns the name of a run's file, whose ending says its format."""
    ids = (id for one in answers for id in (one.query.id, *one.entry.ids))
    return f"snapshot-{snapshot.id}.{'run' if all(map(is_word, ids)) else 'csv'}"


def _send(name: str, write: Callable[[str], None]) -> Response:
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        write(path)
        with open(path, "rb") as file:
            content = file.read()
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


@router.get("/projects/{project}/snapshots/{snapshot}/run")
def download_run(
    request: Request, store: OpenStore, visitor: Leader, project: Id, snapshot: Id
) -> Response:
    """The run of a snapshot."""
    found = whole_snapshot(store, project, snapshot)
    note_event(request, visitor, "exported", f"{store.projects.get(project).name}: {found.name}")
    return send_run(store, found)


@router.get("/projects/{project}/snapshots/{snapshot}/tape")
def download_tape(
    request: Request, store: OpenStore, visitor: Leader, project: Id, snapshot: Id
) -> Response:
    """The tape of a snapshot."""
    found = whole_snapshot(store, project, snapshot)
    note_event(request, visitor, "exported", f"{store.projects.get(project).name}: {found.name}")
    return send_tape(store, found)
