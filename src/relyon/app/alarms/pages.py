"""The page of alarms: receivers, a test of each, and what was sent."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.alarms.notifier import deliver
from relyon.app.alarms.settings import AlarmSettings
from relyon.app.alarms.webhooks import check_webhook
from relyon.app.authentication import (
    Administrator,
    CheckedForm,
    Leader,
    OpenStore,
    Visitor,
    note_event,
)
from relyon.app.catalogue import say, texts
from relyon.app.pages import render
from relyon.app.rest import Id
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import LANGUAGES, Language, translate
from relyon.judging.alarm_messages import list_messages, send_again
from relyon.judging.receivers import (
    RECEIVER_KINDS,
    Receiver,
    ReceiverKind,
    add_receiver,
    find_receiver,
    list_receivers,
    remove_receiver,
    switch_receiver,
)
from relyon.judging.store import Store

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
#: Messages on the page.
SHOWN = 100


def _settings(request: Request) -> AlarmSettings:
    found: AlarmSettings = request.app.state.settings.alarms
    return found


def _kinds(settings: AlarmSettings) -> list[ReceiverKind]:
    """Returns the kinds of receivers that the operator's settings can reach."""
    return [
        kind
        for kind in RECEIVER_KINDS
        if (settings.mail is not None if kind == "email" else settings.webhook_hosts)
    ]


def name_problem(language: Language, problem: str) -> str:
    """Returns why a message has not arrived, in words.

    Examples:
        >>> name_problem("en", "redirect:302")
        'It answered with a redirect (302), which is not followed.'
    """
    kind, _, detail = problem.partition(":")
    key = f"alarms.problem_{kind}"
    return say(language, key, detail=detail or "–") if key in texts(language) else problem


def _show(
    request: Request,
    store: Store,
    visitor: Visitor,
    *,
    told: str = "",
    problem: str = "",
    hint: str = "",
    sent: dict[str, str] | None = None,
) -> Response:
    settings = _settings(request)
    return render(
        request,
        visitor,
        "alarms.html",
        status=400 if sent is not None else 200,
        receivers=list_receivers(store),
        messages=list_messages(store, most=SHOWN),
        kinds=_kinds(settings),
        hosts=settings.webhook_hosts,
        languages=LANGUAGES,
        name_problem=name_problem,
        rounds=request.app.state.rounds is not None,
        told=told,
        problem=problem,
        hint=hint,
        sent=sent or {},
    )


@router.get("/monitor/alarms")
def show_alarms(request: Request, store: OpenStore, visitor: Leader) -> Response:
    """Receivers of alarms, and what was sent to them."""
    return _show(request, store, visitor)


@router.post("/monitor/alarms", dependencies=[CheckedForm])
def add(
    request: Request,
    store: OpenStore,
    visitor: Administrator,
    kind: Annotated[ReceiverKind, Form()],
    address: Annotated[str, Form(max_length=4000)] = "",
    name: Annotated[str, Form(max_length=200)] = "",
    language: Annotated[Language, Form()] = "en",
    every_month: Annotated[str, Form(max_length=5)] = "",
) -> Response:
    """Adds a receiver."""
    settings = _settings(request)
    try:
        if kind not in _kinds(settings):
            raise HTTPException(400, "other")
        if kind != "email":
            address = check_webhook(address, settings.webhook_hosts)
        made = add_receiver(
            store,
            kind,
            address,
            by=visitor.account,
            name=name,
            language=language,
            every_month=bool(every_month),
        )
    except (InputError, ParameterError) as error:
        sent = {"kind": kind, "address": address, "name": name, "language": language}
        return _show(
            request,
            store,
            visitor,
            problem=translate(error.message, visitor.language),
            hint=translate(error.hint, visitor.language),
            sent=sent | {"every_month": every_month},
        )
    note_event(request, visitor, "receiver_changed", f"{_call(made)}: +")
    return RedirectResponse("/monitor/alarms", 303)


def _call(receiver: Receiver) -> str:
    """Returns what a receiver is called, without the secret of its address."""
    return f"{receiver.name} ({receiver.shown})" if receiver.name else receiver.shown


def _find(store: Store, number: int) -> Receiver:
    found = find_receiver(store, number)
    if found is None:
        raise HTTPException(404)
    return found


@router.post("/monitor/alarms/{receiver}/test", dependencies=[CheckedForm])
def send_test(request: Request, store: OpenStore, visitor: Administrator, receiver: Id) -> Response:
    """Sends a test to a receiver, and shows what became of it."""
    found = _find(store, receiver)
    settings = _settings(request)
    subject = say(found.language, "alarms.test_subject")
    text = say(found.language, "alarms.test_text", name=visitor.account.name)
    if settings.public_url:
        text = f"{text}\n\n{settings.public_url}/monitor"
    outcome = deliver(settings, found, subject, text)
    note_event(request, visitor, "receiver_changed", f"{_call(found)}: {outcome.fate}")
    if outcome.fate == "sent":
        told = say(visitor.language, "alarms.test_sent", name=_call(found))
        return _show(request, store, visitor, told=told)
    return _show(
        request,
        store,
        visitor,
        problem=say(
            visitor.language,
            "alarms.test_unclear" if outcome.fate == "unclear" else "alarms.test_failed",
            name=_call(found),
        ),
        hint=name_problem(visitor.language, outcome.problem),
    )


@router.post("/monitor/alarms/{receiver}/switch", dependencies=[CheckedForm])
def switch(
    request: Request,
    store: OpenStore,
    visitor: Administrator,
    receiver: Id,
    active: Annotated[str, Form(max_length=5)] = "",
) -> Response:
    """Pauses a receiver, or resumes it."""
    found = _find(store, receiver)
    switch_receiver(store, found.id, active=bool(active))
    note_event(request, visitor, "receiver_changed", f"{_call(found)}: {'on' if active else 'off'}")
    return RedirectResponse("/monitor/alarms", 303)


@router.post("/monitor/alarms/{receiver}/remove", dependencies=[CheckedForm])
def remove(request: Request, store: OpenStore, visitor: Administrator, receiver: Id) -> Response:
    """Removes a receiver with its messages."""
    found = _find(store, receiver)
    remove_receiver(store, found.id)
    note_event(request, visitor, "receiver_changed", f"{_call(found)}: -")
    return RedirectResponse("/monitor/alarms", 303)


@router.post("/monitor/alarms/messages/{number}/again", dependencies=[CheckedForm])
def repeat(request: Request, store: OpenStore, visitor: Leader, number: Id) -> Response:
    """Sends a message again that failed or may not have arrived."""
    if send_again(store, number):
        request.app.state.alarms.wake()
    return RedirectResponse("/monitor/alarms#messages", 303)
