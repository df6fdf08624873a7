"""The app as a whole: routes, protection, and how errors are reported."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from relyon.app import (
    account,
    accounts,
    management,
    projects,
    rest,
    side_by_side,
    sign_in,
)
from relyon.app.alarms import pages as alarm_pages
from relyon.app.alarms.notifier import Notifier
from relyon.app.authentication import (
    OwnPasswordNeededError,
    SignInNeededError,
    Visitor,
    chosen_language,
    find_address,
    find_sender,
    see_account,
    see_visitor,
)
from relyon.app.bodies import BodyGate
from relyon.app.catalogue import say, texts
from relyon.app.engines import pages as try_pages
from relyon.app.engines.gate import Gate
from relyon.app.engines.kept import Kept
from relyon.app.guard import SignInGuard
from relyon.app.health import Health
from relyon.app.imports import interface as import_interface, pages as import_pages
from relyon.app.models import pages as model_pages
from relyon.app.months import dashboard, month_notes, new_month, new_round, project_month
from relyon.app.months.drafts import Drafts
from relyon.app.months.rounds import RoundsFolder
from relyon.app.next_pairs import api as next_api, pages as next_pages
from relyon.app.pages import ASSETS, asset, render
from relyon.app.people import invitations, members, single_sign_on
from relyon.app.people.provider import IdentityProvider
from relyon.app.project import (
    creation,
    data,
    decisions,
    progress,
    quality,
    settings as project_settings,
)
from relyon.app.protection import (
    HEADERS,
    AllowedHosts,
    HeadAsGet,
    SecurityHeaders,
    UnknownProxy,
)
from relyon.app.results import api as results_api, correcting, listing, mine
from relyon.app.settings import Settings
from relyon.app.snapshots import (
    api as snapshot_api,
    files as snapshot_files,
    listing as snapshot_listing,
    one as snapshot_one,
    versus as snapshot_versus,
)
from relyon.app.told_errors import tell_error
from relyon.core.errors import RelyonError, UnknownNameError
from relyon.core.texts import translate
from relyon.judging.actions import AnsweredError
from relyon.judging.figures import NotReadyError
from relyon.judging.schema import sa
from relyon.judging.store import Store

__all__ = ["create_app"]

log = logging.getLogger("relyon.judging")


def create_app(store: Store, settings: Settings | None = None) -> FastAPI:
    """Returns the judging app over a database.

    Args:
        store: The database, which stays open as long as the app runs.
        settings: The operator's settings.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from relyon.judging import open_store
        >>> folder = TemporaryDirectory()
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     create_app(store).title
        'relyon judging'
        >>> folder.cleanup()
    """
    from relyon._native import __version__

    chosen = settings or Settings()
    # FastAPI's own pages of documentation load scripts from elsewhere.
    app = FastAPI(
        title="relyon judging",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_running,
    )
    app.state.store = store
    app.state.settings = chosen
    app.state.guard = SignInGuard(store, chosen)
    app.state.provider = (
        None if chosen.provider is None else IdentityProvider(chosen.provider, clock=store.clock)
    )
    app.state.health = Health(store.database)
    # The middleware added last sees a request first.
    app.add_middleware(BodyGate, largest=chosen.largest_body, find=find_sender)
    if chosen.allowed_hosts is not None:
        app.add_middleware(AllowedHosts, names=chosen.allowed_hosts, refuse=_refuse_host)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(HeadAsGet)
    if chosen.proxies:
        from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(chosen.proxies))
    else:
        app.add_middleware(UnknownProxy)
    app.state.drafts = Drafts()
    app.state.gate, app.state.tries = Gate(), Kept()
    app.state.rounds = None if chosen.rounds is None else RoundsFolder(chosen.rounds)
    app.state.alarms = Notifier(store, app.state.rounds, chosen.alarms)
    # Routes are tried in order: those of every grade come first.
    for part in (
        rest,
        sign_in,
        account,
        accounts,
        invitations,
        single_sign_on,
        members,
        projects,
        creation,
        progress,
        data,
        import_pages,
        import_interface,
        quality,
        decisions,
        project_settings,
        management,
        side_by_side,
        dashboard,
        new_round,
        new_month,
        month_notes,
        project_month,
        alarm_pages,
        model_pages,
        try_pages,
        next_pages,
        next_api,
        snapshot_files,
        snapshot_versus,
        snapshot_listing,
        snapshot_one,
        snapshot_api,
        listing,
        correcting,
        results_api,
        mine,
    ):
        app.include_router(part.router)
    app.include_router(dashboard.api)
    app.include_router(management.api)
    app.include_router(model_pages.api)
    app.add_api_route("/static/{name}", _static, include_in_schema=False)
    app.add_api_route("/healthz", _health, include_in_schema=False)
    app.add_exception_handler(SignInNeededError, _ask_to_sign_in)
    app.add_exception_handler(OwnPasswordNeededError, _ask_for_password)
    app.add_exception_handler(NotReadyError, _tell_counting)
    app.add_exception_handler(RelyonError, _tell_problem)
    app.add_exception_handler(RequestValidationError, _tell_validation)
    app.add_exception_handler(HTTPException, _tell_status)
    app.add_exception_handler(Exception, _tell_failure)
    return app


@asynccontextmanager
async def _running(app: FastAPI) -> AsyncIterator[None]:
    """A context in which the app's own threads run."""
    with app.state.alarms.running():
        yield


def _static(name: str) -> Response:
    if name not in ASSETS:
        raise HTTPException(404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    if name == "worker.js":
        # It keeps pages, which are not below the folder of the files.
        headers["Service-Worker-Allowed"] = "/"
    return Response(asset(name), media_type=ASSETS[name], headers=headers)


def _health(request: Request) -> JSONResponse:
    problem = request.app.state.health.problem()
    if problem:
        return JSONResponse({"status": "failing", "problem": problem}, 503)
    return JSONResponse({"status": "ok"})


def _refuse_host(request: Request, name: str) -> Response:
    language = chosen_language(request)
    # No cookie: no one is signed in under this name.
    message = say(language, "error.421", name=name[:200])
    return _answer(request, 421, message, f"relyon judge serve --allowed-host {name[:200]}")


def _ask_to_sign_in(request: Request, error: Exception) -> Response:
    from urllib.parse import quote

    target = request.url.path if request.method == "GET" else "/"
    return RedirectResponse(f"/sign-in?next={quote(target)}", 303)


def _ask_for_password(request: Request, error: Exception) -> Response:
    from urllib.parse import quote

    target = request.url.path if request.method == "GET" else "/"
    return RedirectResponse(f"/account/password?next={quote(target)}", 303)


def _tell_problem(request: Request, error: Exception) -> Response:
    message, hint = getattr(error, "message", str(error)), getattr(error, "hint", "")
    if isinstance(error, RelyonError) and not request.url.path.startswith("/api/"):
        message, hint = tell_error(error, chosen_language(request))
    status = 404 if isinstance(error, UnknownNameError) else 400
    if isinstance(error, AnsweredError):
        status = 409
    if status == 404 and request.method == "GET" and not request.url.path.startswith("/api/"):
        message = say(chosen_language(request), "error.404")
    if isinstance(error.__cause__, sa.exc.SQLAlchemyError):
        # Not the client's fault: the queue in the browser retries.
        log.error("%s", error)
        status, hint = 503, ""
        message = say(chosen_language(request), "error.503")
    return _answer(request, status, message, hint)


def _tell_counting(request: Request, error: Exception) -> Response:
    answer: Response = render(request, see_visitor(request), "counting.html", status=202)
    answer.headers["Retry-After"] = "2"
    return answer


def _tell_validation(request: Request, error: Exception) -> Response:
    found = error.errors() if isinstance(error, RequestValidationError) else []
    message = "; ".join(
        f"{'.'.join(map(str, one['loc'][1:])) or one['loc'][0]}: {one['msg']}" for one in found
    )
    if request.url.path.startswith("/api/"):
        return _answer(request, 422, message or "not understood", "")
    return _answer(request, 422, say(chosen_language(request), "error.other"), message)


def _tell_status(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    language = chosen_language(request)
    if status == 403:
        detail = str(getattr(error, "detail", ""))
        reason = f" ({detail})" if f"error.{detail}" in texts("en") else ""
        log.warning(
            "refused: %s %r from %s%s",
            request.method,
            request.url.path[:200],
            find_address(request),
            reason,
        )
    known = texts(language)
    keys = (f"error.{getattr(error, 'detail', '')}", f"error.{status}", "error.other")
    message = known[next(key for key in keys if key in known)]
    answer = _answer(request, status, message, "")
    answer.headers.update(getattr(error, "headers", None) or {})
    if status == 401:
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def _tell_failure(request: Request, error: Exception) -> Response:
    log.error("%s %s", request.method, request.url.path, exc_info=error)
    answer = _answer(request, 500, say(chosen_language(request), "error.500"), "")
    # The middleware does not see answers to unexpected errors.
    answer.headers.update(HEADERS)
    return answer


def _answer(request: Request, status: int, message: str, hint: str) -> Response:
    """Errors in one form for programs and in another for people."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": {"message": message, "hint": hint}}, status)
    visitor = Visitor(None, "", chosen_language(request))
    back = "/"
    if status < 500 and status != 421:
        visitor = see_account(request)
        # Errors of a form on a project's page link back to that page.
        form = re.match(r"/projects/\d+", request.url.path) if request.method == "POST" else None
        if form and status != 404 and see_visitor(request).leads:
            back = form[0]
    language = visitor.language
    return render(
        request,
        visitor,
        "error.html",
        status=status,
        message=translate(message, language),
        hint=translate(hint, language),
        back=back,
    )
