"""Invitations: made and withdrawn by admins and leads, and accepted by those who have the link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.account import find_fault
from relyon.app.accounts import show_all_accounts
from relyon.app.authentication import (
    Administrator,
    CheckedForm,
    OpenStore,
    Visitor,
    note_event,
    see_visitor,
)
from relyon.app.guard import BusyError, Claim, SignInGuard, WaitError
from relyon.app.pages import render
from relyon.app.rest import LARGEST_ID, Id
from relyon.app.sign_in import make_claim, set_browser, set_cookie
from relyon.core.errors import InputError, ParameterError
from relyon.judging.access import new_secret
from relyon.judging.account_names import check_one_script
from relyon.judging.invitations import (
    INVITATION_DAYS,
    LONGEST_NOTE,
    MOST_DAYS,
    Invitation,
    accept_invitation,
    check_invitation,
    create_invitation,
    find_invitation,
    withdraw_invitation,
)
from relyon.judging.passwords import LEAST_LENGTH, MOST_LENGTH
from relyon.judging.records import Project, Role, User
from relyon.judging.store import Store

__all__ = ["Invited", "InvitedForm", "invite", "link_to", "router"]

router = APIRouter(include_in_schema=False)
Text = Annotated[str, Form()]
Secret = Annotated[str, Form(max_length=100)]


@dataclass(frozen=True)
class Invited:
    """The form of an invitation."""

    name: str
    note: str
    days: float


def _read_form(
    name: Annotated[str, Form(max_length=200)] = "",
    note: Annotated[str, Form(max_length=LONGEST_NOTE)] = "",
    days: Annotated[float, Form(gt=0, le=MOST_DAYS)] = INVITATION_DAYS,
) -> Invited:
    return Invited(name, note, days)


InvitedForm = Annotated[Invited, Depends(_read_form)]


def link_to(request: Request, secret: str) -> str:
    """Returns the whole address of an invitation."""
    public: str = request.app.state.settings.alarms.public_url
    return f"{(public or str(request.base_url)).rstrip('/')}/invitation/{secret}"


def invite(
    request: Request,
    store: Store,
    visitor: Visitor,
    form: Invited,
    *,
    role: Role = "judge",
    project: Project | None = None,
) -> str:
    """Creates an invitation, and returns its link, which is shown once."""
    fault = _find_name_fault(store, form.name)
    if form.name.strip() and fault:
        raise HTTPException(400, fault.removeprefix("error."))
    secret = create_invitation(
        store,
        visitor.account,
        role=role,
        project=project,
        name=form.name,
        note=form.note,
        days=form.days,
    )
    place = "" if project is None else f", {project.name}"
    note_event(request, visitor, "invitation_made", f"{form.note or form.name} ({role}{place})")
    return link_to(request, secret)


def _find_name_fault(store: Store, name: str) -> str:
    """Returns the key of the text about a name that a new account cannot have, or nothing."""
    taken = store.accounts.find(name) or store.accounts.find_alike(name)
    if taken is not None:
        return "error.user_taken" if taken.name == name.strip() else "error.user_alike"
    try:
        check_one_script(name)
    except ParameterError:
        return "error.user_scripts"
    try:
        store.accounts.check_new_name(name)
    except (ParameterError, InputError):
        return "invitation.bad_name"
    return ""


@router.post("/accounts/invitations", dependencies=[CheckedForm])
def make_invitation(
    request: Request,
    store: OpenStore,
    visitor: Administrator,
    form: InvitedForm,
    role: Annotated[Role, Form()] = "judge",
    project: Annotated[int, Form(ge=0, le=LARGEST_ID)] = 0,
) -> Response:
    """Creates an invitation, and shows its link once."""
    chosen = store.projects.get(project) if project else None
    link = invite(request, store, visitor, form, role=role, project=chosen)
    return show_all_accounts(request, store, visitor, link=link)


@router.post("/accounts/invitations/{invitation}/withdraw", dependencies=[CheckedForm])
def withdraw(
    request: Request, store: OpenStore, visitor: Administrator, invitation: Id
) -> Response:
    """Withdraws an invitation."""
    found = withdraw_invitation(store, invitation)
    note_event(request, visitor, "invitation_withdrawn", found.note or found.name)
    return show_all_accounts(request, store, visitor, outcome="invitation.told_withdrawn")


@router.get("/invitation/{secret}")
def show_invitation(
    request: Request,
    store: OpenStore,
    visitor: Annotated[Visitor, Depends(see_visitor)],
    secret: str,
) -> Response:
    """The form that creates the account of an invitation."""
    return _form(request, visitor, secret, find_invitation(store, secret[:100]))


def _form(
    request: Request,
    visitor: Visitor,
    secret: str,
    found: Invitation | None,
    *,
    name: str = "",
    problem: str = "",
    status: int = 200,
    seconds: int = 0,
) -> Response:
    if visitor.user is None:
        visitor = Visitor(None, visitor.secret or new_secret(), visitor.language)
    answer = render(
        request,
        visitor,
        "invitation.html",
        status=404 if found is None else status,
        found=found,
        secret=secret,
        name=name,
        problem=problem,
        least=LEAST_LENGTH,
        most=MOST_LENGTH,
        provider=request.app.state.settings.provider,
        takes_password=found is not None and request.app.state.guard.takes_password(found.role),
    )
    if visitor.user is None:
        set_cookie(request, answer, visitor.secret)
    if seconds:
        answer.headers["Retry-After"] = str(seconds)
    return answer


def _nobody(request: Request) -> Claim:
    """Returns the attempt of somebody who has no account yet."""
    return make_claim(request, "")


@router.post("/invitation", dependencies=[CheckedForm])
async def accept(
    request: Request,
    store: OpenStore,
    visitor: Annotated[Visitor, Depends(see_visitor)],
    claim: Annotated[Claim, Depends(_nobody)],
    secret: Secret,
    name: Annotated[str, Form(max_length=200)] = "",
    password: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    """Creates the account of an invitation, and signs in to it."""
    guard: SignInGuard = request.app.state.guard
    if visitor.user is not None:
        return _form(request, visitor, secret, find_invitation(store, secret))
    known: list[Invitation] = []

    def create() -> User:
        found = check_invitation(store, secret)
        known.append(found)
        if not guard.takes_password(found.role):
            raise _FaultError("provider.no_passwords")
        wanted = found.name or name
        fault = _find_name_fault(store, wanted) or find_fault(password, wanted.strip())
        if fault:
            raise _FaultError(fault)
        made = accept_invitation(store, secret, wanted, password=password)
        note_event(request, made, "invitation_used", f"{found.note} ({found.role})".strip())
        return made

    problem, status, seconds = "", 400, 0
    try:
        entry = await guard.admit(claim, create, visitor.secret)
    except _FaultError as error:
        problem = error.key
    except (InputError, ParameterError):  # somebody else was faster
        known.clear()
    except WaitError as error:
        problem, status, seconds = "invitation.wait", 429, error.seconds
    except BusyError as error:
        problem, status, seconds = "sign_in.busy", 503, error.seconds
    else:
        return _welcome(request, known[0], entry.secret, entry.browser)
    if seconds and not known:
        return _waiting(request, visitor, problem, status, seconds)
    found = known[0] if known else None
    return _form(
        request, visitor, secret, found, name=name, problem=problem, status=status, seconds=seconds
    )


class _FaultError(Exception):
    """A name or a password is not valid.

    Attributes:
        key: The key of the text about it.
    """

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _waiting(
    request: Request, visitor: Visitor, problem: str, status: int, seconds: int
) -> Response:
    """Answers somebody who has to wait, whether or not the link is valid."""
    answer = render(request, visitor, "invitation_wait.html", status=status, problem=problem)
    answer.headers["Retry-After"] = str(seconds)
    return answer


def _welcome(request: Request, found: Invitation, secret: str, browser: str) -> Response:
    """Leads a new account to its project."""
    target = "/"
    if found.project_id is not None:
        target = f"/projects/{found.project_id}" + ("/judge" if found.role == "judge" else "")
    answer = RedirectResponse(target, 303)
    set_cookie(request, answer, secret)
    set_browser(request, answer, browser)
    return answer
