"""A month added to the rounds in the app: its sample from a file, its grades from a project."""

from __future__ import annotations

import os
from datetime import date
from tempfile import TemporaryDirectory
from typing import Annotated

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from relkit.app.dashboard import OpenRounds
from relkit.app.interface import LARGEST_ID
from relkit.app.pages import render
from relkit.app.visitor import CheckedForm, Leader, OpenStore, note_event
from relkit.errors import InputError, ParseError
from relkit.judging.aggregation import Rule
from relkit.judging.exchange import final_judgments
from relkit.monitoring import make_round, write_round
from relkit.sampling import Sample, read_sample
from relkit.sampling.tables import SUFFIXES

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/monitor/new")
def show_form(request: Request, store: OpenStore, visitor: Leader, rounds: OpenRounds) -> Response:
    """The form that adds a month."""
    return render(
        request,
        visitor,
        "new_round.html",
        month=f"{date.today():%Y-%m}",
        projects=[one for one in store.projects() if one.kind == "grades"],
    )


@router.post("/monitor/new", dependencies=[CheckedForm])
def add_round(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    rounds: OpenRounds,
    sample: Annotated[UploadFile, File()],
    month: Annotated[str, Form(max_length=20)],
    project: Annotated[int, Form(ge=1, le=LARGEST_ID)],
    rule: Annotated[Rule, Form()] = "median",
) -> Response:
    """Stores a month, which is never changed afterwards."""
    grades, grading = final_judgments(store, project, rule=rule)
    made = make_round(month, _uploaded(sample), grades, grading=grading)
    write_round(made, rounds.folder)
    note_event(request, visitor, "exported", f"{store.project(project).name}: {month}")
    return RedirectResponse("/monitor", 303)


def _uploaded(file: UploadFile) -> Sample:
    """Reads an uploaded sample; messages name it as its owner does."""
    name = os.path.basename(file.filename or "") or "sample"
    suffix = os.path.splitext(name)[1].lower()
    if suffix not in SUFFIXES:
        raise InputError(
            "is no sample", path=name, hint=f"its name should end in {', '.join(SUFFIXES)}"
        )
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, f"sample{suffix}")
        with open(path, "wb") as copy:
            while part := file.file.read(2**20):
                copy.write(part)
        try:
            return read_sample(path)
        except InputError as error:
            told = error.message.removeprefix(f"{error.path}: ")
            line = f":{error.line}" if isinstance(error, ParseError) else ""
            raise InputError(told, path=name + line, hint=error.hint) from None
