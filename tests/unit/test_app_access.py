"""The judging app: signing in, headers, languages, the first page."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient
from tests.unit.visitors import PASSWORD, sign_in, token_of

from relyon.app import Settings, create_app
from relyon.app.catalogue import texts
from relyon.judging.access import create_first_account, find_signed_in
from relyon.judging.accounts import Accounts
from relyon.judging.store import Store, open_store

pytestmark = pytest.mark.usefixtures("cheap_passwords")


@pytest.fixture
def store(store: Store) -> Store:
    store.accounts.create("ana", password=PASSWORD)
    store.accounts.create("bo", password=PASSWORD)
    return store


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    with TestClient(create_app(store), follow_redirects=False) as opened:
        yield opened


def test_a_page_asks_to_sign_in_and_goes_on_afterwards(client: TestClient) -> None:
    answer = client.get("/account")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/account")
    assert 'value="/account"' in client.get("/sign-in?next=/account").text
    answer = sign_in(client, next="/account")
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=lax" in cookie.lower()
    page = client.get("/")
    assert page.status_code == 200
    assert "No projects yet." in page.text


def test_a_wrong_password_lets_nobody_in(client: TestClient) -> None:
    assert sign_in(client, password="wrong sentence").status_code == 401
    assert sign_in(client, name="nobody").status_code == 401
    assert sign_in(client, name="a\0na").status_code == 401
    assert client.get("/").status_code == 303


def test_a_session_that_was_there_before_the_sign_in_is_worth_nothing(
    client: TestClient, store: Store
) -> None:
    client.cookies.set("relyon_session", "planted-by-somebody-else")
    sign_in(client)
    after = client.cookies.get("relyon_session", domain="testserver.local")
    assert after is not None
    assert after != "planted-by-somebody-else"
    assert find_signed_in(store, "planted-by-somebody-else") is None
    user = find_signed_in(store, after)
    assert user is not None
    assert user.name == "ana"


def test_signing_in_again_ends_the_sign_in_before(client: TestClient, store: Store) -> None:
    sign_in(client)
    before = client.cookies["relyon_session"]
    page = client.get("/account").text
    data = {"csrf": token_of(page), "name": "bo", "password": PASSWORD}
    assert client.post("/sign-in", data=data).status_code == 303
    assert find_signed_in(store, before) is None


def test_who_signed_out_is_out(client: TestClient, store: Store) -> None:
    sign_in(client)
    secret = client.cookies["relyon_session"]
    page = client.get("/").text
    assert client.post("/sign-out", data={"csrf": token_of(page)}).status_code == 303
    assert find_signed_in(store, secret) is None


def test_a_closed_account_is_out_at_once(client: TestClient, store: Store) -> None:
    sign_in(client)
    assert client.get("/").status_code == 200
    store.accounts.change("ana", active=False)
    assert client.get("/").status_code == 303
    assert sign_in(client).status_code == 401


def test_a_sign_in_ends_by_itself(judging_database: str) -> None:
    now = 1000.0
    with open_store(judging_database, clock=lambda: now) as store:
        store.accounts.create("ana", password=PASSWORD)
        with TestClient(create_app(store), follow_redirects=False) as client:
            sign_in(client)
            assert client.get("/").status_code == 200
            now += 15 * 86400
            assert client.get("/").status_code == 303


@pytest.mark.parametrize("path", ["/sign-in", "/sign-out", "/account/password", "/account/tokens"])
def test_a_form_from_elsewhere_does_nothing(client: TestClient, store: Store, path: str) -> None:
    sign_in(client)
    other = TestClient(client.app)
    values = {"name": "bo", "password": PASSWORD, "old": PASSWORD, "new": "another sentence"}
    for csrf in ("", "0" * 64, token_of(other.get("/sign-in").text)):
        answer = client.post(path, data={"csrf": csrf, **values})
        assert answer.status_code == 403
    assert 'href="/account">ana</a>' in client.get("/").text
    assert store.accounts.check_password("ana", PASSWORD) is not None


@pytest.mark.parametrize("path", ["/sign-in", "/static/style.css", "/nothing", "/account"])
def test_every_answer_has_the_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert ("no-store" in headers["cache-control"]) == (path != "/static/style.css")


def test_the_worker_alone_may_see_every_page(client: TestClient) -> None:
    headers = client.get("/static/worker.js").headers
    assert headers["service-worker-allowed"] == "/"
    assert "worker-src 'self';" in headers["content-security-policy"]
    assert "service-worker-allowed" not in client.get("/static/judge.js").headers


def test_an_unexpected_error_tells_nothing_and_has_the_headers(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise RuntimeError("a secret")

    app = create_app(store)
    app.add_api_route("/fail", fail)
    client = TestClient(app, raise_server_exceptions=False)
    answer = client.get("/fail")
    assert answer.status_code == 500
    assert "a secret" not in answer.text
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def test_a_database_that_does_not_answer_is_no_fault_of_the_asker(client: TestClient) -> None:
    sign_in(client)
    with client.app.state.store.database.write() as connection:  # type: ignore[attr-defined]
        connection.exec_driver_sql("ALTER TABLE projects RENAME TO elsewhere")
    assert client.get("/").status_code == 503


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_refused(store: Store, chunked: bool) -> None:
    with TestClient(create_app(store, Settings(largest_body=10_000))) as client:
        csrf = token_of(client.get("/sign-in").text)
        body = f"csrf={csrf}&name=".encode() + b"a" * 20_000
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        content = iter([body]) if chunked else body
        assert client.post("/sign-in", content=content, headers=form).status_code == 413


def test_the_language_follows_the_browser_and_then_the_reader(client: TestClient) -> None:
    assert 'lang="en"' in client.get("/sign-in").text
    chinese = {"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"}
    assert "登录" in client.get("/sign-in", headers=chinese).text
    assert "登录" in client.get("/sign-in?lang=zh").text
    assert "登录" in client.get("/sign-in").text
    assert "Password" in client.get("/sign-in?lang=en", headers=chinese).text
    assert "Password" in client.get("/sign-in", headers=chinese).text


def test_both_languages_say_the_same_things() -> None:
    english, chinese = texts("en"), texts("zh")
    assert list(english) == list(chinese)
    # English names a number again where the verb depends on it.
    fields = {key: set(re.findall(r"{(\w+)[}:]", text)) for key, text in english.items()}
    assert fields == {key: set(re.findall(r"{(\w+)[}:]", text)) for key, text in chinese.items()}


def test_cookies_are_kept_to_https_where_asked(store: Store) -> None:
    with TestClient(create_app(store, Settings(secure_cookies=True))) as client:
        assert "Secure" in client.get("/sign-in").headers["set-cookie"]


def test_the_first_account_has_a_password_of_its_own(
    new_judging_database: Callable[[str], AbstractContextManager[str]], judging_database: str
) -> None:
    passwords = set()
    with new_judging_database("sqlite") as other:
        for address in (judging_database, other):
            with open_store(address) as store:
                store.accounts.create("lead")
                made = create_first_account(store)
                assert made is not None
                user, password = made
                assert (user.name, user.role) == ("lead-2", "admin")
                assert store.accounts.check_password("lead-2", password) == user
                assert user.must_change
                assert create_first_account(store) is None
                passwords.add(password)
    assert len(passwords) == 2


def test_two_processes_that_start_at_once_make_one_first_account(judging_database: str) -> None:
    both = threading.Barrier(2)

    def start(_: int) -> bool:
        with open_store(judging_database) as store:
            seen = store.accounts.all()
            both.wait(30)
            # What this process saw before the other one wrote.
            answers = iter([seen, seen])
            with pytest.MonkeyPatch.context() as patch:
                accounts = store.accounts
                patch.setattr(
                    accounts, "all", lambda: next(answers, None) or Accounts.all(accounts)
                )
                return create_first_account(store) is not None

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(start, range(2))) == [False, True]
    with open_store(judging_database) as store:
        assert [user.name for user in store.accounts.all()] == ["lead"]
