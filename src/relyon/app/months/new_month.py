"""A new month in the app: a log, its checks, its plan, its project."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, HTTPException, Path, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import (
    CheckedForm,
    Leader,
    OpenStore,
    Visitor,
    note_event,
)
from relyon.app.bodies import takes_files
from relyon.app.catalogue import say, texts
from relyon.app.months.acceptance import list_led
from relyon.app.months.checked_logs import (
    ROLES,
    check_log,
    repair_log,
    titles_of,
    unpack_log,
)
from relyon.app.months.drafts import Draft, Drafts, Stage
from relyon.app.months.log_folder import find_log, list_logs
from relyon.app.months.plans import LARGEST_SEED, PlanForm, draw_plan, first_form
from relyon.app.months.rounds import RoundsFolder
from relyon.app.pages import render
from relyon.app.projects import list_scales
from relyon.app.rest import LARGEST_ID
from relyon.core.errors import InputError, ParameterError, RelyonError
from relyon.core.texts import Language, message, translate
from relyon.data.period import check_month
from relyon.data.scale import scales
from relyon.io.session_readers import read_log_columns
from relyon.judging.month_projects import MonthProject, create_month_project
from relyon.judging.records import Project
from relyon.judging.samples import list_sampled
from relyon.judging.store import Store
from relyon.online.logs import Finding
from relyon.online.monitoring import Round, read_round
from relyon.online.monitoring.archive import find_rounds

__all__ = ["router"]

router = APIRouter(include_in_schema=False, prefix="/monitor/months")
Token = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]
Text = Annotated[str, Form(max_length=300)]
Size = Annotated[int, Form(ge=1, le=100_000)]
Depth = Annotated[int, Form(ge=1, le=1000)]
#: A project, or 0 for none.
Chosen = Annotated[int, Form(ge=0, le=LARGEST_ID)]
#: Steps during which a page shows progress.
STEPS: tuple[Stage, ...] = ("reading", "cleaning", "drawing", "creating")
#: Columns of a log that a form offers.
MOST_COLUMNS = 200
#: Days that an earlier grade may be old; 0 is any.
AGES = (0, 90, 180, 365)


def _drafts(request: Request) -> Drafts:
    found: Drafts = request.app.state.drafts
    return found


def _draft(request: Request, visitor: Visitor, token: str) -> Draft:
    found = _drafts(request).find(token, visitor.account.id)
    if found is None:
        raise HTTPException(404, "draft_gone")
    return found


def _last_month(request: Request) -> Round | None:
    """Returns the last stored month; None without one that can be read."""
    rounds: RoundsFolder | None = request.app.state.rounds
    found = [] if rounds is None else find_rounds(rounds.folder)
    try:
        return read_round(found[-1]) if found else None
    except RelyonError:
        return None


def _project(request: Request, visitor: Visitor, number: int) -> Project | None:
    """Returns a chosen project that the visitor leads; None for 0.

    Raises:
        HTTPException: 404 if it is another one.
    """
    if not number:
        return None
    found = next((one for one in list_led(request, visitor) if one.id == number), None)
    if found is None:
        raise HTTPException(404)
    return found


def _before(request: Request, visitor: Visitor, store: Store, month: str) -> int:
    """Returns the project of the month before, among those with a sample; 0 without one."""
    led = {one.id for one in list_led(request, visitor)}
    earlier = [
        (sampled, project)
        for project, sampled in list_sampled(store).items()
        if project in led and sampled < month
    ]
    return max(earlier)[1] if earlier else 0


@router.get("/new")
def show_form(request: Request, visitor: Leader) -> Response:
    """The form for a new month's log."""
    return render(
        request,
        visitor,
        "month_log.html",
        month=f"{date.today():%Y-%m}",
        logs=list_logs(request.app.state.settings.log_folder),
        drafts=_drafts(request).of(visitor.account.id),
        largest=request.app.state.settings.largest_body,
    )


@router.post("/new", dependencies=[CheckedForm])
@takes_files
def read_log(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    month: Annotated[str, Form(max_length=20)],
    file: Annotated[UploadFile | None, File()] = None,
    log: Text = "",
) -> Response:
    """Takes a log, and reads it in the background."""
    check_month(month)
    rounds: RoundsFolder | None = request.app.state.rounds
    if rounds is not None and (rounds.folder / month).exists():
        raise ParameterError(message("app.month-is-stored", month=month))
    if any(one.name == month for one in store.projects.all()):
        raise ParameterError(
            message("judging.project-already-exists", name=month),
            hint=message("judging.delete-or-open-that-project"),
        )
    sent = file is not None and bool(file.filename)
    if not sent and not log:
        raise InputError(message("app.choose-a-log"))
    path = None if sent else find_log(request.app.state.settings.log_folder, log)
    name = os.path.basename((file.filename or "") if file is not None and sent else log)
    draft = _drafts(request).make(visitor.account.id, month, name[:200] or "log")
    if path is not None:
        draft.path, draft.trusted = path, True
    elif file is not None:
        # A fixed name: of what the browser sends only the ending is used.
        draft.path = draft.folder / f"log{_ending(name)}"
        with open(draft.path, "xb") as copy:
            while part := file.file.read(2**20):
                copy.write(part)
    _start_reading(request, draft)
    return _back(draft)


def _ending(name: str) -> str:
    """Returns the endings of a file's name by which its format is recognised."""
    parts = name.lower().split(".")[1:][-2:]
    kept = [one for one in parts if one.isascii() and one.isalnum() and len(one) <= 8]
    return "".join(f".{one}" for one in kept)


def _start_reading(request: Request, draft: Draft) -> None:
    limit = None if draft.trusted else request.app.state.settings.largest_unpacked

    def work() -> Stage:
        draft.path = unpack_log(draft.path, draft.folder, limit=limit)
        draft.report(0, 0)
        try:
            roles = draft.roles or None
            draft.checked = check_log(draft.path, draft.month, roles, report=draft.report)
        except RelyonError:
            found = read_log_columns(os.fspath(draft.path))
            draft.columns = tuple(name for name in dict.fromkeys(found) if name)[:MOST_COLUMNS]
            raise
        draft.columns = ()
        return "checks"

    _drafts(request).start(draft, "reading", work)


def _back(draft: Draft) -> Response:
    if draft.project is not None:
        return RedirectResponse(f"/projects/{draft.project}", 303)
    return RedirectResponse(f"/monitor/months/{draft.token}", 303)


@router.post("/{token}/columns", dependencies=[CheckedForm])
def choose_columns(
    request: Request,
    visitor: Leader,
    token: Token,
    columns: Annotated[list[str], Form(max_length=len(ROLES))],
) -> Response:
    """Reads the log again, with the columns that the form names, in the order of `ROLES`."""
    draft = _draft(request, visitor, token)
    if draft.columns and not draft.running:
        named = zip(ROLES, columns, strict=False)
        draft.roles = {role: name for role, name in named if name in draft.columns}
        _start_reading(request, draft)
    return _back(draft)


@router.get("/{token}")
def show_draft(request: Request, store: OpenStore, visitor: Leader, token: Token) -> Response:
    """A draft: the progress of a step, the checks of its log, or its plan."""
    draft = _draft(request, visitor, token)
    if draft.project is not None:
        return _back(draft)
    if draft.running or draft.stage in STEPS:
        return _page(request, visitor, "month_step.html", draft)
    if draft.stage == "checks":
        findings = () if draft.checked is None else draft.checked.findings
        fixes = {one.kind: _write_fix(one, visitor.language) for one in findings}
        return _page(request, visitor, "month_checks.html", draft, fixes=fixes)
    return _page(
        request,
        visitor,
        "month_plan.html",
        draft,
        projects=list_led(request, visitor),
        copied=_before(request, visitor, store, draft.month),
        scales=list_scales(visitor.language),
    )


def _page(
    request: Request,
    visitor: Visitor,
    template: str,
    draft: Draft,
    *,
    fixes: Mapping[str, str] | None = None,
    projects: Sequence[Project] = (),
    copied: int = 0,
    scales: Mapping[str, str] | None = None,
) -> Response:
    """Returns a page of a draft, with what went wrong in its last step."""
    problem = draft.problem
    return render(
        request,
        visitor,
        template,
        draft=draft,
        problem=None if problem is None else translate(problem.text, visitor.language),
        failed="" if problem is None else problem.stage,
        checked=draft.checked,
        log_roles=ROLES,
        fixes=fixes,
        plan=draft.plan,
        form=draft.form,
        projects=projects,
        copied=copied,
        scales=scales,
        ages=AGES,
    )


def _write_fix(finding: Finding, language: Language) -> str:
    """Returns what to do about a finding, for those without a command line."""
    kind = finding.kind.replace("-", "_")
    own = f"months.fix_{kind}"
    return say(language, own) if own in texts(language) else finding.fix(language)


@router.post("/{token}/checks", dependencies=[CheckedForm])
def choose_repairs(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    token: Token,
    repairs: Annotated[list[str] | None, Form()] = None,
    only_month: Annotated[bool, Form()] = False,
) -> Response:
    """Repairs the log, and draws the first plan."""
    draft = _draft(request, visitor, token)
    checked = draft.checked
    if checked is None or draft.stage != "checks":
        return _back(draft)
    chosen = [one for one in checked.repairs if one in (repairs or [])]
    last = _last_month(request)
    form = first_form(last, _before(request, visitor, store, draft.month))
    month = draft.month if only_month else None

    def work() -> Stage:
        target = draft.folder / "repaired.parquet"
        repair_log(
            draft.path, target, chosen, draft.roles or None, month=month, report=draft.report
        )
        draft.cleaned = target
        draft.form = form
        draft.plan = draw_plan(target, form, store, last, report=draft.report)
        return "plan"

    _drafts(request).start(draft, "cleaning", work)
    return _back(draft)


@router.post("/{token}/back", dependencies=[CheckedForm])
def go_back(request: Request, visitor: Leader, token: Token) -> Response:
    """Returns from the plan to the checks."""
    draft = _draft(request, visitor, token)
    with draft.lock:
        if draft.stage == "plan" and not draft.running:
            draft.stage, draft.problem = "checks", None
    return _back(draft)


def _read_form(
    head: Annotated[float, Form(gt=0, lt=100)],
    middle: Annotated[float, Form(gt=0, lt=100)],
    sizes: Annotated[list[Size], Form(min_length=3, max_length=3)],
    depths: Annotated[list[Depth], Form(min_length=3, max_length=3)],
    seed: Annotated[int, Form(ge=0, le=LARGEST_SEED)],
    earlier: Chosen = 0,
    max_age: Annotated[int, Form(ge=0, le=36500)] = 0,
) -> PlanForm:
    return PlanForm(
        head / 100,
        middle / 100,
        (sizes[0], sizes[1], sizes[2]),
        (depths[0], depths[1], depths[2]),
        seed,
        earlier,
        max_age,
    )


@router.post("/{token}/plan", dependencies=[CheckedForm])
def change_plan(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    token: Token,
    sent: Annotated[PlanForm, Depends(_read_form)],
) -> Response:
    """Draws the sample again, as the form says."""
    draft = _draft(request, visitor, token)
    cleaned = draft.cleaned
    if cleaned is None or draft.form is None or draft.stage != "plan":
        return _back(draft)
    _project(request, visitor, sent.earlier)
    form = replace(
        sent,
        head=_share(sent.head, draft.form.head),
        middle=_share(sent.middle, draft.form.middle),
    )
    last = _last_month(request)

    def work() -> Stage:
        plan = draw_plan(cleaned, form, store, last, report=draft.report)
        draft.form, draft.plan = form, plan
        return "plan"

    _drafts(request).start(draft, "drawing", work, patience=5.0)
    return _back(draft)


def _share(sent: float, before: float) -> float:
    """Returns a share from a form; one that was not changed keeps digits that are not shown."""
    return before if f"{sent:.3f}" == f"{before:.3f}" else sent


@router.post("/{token}/create", dependencies=[CheckedForm])
def create(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    token: Token,
    copied: Chosen = 0,
    scale: Text = "search",
    overlap: Annotated[int, Form(ge=1, le=1000)] = 2,
    gold_share: Annotated[float, Form(ge=0, lt=1)] = 0.0,
) -> Response:
    """Creates the project of the month with its sample. Sending the form twice creates one."""
    draft = _draft(request, visitor, token)
    plan, cleaned, form = draft.plan, draft.cleaned, draft.form
    if plan is None or cleaned is None or form is None or draft.stage != "plan":
        return _back(draft)
    template = _project(request, visitor, copied)
    earlier = _project(request, visitor, form.earlier)
    chosen = scales.get(scale)

    def work() -> Stage:
        documents = [*plan.pool.pairs["doc"], *plan.pool.reused["doc"]]
        planned = MonthProject(
            month=draft.month,
            sample=plan.sample,
            pool=plan.pool,
            titles=titles_of(cleaned, documents),
            copied=template,
            earlier="" if earlier is None else earlier.name,
            scale=chosen,
            overlap=overlap,
            gold_share=gold_share,
            source=draft.name,
        )
        made = create_month_project(store, planned, by=visitor.account, report=draft.report)
        note_event(request, visitor, "project_made", made.name)
        draft.project = made.id
        return "created"

    _drafts(request).start(draft, "creating", work)
    return _back(draft)


@router.post("/{token}/cancel", dependencies=[CheckedForm])
def cancel(request: Request, visitor: Leader, token: Token) -> Response:
    """Forgets a draft; a step that runs stops."""
    draft = _draft(request, visitor, token)
    _drafts(request).discard(draft)
    return RedirectResponse("/monitor/months/new", 303)
