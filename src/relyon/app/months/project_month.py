"""The month of a project: its sample with the project's grades, the gate, and storing it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import CheckedForm, Leader, LeadingAccount, OpenStore, Visitor
from relyon.app.bodies import takes_text
from relyon.app.months.acceptance import (
    SIDES,
    Reason,
    is_accepted,
    measure_coverage,
    note_stored,
)
from relyon.app.months.dashboard import OpenRounds
from relyon.app.months.rounds import RoundsFolder
from relyon.app.project.tabs import render_tab
from relyon.app.rest import Id
from relyon.data.aggregation import Rule
from relyon.judging.exchange import final_judgments
from relyon.judging.month_gate import check_month_gate
from relyon.judging.records import Project
from relyon.judging.samples import KeptSample, find_sample
from relyon.judging.store import Store
from relyon.online.monitoring import Round, create_round, write_round

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


def _make(store: Store, project: Project, kept: KeptSample, rule: Rule) -> Round:
    grades, grading = final_judgments(store, project.id, rule=rule)
    return create_round(kept.month, kept.sample, grades, grading=grading)


def _kept(store: Store, project: int) -> KeptSample:
    kept = find_sample(store, project)
    if kept is None:
        raise HTTPException(404)
    return kept


@router.get("/projects/{project}/month")
def show_month(
    request: Request, store: OpenStore, visitor: Leader, project: Id, rule: Rule = "median"
) -> Response:
    """What the month of a project would be, and what speaks against storing it."""
    return _show(request, store, visitor, project, rule)


def _show(
    request: Request,
    store: Store,
    visitor: Visitor,
    project: int,
    rule: Rule,
    *,
    refused: bool = False,
    reason: str = "",
) -> Response:
    found, kept = store.projects.get(project), _kept(store, project)
    rounds: RoundsFolder | None = request.app.state.rounds
    made = _make(store, found, kept, rule)
    return render_tab(
        request,
        store,
        visitor,
        found,
        "month",
        status=400 if refused else 200,
        kept=kept,
        gate=check_month_gate(store, found, made),
        coverage=measure_coverage(made),
        rule=rule,
        sides=SIDES,
        stored=rounds is not None and (rounds.folder / kept.month).exists(),
        storable=rounds is not None,
        refused=refused,
        reason=reason,
    )


@router.post("/projects/{project}/month", dependencies=[CheckedForm])
@takes_text
def store_month(
    request: Request,
    store: OpenStore,
    visitor: LeadingAccount,
    rounds: OpenRounds,
    project: Id,
    rule: Annotated[Rule, Form()] = "median",
    accept: Annotated[bool, Form()] = False,
    reason: Reason = "",
) -> Response:
    """Stores the month of a project, which never changes afterwards."""
    found, kept = store.projects.get(project), _kept(store, project)
    made = _make(store, found, kept, rule)
    gate = check_month_gate(store, found, made)
    if not is_accepted(gate, accept=accept, reason=reason):
        return _show(request, store, visitor, project, rule, refused=True, reason=reason)
    write_round(made, rounds.folder)
    note_stored(request, visitor, rounds, made.month, gate, reason)
    return RedirectResponse(f"/monitor?added={made.month}", 303)
