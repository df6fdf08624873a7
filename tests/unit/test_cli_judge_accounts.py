"""`relyon judge account`: who grades and leads, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")

from tests.unit.conftest import Command

from relyon.judging.store import open_store


@pytest.mark.long
def test_a_new_account_has_a_password_that_is_printed_once(command: Command, files: Path) -> None:
    outcome = command("judge", "init", "judging.db", "--account", "ann", "--role", "lead")
    password = outcome.out.strip()
    assert outcome.code == 0
    assert len(password) >= 16
    assert password not in outcome.err
    with open_store(files / "judging.db") as store:
        user = store.accounts.check_password("ann", password)
    assert user is not None
    assert user.role == "lead"
    again = command("judge", "init", "judging.db", "--account", "ann")
    assert again.code == 2
    assert "user `ann` already exists" in again.err


@pytest.mark.long
def test_a_lost_password_is_replaced_and_ends_the_sign_ins(command: Command, files: Path) -> None:
    from relyon.judging.access import find_signed_in, start_sign_in

    before = command(
        "judge", "init", "judging.db", "--account", "ann", "--role", "lead"
    ).out.strip()
    with open_store(files / "judging.db") as store:
        secret = start_sign_in(store, store.accounts.get("ann"))
    outcome = command("judge", "init", "judging.db", "--account", "ann", "--reset-password")
    assert outcome.code == 0
    with open_store(files / "judging.db") as store:
        assert store.accounts.check_password("ann", before) is None
        assert store.accounts.check_password("ann", outcome.out.strip()) is not None
        assert find_signed_in(store, secret) is None
        assert store.accounts.get("ann").role == "lead"
    outcome = command("judge", "init", "judging.db", "--account", "bob", "--reset-password")
    assert (outcome.code, "unknown user: `bob`" in outcome.err) == (2, True)
    assert command("judge", "init", "judging.db", "--reset-password").code == 2


def test_a_made_password_has_to_be_replaced(command: Command, files: Path) -> None:
    command("judge", "init", "judging.db", "--account", "ann")
    with open_store(files / "judging.db") as store:
        assert store.accounts.get("ann").must_change


def test_accounts_are_listed_with_their_tokens(command: Command, files: Path) -> None:
    from relyon.judging.access import create_token, start_sign_in

    command("judge", "init", "judging.db", "--account", "ann", "--role", "lead")
    with open_store(files / "judging.db") as store:
        ann = store.accounts.create("bo", password="a long sentence")
        secret = create_token(store, ann, "nightly", scope="read")
        start_sign_in(store, ann, agent="Firefox, Linux")
    table = command("judge", "accounts", "judging.db").out
    rows = [line.split() for line in table.splitlines()]
    assert ["ann", "lead", *["has", "to", "choose", "a", "password"], "0"] in rows
    assert ["bo", "judge", "open", "1"] in rows
    assert any(row[:3] == ["bo", "nightly", "read"] for row in rows)
    found = command("judge", "accounts", "judging.db", "--format", "json").out
    assert secret not in table + found
    ann_found, bo = json.loads(found)
    assert (ann_found["tokens"], bo["tokens"][0]["scope"]) == ([], "read")
    assert bo["sign_ins"][0]["agent"] == "Firefox, Linux"


@pytest.mark.long
def test_an_account_changes_on_the_command_line(command: Command, files: Path) -> None:
    from relyon.judging.access import create_token, find_signed_in, list_tokens, start_sign_in

    def run(*options: str):
        return command("judge", "account", "judging.db", "ann", *options)

    command("judge", "init", "judging.db", "--account", "ann", "--role", "admin")
    outcome = run("--role", "lead")
    assert (outcome.code, "only administrator" in outcome.err) == (2, True)
    command("judge", "init", "judging.db", "--account", "root", "--role", "admin")
    assert "ann: role changed from admin to lead" in run("--role", "lead").err
    with open_store(files / "judging.db") as store:
        secret = start_sign_in(store, store.accounts.get("ann"))
        create_token(store, store.accounts.get("ann"), "t")
        assert run("--end-sign-ins", "--end-tokens").code == 0
        assert find_signed_in(store, secret) is None
        assert list_tokens(store) == []
        assert "ann is closed" in run("--state", "closed").err
        assert not store.accounts.get("ann").active
        run("--state", "open")
        password = run("--reset-password").out.strip()
        assert store.accounts.check_password("ann", password) is not None
    assert run().code == 2
    assert command("judge", "account", "judging.db", "eve", "--role", "lead").code == 2
