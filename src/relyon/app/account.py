"""The user's own account: password, tokens and sign-ins."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import (
    CheckedForm,
    OpenStore,
    Person,
    SignedIn,
    Visitor,
    note_event,
)
from relyon.app.catalogue import say
from relyon.app.guard import BusyError, Claim, SignInGuard, WaitError
from relyon.app.pages import render
from relyon.app.rest import Id
from relyon.app.sign_in import make_claim, own_path, set_browser, set_cookie
from relyon.core.errors import ParameterError
from relyon.core.language import Language
from relyon.judging.access import (
    SCOPES,
    TOKEN_DAYS,
    Scope,
    create_token,
    delete_token,
    end_all_sign_ins,
    end_one_sign_in,
    list_sign_ins,
    list_tokens,
    start_sign_in,
)
from relyon.judging.browsers import network, remember_browser
from relyon.judging.guessable import check_not_guessable
from relyon.judging.identities import list_identities
from relyon.judging.passwords import LEAST_LENGTH, MOST_LENGTH
from relyon.judging.records import User
from relyon.judging.store import Store

__all__ = ["find_fault", "router"]

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Form()]
Told = Literal[
    "", "changed", "token_deleted", "signed_out", "signed_out_others", "linked", "unlinked"
]


@router.get("/account")
def show_account(request: Request, store: OpenStore, visitor: Person, told: Told = "") -> Response:
    """The user's password, tokens and sign-ins."""
    return _account(request, store, visitor, told=told)


def _account(
    request: Request,
    store: Store,
    visitor: Visitor,
    *,
    secret: str = "",
    told: Told = "",
    status: int = 200,
) -> Response:
    settings = request.app.state.settings
    return render(
        request,
        visitor,
        "account.html",
        status=status,
        tokens=list_tokens(store, visitor.account),
        sign_ins=list_sign_ins(
            store, visitor.account, secret=visitor.secret, idle=settings.idle_days * 86400
        ),
        scopes=SCOPES,
        days=TOKEN_DAYS,
        secret=secret,
        told=told,
        provider=settings.provider,
        linked=settings.provider is not None
        and settings.provider.issuer
        in {one.issuer for one in list_identities(store, visitor.account)},
        has_password=request.app.state.guard.takes_password(visitor.account.role)
        and store.accounts.has_password(visitor.account),
        lasts=_span(visitor.language, settings.sign_in_days),
        idle=_span(visitor.language, settings.idle_days),
    )


def _span(language: Language, days: float) -> str:
    """Returns a number of days in a suitable unit."""
    if days >= 2:
        return say(language, "account.span_days", count=round(days))
    if days >= 2 / 24:
        return say(language, "account.span_hours", count=round(days * 24))
    return say(language, "account.span_minutes", count=max(round(days * 1440), 1))


@router.get("/account/password")
def show_password(request: Request, visitor: SignedIn, next: str = "/account") -> Response:
    """The form for changing the user's password."""
    return _password(request, visitor, next=own_path(next))


def _password(
    request: Request,
    visitor: Visitor,
    *,
    next: str,
    problem: str = "",
    status: int = 200,
    seconds: int = 0,
) -> Response:
    answer = render(
        request,
        visitor,
        "account_password.html",
        status=status,
        problem=problem,
        least=LEAST_LENGTH,
        most=MOST_LENGTH,
        next=next,
    )
    if seconds:
        answer.headers["Retry-After"] = str(seconds)
    return answer


def _own_claim(request: Request, visitor: SignedIn) -> Claim:
    return make_claim(request, visitor.account.name)


def find_fault(new: str, name: str, *, old: str | None = None) -> str:
    """Returns the key of the text about an invalid new password; empty if it is valid."""
    if new == old:
        return "account.same"
    if not LEAST_LENGTH <= len(new) <= MOST_LENGTH:
        return "account.length"
    try:
        check_not_guessable(new, name)
    except ParameterError:
        return "account.guessable"
    return ""


@router.post("/account/password", dependencies=[CheckedForm])
async def change_password(
    request: Request,
    store: OpenStore,
    visitor: SignedIn,
    claim: Annotated[Claim, Depends(_own_claim)],
    old: Text = "",
    new: Text = "",
    keep_tokens: Text = "",
    next: Text = "/account",
) -> Response:
    """Sets a new password, which ends all other sign-ins, and tokens unless they are kept."""
    guard: SignInGuard = request.app.state.guard

    def change(user: User) -> tuple[str, str]:
        store.accounts.change(user.name, password=new, tokens="keep" if keep_tokens else "end")
        note_event(request, user, "password_changed")
        browser = remember_browser(store, user, claim.browser, claim.address)
        secret = start_sign_in(
            store,
            user,
            lifetime=request.app.state.settings.sign_in_days * 86400,
            agent=claim.agent,
            address=network(claim.address),
        )
        return secret, browser

    target = own_path(next)
    fault = find_fault(new, visitor.account.name, old=old)
    if fault:
        return _password(request, visitor, next=target, problem=fault, status=400)
    try:
        made = await guard.change_password(claim, old, change)
    except (WaitError, BusyError) as error:
        status, problem = (
            (429, "sign_in.wait") if isinstance(error, WaitError) else (503, "sign_in.busy")
        )
        return _password(
            request, visitor, next=target, problem=problem, status=status, seconds=error.seconds
        )
    if made is None:
        return _password(request, visitor, next=target, problem="account.wrong", status=403)
    answer = RedirectResponse("/account?told=changed" if target == "/account" else target, 303)
    set_cookie(request, answer, made[0])
    set_browser(request, answer, made[1])
    return answer


@router.post("/account/tokens", dependencies=[CheckedForm])
def add_token(
    request: Request,
    store: OpenStore,
    visitor: Person,
    name: Text = "",
    scope: Annotated[Scope, Form()] = "read",
    days: Annotated[int, Form(ge=0, le=3650)] = 90,
) -> Response:
    """Creates a token and shows it once. With 0 days it does not expire."""
    secret = create_token(store, visitor.account, name, scope=scope, days=days or None)
    note_event(request, visitor, "token_made", f"{name.strip()} ({scope})")
    return _account(request, store, visitor, secret=secret)


@router.post("/account/tokens/{token}/delete", dependencies=[CheckedForm])
def remove_token(request: Request, store: OpenStore, visitor: Person, token: Id) -> Response:
    """Deletes one of the user's own tokens."""
    ended = delete_token(store, visitor.account, token)
    note_event(request, visitor, "token_ended", ended.name)
    return RedirectResponse("/account?told=token_deleted", 303)


@router.post("/account/sign-ins/end", dependencies=[CheckedForm])
def end_others(request: Request, store: OpenStore, visitor: Person) -> Response:
    """Signs the user out everywhere else."""
    count = end_all_sign_ins(store, visitor.account, but=visitor.secret)
    note_event(request, visitor, "sign_ins_ended", str(count))
    return RedirectResponse("/account?told=signed_out_others", 303)


@router.post("/account/sign-ins/{sign_in}/end", dependencies=[CheckedForm])
def end_one(request: Request, store: OpenStore, visitor: Person, sign_in: Id) -> Response:
    """Signs the user out in one browser."""
    end_one_sign_in(store, visitor.account, sign_in)
    note_event(request, visitor, "sign_ins_ended", "1")
    return RedirectResponse("/account?told=signed_out", 303)
