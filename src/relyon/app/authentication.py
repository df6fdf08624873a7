"""The visitor of a page, and their permissions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Form, Header, HTTPException, Request

from relyon.app.bodies import Sender
from relyon.app.catalogue import preferred_language
from relyon.app.protection import is_csrf_token
from relyon.core.texts import LANGUAGES, Language
from relyon.judging.access import find_signed_in, find_token_user
from relyon.judging.events import EventKind, record_event
from relyon.judging.records import User
from relyon.judging.store import Store

__all__ = [
    "COOKIE",
    "Administrator",
    "Caller",
    "CheckedForm",
    "Leader",
    "LeadingCaller",
    "OpenStore",
    "OwnPasswordNeededError",
    "Person",
    "SignInNeededError",
    "SignedIn",
    "Visitor",
    "chosen_language",
    "find_address",
    "find_sender",
    "note_event",
    "see_visitor",
]

COOKIE = "relyon_session"


class SignInNeededError(Exception):
    """The visitor is not signed in."""


class OwnPasswordNeededError(Exception):
    """The user's password was set by somebody else and must be changed."""


@dataclass(frozen=True)
class Visitor:
    """The visitor of a page.

    Attributes:
        user: The account; None before the sign-in.
        secret: The value of the cookie; empty without one.
        language: The language of the page.
    """

    user: User | None
    secret: str
    language: Language

    @property
    def leads(self) -> bool:
        """Whether they may see everybody's grades and decide."""
        return self.user is not None and self.user.role != "judge"

    @property
    def account(self) -> User:
        """The account of a signed-in visitor."""
        if self.user is None:
            raise SignInNeededError
        return self.user


async def open_store(request: Request) -> Store:
    """Returns the app's database. It never blocks, so it needs no thread."""
    store: Store = request.app.state.store
    return store


OpenStore = Annotated[Store, Depends(open_store)]


def chosen_language(request: Request) -> Language:
    """Returns the language from the URL, the cookie, or the browser."""
    for wanted in (request.query_params.get("lang"), request.cookies.get("relyon_language")):
        for language in LANGUAGES:
            if wanted == language:
                return language
    return preferred_language(request.headers.get("accept-language", ""))


def see_visitor(request: Request) -> Visitor:
    """Returns the visitor, by the cookie."""
    secret = request.cookies.get(COOKIE, "")
    idle = request.app.state.settings.idle_days * 86400
    user = find_signed_in(request.app.state.store, secret, idle=idle)
    return Visitor(user, secret, chosen_language(request))


def find_address(request: Request) -> str:
    """Returns the client address of a request; trusted proxies are already taken into account."""
    return request.client.host if request.client else ""


def note_event(request: Request, who: Visitor | User, kind: EventKind, detail: str = "") -> None:
    """Records an event in the app."""
    actor = who.account if isinstance(who, Visitor) else who
    store = request.app.state.store
    record_event(store, kind, actor=actor, address=find_address(request), detail=detail)


def _signed_in(visitor: Annotated[Visitor, Depends(see_visitor)]) -> Visitor:
    if visitor.user is None:
        raise SignInNeededError
    return visitor


#: A signed-in visitor, even one with a generated password.
SignedIn = Annotated[Visitor, Depends(_signed_in)]


def _person(visitor: SignedIn) -> Visitor:
    if visitor.account.must_change:
        raise OwnPasswordNeededError
    return visitor


Person = Annotated[Visitor, Depends(_person)]


def _leader(visitor: Person) -> Visitor:
    if not visitor.leads:
        raise HTTPException(403)
    return visitor


Leader = Annotated[Visitor, Depends(_leader)]


def _administrator(visitor: Person) -> Visitor:
    if visitor.account.role != "admin":
        raise HTTPException(403)
    return visitor


Administrator = Annotated[Visitor, Depends(_administrator)]


def _check_form(request: Request, csrf: Annotated[str, Form()] = "") -> None:
    if not is_csrf_token(request.cookies.get(COOKIE, ""), csrf):
        raise HTTPException(403, "csrf")


CheckedForm = Depends(_check_form)


def _bearer(authorization: str) -> str | None:
    """Returns the token in a header; None if the header has none."""
    kind, _, secret = authorization.partition(" ")
    return secret.strip() if kind.lower() == "bearer" else None


def find_sender(request: Request) -> Sender:
    """Returns who sends a request, as far as it matters for how much they may send."""
    secret = _bearer(request.headers.get("authorization", ""))
    if secret is not None:
        found = find_token_user(request.app.state.store, secret)
        user = None if found is None else found[0]
    else:
        user = see_visitor(request).user
    if user is None:
        return "anybody"
    return "signed in" if user.role == "judge" else "leads"


def _caller(
    request: Request,
    authorization: Annotated[str, Header(include_in_schema=False)] = "",
    x_csrf_token: Annotated[str, Header(include_in_schema=False)] = "",
) -> User:
    """Returns the caller of the REST interface: the owner of a token, or a signed-in user."""
    secret = _bearer(authorization)
    if secret is not None:
        found = find_token_user(request.app.state.store, secret)
        if found is None:
            raise HTTPException(401, "token")
        user, scope = found
        if scope == "read" and request.method not in {"GET", "HEAD"}:
            raise HTTPException(403, "scope")
        return user
    visitor = see_visitor(request)
    if visitor.user is None:
        raise HTTPException(401)
    if visitor.user.must_change:
        raise HTTPException(403, "own_password")
    if request.method not in {"GET", "HEAD"} and not is_csrf_token(visitor.secret, x_csrf_token):
        raise HTTPException(403, "csrf")
    return visitor.user


Caller = Annotated[User, Depends(_caller)]


def _leading_caller(user: Caller) -> User:
    if user.role == "judge":
        raise HTTPException(403)
    return user


LeadingCaller = Annotated[User, Depends(_leading_caller)]
