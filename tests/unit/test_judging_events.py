"""What happened is written down, found again, and forgotten after its time."""

from __future__ import annotations

import pytest

pytest.importorskip("sqlalchemy")

from relyon.core.errors import ParameterError
from relyon.judging.events import EVENT_KINDS, forget_events, list_events, record_event
from relyon.judging.store import open_store


def test_events_are_found_by_kind_and_account_page_by_page(judging_database: str) -> None:
    now = 1000.0
    with open_store(judging_database, clock=lambda: now) as store:
        ann = store.accounts.create("ann")
        for number in range(5):
            now = 1000.0 + number
            record_event(store, "exported", actor=ann, address="10.0.0.7", detail=f"no. {number}")
        record_event(store, "signed_in", actor="bo")
        found = list_events(store, kind="exported", most=2)
        assert [(one.detail, one.at, one.actor) for one in found] == [
            ("no. 4", 1004.0, "ann"),
            ("no. 3", 1003.0, "ann"),
        ]
        further = list_events(store, kind="exported", before=found[-1].id)
        assert [one.detail for one in further] == ["no. 2", "no. 1", "no. 0"]
        (signed_in,) = list_events(store, actor="bo")
        assert signed_in.to_dict() == {
            "id": signed_in.id, "at": 1004.0, "actor": "bo", "address": "command line",
            "kind": "signed_in", "detail": "",
        }  # fmt: skip


def test_an_event_never_fails_for_what_it_says(judging_database: str) -> None:
    with open_store(judging_database) as store:
        record_event(store, "imported", actor="a\0\ud800", detail="x" * 10_000)
        (found,) = list_events(store)
        assert found.actor == "a??"
        assert len(found.detail) == 500
        with pytest.raises(ParameterError, match="must be one of"):
            record_event(store, "nothing")  # type: ignore[arg-type]


def test_an_event_is_stored_with_what_it_tells_of_or_not_at_all(judging_database: str) -> None:
    with open_store(judging_database) as store:
        with store.database.write() as connection:
            record_event(store, "account_made", detail="ann", connection=connection)
            connection.rollback()
        assert list_events(store) == []


def test_old_events_are_forgotten(judging_database: str) -> None:
    now = 0.0
    with open_store(judging_database, clock=lambda: now) as store:
        for day in range(4):
            now = day * 86400.0
            record_event(store, "signed_in", actor="ann", detail=str(day))
        assert forget_events(store, days=1.5) == 2
        assert [one.detail for one in list_events(store)] == ["3", "2"]


def test_kinds_are_names() -> None:
    assert len(set(EVENT_KINDS)) == len(EVENT_KINDS)
    assert all(kind.isidentifier() for kind in EVENT_KINDS)
