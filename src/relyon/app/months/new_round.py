"""Adds a month to the rounds in the app: its sample from a file, its grades from a project.

It is previewed before it is stored, and the last month can be removed again.
"""

from __future__ import annotations

import os
from datetime import date
from tempfile import TemporaryDirectory
from typing import Annotated

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import (
    CheckedForm,
    Leader,
    OpenStore,
    Visitor,
    enter_project,
    note_event,
)
from relyon.app.bodies import takes_files, takes_text
from relyon.app.months.acceptance import (
    SIDES,
    Reason,
    is_accepted,
    list_led,
    measure_coverage,
    note_stored,
)
from relyon.app.months.dashboard import OpenRounds
from relyon.app.months.staging import (
    discard_round,
    read_staged,
    remove_round,
    stage_round,
    store_round,
)
from relyon.app.pages import render
from relyon.app.rest import LARGEST_ID
from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.data.aggregation import Rule
from relyon.data.period import check_month
from relyon.io.table_files import SUFFIXES
from relyon.judging.exchange import final_judgments
from relyon.judging.month_gate import MonthGate, check_month_gate
from relyon.judging.records import Project
from relyon.online.monitoring import Round, create_round
from relyon.online.sampling import Sample, read_sample

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
Text = Annotated[str, Form(max_length=64)]


@router.get("/monitor/new")
def show_form(request: Request, visitor: Leader, rounds: OpenRounds) -> Response:
    """The form for adding a month."""
    return render(
        request,
        visitor,
        "new_round.html",
        month=f"{date.today():%Y-%m}",
        projects=list_led(request, visitor),
    )


@router.post("/monitor/new", dependencies=[CheckedForm])
@takes_files
def show_round(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    rounds: OpenRounds,
    sample: Annotated[UploadFile, File()],
    month: Annotated[str, Form(max_length=20)],
    project: Annotated[int, Form(ge=1, le=LARGEST_ID)],
    rule: Annotated[Rule, Form()] = "median",
) -> Response:
    """A preview of a month before it is stored, and what speaks against it."""
    enter_project(request, visitor.account, project, leads=True)
    grades, grading = final_judgments(store, project, rule=rule)
    limit = request.app.state.settings.largest_unpacked
    made = create_round(month, _uploaded(sample, limit), grades, grading=grading)
    token = stage_round(made, rounds.folder, project)
    found = store.projects.get(project)
    gate = check_month_gate(store, found, made)
    return _preview(request, visitor, made, found, gate, token=token)


def _preview(
    request: Request,
    visitor: Visitor,
    made: Round,
    project: Project,
    gate: MonthGate,
    *,
    token: str,
    reason: str | None = None,
) -> Response:
    """Returns the preview; with a reason if the month was not accepted."""
    return render(
        request,
        visitor,
        "round_preview.html",
        status=200 if reason is None else 400,
        token=token,
        month=made.month,
        project=project,
        rule=made.grading.partition(",")[0],
        coverage=measure_coverage(made),
        gate=gate,
        sides=SIDES,
        refused=reason is not None,
        reason=reason or "",
    )


@router.post("/monitor/new/store", dependencies=[CheckedForm])
@takes_text
def add_round(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    rounds: OpenRounds,
    token: Text = "",
    accept: Annotated[bool, Form()] = False,
    reason: Reason = "",
) -> Response:
    """Stores a previewed month, which never changes afterwards."""
    made, project = read_staged(rounds.folder, token)
    enter_project(request, visitor.account, project, leads=True)
    found = store.projects.get(project)
    gate = check_month_gate(store, found, made)
    if not is_accepted(gate, accept=accept, reason=reason):
        return _preview(request, visitor, made, found, gate, token=token, reason=reason)
    month = store_round(rounds.folder, token)
    note_stored(request, visitor, rounds, month, gate, reason)
    return RedirectResponse(f"/monitor?added={month}", 303)


@router.post("/monitor/new/cancel", dependencies=[CheckedForm])
def cancel_round(visitor: Leader, rounds: OpenRounds, token: Text = "") -> Response:
    """Discards a previewed month."""
    discard_round(rounds.folder, token)
    return RedirectResponse("/monitor/new", 303)


@router.post("/monitor/remove", dependencies=[CheckedForm])
def take_out_round(
    request: Request, visitor: Leader, rounds: OpenRounds, month: Text = ""
) -> Response:
    """Moves the last added month out of the monitor; nothing is deleted."""
    place = remove_round(rounds.folder, check_month(month))
    note_event(request, visitor, "month_removed", month)
    return render(request, visitor, "round_removed.html", month=month, place=str(place))


def _uploaded(file: UploadFile, limit: int) -> Sample:
    """Reads an uploaded sample of bounded size; messages use its original name."""
    name = os.path.basename(file.filename or "") or "sample"
    suffix = os.path.splitext(name)[1].lower()
    if suffix not in SUFFIXES:
        raise InputError(
            message("app.is-not-sample"),
            path=name,
            hint=message("app.name-should-end", suffixes=list(SUFFIXES)),
        )
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, f"sample{suffix}")
        with open(path, "wb") as copy:
            while part := file.file.read(2**20):
                copy.write(part)
        try:
            return read_sample(path, limit=limit)
        except InputError as error:
            told = error.message.removeprefix(f"{error.path}: ")
            line = f":{error.line}" if isinstance(error, ParseError) else ""
            raise InputError(told, path=name + line, hint=error.hint) from None
