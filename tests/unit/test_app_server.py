"""What stands in front of every page: health, HEAD, names of hosts, proxies."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi import Request
from fastapi.testclient import TestClient
from tests.databases import create_file
from tests.faults import locked, small_disk

from relyon.app import Settings, create_app
from relyon.app.health import Health
from relyon.judging.database import Database
from relyon.judging.store import Store, open_store

PASSWORD = "a long sentence"


@pytest.fixture
def store(store: Store) -> Store:
    store.accounts.create("ana", role="admin", password=PASSWORD)
    store.projects.create("June")
    return store


def client_of(store: Store, settings: Settings | None = None, **more) -> TestClient:
    return TestClient(create_app(store, settings), follow_redirects=False, **more)


def test_health_is_told_to_anybody(store: Store) -> None:
    answer = client_of(store).get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def fresh(store: Store, patience: float = 0.2) -> Health:
    return Health(store.database, keep=0, patience=patience)


def test_health_leaves_nothing(tmp_path: Path) -> None:
    with open_store(create_file(tmp_path / "judging.db")) as store:
        assert fresh(store).problem() == ""
        names = {one.name for one in tmp_path.iterdir()}
    assert names == {"judging.db", "judging.db-wal", "judging.db-shm"}


def test_health_tells_a_full_disk(caplog: pytest.LogCaptureFixture) -> None:
    with (
        small_disk(4) as disk,
        open_store(disk.folder / "judging.db", create=True) as store,
        client_of(store) as client,
    ):
        health = store_health(client)
        assert client.get("/healthz").status_code == 200
        disk.fill(os.getpid())
        answer = client.get("/healthz")
        disk.free()
        assert answer.status_code == 503
        assert answer.json() == {"status": "failing", "problem": "the disk is full"}
        assert client.get("/healthz").json() == {"status": "ok"}
        assert health.problem() == ""
    assert [one.message.partition("(")[0] for one in caplog.records] == [
        "not healthy: the disk is full ",
        "healthy again",
    ]


def store_health(client: TestClient) -> Health:
    """Lets an answer hold for no time, and waiting be short."""
    health: Health = client.app.state.health  # type: ignore[attr-defined]
    health._keep, health._patience = 0.0, 0.2
    return health


def test_health_tells_a_lock(tmp_path: Path) -> None:
    database = tmp_path / "judging.db"
    with open_store(database, create=True) as store:
        health = fresh(store)
        with locked(database):
            start = time.monotonic()
            assert health.problem() == "the database is locked"
            assert time.monotonic() - start < 5
        assert health.problem() == ""
        with store.database.write():
            assert health.problem() == "the database is locked"
        assert health.problem() == ""


@pytest.mark.postgres
def test_health_tells_a_lock_in_postgresql(
    new_judging_database, request: pytest.FixtureRequest
) -> None:
    with (
        new_judging_database("postgresql") as address,
        open_store(address) as store,
        open_store(address) as other,
    ):
        with other.database.write() as connection:
            connection.exec_driver_sql("LOCK TABLE alembic_version")
            assert fresh(store).problem() == "the database is locked"
        with other.database.write() as connection:
            name = connection.engine.url.database
            connection.exec_driver_sql(
                f"ALTER DATABASE {name} SET default_transaction_read_only=on"
            )
        with open_store(address) as later:
            assert fresh(later).problem() == "the database cannot be written"


def test_health_tells_a_database_that_is_gone(tmp_path: Path) -> None:
    class Gone(Database):
        def probe(self, patience: float) -> None:
            with self._errors(), self._waiting(patience) as connection:
                connection.execute("SELECT * FROM nothing")

    found = Gone(tmp_path / "judging.db")
    assert Health(found).problem() == "the database does not answer"
    found.close()


def test_health_tells_a_folder_that_is_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise PermissionError(13, "Permission denied")

    with open_store(create_file(tmp_path / "judging.db")) as store:
        monkeypatch.setattr("relyon.app.health.os.open", refuse)
        assert fresh(store).problem() == "the database cannot be written"


def test_many_who_ask_cost_one_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = []
    begun, go_on = threading.Event(), threading.Event()

    def probe(self: Database, patience: float) -> None:
        checks.append(patience)
        begun.set()
        go_on.wait(20)

    monkeypatch.setattr(Database, "probe", probe)
    with open_store(create_file(tmp_path / "judging.db")) as store:
        health = Health(store.database, keep=0.2)
        go_on.set()
        assert [health.problem() for _ in range(50)] == [""] * 50
        assert len(checks) == 1
        time.sleep(0.3)
        go_on.clear()
        begun.clear()
        thread = threading.Thread(target=health.problem)
        thread.start()
        assert begun.wait(20)
        # The others do not wait for the one that checks: they are told what was known.
        assert [health.problem() for _ in range(50)] == [""] * 50
        go_on.set()
        thread.join(20)
        assert len(checks) == 2


@pytest.mark.long
def test_head_works_wherever_get_does(store: Store) -> None:
    with client_of(store) as client:
        paths = sorted(
            route.path.replace("{name}", "style.css").replace("{project}", "1")
            for route in routes(client)
            if "GET" in (getattr(route, "methods", None) or ())
        )
        assert len(paths) > 15
        for path in paths:
            got, head = client.get(path), client.head(path)
            assert head.status_code == got.status_code, path
            assert head.content == b""
            assert head.headers.keys() >= {"content-security-policy", "x-frame-options"}
            assert head.headers.get("content-type") == got.headers.get("content-type")
        assert client.head("/sign-out").status_code == 405


def routes(client: TestClient) -> list:
    found: list[Any] = []
    for route in client.app.routes:  # type: ignore[attr-defined]
        inner = getattr(getattr(route, "original_router", None), "routes", None)
        found += [route] if inner is None else inner
    return found


@pytest.mark.parametrize(
    "name",
    ["testserver", "TestServer:8080", "testserver.", "localhost:80", "a.localhost", "127.0.0.1:1",
     "[::1]:8080", "10.1.2.3", "a.example.org", "b.a.example.org"],
)  # fmt: skip
def test_names_that_are_allowed(name: str, tmp_path: Path) -> None:
    settings = Settings(allowed_hosts=("testserver", "*.example.org"))
    with open_store(create_file(tmp_path / "judging.db")) as store:
        answer = client_of(store, settings).get("/sign-in", headers={"host": name})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "name", ["evil.example", "example.org", "localhost.evil.example", "1.2.3.4.evil.example:80",
             "xexample.org", "<b>", "[evil.example]", "localhost/?", "[::1]/?", "127.0.0.1:1@evil",
             "[::1]x"],
)  # fmt: skip
def test_other_names_are_refused_and_the_option_is_named(name: str, tmp_path: Path) -> None:
    settings = Settings(allowed_hosts=("testserver", "*.example.org"))
    with open_store(create_file(tmp_path / "judging.db")) as store:
        client = client_of(store, settings)
        page = client.get("/sign-in", headers={"host": name})
        answer = client.get("/api/session", headers={"host": name, "accept-language": "zh"})
        zh = client.get("/", headers={"host": name, "accept-language": "zh"})
        assert client_of(store).get("/sign-in", headers={"host": name}).status_code == 200
        for path in ("/static/style.css", "/healthz"):
            assert client.get(path, headers={"host": name}).status_code == 200
    bare = name.removesuffix(":80")
    assert page.status_code == answer.status_code == zh.status_code == 421
    assert f"--allowed-host {bare.replace('<', '&lt;').replace('>', '&gt;')}" in page.text
    assert "set-cookie" not in page.headers
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert answer.json()["error"]["hint"] == f"relyon judge serve --allowed-host {bare}"
    assert "部署者" in zh.text


def test_any_name_can_be_allowed(tmp_path: Path) -> None:
    with open_store(create_file(tmp_path / "judging.db")) as store:
        client = client_of(store, Settings(allowed_hosts=("*",)))
        assert client.get("/sign-in", headers={"host": "any.example"}).status_code == 200


def tell_address(request: Request) -> dict[str, str]:
    assert request.client is not None
    return {"host": request.client.host}


FORWARDED = {"x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https"}


@pytest.mark.parametrize(
    ("proxies", "peer", "seen"),
    [
        ((), "127.0.0.1", ("127.0.0.1", False)),
        (("127.0.0.1",), "127.0.0.1", ("203.0.113.9", True)),
        (("10.0.0.0/8",), "10.2.3.4", ("203.0.113.9", True)),
        (("10.0.0.0/8",), "127.0.0.1", ("127.0.0.1", False)),
    ],
)
def test_only_a_proxy_that_was_named_is_believed(
    proxies: tuple[str, ...], peer: str, seen: tuple[str, bool], tmp_path: Path
) -> None:
    with open_store(create_file(tmp_path / "judging.db")) as store:
        app = create_app(store, Settings(proxies=proxies))

        app.add_api_route("/who", tell_address)
        client = TestClient(app, client=(peer, 5000))
        assert client.get("/who", headers=FORWARDED).json() == {"host": seen[0]}
        cookie = client.get("/sign-in", headers=FORWARDED).headers["set-cookie"]
        assert ("; Secure" in cookie) == seen[1]
        # What a client itself says before the proxy adds to it is not believed.
        spoofed = {"x-forwarded-for": "198.51.100.1, 203.0.113.9"}
        assert client.get("/who", headers=spoofed).json() == {"host": seen[0]}


def test_a_proxy_that_nobody_named_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with open_store(create_file(tmp_path / "judging.db")) as store, caplog.at_level("WARNING"):
        client = TestClient(create_app(store), client=("127.0.0.1", 5000))
        client.get("/sign-in")
        assert caplog.records == []
        for _ in range(3):
            client.get("/sign-in", headers=FORWARDED)
        named = TestClient(create_app(store, Settings(proxies=("127.0.0.1",))))
        named.get("/sign-in", headers=FORWARDED)
    told = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert told == [
        "127.0.0.1 sends X-Forwarded-For, which is not trusted: if this is your proxy, start with"
        " --proxy 127.0.0.1"
    ]


def test_a_probe_ends_what_it_began(tmp_path: Path) -> None:
    path = tmp_path / "judging.db"
    with open_store(path, create=True) as store:
        store.database.probe(1)
        connection = sqlite3.connect(path, timeout=0.1)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
        connection.close()
