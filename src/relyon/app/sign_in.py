"""Signing in and out."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import (
    COOKIE,
    CheckedForm,
    OpenStore,
    SignedIn,
    Visitor,
    find_address,
    note_event,
    see_visitor,
)
from relyon.app.guard import BusyError, Claim, SignInGuard, WaitError
from relyon.app.pages import render
from relyon.judging.access import end_sign_in, new_secret

__all__ = ["BROWSER_COOKIE", "make_claim", "own_path", "router", "set_browser", "set_cookie"]

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Form()]

#: The cookie that recognises a browser after a sign-in. It does not sign in by itself.
BROWSER_COOKIE = "relyon_browser"
MOST_PATH = 2000
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("MicroMessenger", "WeChat"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("Chrom", "Chrome"),
    ("CriOS", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def own_path(path: str) -> str:
    """Returns a path of this app to continue to; the first page for anything else.

    Examples:
        >>> own_path("/projects/1/judge"), own_path("//evil.example"), own_path("https://e.example")
        ('/projects/1/judge', '/', '/')
        >>> own_path("///evil.example"), own_path("/%2F/evil.example"), own_path("/a?b=1")
        ('/', '/', '/a?b=1')
    """
    seen = path
    for _ in range(4):
        # Browsers read a backslash as a slash, and drop some unprintable characters.
        plain = re.match(r"/(?![/\\])", seen) and seen.isprintable() and "\\" not in seen
        if not plain or "//" in seen.partition("?")[0] or len(path) > MOST_PATH:
            return "/"
        if seen == (seen := unquote(seen)):
            return path
    return "/"


def name_agent(header: str) -> str:
    """Returns a short name for a browser and its system, enough to recognise it.

    Examples:
        >>> name_agent("Mozilla/5.0 (Windows NT 10.0; rv:130.0) Gecko/20100101 Firefox/130.0")
        'Firefox, Windows'
        >>> name_agent("curl/8.5")
        ''
    """
    found = (
        next((name for sign, name in signs if sign in header), "") for signs in (BROWSERS, SYSTEMS)
    )
    return ", ".join(filter(None, found))


def set_cookie(request: Request, answer: Response, secret: str) -> None:
    """Sets the cookie with the secret of a sign-in."""
    settings = request.app.state.settings
    answer.set_cookie(
        COOKIE,
        secret,
        httponly=True,
        samesite="lax",
        secure=settings.secure_cookies or request.url.scheme == "https",
        max_age=int(settings.sign_in_days * 86400),
    )


def set_browser(request: Request, answer: Response, secret: str) -> None:
    """Sets the cookie by which the browser is recognised later."""
    answer.set_cookie(
        BROWSER_COOKIE,
        secret,
        httponly=True,
        samesite="strict",
        secure=request.app.state.settings.secure_cookies or request.url.scheme == "https",
        max_age=180 * 86400,
    )


def make_claim(request: Request, name: str) -> Claim:
    """Returns a sign-in attempt, and whether its browser or address is known for the account."""
    guard: SignInGuard = request.app.state.guard
    agent = name_agent(request.headers.get("user-agent", ""))
    return guard.recognise(
        name[:200].strip(), find_address(request), request.cookies.get(BROWSER_COOKIE, ""), agent
    )


def _claim(request: Request, name: Text = "") -> Claim:
    return make_claim(request, name)


def _form(
    request: Request,
    visitor: Visitor,
    *,
    next: str,
    name: str = "",
    problem: str = "",
    status: int = 200,
) -> Response:
    settings = request.app.state.settings
    return render(
        request,
        visitor,
        "sign_in.html",
        status=status,
        next=next,
        name=name,
        problem=problem,
        provider=settings.provider,
        passwords=settings.passwords,
    )


@router.get("/sign-in")
def show_sign_in(
    request: Request, visitor: Annotated[Visitor, Depends(see_visitor)], next: str = "/"
) -> Response:
    """The sign-in form."""
    if visitor.user is not None:
        return RedirectResponse(own_path(next), 303)
    fresh = Visitor(None, visitor.secret or new_secret(), visitor.language)
    answer = _form(request, fresh, next=own_path(next))
    set_cookie(request, answer, fresh.secret)
    return answer


@router.post("/sign-in", dependencies=[CheckedForm])
async def sign_in(
    request: Request,
    visitor: Annotated[Visitor, Depends(see_visitor)],
    claim: Annotated[Claim, Depends(_claim)],
    password: Text = "",
    next: Text = "/",
) -> Response:
    """Checks a password, and creates a new sign-in if it is right."""
    guard: SignInGuard = request.app.state.guard
    status, problem, seconds = 401, "sign_in.wrong", 0
    entry = None
    try:
        entry = await guard.sign_in(claim, password, visitor.secret)
    except WaitError as error:
        status, problem, seconds = 429, "sign_in.wait", error.seconds
    except BusyError as error:
        status, problem, seconds = 503, "sign_in.busy", error.seconds
    if entry is None:
        answer: Response = _form(
            request, visitor, next=own_path(next), name=claim.name, problem=problem, status=status
        )
        if seconds:
            answer.headers["Retry-After"] = str(seconds)
        return answer
    answer = RedirectResponse(own_path(next), 303)
    set_cookie(request, answer, entry.secret)
    set_browser(request, answer, entry.browser)
    return answer


@router.post("/sign-out", dependencies=[CheckedForm])
def sign_out(request: Request, store: OpenStore, visitor: SignedIn) -> Response:
    """Ends the sign-in."""
    end_sign_in(store, visitor.secret)
    note_event(request, visitor, "signed_out")
    answer = RedirectResponse("/sign-in", 303)
    answer.delete_cookie(COOKIE)
    return answer
