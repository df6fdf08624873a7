"""The visitor of a page, and their permissions.

Every route that names a project or a job in its address sees the visitor in their role in that
project; for those who do not see it, it does not exist (404). Routes that learn of a project from
the body of a request ask `enter_project`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Annotated
from weakref import WeakKeyDictionary

from fastapi import Depends, Form, Header, HTTPException, Request

from relyon.app.bodies import Sender
from relyon.app.catalogue import preferred_language
from relyon.app.protection import is_csrf_token
from relyon.core.texts import LANGUAGES, Language
from relyon.judging.access import find_program, find_visitor
from relyon.judging.events import EventKind, record_event
from relyon.judging.jobs import find_job
from relyon.judging.members import Standing, find_standing, visible_projects
from relyon.judging.records import Project, Role, User
from relyon.judging.store import Store
from relyon.judging.texts import is_id

__all__ = [
    "COOKIE",
    "Administrator",
    "Caller",
    "CheckedForm",
    "Leader",
    "LeadingAccount",
    "LeadingCaller",
    "OpenStore",
    "OwnPasswordNeededError",
    "Person",
    "SignInNeededError",
    "SignedIn",
    "Visitor",
    "chosen_language",
    "enter_project",
    "enter_to_grade",
    "find_address",
    "find_sender",
    "note_event",
    "see_account",
    "see_projects",
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
        user: The account, in its role in the project of the page; None before the sign-in.
        secret: The value of the cookie; empty without one.
        language: The language of the page.
        account_role: The account's own role, which counts outside of projects.
    """

    user: User | None
    secret: str
    language: Language
    account_role: Role = "judge"

    @property
    def leads(self) -> bool:
        """Whether they may see everybody's grades and decide: here, if the page has a project."""
        return self.user is not None and self.user.role != "judge"

    @property
    def account_leads(self) -> bool:
        """Whether the account leads outside of projects: it sees the monitor."""
        return self.user is not None and self.account_role != "judge"

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


def see_account(request: Request) -> Visitor:
    """Returns the visitor, by the cookie, in the role of the account."""
    return _visitor(request, _find_visitor(request, None))


def see_visitor(request: Request) -> Visitor:
    """Returns the visitor, by the cookie, in their role in the project of the address.

    Raises:
        HTTPException: 404 if they do not see that project, as if it did not exist.
    """
    place = _find_place(request)
    standing = _find_visitor(request, place.project_id)
    if standing is None:
        return _visitor(request, None)
    return _visitor(request, standing, _enter(standing, place))


def _find_visitor(request: Request, project_id: int | None) -> Standing | None:
    idle = request.app.state.settings.idle_days * 86400
    secret = request.cookies.get(COOKIE, "")
    return find_visitor(request.app.state.store, secret, idle=idle, project_id=project_id)


def _visitor(request: Request, standing: Standing | None, user: User | None = None) -> Visitor:
    secret, language = request.cookies.get(COOKIE, ""), chosen_language(request)
    if standing is None:
        return Visitor(None, secret, language)
    return Visitor(user or standing.user, secret, language, standing.user.role)


@dataclass(frozen=True)
class _Place:
    """What an address names.

    Attributes:
        project_id: The project that it is about; None if it is about none.
        started_by: Who started its job, if the project of the job is not visible to anybody yet.
        job: Whether it names a job.
    """

    project_id: int | None
    started_by: int | None = None
    job: bool = False


def _find_place(request: Request) -> _Place:
    for name in ("project", "job"):
        written = str(request.path_params.get(name, ""))
        if not (written.isascii() and written.isdecimal() and is_id(int(written[:11]))):
            continue  # no id: the route itself refuses it
        if name == "project":
            return _Place(int(written))
        job = find_job(request.app.state.store, int(written))
        if job is None:
            return _Place(0, job=True)
        return _Place(job.project_id, job.user_id, job=True)
    return _Place(None)


def _enter(standing: Standing, place: _Place) -> User:
    """Returns an account in its role at a place.

    Raises:
        HTTPException: 404 if there is nothing there for this account.
    """
    if place.project_id is None:
        return standing.user
    if standing.here is not None:
        return standing.here
    # The project of an archive exists when its job is done: until then, who started it sees it.
    unfinished = place.job and not standing.exists
    if unfinished and (standing.user.role == "admin" or place.started_by == standing.user.id):
        return standing.user
    raise HTTPException(403 if place.job and standing.user.role == "judge" else 404)


def enter_project(request: Request, user: User, project_id: int, *, leads: bool = False) -> User:
    """Returns an account in its role in a project that the body of a request names.

    Args:
        request: The request.
        user: Who sends it.
        project_id: The project.
        leads: Whether they have to lead it.

    Raises:
        HTTPException: 404 if they do not see it, as if it did not exist; 403 if they do not lead
            it.
    """
    found = find_standing(request.app.state.store, user, project_id).here
    if found is None:
        raise HTTPException(404)
    found = _reduce(request, found)
    if leads and found.role == "judge":
        raise HTTPException(403)
    return found


#: Seconds for which a project that everybody sees is taken for one.
OPEN_FOR = 1.0
#: Until when projects are taken for ones that everybody sees.
_open_until: WeakKeyDictionary[Store, dict[int, float]] = WeakKeyDictionary()


def enter_to_grade(request: Request, user: User, project_id: int) -> User:
    """Returns an account in its role in a project, as `enter_project`, for what happens often.

    A project that becomes one for members only takes grades of others for up to a second; who is no
    longer a member of one is out at once.

    Raises:
        HTTPException: 404 if they do not see the project, as if it did not exist.
    """
    store: Store = request.app.state.store
    seen = _open_until.setdefault(store, {})
    if time.monotonic() < seen.get(project_id, 0.0):
        return user
    found = find_standing(store, user, project_id)
    if found.here is None:
        raise HTTPException(404)
    if not found.members_only:
        seen[project_id] = time.monotonic() + OPEN_FOR
    return _reduce(request, found.here)


def see_projects(request: Request, user: User) -> list[tuple[Project, User]]:
    """Returns the projects that an account sees, oldest first, and the account in its role there.

    Those that it does not lead are open.
    """
    found = [
        (project, _reduce(request, replace(user, role=role)))
        for project, role in visible_projects(request.app.state.store, user)
    ]
    return [one for one in found if one[0].state == "open" or one[1].role != "judge"]


def _reduce(request: Request, user: User) -> User:
    """Returns an account as a token for grading, if any, lets it act: as a judge."""
    grades = getattr(request.state, "token_scope", "") == "grade"
    return replace(user, role="judge") if grades else user


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


#: A visitor who leads: the project of the address, or without one in their account.
Leader = Annotated[Visitor, Depends(_leader)]


def _leading_account(visitor: Leader) -> Visitor:
    if not visitor.account_leads:
        raise HTTPException(403)
    return visitor


#: A visitor who leads the project of the address, and in their account, too: for what a project
#: changes outside of itself.
LeadingAccount = Annotated[Visitor, Depends(_leading_account)]


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
    user = see_visitor(request).user if secret is None else _find_program(request, secret)
    if user is None:
        return "anybody"
    return "signed in" if user.role == "judge" else "leads"


def _find_program(request: Request, secret: str) -> User | None:
    """Returns the owner of a token, in their role in the project of the address, or None.

    Raises:
        HTTPException: 404 if they do not see that project.
    """
    place = _find_place(request)
    found = find_program(request.app.state.store, secret, project_id=place.project_id)
    if found is None:
        return None
    standing, request.state.token_scope = found
    return _reduce(request, _enter(standing, place))


def _caller(
    request: Request,
    authorization: Annotated[str, Header(include_in_schema=False)] = "",
    x_csrf_token: Annotated[str, Header(include_in_schema=False)] = "",
) -> User:
    """Returns the caller of the REST interface: the owner of a token, or a signed-in user."""
    secret = _bearer(authorization)
    if secret is not None:
        user = _find_program(request, secret)
        if user is None:
            raise HTTPException(401, "token")
        if request.state.token_scope == "read" and request.method not in {"GET", "HEAD"}:
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
