"""Signing in and out, and one's own account."""

from __future__ import annotations

import threading
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from relkit.app.pages import render
from relkit.app.visitor import (
    COOKIE,
    CheckedForm,
    OpenStore,
    Person,
    Visitor,
    see_visitor,
)
from relkit.judging.access import (
    create_token,
    delete_token,
    end_all_sign_ins,
    end_sign_in,
    list_tokens,
    new_secret,
    start_sign_in,
)
from relkit.judging.attempts import RateLimit
from relkit.judging.store import Store

__all__ = ["SignInGuard", "router"]

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Form()]


class SignInGuard:
    """Makes guessing passwords slow, and hashing them no way to exhaust the memory."""

    def __init__(self, store: Store, attempts: int, window: float) -> None:
        self.names = RateLimit(store, attempts, window)
        self.addresses = RateLimit(store, 5 * attempts, window)
        self.hashing = threading.BoundedSemaphore(4)

    def wait(self, address: str, name: str) -> float:
        """Returns the seconds to wait before the next attempt."""
        return max(self.names.wait(f"{address} {name}"), self.addresses.wait(address))

    def fail(self, address: str, name: str) -> None:
        """Counts a wrong password."""
        self.names.add(f"{address} {name}")
        self.addresses.add(address)


def own_path(path: str) -> str:
    """Returns a path of this app to go on to, and the first page for anything else.

    Examples:
        >>> own_path("/projects/1/judge"), own_path("//evil.example"), own_path("https://e.example")
        ('/projects/1/judge', '/', '/')
    """
    parts = urlsplit(path)
    plain = path.startswith("/") and not parts.scheme and not parts.netloc
    return path if plain and path.isprintable() and "\\" not in path else "/"


def _set_cookie(request: Request, answer: Response, secret: str) -> None:
    answer.set_cookie(
        COOKIE,
        secret,
        httponly=True,
        samesite="lax",
        secure=request.app.state.settings.secure_cookies or request.url.scheme == "https",
        max_age=14 * 86400,
    )


@router.get("/sign-in")
def show_sign_in(
    request: Request, visitor: Annotated[Visitor, Depends(see_visitor)], next: str = "/"
) -> Response:
    """The form."""
    if visitor.user is not None:
        return RedirectResponse(own_path(next), 303)
    fresh = Visitor(None, visitor.secret or new_secret(), visitor.language)
    answer = render(request, fresh, "sign_in.html", next=own_path(next), problem="", name="")
    _set_cookie(request, answer, fresh.secret)
    return answer


@router.post("/sign-in", dependencies=[CheckedForm])
def sign_in(
    request: Request,
    store: OpenStore,
    visitor: Annotated[Visitor, Depends(see_visitor)],
    name: Text = "",
    password: Text = "",
    next: Text = "/",
) -> Response:
    """Checks a password, and gives a new secret to who knows it."""
    guard: SignInGuard = request.app.state.guard
    address = request.client.host if request.client else ""
    values = {"next": own_path(next), "name": name[:200]}
    wait = guard.wait(address, name[:200])
    if wait > 0:
        answer: Response = render(
            request, visitor, "sign_in.html", status=429, problem="sign_in.wait", **values
        )
        answer.headers["Retry-After"] = str(int(wait) + 1)
        return answer
    with guard.hashing:
        user = store.check_password(name.strip(), password) if "\0" not in name else None
    if user is None:
        guard.fail(address, name[:200])
        return render(
            request, visitor, "sign_in.html", status=401, problem="sign_in.wrong", **values
        )
    guard.names.forget(f"{address} {name[:200]}")
    # What the browser held before is forgotten: somebody else may have put it there.
    end_sign_in(store, visitor.secret)
    answer = RedirectResponse(own_path(next), 303)
    _set_cookie(request, answer, start_sign_in(store, user))
    return answer


@router.post("/sign-out", dependencies=[CheckedForm])
def sign_out(store: OpenStore, visitor: Person) -> Response:
    """Forgets the sign-in."""
    end_sign_in(store, visitor.secret)
    answer = RedirectResponse("/sign-in", 303)
    answer.delete_cookie(COOKIE)
    return answer


@router.get("/account")
def show_account(
    request: Request, store: OpenStore, visitor: Person, changed: bool = False
) -> Response:
    """One's password and tokens."""
    return _account(request, store, visitor, changed=changed)


def _account(
    request: Request,
    store: OpenStore,
    visitor: Visitor,
    *,
    problem: str = "",
    secret: str = "",
    changed: bool = False,
    status: int = 200,
) -> Response:
    return render(
        request,
        visitor,
        "account.html",
        status=status,
        tokens=list_tokens(store, visitor.account),
        problem=problem,
        secret=secret,
        changed=changed,
    )


@router.post("/account/password", dependencies=[CheckedForm])
def change_password(
    request: Request, store: OpenStore, visitor: Person, old: Text = "", new: Text = ""
) -> Response:
    """Sets a new password, which ends all sign-ins but this one."""
    guard: SignInGuard = request.app.state.guard
    address, name = (request.client.host if request.client else ""), visitor.account.name
    if guard.wait(address, name) > 0:
        return _account(request, store, visitor, problem="sign_in.wait", status=429)
    with guard.hashing:
        known = store.check_password(name, old)
    if known is None:
        guard.fail(address, name)
        return _account(request, store, visitor, problem="account.wrong", status=403)
    store.set_user(name, password=new)
    end_all_sign_ins(store, known)
    answer = RedirectResponse("/account?changed=true", 303)
    _set_cookie(request, answer, start_sign_in(store, known))
    return answer


@router.post("/account/tokens", dependencies=[CheckedForm])
def add_token(request: Request, store: OpenStore, visitor: Person, name: Text = "") -> Response:
    """Makes a token and shows it once."""
    secret = create_token(store, visitor.account, name)
    return _account(request, store, visitor, secret=secret)


@router.post("/account/tokens/{token}/delete", dependencies=[CheckedForm])
def remove_token(store: OpenStore, visitor: Person, token: int) -> Response:
    """Deletes one of one's own tokens."""
    delete_token(store, visitor.account, token)
    return RedirectResponse("/account", 303)
