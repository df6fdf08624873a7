"""The tab of language models: how they agree with people, and letting one grade."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Form, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import (
    CheckedForm,
    Leader,
    LeadingCaller,
    OpenStore,
    Visitor,
    note_event,
)
from relyon.app.bodies import takes_text
from relyon.app.long_work import in_background
from relyon.app.models.audits import (
    AuditForm,
    AuditWish,
    AuditWishForm,
    describe_audits,
    estimate_audit,
    plan_wished_audit,
)
from relyon.app.models.calibration import calibrate_models
from relyon.app.models.settings import ModelEndpoint
from relyon.app.models.wishes import Planned, Wish, WishForm, endpoint_of, plan_wish
from relyon.app.project.tabs import render_tab
from relyon.app.rest import ERRORS, LARGEST_ID, Id
from relyon.core.errors import InputError, ParameterError, RelyonError, UnknownNameError
from relyon.core.language import Language
from relyon.core.texts import LANGUAGES, message, translate
from relyon.engines.pace import Pace
from relyon.judging.job_reasons import read_reason
from relyon.judging.jobs import Job
from relyon.judging.llm.calibration import accept_judge
from relyon.judging.llm.descriptions import describe_machines
from relyon.judging.llm.endpoint import Endpoint
from relyon.judging.llm.estimate import estimate_tokens
from relyon.judging.llm.model_jobs import (
    ModelRun,
    continue_model,
    last_model_job,
    start_audit,
    start_model,
)
from relyon.judging.llm.models import Configuration
from relyon.judging.records import Project
from relyon.judging.store import Store

__all__ = ["api", "router"]

router = APIRouter(include_in_schema=False)
api = APIRouter(prefix="/api", responses=ERRORS, tags=["judging"])
#: Results that people and a model must both have graded before its grades are used.
LEAST = 50
#: Requests at once.
CONCURRENCY = 4
Note = Annotated[str, Form(max_length=2000)]
#: Requests per minute, at most.
PerMinute = Annotated[float | None, Form(gt=0, le=100_000)]


def _endpoints(request: Request) -> tuple[ModelEndpoint, ...]:
    found: tuple[ModelEndpoint, ...] = request.app.state.settings.models
    return found


def _show(
    request: Request,
    store: Store,
    visitor: Visitor,
    project: Project,
    *,
    wish: Wish | None = None,
    planned: Planned | None = None,
    compared: int = 0,
    audit: AuditForm | None = None,
    error: RelyonError | None = None,
) -> Response:
    """Returns the tab.

    Args:
        request: The request.
        store: The database.
        visitor: Who sees it.
        project: The project.
        wish: A form that was filled in.
        planned: What it leads to, to be confirmed.
        compared: A configuration that is compared with people although that takes long.
        audit: A form of an audit that was filled in, and what it leads to.
        error: What went wrong.
    """
    language = visitor.language
    known = store.models.all(project.id)
    job = last_model_job(store, project.id)
    ran = None if job is None else _configuration_of(job, known)
    auditing = last_model_job(store, project.id, "audit")
    return render_tab(
        request,
        store,
        visitor,
        project,
        "models",
        endpoints=_endpoints(request),
        languages=LANGUAGES,
        machines=calibrate_models(
            store, project.id, describe_machines(store, project.id), language, compared=compared
        ),
        least=LEAST,
        run=job,
        ran=ran,
        tally=None if ran is None else store.replies.tally(ran),
        reason=_reason(job, language),
        wish=(wish or Wish(language=language)).fields(),
        planned=planned,
        audits=describe_audits(store, known, language),
        audit_job=auditing,
        audit_reason=_reason(auditing, language),
        auditable=[one for one in known if _is_offered(request, one)],
        audited=AuditWish(known[-1].id if known else 0) if audit is None else audit.wish,
        audit=(
            None if audit is None or audit.planned is None else estimate_audit(store, audit.planned)
        ),
        estimate=None if planned is None else _estimate(store, planned, known),
        problem="" if error is None else translate(error.message, language),
        hint="" if error is None else translate(error.hint, language),
        status=400 if error is not None else 200,
    )


def _reason(job: Job | None, language: Language) -> str:
    return "" if job is None or not job.message else read_reason(job.message, language)


def _is_offered(request: Request, configuration: Configuration) -> bool:
    offered = {(one.url, one.model) for one in _endpoints(request)}
    return (configuration.endpoint, configuration.model) in offered


def _configuration_of(job: Job, known: list[Configuration]) -> Configuration | None:
    """Returns the settings with which a job runs: its source begins with their number."""
    number = job.source.partition(" ")[0]
    return next((one for one in known if str(one.id) == number), None)


def _estimate(
    store: Store, planned: Planned, known: list[Configuration]
) -> dict[str, float | str | bool | None]:
    """Returns what a plan would take, for the page; `cost` is None without a price."""
    draft = planned.draft
    same = next(
        (
            one
            for one in reversed(known)
            if (one.endpoint, one.model, one.prompt) == (draft.endpoint, draft.model, draft.prompt)
        ),
        None,
    )
    tally = None if same is None else store.replies.tally(same)
    found = estimate_tokens(draft, planned.prompt, planned.plan, tally)
    price = planned.endpoint.price
    cost = None if price is None else price.cost(found.prompt_tokens, found.answer_tokens)
    return {
        "requests": found.requests,
        "prompt": round(found.prompt_tokens),
        "answer": round(found.answer_tokens),
        "measured": found.measured,
        "cost": cost,
        "currency": "" if price is None else price.currency,
    }


@router.get("/projects/{project}/models")
def show_models(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    compare: Annotated[int, Query(ge=0, le=LARGEST_ID)] = 0,
) -> Response:
    """Language models of a project, and the form that lets one grade."""
    return _show(request, store, visitor, store.projects.get(project), compared=compare)


@router.post("/projects/{project}/models/estimate", dependencies=[CheckedForm])
@takes_text
def estimate(
    request: Request, store: OpenStore, visitor: Leader, project: Id, wish: WishForm
) -> Response:
    """What a model would be asked, and what that would cost; nothing is sent."""
    found = store.projects.get(project)
    try:
        planned = plan_wish(store, found, wish, _endpoints(request))
        if not planned.plan.open:
            raise InputError(
                message("judging.nothing-to-ask"), hint=message("judging.choose-others")
            )
    except (InputError, ParameterError) as error:
        return _show(request, store, visitor, found, wish=wish, error=error)
    return _show(request, store, visitor, found, wish=wish, planned=planned)


@router.post("/projects/{project}/models/start", dependencies=[CheckedForm])
@takes_text
def start(
    request: Request, store: OpenStore, visitor: Leader, project: Id, wish: WishForm
) -> Response:
    """Lets a model grade, in the background."""
    found = store.projects.get(project)
    try:
        planned = plan_wish(store, found, wish, _endpoints(request))
        run = start_model(
            store, found, planned.draft, planned.prompt, planned.plan, by=visitor.account
        )
    except (InputError, ParameterError) as error:
        return _show(request, store, visitor, found, wish=wish, error=error)
    _go(request, visitor, found, run, planned.endpoint, wish.per_minute)
    return RedirectResponse(f"/projects/{project}/models", 303)


def _go(
    request: Request,
    visitor: Visitor,
    project: Project,
    run: ModelRun,
    chosen: ModelEndpoint,
    per_minute: float | None,
    *,
    event: Literal["model_started", "model_audited"] = "model_started",
) -> None:
    """Runs a job of a model in the background."""
    title = run.configuration.title
    detail = f"{project.name}: {title}, {len(run.plan.open)} requests"
    note_event(request, visitor, event, detail)
    server = Endpoint(chosen.url, key=chosen.key, pace=Pace(per_minute))
    in_background(lambda: run.run(server, concurrency=CONCURRENCY), f"asking {title}")


@router.post("/projects/{project}/models/audit/cost", dependencies=[CheckedForm])
@takes_text
def estimate_an_audit(
    request: Request, store: OpenStore, visitor: Leader, project: Id, wish: AuditWishForm
) -> Response:
    """What a model would be asked in an audit, and what that would cost; nothing is sent."""
    found = store.projects.get(project)
    try:
        planned = plan_wished_audit(store, wish, store.models.all(found.id), _endpoints(request))
    except (InputError, ParameterError) as error:
        return _show(request, store, visitor, found, audit=AuditForm(wish), error=error)
    return _show(request, store, visitor, found, audit=AuditForm(wish, planned))


@router.post("/projects/{project}/models/audit/begin", dependencies=[CheckedForm])
@takes_text
def start_an_audit(
    request: Request, store: OpenStore, visitor: Leader, project: Id, wish: AuditWishForm
) -> Response:
    """Audits a model, in the background."""
    found = store.projects.get(project)
    try:
        planned = plan_wished_audit(store, wish, store.models.all(found.id), _endpoints(request))
        run = start_audit(store, found, planned.audit, by=visitor.account)
    except (InputError, ParameterError) as error:
        return _show(request, store, visitor, found, audit=AuditForm(wish), error=error)
    _go(request, visitor, found, run, planned.endpoint, None, event="model_audited")
    return RedirectResponse(f"/projects/{project}/models", 303)


@api.get("/projects/{project}/models/run")
def show_run(store: OpenStore, user: LeadingCaller, project: Id) -> dict[str, object]:
    """For leads: how far the last run of a language model is, and the tokens so far."""
    found = store.projects.get(project)
    job = last_model_job(store, found.id)
    ran = None if job is None else _configuration_of(job, store.models.all(found.id))
    if job is None or ran is None:
        raise HTTPException(404)
    tally = store.replies.tally(ran)
    return {
        "judge": ran.judge,
        "version": ran.version,
        "state": job.state,
        "done": job.done,
        "total": job.total,
        "answers": tally.answers,
        "graded": tally.graded,
        "prompt_tokens": tally.prompt_tokens,
        "completion_tokens": tally.completion_tokens,
    }


def _configuration(store: Store, project: Project, number: int) -> Configuration:
    for one in store.models.all(project.id):
        if one.id == number:
            return one
    raise HTTPException(404)


@router.post("/projects/{project}/models/{configuration}/continue", dependencies=[CheckedForm])
def go_on(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    configuration: Id,
    per_minute: PerMinute = None,
) -> Response:
    """Goes on with a run that was stopped or has failed."""
    found = store.projects.get(project)
    chosen = _configuration(store, found, configuration)
    try:
        endpoint = endpoint_of(_endpoints(request), chosen)
        run = continue_model(store, found, chosen, by=visitor.account)
    except (InputError, ParameterError) as error:
        return _show(request, store, visitor, found, error=error)
    _go(request, visitor, found, run, endpoint, per_minute)
    return RedirectResponse(f"/projects/{project}/models", 303)


@router.post("/projects/{project}/models/{configuration}/accept", dependencies=[CheckedForm])
def accept(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    configuration: Id,
    note: Note = "",
) -> Response:
    """Uses a model's grades for results without a human one."""
    found = store.projects.get(project)
    chosen = _configuration(store, found, configuration)
    try:
        if not note.strip():
            raise ParameterError(message("app.acceptance-needs-reason"))
        accept_judge(store, chosen, visitor.account, least=LEAST, note=note.strip())
    except UnknownNameError:
        raise
    except InputError:
        few = InputError(
            message("app.too-few-graded-by-both", least=LEAST),
            hint=message("app.let-it-grade-judged-results"),
        )
        return _show(request, store, visitor, found, error=few)
    except ParameterError as error:
        return _show(request, store, visitor, found, error=error)
    note_event(request, visitor, "model_accepted", f"{found.name}: {chosen.title}")
    return RedirectResponse(f"/projects/{project}/models", 303)


@router.post("/projects/{project}/models/{configuration}/withdraw", dependencies=[CheckedForm])
def withdraw(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    configuration: Id,
    note: Note = "",
) -> Response:
    """Uses a model's grades no longer."""
    found = store.projects.get(project)
    chosen = _configuration(store, found, configuration)
    accepted = store.models.accepted(found.id)
    if accepted is not None and accepted.configuration == chosen:
        store.models.record_acceptance(chosen, visitor.account, accepted=False, note=note.strip())
        note_event(request, visitor, "model_withdrawn", f"{found.name}: {chosen.title}")
    return RedirectResponse(f"/projects/{project}/models", 303)
