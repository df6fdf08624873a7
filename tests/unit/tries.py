"""Somebody at the tab Try, with an engine whose replies a test scripts."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from fastapi.testclient import TestClient
from tests.unit.scripted_engine import Asked, Script, serve_script

from relyon.app import Settings, create_app
from relyon.app.engines.allowed import AllowedEngines
from relyon.app.protection import csrf_token
from relyon.judging.access import start_sign_in
from relyon.judging.records import Item, Project, Rating
from relyon.judging.store import Store

SECRET = "s3cr3t-Value"
ENGINE = """\
kind = "http"
name = "shop"
address = "ADDRESS"
path = "/{index}/search"
method = "POST"
body = '{"q": "{query}", "size": "{k}", "boost": "{boost}"}'
hits = "hits"
id = "id"
score = "score"
took = "ms"
total = "total"
[headers]
Authorization = "ApiKey ${SEARCH_KEY}"
[fields]
title = "name"
text = "about"
url = "link"
[parameters]
index = "books"
boost = 1.0
[variants.high]
boost = 3.0
[limits]
timeout = 2.0
[app]
private = true
"""


def hits(*ids: str) -> list[dict[str, object]]:
    return [
        {"id": id, "score": 9.5 - n, "name": f"Title {id}", "about": f"Text of <b>{id}</b>",
         "link": f"https://shop.example/{id}"}
        for n, id in enumerate(ids)
    ]  # fmt: skip


def answer(asked: Asked) -> Script:
    """Two orders: by the boost."""
    high = isinstance(asked.json, dict) and asked.json["boost"] == 3.0
    found = hits("d3", "d1", "d9") if high else hits("d1", "d2", "d3")
    return Script({"hits": found, "ms": 4, "total": 1234})


def fill(store: Store) -> Project:
    """A query with four results: agreed, free, gold and removed; and another query."""
    for name, role in (("lea", "lead"), ("ana", "judge"), ("otto", "lead")):
        store.accounts.create(name, role=role)  # type: ignore[arg-type]
    found = store.projects.create("June", overlap=2)
    red = "red shoes"
    store.grades.add(
        found.id,
        [
            (Item("q1", "d1", red), [Rating("ana", 3), Rating("bo", 3)]),
            (Item("q1", "d8", red), [Rating("ana", 2)]),
        ],
    )
    store.items.add(found.id, [Item("q1", "d2", red, tier="head"), Item("q2", "d1", "tv")])
    store.gold.add(found.id, [(Item("q1", "d3", red), 1)])
    return found


class Visit:
    """Somebody at the tab, with an engine behind it."""

    def __init__(
        self,
        store: Store,
        folder: Path,
        reply: Callable[[Asked], Script] = answer,
        *,
        name: str = "lea",
        engine: str = ENGINE,
    ) -> None:
        self.stack = ExitStack()
        self.address, self.came = self.stack.enter_context(serve_script(reply))
        folder = folder / "engines"
        folder.mkdir(exist_ok=True)
        text = engine.replace("ADDRESS", self.address)
        (folder / "shop.toml").write_text(text, encoding="utf-8")
        engines = AllowedEngines.read(folder, environment={"SEARCH_KEY": SECRET})
        self.client = TestClient(create_app(store, Settings(engines=engines)))
        self.secret = start_sign_in(store, store.accounts.get(name)) if name else ""
        self.client.cookies.set("relyon_session", self.secret)
        self.client.cookies.set("relyon_language", "en")

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *reason: object) -> None:
        self.stack.close()

    def post(self, path: str = "", **values: str):
        data = {"csrf": csrf_token(self.secret), **values}
        return self.client.post(f"/projects/1/try{path}", data=data)

    def ask(self, query: str = "red shoes", status: int = 200, **more: str) -> str:
        """Tries a query, and returns the page."""
        values = {"engine": "shop", "of": "shop", "query": query, "k": "10", "a": "base",
                  "b": "high", "a.of": "base", "b.of": "high"}  # fmt: skip
        values |= {name.replace("__", "."): one for name, one in more.items()}
        found = self.post(**values)
        assert found.status_code == status, found.text
        assert SECRET not in found.text
        assert self.address not in found.text
        return str(found.text)


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def row(page: str, place: str) -> str:
    """Returns a result of a page: `a1` is the first of the first list."""
    found = re.search(rf'<li id="{place}" .*?</li>', page, re.DOTALL)
    assert found is not None
    return found[0]


def fields(page: str, place: str) -> dict[str, str]:
    """Returns what the form of a result sends."""
    found = row(page, place)
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', found))


def token(page: str) -> str:
    found = re.search(r'name="at" value="([0-9a-f]{32})"', page)
    assert found is not None
    return found[1]
