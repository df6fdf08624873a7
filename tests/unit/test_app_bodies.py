"""How much a request may send: counted as it arrives, little from strangers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient

from relyon.app import Settings, create_app
from relyon.app.bodies import SMALL, TEXT
from relyon.judging.access import create_token
from relyon.judging.store import Store

PASSWORD = "a long sentence"
#: Opening brackets take forty times their size in memory when they are parsed.
BRACKETS = b'{"a":[' + b"[]," * (8 << 20) + b"[]]}"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def store(store: Store) -> Store:
    store.accounts.create("lea", role="lead", password=PASSWORD)
    store.accounts.create("jo", role="judge", password=PASSWORD)
    store.projects.create("June")
    return store


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    with TestClient(create_app(store), follow_redirects=False) as client:
        yield client


class Feed:
    """A body that is sent in parts, and how much of it was taken."""

    def __init__(self, body: bytes, size: int = 16_384) -> None:
        self.body, self.size, self.taken = body, size, 0

    async def receive(self) -> dict[str, Any]:
        part = self.body[self.taken : self.taken + self.size]
        self.taken += len(part)
        more = self.taken < len(self.body)
        return {"type": "http.request", "body": part, "more_body": more}


def send(store: Store, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, int]:
    """Sends a request with the very headers; returns the status, and the bytes that were taken."""
    feed = Feed(body)
    found: list[int] = []

    async def answer(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            found.append(message["status"])

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(one.lower().encode(), two.encode()) for one, two in headers.items()],
        "client": ("192.0.2.1", 4000),
        "server": ("localhost", 80),
    }
    app = create_app(store)
    # The thread of the tests may have a loop of its own: a browser's.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(app(scope, feed.receive, answer))).result(120)
    return found[0], feed.taken


@pytest.mark.parametrize("path", ["/api/actions", "/api/projects/1/import"])
@pytest.mark.parametrize("declared", [True, False])
def test_strangers_have_little_read(store: Store, path: str, declared: bool) -> None:
    length = (
        {"Content-Length": str(len(BRACKETS))} if declared else {"Transfer-Encoding": "chunked"}
    )
    status, taken = send(store, path, BRACKETS, JSON | length)
    assert status in (401, 413)
    assert taken <= (0 if declared else SMALL + 16_384)


def test_pages_send_strangers_to_the_sign_in_before_a_file_is_read(store: Store) -> None:
    for path in ("/archives", "/projects/1/import", "/monitor/new", "/projects"):
        status, taken = send(store, path, BRACKETS, FORM | {"Content-Length": str(len(BRACKETS))})
        assert (status, taken) == (303, 0)


@pytest.mark.parametrize("told", ["5", "0", "-5", "1e3", "9" * 9999])
def test_a_wrong_length_changes_nothing(store: Store, told: str) -> None:
    for path in ("/sign-in", "/api/actions"):
        status, taken = send(store, path, BRACKETS, FORM | {"Content-Length": told})
        assert status in (401, 413)
        assert taken <= SMALL + 16_384


def test_a_length_beside_chunks_is_refused(store: Store) -> None:
    both = {"Content-Length": "5", "Transfer-Encoding": "chunked"}
    assert send(store, "/sign-in", BRACKETS, FORM | both) == (400, 0)


def bearer(store: Store, name: str) -> dict[str, str]:
    secret = create_token(store, store.accounts.get(name), "test")
    return {"Authorization": f"Bearer {secret}"}


def test_judges_send_texts_and_no_files(store: Store, client: TestClient) -> None:
    own = bearer(store, "jo")
    rows = "query,document\n" + "".join(f"q,d{n}\n" for n in range(20_000))
    assert len(rows) > SMALL
    answer = client.post("/api/projects/1/import", content=rows.encode(), headers=own)
    assert answer.status_code == 403
    note = {
        "kind": "skip",
        "key": "k",
        "item_id": 1,
        "note": "字" * 10_000,
        "reason": "因" * 10_000,
    }
    text = json.dumps(note).encode()
    assert SMALL < len(text) < TEXT
    answer = client.post("/api/actions", content=text, headers=own | JSON)
    assert answer.status_code not in (401, 413)
    answer = client.post("/api/actions", content=b" " * TEXT + text, headers=own | JSON)
    assert answer.status_code == 413


def test_leads_send_files(store: Store, client: TestClient) -> None:
    own = bearer(store, "lea")
    rows = "query,document\n" + "".join(f"q,d{n}\n" for n in range(20_000))
    plain = {"Content-Type": "text/plain"}
    for content in (rows.encode(), iter([rows.encode()])):
        answer = client.post("/api/projects/1/import", content=content, headers=own | plain)
        assert answer.status_code == 200, answer.text


def test_the_operators_limit_holds_for_files(store: Store) -> None:
    with TestClient(create_app(store, Settings(largest_body=100_000))) as client:
        rows = b"query,document\n" + b"q,d\n" * 40_000
        answer = client.post("/api/projects/1/import", content=rows, headers=bearer(store, "lea"))
        assert answer.status_code == 413
