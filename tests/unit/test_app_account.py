"""One's own account: its password, its tokens, and where one is signed in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.unit.clock import Clock

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient
from tests.unit.visitors import PASSWORD, sign_in, token_of

from relyon.app import Settings, create_app
from relyon.judging.access import (
    SCOPES,
    create_token,
    end_all_sign_ins,
    find_signed_in,
    find_token_user,
    list_sign_ins,
    list_tokens,
    start_sign_in,
)
from relyon.judging.events import list_events
from relyon.judging.records import Item
from relyon.judging.store import Store

pytestmark = pytest.mark.usefixtures("cheap_passwords")

NEW = "another sentence"
DAY = 86400.0


@pytest.fixture
def store_clock(clock: Clock) -> Clock:
    return clock


@pytest.fixture
def clock() -> Clock:
    return Clock(1_700_000_000.0)


@pytest.fixture
def store(store: Store) -> Store:
    store.accounts.create("ana", password=PASSWORD)
    store.accounts.create("lea", role="lead", password=PASSWORD)
    store.accounts.create("root", role="admin", password=PASSWORD)
    project = store.projects.create("June", overlap=2)
    store.items.add(project.id, [Item("q", f"d{n}") for n in range(5)])
    return store


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    with TestClient(create_app(store), follow_redirects=False) as opened:
        yield opened


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def change(client: TestClient, old: str = PASSWORD, new: str = NEW, **more: str) -> Any:
    csrf = token_of(client.get("/account/password").text)
    return client.post("/account/password", data={"csrf": csrf, "old": old, "new": new, **more})


# Passwords


def test_a_new_password_ends_all_other_sign_ins_and_all_tokens(
    client: TestClient, store: Store
) -> None:
    other = TestClient(client.app, follow_redirects=False)
    sign_in(other)
    sign_in(client)
    secret = create_token(store, store.accounts.get("ana"), "nightly")
    assert change(client, old="wrong").status_code == 403
    assert find_token_user(store, secret) is not None
    answer = change(client)
    assert (answer.status_code, answer.headers["location"]) == (303, "/account?told=changed")
    assert "signed out everywhere else" in client.get("/account?told=changed").text
    assert other.get("/").status_code == 303
    assert find_token_user(store, secret) is None
    assert store.accounts.check_password("ana", NEW) is not None


def test_tokens_are_kept_where_that_is_asked_for(client: TestClient, store: Store) -> None:
    sign_in(client)
    secret = create_token(store, store.accounts.get("ana"), "nightly")
    assert change(client, keep_tokens="yes").status_code == 303
    assert find_token_user(store, secret) is not None


def test_the_sign_in_before_a_new_password_is_worth_nothing(
    client: TestClient, store: Store
) -> None:
    sign_in(client)
    before = client.cookies["relyon_session"]
    change(client)
    assert client.cookies["relyon_session"] != before
    assert find_signed_in(store, before) is None


@pytest.mark.parametrize(
    ("new", "told"),
    [
        ("short", "12 to 128 characters"),
        ("x" * 129, "12 to 128 characters"),
        ("password12345", "easily guessed"),
        ("aaaaaaaaaaaaaa", "easily guessed"),
        ("relyon is a program", "easily guessed"),
        (PASSWORD, "is the current one"),
    ],
)
def test_a_bad_new_password_is_refused_in_words(
    client: TestClient, store: Store, new: str, told: str
) -> None:
    sign_in(client)
    answer = change(client, new=new)
    assert answer.status_code == 400
    assert told in answer.text
    assert 'name="new"' in answer.text
    assert store.accounts.check_password("ana", PASSWORD) is not None


def test_a_bad_new_password_is_refused_in_chinese(client: TestClient) -> None:
    sign_in(client)
    client.get("/account?lang=zh")
    assert "过于常见" in change(client, new="password12345").text


def test_guessing_at_the_page_has_to_wait_and_others_mistakes_do_not_count(store: Store) -> None:
    app = create_app(store, Settings(sign_in_attempts=2))
    client = TestClient(app, follow_redirects=False)
    sign_in(client)
    stranger = TestClient(app, client=("203.0.113.9", 1))
    assert [sign_in(stranger, password="no").status_code for _ in range(3)] == [401, 401, 429]
    assert [change(client, old="wrong").status_code for _ in range(3)] == [403, 403, 429]
    assert int(change(client).headers["retry-after"]) > 0


def test_a_made_password_opens_only_the_page_that_replaces_it(
    client: TestClient, store: Store
) -> None:
    store.projects.create("July")
    store.accounts.create("new", password="made by somebody", chosen_by="other")
    answer = sign_in(client, "new", "made by somebody", next="/projects/1/judge")
    assert answer.status_code == 303
    for path in ("/", "/account", "/projects/1/judge"):
        answer = client.get(path)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/account/password?next=/")
    csrf = token_of(client.get("/account/password").text)
    headers = {"X-CSRF-Token": csrf}
    assert client.get("/api/projects").status_code == 403
    assert client.post("/api/projects/1/tasks", headers=headers).status_code == 403
    assert client.post("/account/tokens", data={"csrf": csrf, "name": "t"}).status_code == 303
    assert list_tokens(store) == []
    page = client.get("/account/password?next=/projects/1/judge").text
    assert "This password was generated for you" in page
    assert 'value="/projects/1/judge"' in page
    answer = change(client, "made by somebody", next="/projects/1/judge")
    assert answer.headers["location"] == "/projects/1/judge"
    assert client.get("/projects/1/judge").status_code == 200
    assert not store.accounts.get("new").must_change


def test_the_page_of_the_password_leads_nowhere_else(client: TestClient) -> None:
    sign_in(client)
    assert 'value="/"' in client.get("/account/password?next=///evil.example").text
    assert change(client, next="///evil.example").headers["location"] == "/"


# Tokens


def make_token(client: TestClient, **values: str) -> str:
    csrf = token_of(client.get("/account").text)
    page = client.post("/account/tokens", data={"csrf": csrf, "name": "t", **values}).text
    found = re.search(r"<code>(relyon_[\w-]{43})</code>", page)
    assert found is not None
    return found[1]


def test_a_token_is_shown_once_and_deleted_by_its_owner_only(
    client: TestClient, store: Store
) -> None:
    sign_in(client)
    csrf = token_of(client.get("/account").text)
    page = client.post("/account/tokens", data={"csrf": csrf, "name": "<b>nightly"}).text
    assert re.search(r"<code>relyon_[\w-]{43}</code>", page)
    assert "&lt;b&gt;nightly" in page
    assert "relyon_" not in client.get("/account").text
    create_token(store, store.accounts.get("lea"), "hers")
    assert client.post("/account/tokens/2/delete", data={"csrf": csrf}).status_code == 400
    assert client.post("/account/tokens/1/delete", data={"csrf": csrf}).status_code == 303
    assert "nightly" not in client.get("/account").text
    assert [one.name for one in list_tokens(store)] == ["hers"]


def test_a_token_reads_and_ends_unless_it_is_asked_for_more(
    client: TestClient, store: Store, clock: Clock
) -> None:
    sign_in(client)
    secret = make_token(client)
    (token,) = list_tokens(store)
    assert (token.scope, token.expires_at) == ("read", clock.now + 90 * DAY)
    assert client.get("/api/projects", headers=bearer(secret)).status_code == 200
    clock.now += 90 * DAY + 1
    answer = client.get("/api/projects", headers=bearer(secret))
    assert answer.status_code == 401
    assert "expired" in answer.json()["error"]["message"]
    sign_in(client)
    assert "Expired on" in client.get("/account").text


def test_a_token_may_be_made_for_ever(client: TestClient, store: Store, clock: Clock) -> None:
    sign_in(client)
    secret = make_token(client, days="0")
    clock.now += 3650 * DAY
    assert find_token_user(store, secret) is not None


def routes(client: TestClient) -> list[tuple[str, str, bool]]:
    """Every operation of the REST interface, and whether it is for leads."""
    paths = client.get("/api/openapi.json").json()["paths"]
    return [
        (method.upper(), path, operation.get("description", "").startswith("For leads"))
        for path, operations in paths.items()
        for method, operation in operations.items()
    ]


ACTION = {"kind": "grade", "key": "k", "item_id": 1, "grade": 3}


def call(client: TestClient, method: str, path: str, secret: str) -> int:
    body = {"/api/actions": ACTION, "/api/adjudications": {"item_id": 1, "grade": 3, "key": "k"}}
    answer = client.request(
        method, path.replace("{project}", "1"), headers=bearer(secret), json=body.get(path)
    )
    return int(answer.status_code)


@pytest.mark.long
def test_each_route_asks_for_what_a_token_may(client: TestClient, store: Store) -> None:
    lead = store.accounts.get("lea")
    secrets = {scope: create_token(store, lead, scope, scope=scope) for scope in SCOPES}
    seen = set()
    for method, path, for_leads in routes(client):
        refused = {
            scope: call(client, method, path, secret) in {401, 403}
            for scope, secret in secrets.items()
        }
        assert refused == {"read": method != "GET", "grade": for_leads, "admin": False}, path
        seen.add((method, for_leads))
    assert seen == {("GET", False), ("GET", True), ("POST", False), ("POST", True)}


def test_a_body_of_another_type_is_refused(client: TestClient, store: Store) -> None:
    headers = bearer(create_token(store, store.accounts.get("lea"), "t"))
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/xml"):
        answer = client.post(
            "/api/actions", content=json.dumps(ACTION), headers={**headers, "Content-Type": kind}
        )
        assert answer.status_code == 422
    assert client.get("/api/projects/1/history", headers=headers).json() == []


def test_no_other_origin_reads_an_answer(client: TestClient, store: Store) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for method, path in (
        ("GET", "/sign-in"),
        ("OPTIONS", "/api/actions"),
        ("GET", "/api/projects"),
    ):
        answer = client.request(method, path, headers=headers)
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_a_token_that_grades_sees_what_a_judge_sees(client: TestClient, store: Store) -> None:
    judge = create_token(store, store.accounts.get("ana"), "t", scope="grade")
    lead = create_token(store, store.accounts.get("lea"), "t", scope="grade")
    assert client.post("/api/projects/1/tasks", headers=bearer(judge)).status_code == 200
    assert client.post("/api/actions", headers=bearer(judge), json=ACTION).status_code == 200
    assert client.get("/api/projects/1/history", headers=bearer(lead)).json() == []
    assert client.get("/api/session", headers=bearer(lead)).json()["role"] == "judge"


def test_when_a_token_was_used_is_noted_once_a_minute(
    client: TestClient, store: Store, clock: Clock
) -> None:
    secret = create_token(store, store.accounts.get("ana"), "t")
    assert list_tokens(store)[0].used_at is None
    first = clock.now
    for later, noted in ((0, 0), (59, 0), (60, 60), (100, 60)):
        clock.now = first + later
        assert client.get("/api/projects", headers=bearer(secret)).status_code == 200
        assert list_tokens(store)[0].used_at == first + noted


def test_what_is_noted_by_the_way_waits_for_no_other_writer(
    client: TestClient, store: Store, clock: Clock
) -> None:
    secret = create_token(store, store.accounts.get("ana"), "t")
    with store.database.write() as connection:
        connection.exec_driver_sql("UPDATE tokens SET name = 'busy'")
        assert client.get("/api/projects", headers=bearer(secret)).status_code == 200
    assert list_tokens(store)[0].used_at is None
    assert client.get("/api/projects", headers=bearer(secret)).status_code == 200
    assert list_tokens(store)[0].used_at == clock.now


def test_tokens_of_a_closed_account_stay_dead(client: TestClient, store: Store) -> None:
    secret = create_token(store, store.accounts.get("ana"), "t")
    cookie = start_sign_in(store, store.accounts.get("ana"))
    store.accounts.change("ana", active=False)
    store.accounts.change("ana", active=True)
    assert find_token_user(store, secret) is None
    assert find_signed_in(store, cookie) is None


def test_a_password_that_somebody_else_sets_ends_everything(store: Store) -> None:
    secret = create_token(store, store.accounts.get("ana"), "t")
    cookie = start_sign_in(store, store.accounts.get("ana"))
    store.accounts.change("ana", password="made by an admin", chosen_by="other")
    assert find_token_user(store, secret) is None
    assert find_signed_in(store, cookie) is None


@pytest.mark.parametrize("values", [{"scope": "all"}, {"days": "-1"}, {"days": "9999"}])
def test_a_token_of_another_kind_is_not_made(
    client: TestClient, store: Store, values: dict[str, str]
) -> None:
    sign_in(client)
    csrf = token_of(client.get("/account").text)
    answer = client.post("/account/tokens", data={"csrf": csrf, "name": "t", **values})
    assert answer.status_code == 422
    assert list_tokens(store) == []


# Sign-ins


def test_sign_ins_are_listed_and_ended_one_by_one(client: TestClient, store: Store) -> None:
    phone = TestClient(client.app, follow_redirects=False, client=("2001:db8:1:2::7", 1))
    phone.headers["User-Agent"] = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0) Version/17 Safari/604"
    sign_in(phone)
    sign_in(client)
    page = client.get("/account").text
    assert "Safari, iPhone" in page
    assert "2001:db8:1:2::/64" in page
    assert "this browser" in page
    here, there = list_sign_ins(
        store, store.accounts.get("ana"), secret=client.cookies["relyon_session"]
    )
    assert (here.current, there.current) == (True, False)
    csrf = token_of(page)
    strangers = start_sign_in(store, store.accounts.get("lea"))
    (hers,) = list_sign_ins(store, store.accounts.get("lea"))
    answer = client.post(f"/account/sign-ins/{hers.id}/end", data={"csrf": csrf})
    assert answer.status_code == 400
    assert find_signed_in(store, strangers) is not None
    answer = client.post(f"/account/sign-ins/{there.id}/end", data={"csrf": csrf})
    assert answer.headers["location"] == "/account?told=signed_out"
    assert phone.get("/").status_code == 303
    assert client.get("/account").status_code == 200


def test_all_other_sign_ins_are_ended_at_once(client: TestClient, store: Store) -> None:
    others = [TestClient(client.app, follow_redirects=False) for _ in range(2)]
    for one in (*others, client):
        sign_in(one)
    csrf = token_of(client.get("/account").text)
    assert client.post("/account/sign-ins/end", data={"csrf": csrf}).status_code == 303
    assert [one.get("/").status_code for one in (*others, client)] == [303, 303, 200]
    assert end_all_sign_ins(store, store.accounts.get("ana")) == 1


def test_a_sign_in_that_nobody_uses_ends(store: Store, clock: Clock) -> None:
    client = TestClient(create_app(store, Settings(idle_days=3)), follow_redirects=False)
    sign_in(client)
    for _ in range(4):  # in use, it lasts
        clock.now += 2.9 * DAY
        assert client.get("/").status_code == 200
    clock.now += 3.1 * DAY
    assert client.get("/").status_code == 303
    sign_in(client)
    assert len(list_sign_ins(store, store.accounts.get("ana"))) == 1


def test_a_sign_in_ends_after_two_weeks_whatever_happens(store: Store, clock: Clock) -> None:
    client = TestClient(create_app(store), follow_redirects=False)
    answer = sign_in(client)
    assert f"Max-Age={14 * 86400}" in answer.headers["set-cookie"]
    for _ in range(13):
        clock.now += DAY
        assert client.get("/").status_code == 200
    clock.now += DAY + 1
    assert client.get("/").status_code == 303


def test_when_a_browser_was_last_seen_is_noted_once_a_minute(
    client: TestClient, store: Store, clock: Clock
) -> None:
    sign_in(client)
    first = clock.now
    for later, noted in ((30, 0), (61, 61), (90, 61)):
        clock.now = first + later
        client.get("/")
        (found,) = list_sign_ins(store, store.accounts.get("ana"))
        assert found.seen_at == first + noted


def test_what_people_do_with_their_accounts_is_written_down(
    client: TestClient, store: Store
) -> None:
    sign_in(client)
    make_token(client, name="nightly", scope="grade")
    csrf = token_of(client.get("/account").text)
    client.post("/account/tokens/1/delete", data={"csrf": csrf})
    change(client)
    csrf = token_of(client.get("/account").text)
    client.post("/account/sign-ins/end", data={"csrf": csrf})
    client.post("/sign-out", data={"csrf": csrf})
    found = [(one.kind, one.actor, one.detail) for one in reversed(list_events(store))]
    assert found == [
        ("signed_in", "ana", ""),
        ("token_made", "ana", "nightly (grade)"),
        ("token_ended", "ana", "nightly"),
        ("password_changed", "ana", ""),
        ("sign_ins_ended", "ana", "0"),
        ("signed_out", "ana", ""),
    ]
