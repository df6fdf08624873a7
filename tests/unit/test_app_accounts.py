"""Accounts of everybody: made, changed, closed; and the page of what happened."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient
from tests.unit.visitors import PASSWORD, sign_in, token_of

from relyon.app import create_app
from relyon.core.errors import ParameterError
from relyon.judging.access import (
    create_token,
    find_signed_in,
    find_token_user,
    list_tokens,
    start_sign_in,
)
from relyon.judging.events import EVENT_KINDS, list_events, record_event
from relyon.judging.records import Item, Rating
from relyon.judging.store import Store

pytestmark = pytest.mark.usefixtures("cheap_passwords")


@pytest.fixture
def store(store: Store) -> Store:
    store.accounts.create("root", role="admin", password=PASSWORD)
    store.accounts.create("lea", role="lead", password=PASSWORD)
    store.accounts.create("ana", password=PASSWORD)
    return store


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    with TestClient(create_app(store), follow_redirects=False) as opened:
        sign_in(opened, "root")
        yield opened


def post(client: TestClient, path: str, **values: str) -> Any:
    csrf = token_of(client.get("/account").text)
    return client.post(path, data={"csrf": csrf, **values})


def change(client: TestClient, name: str, action: str, **values: str) -> Any:
    return post(client, "/accounts/change", name=name, action=action, **values)


@pytest.mark.parametrize("action", ["bogus", "", "delete", "role", "PASSWORD"])
def test_an_unknown_action_changes_nothing(client: TestClient, store: Store, action: str) -> None:
    secret = start_sign_in(store, store.accounts.get("ana"))
    before = store.accounts.all()
    assert change(client, "ana", action).status_code == 400
    assert store.accounts.all() == before
    assert find_signed_in(store, secret) is not None
    assert store.accounts.check_password("ana", PASSWORD) is not None


def test_a_made_password_has_to_be_replaced(client: TestClient, store: Store) -> None:
    page = post(client, "/accounts", name="王小明", role="judge").text
    (password,) = re.findall(r"<code>([\w-]+)</code>", page)
    assert "replaced at the first sign-in" in page
    assert store.accounts.get("王小明").must_change
    (password,) = re.findall(r"<code>([\w-]+)</code>", change(client, "ana", "password").text)
    assert store.accounts.get("ana").must_change
    assert store.accounts.check_password("ana", password) is not None


def test_a_reset_ends_sign_ins_and_tokens(client: TestClient, store: Store) -> None:
    secret, token = (
        start_sign_in(store, store.accounts.get("ana")),
        create_token(store, store.accounts.get("ana"), "t"),
    )
    change(client, "ana", "password")
    assert find_signed_in(store, secret) is None
    assert find_token_user(store, token) is None


def test_roles_are_changed(client: TestClient, store: Store) -> None:
    assert "Role changed." in change(client, "ana", "role", role="lead").text
    assert store.accounts.get("ana").role == "lead"
    assert change(client, "ana", "role", role="boss").status_code == 400
    assert store.accounts.get("ana").role == "lead"


def test_the_last_administrator_stays(client: TestClient, store: Store) -> None:
    answer = change(client, "root", "role", role="lead")
    assert answer.status_code == 400
    assert "the only administrator" in answer.text
    with pytest.raises(ParameterError, match="only administrator"):
        store.accounts.change("root", active=False)
    change(client, "ana", "role", role="admin")
    assert change(client, "root", "role", role="judge").headers["location"] == "/"
    assert client.get("/accounts").status_code == 403
    assert store.accounts.get("root").role == "judge"


@pytest.mark.parametrize("action", ["password", "close", "open", "sign_out"])
def test_nobody_does_it_to_themselves(client: TestClient, store: Store, action: str) -> None:
    assert change(client, "root", action).status_code == 403
    assert store.accounts.check_password("root", PASSWORD) is not None


def test_sign_ins_of_others_are_ended(client: TestClient, store: Store) -> None:
    secret = start_sign_in(store, store.accounts.get("ana"))
    assert "Signed out everywhere." in change(client, "ana", "sign_out").text
    assert find_signed_in(store, secret) is None
    assert store.accounts.check_password("ana", PASSWORD) is not None


@pytest.mark.long
def test_an_administrator_sees_and_ends_every_token(client: TestClient, store: Store) -> None:
    secret = create_token(store, store.accounts.get("ana"), "nightly", scope="grade")
    page = client.get("/accounts").text
    assert "ana · nightly" in page
    assert "Grade: what a judge does." in page
    assert secret not in page
    (token,) = list_tokens(store)
    assert post(client, f"/accounts/tokens/{token.id}/delete").status_code == 200
    assert find_token_user(store, secret) is None
    assert post(client, f"/accounts/tokens/{token.id}/delete").status_code == 400


@pytest.mark.parametrize(
    "name", ["LEA", "lеa", "ｌｅａ", "lea ", "  Lea", "Iea", "1ea", "leɑ", "lea.", "|ea"]
)
def test_a_name_that_looks_like_another_is_refused(
    client: TestClient, store: Store, name: str
) -> None:
    answer = post(client, "/accounts", name=name)
    assert answer.status_code == 400
    assert "already an account" in answer.text or "looks the same" in answer.text
    assert len(store.accounts.all()) == 3
    with pytest.raises(ParameterError):
        store.accounts.create(name)


def test_a_name_that_mixes_scripts_is_refused(client: TestClient, store: Store) -> None:
    answer = post(client, "/accounts", name="bоris")
    assert answer.status_code == 400
    assert "different scripts" in answer.text


def test_files_may_name_judges_that_look_alike(store: Store) -> None:
    project = store.projects.create("June", overlap=3)
    names = ["Ann", "ann", "аnn"]
    rows = [(Item("q", "d"), [Rating(name, 1) for name in names])]
    store.grades.add(project.id, rows)
    assert {
        one.judge for found in store.grades.ratings(project.id).values() for one in found
    } == set(names)
    assert len(store.accounts.all()) == 6


@pytest.mark.parametrize("who", ["lea", "ana"])
@pytest.mark.parametrize("path", ["/accounts", "/events"])
def test_only_administrators_see_it(store: Store, who: str, path: str) -> None:
    client = TestClient(create_app(store), follow_redirects=False)
    assert client.get(path).headers["location"].startswith("/sign-in")
    sign_in(client, who)
    assert client.get(path).status_code == 403
    for target in ("/accounts", "/accounts/change", "/accounts/tokens/1/delete"):
        answer = post(client, target, name="eve", action="password")
        assert answer.status_code == 403
    assert len(store.accounts.all()) == 3


def test_what_is_refused_is_in_the_log(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    client = TestClient(create_app(store), follow_redirects=False)
    sign_in(client, "ana")
    client.get("/accounts")
    client.post("/accounts", data={"csrf": "no", "name": "eve"})
    assert [one.getMessage() for one in caplog.records if one.name == "relyon.judging"] == [
        "refused: GET '/accounts' from testclient",
        "refused: POST '/accounts' from testclient (csrf)",
    ]


# What happened


def test_events_are_shown_by_kind_and_account_page_by_page(
    client: TestClient, store: Store
) -> None:
    for number in range(60):
        record_event(store, "exported", actor="ana", address="10.0.0.7", detail=f"<no. {number}>")
    page = client.get("/events").text
    assert "&lt;no. 59&gt;" in page
    assert "&lt;no. 9&gt;" not in page
    older = re.search(r'href="(/events\?[^"]*before=\d+)"', page)
    assert older is not None
    page = client.get(older[1].replace("&amp;", "&")).text
    assert "&lt;no. 9&gt;" in page
    assert "&lt;no. 59&gt;" not in page
    assert "Signed in</td>" in page
    page = client.get("/events?kind=signed_in&actor=root").text
    assert "Exported</td>" not in page
    assert "Signed in</td>" in page
    assert "nothing of this kind" in client.get("/events?actor=lea").text


def test_every_kind_of_event_has_words(client: TestClient, store: Store) -> None:
    for kind in EVENT_KINDS:
        record_event(store, kind)
    for language in ("en", "zh"):
        page = client.get(f"/events?lang={language}").text
        words = re.findall(r'<tr>(?:<td class="text">[^<]*</td>){2}<td class="text">([^<]+)', page)
        assert len(set(words)) == len(EVENT_KINDS)
        assert not set(words) & set(EVENT_KINDS)


@pytest.mark.long
def test_what_administrators_and_leads_do_is_written_down(client: TestClient, store: Store) -> None:
    post(client, "/accounts", name="eve", role="lead")
    change(client, "eve", "role", role="judge")
    change(client, "eve", "password")
    change(client, "eve", "close")
    change(client, "eve", "open")
    create_token(store, store.accounts.get("ana"), "nightly")
    post(client, "/accounts/tokens/1/delete")
    post(client, "/projects", name="June", overlap="2")
    post(client, "/projects/1/guideline", en="Grade it.")
    csrf = token_of(client.get("/account").text)
    file = {"file": ("pool.csv", b"query,document\nq,d\n")}
    sent = client.post(
        "/projects/1/import", data={"csrf": csrf}, files=file, follow_redirects=False
    )
    client.post(sent.headers["location"], data={"csrf": csrf, "action": "import"})
    client.get("/projects/1/export?form=csv")
    client.get("/api/projects/1/export?format=jsonl")
    client.post(
        "/api/projects/1/import",
        content="query,document\nq,d2\n",
        headers={"X-CSRF-Token": csrf, "Content-Type": "text/plain"},
    )
    found = [(one.kind, one.detail) for one in reversed(list_events(store))]
    assert found == [
        ("signed_in", ""),
        ("account_made", "eve (lead)"),
        ("role_changed", "eve: lead → judge"),
        ("password_reset", "eve"),
        ("account_closed", "eve"),
        ("account_opened", "eve"),
        ("token_ended", "ana: nightly"),
        ("project_made", "June"),
        ("project_changed", "June: guideline"),
        ("imported", "June: pool.csv, 1 + 0"),
        ("exported", "June: csv"),
        ("exported", "June: jsonl"),
        ("imported", "June: csv, 1 + 0"),
    ]
    assert {one.actor for one in list_events(store)} == {"root"}
    assert {one.address for one in list_events(store)} == {"testclient"}


def test_an_export_is_had_where_the_event_cannot_be_stored(
    client: TestClient, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    post(client, "/projects", name="June")
    with store.database.write() as connection:
        connection.exec_driver_sql("ALTER TABLE events RENAME TO elsewhere")
    assert client.get("/projects/1/export?form=csv").status_code == 200
    assert "'kind': 'exported', 'detail': 'June: csv'} could not be stored" in caplog.text
