"""Guessing passwords: slow for who guesses, and in nobody else's way."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import example, given, strategies as st
from tests.unit.visitors import PASSWORD, sign_in, token_of

from relyon.app import Settings, create_app
from relyon.app.sign_in import own_path
from relyon.judging import passwords
from relyon.judging.attempts import Attempts, Limit
from relyon.judging.events import list_events
from relyon.judging.store import Store, open_store

pytestmark = pytest.mark.usefixtures("cheap_passwords")

WRONG = "wrong sentence"
HOME, OFFICE, ELSEWHERE = "10.0.0.1", "10.0.0.2", "203.0.113.9"


@pytest.fixture
def store(store: Store) -> Store:
    for name in ("ana", "bo", "lead"):
        store.accounts.create(name, password=PASSWORD)
    return store


def browser(app: FastAPI, address: str = HOME) -> TestClient:
    return TestClient(app, follow_redirects=False, client=(address, 50000))


def guess(client: TestClient, name: str, times: int) -> list[int]:
    return [sign_in(client, name, WRONG).status_code for _ in range(times)]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, list[int]]]:
    """Hashing stands still until the event is set; how many began is counted."""
    go, begun = threading.Event(), []
    real = passwords.is_password

    def check(hashed: str, password: str) -> bool:
        begun.append(1)
        assert go.wait(60)
        return real(hashed, password)

    monkeypatch.setattr(passwords, "is_password", check)
    yield go, begun
    go.set()


@pytest.mark.long
def test_pages_never_wait_for_passwords(
    store: Store, held: tuple[threading.Event, list[int]]
) -> None:
    go, begun = held
    app = create_app(store, Settings(sign_in_attempts=1000))
    with TestClient(app, follow_redirects=False) as guesser, ThreadPoolExecutor(80) as pool:
        csrf = token_of(guesser.get("/sign-in").text)
        judge = browser(app)
        go.set()
        sign_in(judge)
        go.clear()
        begun.clear()
        headers = {"Cookie": f"relyon_session={judge.cookies['relyon_session']}"}

        def attack(number: int) -> Any:
            data = {"csrf": csrf, "name": f"nobody{number}", "password": WRONG}
            return guesser.post("/sign-in", data=data)

        guesses = [pool.submit(attack, number) for number in range(80)]
        wait(guesses, timeout=20, return_when="FIRST_COMPLETED")
        # All share the loop and its threads with the guesses, none of which is answered by a hash.
        for _ in range(20):
            answer = guesser.get("/account", headers=headers)
            assert answer.status_code == 200
        assert len(begun) <= 2
        go.set()
        answers = [one.result(60) for one in guesses]
    refused = [one for one in answers if one.status_code == 503]
    assert {one.status_code for one in answers} == {401, 503}
    assert len(refused) >= 60
    assert all(int(one.headers["retry-after"]) >= 1 for one in refused)
    assert "Many people are signing in" in refused[0].text
    assert 'name="password"' in refused[0].text


def test_a_full_house_says_so_in_chinese(
    store: Store, held: tuple[threading.Event, list[int]]
) -> None:
    app = create_app(store, Settings(sign_in_attempts=1000))
    for turns in app.state.guard.turns.values():
        while turns.acquire(blocking=False):
            pass
    with browser(app) as client:
        client.get("/sign-in?lang=zh")
        answer = sign_in(client)
    assert answer.status_code == 503
    assert "当前登录人数较多" in answer.text


@pytest.mark.long
def test_guesses_at_once_do_not_pass_the_limit(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashes: list[int] = []
    real = passwords.is_password

    def check(hashed: str, password: str) -> bool:
        hashes.append(1)
        return real(hashed, password)

    monkeypatch.setattr(passwords, "is_password", check)
    app = create_app(store, Settings(sign_in_attempts=5, sign_in_threads=60))
    with TestClient(app, follow_redirects=False) as client, ThreadPoolExecutor(60) as pool:
        csrf = token_of(client.get("/sign-in").text)
        data = {"csrf": csrf, "name": "ana", "password": WRONG}
        together = threading.Barrier(60)

        def attack(_: int) -> int:
            together.wait(30)
            return int(client.post("/sign-in", data=data).status_code)

        statuses = list(pool.map(attack, range(60)))
    assert len(hashes) == 5
    assert statuses.count(401) == 5
    assert set(statuses) == {401, 429}


def test_a_header_does_not_say_where_a_request_comes_from(store: Store) -> None:
    client = browser(create_app(store, Settings(sign_in_attempts=2)))
    csrf = token_of(client.get("/sign-in").text)
    statuses = [
        client.post(
            "/sign-in",
            data={"csrf": csrf, "name": "ana", "password": WRONG},
            headers={name: f"198.51.100.{number}"},
        ).status_code
        for number, name in enumerate(
            ["X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-For"]
        )
    ]
    assert statuses == [401, 401, 429, 429]


@pytest.mark.parametrize("name", ["ana ", "ANA", "ana  ", "ａｎａ", "аna"])
def test_spellings_of_a_name_are_counted_together(store: Store, name: str) -> None:
    client = browser(create_app(store, Settings(sign_in_attempts=2)))
    assert guess(client, "ana", 2) == [401, 401]
    assert guess(client, name, 1) == [429]
    answer = sign_in(client)
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 301


def test_names_that_do_not_exist_are_counted_alike(store: Store) -> None:
    client = browser(create_app(store, Settings(sign_in_attempts=2)))
    assert guess(client, "nobody", 3) == guess(client, "bo", 3) == [401, 401, 429]


def test_one_name_is_limited_over_many_addresses(store: Store) -> None:
    app = create_app(store, Settings(sign_in_attempts=2))
    statuses = [guess(browser(app, f"198.51.100.{number}"), "ana", 1)[0] for number in range(12)]
    assert statuses == [401] * 8 + [429] * 4


def test_addresses_of_one_network_of_ipv6_are_one(store: Store) -> None:
    app = create_app(store, Settings(sign_in_attempts=2))
    statuses = [guess(browser(app, f"2001:db8::{number}"), "ana", 1)[0] for number in range(3)]
    assert statuses == [401, 401, 429]
    assert guess(browser(app, "2001:db8:0:1::1"), "ana", 1) == [401]


@pytest.mark.long
def test_who_signed_in_before_is_not_kept_out_by_a_stranger(store: Store) -> None:
    app = create_app(store, Settings(sign_in_attempts=2))
    lead = browser(app, HOME)
    assert sign_in(lead, "lead").status_code == 303
    for number in range(10):
        guess(browser(app, f"198.51.100.{number}"), "lead", 1)
    assert sign_in(browser(app, ELSEWHERE), "lead").status_code == 429
    # At home, in a new browser; and somewhere else, in the browser that is known.
    assert sign_in(browser(app, HOME), "lead").status_code == 303
    travelling = browser(app, ELSEWHERE)
    travelling.cookies.set("relyon_browser", lead.cookies["relyon_browser"])
    assert sign_in(travelling, "lead").status_code == 303


@pytest.mark.long
def test_mistakes_in_an_office_do_not_lock_it_out(store: Store) -> None:
    app = create_app(store, Settings(sign_in_attempts=2))
    assert sign_in(browser(app, OFFICE), "ana").status_code == 303
    newcomers = browser(app, OFFICE)
    statuses = [guess(newcomers, f"typo{number}", 1)[0] for number in range(12)]
    assert statuses == [401] * 10 + [429] * 2
    assert sign_in(browser(app, OFFICE), "bo").status_code == 429
    assert sign_in(browser(app, OFFICE), "ana").status_code == 303
    # Nor do mistakes at one name hold up another one.
    assert guess(browser(app, HOME), "bo", 3) == [401, 401, 429]
    assert sign_in(browser(app, HOME), "lead").status_code == 303


def test_a_known_browser_is_counted_too(store: Store) -> None:
    app = create_app(store, Settings(sign_in_attempts=2))
    lead = browser(app, HOME)
    sign_in(lead, "lead")
    thief = browser(app, ELSEWHERE)
    thief.cookies.set("relyon_browser", lead.cookies["relyon_browser"])
    assert guess(thief, "lead", 3) == [401, 401, 429]
    # What a browser keeps is new after each sign-in: a copy from before is a stranger's.
    assert sign_in(browser(app, HOME), "lead").status_code == 303


def test_what_the_browser_keeps_is_new_each_time(store: Store) -> None:
    app = create_app(store)
    client = browser(app)
    client.cookies.set("relyon_browser", "planted-by-somebody-else")
    cookie = sign_in(client).headers["set-cookie"]
    assert "relyon_browser=" in cookie
    assert "planted" not in cookie
    assert "samesite=strict" in cookie.lower()
    first = client.cookies.get("relyon_browser", domain="testserver.local")
    client.post("/sign-out", data={"csrf": token_of(client.get("/account").text)})
    sign_in(client, "bo")
    second = client.cookies.get("relyon_browser", domain="testserver.local")
    assert second not in {first, "planted-by-somebody-else"}
    guard = app.state.guard
    assert guard.recognise("ana", ELSEWHERE, second, "").known == "browser"
    assert guard.recognise("ana", ELSEWHERE, first, "").known == "none"


def test_an_hour_later_strangers_may_try_again(judging_database: str) -> None:
    now = 1000.0
    with open_store(judging_database, clock=lambda: now) as store:
        store.accounts.create("ana", password=PASSWORD)
        app = create_app(store, Settings(sign_in_attempts=2))
        for number in range(8):
            guess(browser(app, f"198.51.100.{number}"), "ana", 1)
        assert sign_in(browser(app)).status_code == 429
        now += 3601
        assert sign_in(browser(app)).status_code == 303


def test_a_window_moves(judging_database: str) -> None:
    now = 1000.0
    with (
        open_store(judging_database, clock=lambda: now) as store,
        open_store(judging_database, clock=lambda: now) as other,
    ):
        # Two processes of the app count together.
        here, beside = Attempts(store, 10), Attempts(other, 10)
        limit = [Limit("a", 2, 10)]
        first = here.reserve(limit)
        assert (first.wait, len(first.rows)) == (0, 1)
        now = 1004.0
        second = beside.reserve(limit)
        assert here.wait(limit) == beside.reserve(limit).wait == 6
        assert here.wait([Limit("b", 2, 10)]) == 0
        now = 1010.5
        assert here.wait(limit) == 0
        here.reserve(limit)
        assert beside.wait(limit) == pytest.approx(3.5)
        now = 500.0
        assert here.wait(limit) == 10  # a clock that was set back keeps nobody out for long
        now = 1010.5
        beside.release(second)
        assert here.wait(limit) == 0
        here.reserve(limit)
        assert here.wait(limit) > 0
        here.release(second, forget=["a"])
        assert beside.wait(limit) == 0
        here.reserve([Limit("b", 2, 10)])
        now = 1030.0
        here.reserve([Limit("c", 2, 10)])
        with store.database.read() as connection:
            count = connection.exec_driver_sql("SELECT count(*) FROM attempts").scalar_one()
        assert count == 1


def test_what_happens_at_the_door_is_written_down(store: Store) -> None:
    app = create_app(store, Settings(sign_in_attempts=2))
    client = browser(app, ELSEWHERE)
    client.headers["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0"
    guess(client, "ana", 4)
    guess(client, "my-secret-password", 1)
    sign_in(client, "bo")
    found = [(one.kind, one.actor, one.detail) for one in reversed(list_events(store))]
    assert found == [
        ("sign_in_failed", "ana", ""),
        ("sign_in_failed", "ana", ""),
        ("sign_in_blocked", "ana", ""),
        ("sign_in_failed", "", ""),
        ("signed_in", "bo", "Firefox, Linux"),
    ]
    assert {one.address for one in list_events(store)} == {ELSEWHERE}


def test_a_flood_of_mistakes_does_not_fill_the_disk(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("relyon.app.guard.MOST_WRITTEN", 3)
    client = browser(create_app(store, Settings(sign_in_attempts=1000)))
    guess(client, "ana", 6)
    assert len(list_events(store, kind="sign_in_failed")) == 3


def test_old_events_are_forgotten_by_the_way(judging_database: str) -> None:
    now = 0.0
    with open_store(judging_database, clock=lambda: now) as store:
        store.accounts.create("ana", password=PASSWORD)
        app = create_app(store, Settings(event_days=10))
        now = 86400.0 * 2
        sign_in(browser(app))
        now = 86400.0 * 14
        sign_in(browser(app))
        assert [one.at for one in list_events(store)] == [now]


PAYLOADS = [
    "//evil.example", "///evil.example", "////evil.example", "https://evil.example",
    "https:evil.example", "http:/evil.example", "/\\evil.example", "\\\\evil.example",
    "/\\/evil.example", "/\t/evil.example",
    "/\n//evil.example", "\t//evil.example", " //evil.example", "/%2Fevil.example",
    "/%2F%2Fevil.example", "/%5Cevil.example", "/%09/evil.example", "/%252F/evil.example",
    "/%2e//evil.example", "/.//evil.example", "/;//evil.example", "//evil.example/%2e%2e",
    "javascript:alert(1)", "data:text/html,x", "", "evil.example",
    "/\u2028/evil.example", "//[", "/[//evil", "//evil.example:80", "//user@evil.example",
    "/@evil//x",    "/\x00/evil.example", "/" + "a" * 3000,
]  # fmt: skip


@pytest.mark.parametrize("target", PAYLOADS)
def test_signing_in_leads_nowhere_else(store: Store, target: str) -> None:
    client = browser(create_app(store))
    assert sign_in(client, next=target).headers["location"] == "/"
    # Who is signed in already is sent on at once.
    answer = client.get(f"/sign-in?next={quote(target)}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")


@pytest.mark.parametrize(
    "target", ["/", "/projects/1/judge", "/projects/1/queue?at=7", "/monitor?x=//"]
)
def test_signing_in_leads_on_within_the_app(store: Store, target: str) -> None:
    assert sign_in(browser(create_app(store)), next=target).headers["location"] == target


@given(
    st.text(
        alphabet=st.sampled_from("/\\%2fF5cC.:@ae\t\n\x00?#[]; ") | st.characters(), max_size=30
    )
)
@example("//[")
def test_no_path_leaves_the_app(path: str) -> None:
    found = own_path(path)
    assert found in {path, "/"}
    # As a browser reads it: without control characters, with backslashes as slashes.
    read = "".join(letter for letter in found if letter > " ").replace("\\", "/")
    for seen in (found, read):
        parts = urlsplit(urljoin("https://app.example/sign-in", seen))
        assert (parts.scheme, parts.netloc) == ("https", "app.example")


def test_the_turn_is_given_back(store: Store) -> None:
    app = create_app(store, Settings(sign_in_attempts=1000))
    client = browser(app)
    before = {known: turns._value for known, turns in app.state.guard.turns.items()}
    guess(client, "ana", 3)
    sign_in(client)
    app.state.guard.threads.shutdown(wait=True)
    assert {known: turns._value for known, turns in app.state.guard.turns.items()} == before


@pytest.mark.long
def test_guesses_do_not_show_who_signed_in_at_an_address(store: Store) -> None:
    app = create_app(store, Settings(sign_in_attempts=50))
    assert sign_in(browser(app, OFFICE), "ana").status_code == 303
    guesser = browser(app, OFFICE)
    # As soon as strangers have to wait there, every wrong password has to.
    app.state.guard.settings = Settings(sign_in_attempts=2)
    assert [guess(guesser, f"typo{number}", 1)[0] for number in range(10)] == [401] * 10
    found = []
    for name in ("typo", "bo", "ana"):
        answer = sign_in(guesser, name, WRONG)
        found.append((answer.status_code, answer.text.replace(name, "NAME")))
        assert abs(int(answer.headers["retry-after"]) - 300) <= 5
    assert {status for status, _ in found} == {429}
    assert sign_in(browser(app, OFFICE), "ana").status_code == 303


def test_waiting_takes_as_long_as_a_check(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    real = passwords.is_password

    def slow(hashed: str, password: str) -> bool:
        time.sleep(0.2)
        return real(hashed, password)

    monkeypatch.setattr(passwords, "is_password", slow)
    app = create_app(store, Settings(sign_in_attempts=2))
    client = browser(app)
    app.state.guard.usual = 0.2
    assert guess(client, "nobody", 2) == [401, 401]
    started = time.perf_counter()
    assert guess(client, "nobody", 1) == [429]
    assert time.perf_counter() - started > 0.15
