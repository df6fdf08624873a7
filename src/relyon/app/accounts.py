"""All accounts, for admins, and the log of events."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from fastapi import APIRouter, Form, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import Administrator, CheckedForm, OpenStore, Visitor, note_event
from relyon.app.pages import render
from relyon.app.rest import LARGEST_ID, Id
from relyon.core.errors import ParameterError
from relyon.judging.access import delete_token, end_all_sign_ins, list_tokens
from relyon.judging.account_names import check_one_script
from relyon.judging.events import EVENT_KINDS, EventKind, list_events
from relyon.judging.invitations import list_invitations
from relyon.judging.passwords import generate_password
from relyon.judging.records import Role, User
from relyon.judging.store import Store

__all__ = ["INVITATION_DAYS", "router", "show_all_accounts"]

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Form()]
AccountAction = Literal["password", "close", "open", "sign_out", "role"]
ROLES: tuple[Role, ...] = get_args(Role)
#: Events on one page.
SHOWN = 50
#: Invitations on the page, the latest; and the days after which one can expire.
MOST_INVITATIONS, INVITATION_DAYS = 50, (1, 7, 30, 90)


def show_all_accounts(
    request: Request,
    store: Store,
    visitor: Visitor,
    *,
    made: str = "",
    password: str = "",
    outcome: str = "",
    link: str = "",
) -> Response:
    """Returns the page of all accounts.

    Args:
        request: The request.
        store: The database.
        visitor: Who sees it.
        made: The name of the account that has just been changed.
        password: Its password, which is shown once.
        outcome: The key of a text about what has changed.
        link: The link of an invitation, which is shown once.
    """
    return render(
        request,
        visitor,
        "accounts.html",
        accounts=store.accounts.all(),
        tokens=list_tokens(store),
        roles=ROLES,
        made=made,
        password=password,
        outcome=outcome,
        link=link,
        invitations=list_invitations(store)[:MOST_INVITATIONS],
        projects=store.projects.all("open"),
        days=INVITATION_DAYS,
    )


@router.get("/accounts")
def show_accounts(request: Request, store: OpenStore, visitor: Administrator) -> Response:
    """All accounts and their tokens."""
    return show_all_accounts(request, store, visitor)


@router.post("/accounts", dependencies=[CheckedForm])
def add_account(
    request: Request,
    store: OpenStore,
    visitor: Administrator,
    name: Text = "",
    role: Annotated[Role, Form()] = "judge",
) -> Response:
    """Creates an account with a password that is shown once."""
    taken = store.accounts.find(name) or store.accounts.find_alike(name)
    if taken is not None:
        raise HTTPException(400, "user_taken" if taken.name == name.strip() else "user_alike")
    try:
        check_one_script(name)
    except ParameterError:
        raise HTTPException(400, "user_scripts") from None
    if not request.app.state.guard.takes_password(role):
        raise HTTPException(400, "no_passwords")
    password = generate_password()
    user = store.accounts.create(name, role=role, password=password, chosen_by="other")
    note_event(request, visitor, "account_made", f"{user.name} ({role})")
    return show_all_accounts(request, store, visitor, made=user.name, password=password)


@router.post("/accounts/change", dependencies=[CheckedForm])
def change_account(
    request: Request,
    store: OpenStore,
    visitor: Administrator,
    name: Text = "",
    action: Text = "",
    role: Text = "",
) -> Response:
    """Changes another user's account."""
    chosen = next((one for one in ROLES if one == role), None)
    if action not in get_args(AccountAction) or (action == "role" and chosen is None):
        raise HTTPException(400, "other")
    user = store.accounts.get(name)
    if user.id == visitor.account.id and action != "role":
        raise HTTPException(403)
    password, told = "", ""
    match action:
        case "password":
            password = generate_password()
            store.accounts.change(user.name, password=password, chosen_by="other")
            note_event(request, visitor, "password_reset", user.name)
        case "close" | "open":
            _set(store, user, active=action == "open")
            kind: EventKind = "account_opened" if action == "open" else "account_closed"
            note_event(request, visitor, kind, user.name)
        case "sign_out":
            count = end_all_sign_ins(store, user)
            note_event(request, visitor, "sign_ins_ended", f"{user.name}: {count}")
            told = "lead.told_signed_out"
        case "role" if chosen is not None:
            _change_role(request, store, visitor, user, chosen)
            told = "lead.told_role"
    if user.id == visitor.account.id:  # without the role they may no longer see this page
        return RedirectResponse("/", 303)
    return show_all_accounts(
        request, store, visitor, made=user.name, password=password, outcome=told
    )


def _change_role(request: Request, store: Store, visitor: Visitor, user: User, role: Role) -> None:
    if role != user.role:
        _set(store, user, role=role)
        note_event(request, visitor, "role_changed", f"{user.name}: {user.role} → {role}")


def _set(store: Store, user: User, *, role: Role | None = None, active: bool | None = None) -> None:
    try:
        store.accounts.change(user.name, role=role, active=active)
    except ParameterError:
        if user.machine:
            raise
        raise HTTPException(400, "last_admin") from None


@router.post("/accounts/tokens/{token}/delete", dependencies=[CheckedForm])
def remove_token(request: Request, store: OpenStore, visitor: Administrator, token: Id) -> Response:
    """Deletes any user's token."""
    ended = delete_token(store, None, token)
    note_event(request, visitor, "token_ended", f"{ended.owner}: {ended.name}")
    return show_all_accounts(request, store, visitor, outcome="account.token_deleted")


@router.get("/events")
def show_events(
    request: Request,
    store: OpenStore,
    visitor: Administrator,
    kind: str = "",
    actor: str = "",
    before: Annotated[int, Query(ge=0, le=LARGEST_ID)] = 0,
) -> Response:
    """The log of events, newest first, by kind and account."""
    found = list_events(store, kind=kind, actor=actor, before=before or None, most=SHOWN + 1)
    return render(
        request,
        visitor,
        "events.html",
        events=found[:SHOWN],
        more=found[SHOWN - 1].id if len(found) > SHOWN else 0,
        kinds=EVENT_KINDS,
        accounts=[one.name for one in store.accounts.all() if not one.machine],
        kind=kind,
        actor=actor,
        before=before,
        days=request.app.state.settings.event_days,
    )
