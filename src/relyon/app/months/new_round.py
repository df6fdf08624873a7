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

from relyon.app.authentication import CheckedForm, Leader, OpenStore, note_event
from relyon.app.bodies import takes_files
from relyon.app.months.dashboard import OpenRounds
from relyon.app.pages import render
from relyon.app.rest import LARGEST_ID
from relyon.app.months.staging import discard_round, remove_round, stage_round, store_round
from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message
from relyon.data.aggregation import Rule
from relyon.data.period import check_month
from relyon.io.table_files import SUFFIXES
from relyon.judging.exchange import final_judgments
from relyon.online.monitoring import Round, create_round
from relyon.online.sampling import Sample, read_sample

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
Text = Annotated[str, Form(max_length=64)]


@router.get("/monitor/new")
def show_form(request: Request, store: OpenStore, visitor: Leader, rounds: OpenRounds) -> Response:
    """The form for adding a month."""
    return render(
        request,
        visitor,
        "new_round.html",
        month=f"{date.today():%Y-%m}",
        projects=[one for one in store.projects.all() if one.kind == "grades"],
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
    """A preview of a month before it is stored: the share of shown results that is judged."""
    grades, grading = final_judgments(store, project, rule=rule)
    limit = request.app.state.settings.largest_unpacked
    made = create_round(month, _uploaded(sample, limit), grades, grading=grading)
    token = stage_round(made, rounds.folder)
    return render(
        request,
        visitor,
        "round_preview.html",
        token=token,
        month=month,
        project=store.projects.get(project),
        rule=rule,
        coverage=measure_coverage(made),
    )


@router.post("/monitor/new/store", dependencies=[CheckedForm])
def add_round(request: Request, visitor: Leader, rounds: OpenRounds, token: Text = "") -> Response:
    """Stores a previewed month, which never changes afterwards."""
    month = store_round(rounds.folder, token)
    note_event(request, visitor, "month_stored", month)
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


def measure_coverage(made: Round) -> dict[str, object]:
    """Returns how much of a month's sample is judged, for the page.

    Args:
        made: The month.

    Returns:
        `pairs`, the number of query-document pairs in the sample, and how many are `judged`; and
        for `tiers` the tier, its sessions, how many of them show no judged result, and their shown
        and judged results.
    """
    import polars as pl

    pairs = made.sample.results.select("query", "doc").unique()
    known = {query: made.judgments[query] for query in made.judgments.queries}
    judged = sum(doc in known.get(query, {}) for query, doc in pairs.iter_rows())
    values = made.results.group_by("tier").agg(
        pl.len().alias("sessions"),
        pl.col("dcg").is_null().sum().alias("without"),
        pl.col("shown").sum(),
        pl.col("judged").sum(),
    )
    by_tier = {row["tier"]: row for row in values.iter_rows(named=True)}
    return {
        "pairs": pairs.height,
        "judged": judged,
        "tiers": [by_tier[tier] for tier in made.tiers if tier in by_tier],
    }


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
