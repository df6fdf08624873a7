"""Messages on months: claimed once, sent at most once, tried again where that is safe."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.unit.clock import Clock

from relyon.core.errors import InputError, ParameterError
from relyon.judging.alarm_messages import (
    DELAYS,
    LOST,
    Delivery,
    claim_message,
    finish_message,
    list_messages,
    queue_messages,
    send_again,
)
from relyon.judging.receivers import (
    MOST_RECEIVERS,
    Receiver,
    add_receiver,
    find_receiver,
    list_receivers,
    remove_receiver,
    switch_receiver,
)
from relyon.judging.records import User
from relyon.judging.store import Store

URL = "https://hooks.example/services/secret"


@pytest.fixture
def store_clock(clock: Clock) -> Callable[[], float]:
    return clock


@pytest.fixture
def lea(store: Store) -> User:
    return store.accounts.create("lea", role="admin")


@pytest.fixture
def chat(store: Store, lea: User) -> Receiver:
    return add_receiver(store, "webhook", URL, by=lea, name="Search", language="zh")


def queue(store: Store, month: str = "2026-03") -> int:
    return queue_messages(store, month, list_receivers(store), lambda one: f"s {one.id}\ntext")


def test_a_message_is_queued_claimed_and_finished_once(store: Store, chat: Receiver) -> None:
    assert queue(store) == 1
    assert queue(store) == 0
    claimed = claim_message(store)
    assert claimed is not None
    assert (claimed.subject, claimed.text, claimed.receiver) == (f"s {chat.id}", "text", chat)
    assert claim_message(store) is None
    assert list_messages(store)[0].state == "sending"
    finish_message(store, claimed, Delivery("sent"))
    (message,) = list_messages(store)
    assert (message.state, message.attempts, message.sent_at) == ("sent", 1, store.clock())
    assert queue(store) == 0
    assert not send_again(store, message.id)
    assert queue(store, "2026-04") == 1


def test_many_processes_claim_a_message_once(store: Store, lea: User) -> None:
    for number in range(6):
        add_receiver(store, "webhook", f"{URL}{number}", by=lea)
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda _: queue(store), range(8))) == 6
        claimed = list(pool.map(lambda _: [claim_message(store) for _ in range(3)], range(8)))
    ids = [one.id for some in claimed for one in some if one is not None]
    assert sorted(ids) == sorted({one.id for one in list_messages(store)})


def test_it_is_tried_again_later_and_later_and_then_failed(
    store: Store, chat: Receiver, clock: Clock
) -> None:
    queue(store)
    for delay in DELAYS:
        claimed = claim_message(store)
        assert claimed is not None
        finish_message(store, claimed, Delivery("later", "status:503"))
        (message,) = list_messages(store)
        assert (message.state, message.problem) == ("waiting", "status:503")
        clock.now += delay - 1
        assert claim_message(store) is None
        clock.now += 2
    claimed = claim_message(store)
    assert claimed is not None
    finish_message(store, claimed, Delivery("later", "status:503"))
    (message,) = list_messages(store)
    assert (message.state, message.attempts) == ("failed", len(DELAYS) + 1)
    clock.now += 1e6
    assert claim_message(store) is None
    # Somebody asks for it: it begins anew.
    assert send_again(store, message.id)
    assert not send_again(store, message.id)
    again = claim_message(store)
    assert again is not None
    assert again.attempts == 1


def test_a_process_that_dies_while_it_sends_leaves_it_unclear(
    store: Store, chat: Receiver, clock: Clock
) -> None:
    queue(store)
    claimed = claim_message(store)
    assert claimed is not None
    clock.now += LOST - 1
    assert list_messages(store)[0].state == "sending"
    assert not send_again(store, claimed.id)
    clock.now += 2
    # No other process sends it by itself.
    assert claim_message(store) is None
    assert list_messages(store)[0].state == "unclear"
    assert send_again(store, claimed.id)
    second = claim_message(store)
    assert second is not None
    # The first one lives after all: it does not speak for the second.
    finish_message(store, claimed, Delivery("failed", "status:404"))
    assert list_messages(store)[0].state == "sending"
    finish_message(store, second, Delivery("unclear", "late"))
    assert list_messages(store)[0].state == "unclear"
    clock.now += 1e6
    assert claim_message(store) is None


def test_a_paused_receiver_is_told_nothing(store: Store, chat: Receiver) -> None:
    queue(store)
    switch_receiver(store, chat.id, active=False)
    assert list_receivers(store, which="active") == []
    assert claim_message(store) is None
    switch_receiver(store, chat.id, active=True)
    assert claim_message(store) is not None


def test_a_receiver_is_removed_with_what_it_was_told(store: Store, chat: Receiver) -> None:
    queue(store)
    claimed = claim_message(store)
    assert claimed is not None
    remove_receiver(store, chat.id)
    finish_message(store, claimed, Delivery("sent"))
    assert list_messages(store) == []
    assert find_receiver(store, chat.id) is None
    assert find_receiver(store, 2**40) is None


def test_who_may_add_which_receivers(store: Store, lea: User) -> None:
    lead = store.accounts.create("bo", role="lead")
    with pytest.raises(ParameterError):
        add_receiver(store, "webhook", URL, by=lead)
    for kind, address in (("email", "a@b.c\nBcc: x@y.z"), ("email", "a"), ("webhook", "")):
        with pytest.raises(ParameterError):
            add_receiver(store, kind, address, by=lea)  # type: ignore[arg-type]
    with pytest.raises((ParameterError, InputError)):
        add_receiver(store, "email", "a@b.c", by=lea, name="a\0b")
    with pytest.raises(ParameterError):
        add_receiver(store, "fax", "1", by=lea)  # type: ignore[arg-type]
    for number in range(MOST_RECEIVERS):
        add_receiver(store, "email", f"a{number}@b.c", by=lea)
    with pytest.raises(InputError):
        add_receiver(store, "email", "z@b.c", by=lea)


def test_what_is_shown_of_an_address(chat: Receiver) -> None:
    assert "secret" not in chat.shown
