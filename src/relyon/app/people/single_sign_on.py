"""Signing in with an identity provider: leaving for it, coming back, linking accounts to it."""

from __future__ import annotations

import logging
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.authentication import (
    CheckedForm,
    OpenStore,
    Person as PersonVisitor,
    Visitor,
    find_address,
    note_event,
    see_visitor,
)
from relyon.app.guard import Claim, SignInGuard, WaitError
from relyon.app.pages import render
from relyon.app.people.flow import FLOW_COOKIE, LIFETIME, Flow, Purpose, read_flow, start_flow
from relyon.app.people.provider import IdentityProvider, Person, ProviderError
from relyon.app.sign_in import make_claim, own_path, set_browser, set_cookie
from relyon.core.errors import InputError, ParameterError
from relyon.judging.events import record_event
from relyon.judging.identities import (
    create_identified,
    find_owner,
    link_identity,
    list_identities,
    unlink_identity,
)
from relyon.judging.invitations import accept_invitation, check_invitation
from relyon.judging.records import User
from relyon.judging.store import Store

__all__ = ["router"]

log = logging.getLogger("relyon.judging")

router = APIRouter(include_in_schema=False)
BACK = "/sign-in/provider/back"
#: The longest page to continue with.
MOST_NEXT = 1000


def _provider(request: Request) -> IdentityProvider:
    found: IdentityProvider | None = request.app.state.provider
    if found is None:
        raise HTTPException(404)
    return found


Provider = Annotated[IdentityProvider, Depends(_provider)]
Seen = Annotated[Visitor, Depends(see_visitor)]


def _redirect_uri(request: Request) -> str:
    """Returns the address to which the provider sends people back."""
    public: str = request.app.state.settings.alarms.public_url
    return (public or str(request.base_url)).rstrip("/") + BACK


def _leave(
    request: Request,
    visitor: Visitor,
    provider: IdentityProvider,
    purpose: Purpose,
    details: dict[str, str],
    *,
    form: bool = False,
) -> Response:
    """Sends a visitor to the provider.

    Args:
        request: The request.
        visitor: The visitor.
        provider: The provider.
        purpose: What they want there.
        details: What they continue with.
        form: Whether they sent a form: browsers do not follow one to another site, by our policy.
    """
    store: Store = request.app.state.store
    flow = start_flow(purpose, details, session=visitor.secret, now=store.clock())
    try:
        target = provider.authorize(flow.attempt, _redirect_uri(request))
    except ProviderError as error:
        return _failed(request, visitor, provider, error)
    title = provider.settings.title
    answer: Response = RedirectResponse(target, 303)
    if form:
        answer = render(request, visitor, "provider_leave.html", target=target, title=title)
    settings = request.app.state.settings
    answer.set_cookie(
        FLOW_COOKIE,
        flow.cookie,
        httponly=True,
        samesite="lax",  # it comes back from another site
        secure=settings.secure_cookies or request.url.scheme == "https",
        max_age=int(LIFETIME),
        path=BACK,
    )
    return answer


def _failed(
    request: Request,
    visitor: Visitor,
    provider: IdentityProvider,
    error: ProviderError | str,
    *,
    status: int = 400,
) -> Response:
    """Returns the page that says why somebody was not signed in."""
    problem, seconds = error if isinstance(error, str) else error.problem, 0
    if isinstance(error, ProviderError):
        log.warning("identity provider %s: %s: %s", provider.settings.issuer, problem, error)
        status, seconds = (503, 10) if problem in ("down", "busy") else (403, 0)
    title = provider.settings.title
    values = {"problem": problem, "title": title, "domains": provider.settings.domains}
    answer: Response = render(request, visitor, "provider_failed.html", status=status, **values)
    if seconds:
        answer.headers["Retry-After"] = str(seconds)
    answer.delete_cookie(FLOW_COOKIE, path=BACK)
    return answer


@router.get("/sign-in/provider")
def leave(
    request: Request,
    visitor: Seen,
    provider: Provider,
    next: Annotated[str, Query(max_length=MOST_NEXT)] = "/",
) -> Response:
    """Sends somebody to the provider to sign in."""
    if visitor.user is not None:
        return RedirectResponse(own_path(next), 303)
    return _leave(request, visitor, provider, "sign_in", {"next": own_path(next)})


@router.post("/account/provider", dependencies=[CheckedForm])
def leave_to_link(request: Request, visitor: PersonVisitor, provider: Provider) -> Response:
    """Sends somebody to the provider to link their account there to their account here."""
    return _leave(request, visitor, provider, "link", {}, form=True)


@router.post("/account/provider/unlink", dependencies=[CheckedForm])
def unlink(
    request: Request, store: OpenStore, visitor: PersonVisitor, provider: Provider
) -> Response:
    """Ends that the provider signs in to the account."""
    for one in list_identities(store, visitor.account):
        if one.issuer == provider.settings.issuer:
            unlink_identity(store, visitor.account, one)
            note_event(request, visitor, "identity_unlinked", provider.settings.title)
    return RedirectResponse("/account?told=unlinked", 303)


@router.post("/invitation/provider", dependencies=[CheckedForm])
def leave_to_accept(
    request: Request,
    store: OpenStore,
    visitor: Seen,
    provider: Provider,
    secret: Annotated[str, Form(max_length=100)],
    name: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    """Sends somebody to the provider to accept an invitation with their account there."""
    check_invitation(store, secret)
    return _leave(
        request, visitor, provider, "invitation", {"secret": secret, "name": name}, form=True
    )


def _claim(request: Request) -> Claim:
    return make_claim(request, "")


@router.get(BACK)
def come_back(
    request: Request,
    visitor: Seen,
    provider: Provider,
    claim: Annotated[Claim, Depends(_claim)],
    state: Annotated[str, Query(max_length=200)] = "",
    code: Annotated[str, Query(max_length=4000)] = "",
    iss: Annotated[str, Query(max_length=2000)] = "",
    error: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Signs in somebody who comes back from the provider."""
    store: Store = request.app.state.store
    cookie = request.cookies.get(FLOW_COOKIE, "")
    flow = read_flow(cookie, state=state, session=visitor.secret, now=store.clock())
    if flow is None or (flow.purpose == "link") != (visitor.user is not None):
        return _failed(request, visitor, provider, "state")
    if error or not code:
        return _failed(request, visitor, provider, ProviderError("denied", error[:100]))
    guard: SignInGuard = request.app.state.guard

    def find() -> User:
        person = provider.find_person(
            code, flow.attempt, sender=iss, redirect_uri=_redirect_uri(request)
        )
        return _find_user(request, provider, flow, person)

    try:
        if flow.purpose == "link":
            return _link(request, visitor, provider, flow, code, iss)
        entry = guard.enter(claim, find, visitor.secret)
    except WaitError as waiting:
        answer = _failed(request, visitor, provider, "wait", status=429)
        answer.headers["Retry-After"] = str(waiting.seconds)
        return answer
    except ProviderError as problem:
        return _failed(request, visitor, provider, problem)
    except _UnknownPersonError as unknown:
        record_event(store, "sign_in_failed", address=find_address(request))
        return _failed(request, visitor, provider, unknown.problem, status=403)
    answer = RedirectResponse(own_path(flow.details.get("next", "/")), 303)
    set_cookie(request, answer, entry.secret)
    set_browser(request, answer, entry.browser)
    answer.delete_cookie(FLOW_COOKIE, path=BACK)
    return answer


class _UnknownPersonError(Exception):
    """Somebody has no account here, and gets none.

    Attributes:
        problem: Why not, as the end of a text's key.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


def _find_user(request: Request, provider: IdentityProvider, flow: Flow, person: Person) -> User:
    """Returns the account that somebody signs in to, creating it if they may have one."""
    store: Store = request.app.state.store
    user = find_owner(store, person.identity)
    if user is not None:
        if not user.active:
            raise _UnknownPersonError("closed")
        return user
    if flow.purpose == "invitation":
        secret, name = flow.details.get("secret", ""), flow.details.get("name", "")
        names = (name, *person.names) if name.strip() else person.names
        for wanted in names or ("",):
            try:
                user = accept_invitation(store, secret, wanted, identity=person.identity)
            except ParameterError:
                if name.strip():
                    raise _UnknownPersonError("name") from None
                continue
            except InputError:
                raise _UnknownPersonError("over") from None
            note_event(request, user, "invitation_used", provider.settings.title)
            return user
        raise _UnknownPersonError("name")
    if not provider.settings.creates:
        raise _UnknownPersonError("unknown")
    if provider.settings.domains:
        domain = person.email.rpartition("@")[2].lower()
        if domain not in provider.settings.domains:
            raise _UnknownPersonError("domain")
    try:
        user = create_identified(store, person.identity, person.names)
    except ParameterError:
        raise _UnknownPersonError("name") from None
    note_event(
        request, user, "account_made", f"{user.name} ({user.role}, {provider.settings.title})"
    )
    return user


def _link(
    request: Request,
    visitor: Visitor,
    provider: IdentityProvider,
    flow: Flow,
    code: str,
    sender: str,
) -> Response:
    """Links the provider's account to the one that is signed in."""
    person = provider.find_person(
        code, flow.attempt, sender=sender, redirect_uri=_redirect_uri(request)
    )
    try:
        link_identity(request.app.state.store, visitor.account, person.identity)
    except InputError:
        raise _UnknownPersonError("taken") from None
    note_event(request, visitor, "identity_linked", provider.settings.title)
    answer = RedirectResponse("/account?told=linked", 303)
    answer.delete_cookie(FLOW_COOKIE, path=BACK)
    return answer
