"""Two pages of one judge: they notice each other, and neither replaces what the other stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

from tests.web.judging import (
    JUDGING,
    READY,
    SAVING,
    SHOWN,
    UNSENT,
    actions,
    click,
    fill_database,
    grade,
    open_judging,
    stored,
)
from tests.web.server import Server

from relkit.judging.records import Item
from relkit.judging.store import open_store

RESTS = "!document.getElementById('elsewhere').hidden && document.getElementById('task').hidden"
WORKS = f"document.getElementById('elsewhere').hidden && {READY}"
#: The page hears of no other one, as if that were on another device.
DEAF = "window.BroadcastChannel = class { addEventListener() {} postMessage() {} };"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    database = tmp_path / "judging.db"
    fill_database(database, [Item("red shoes", f"d{n}", title=f"Shoe {n}") for n in range(30)])
    with Server(database) as running:
        yield running


@pytest.fixture
def page(tab: Any, server: Server) -> Any:
    return open_judging(tab, server)


def test_a_second_tab_rests_until_it_takes_over(page: Any, other_tab: Any, server: Server) -> None:
    first = grade(page, "3")
    other_tab.open(server.address + JUDGING)
    other_tab.await_true(RESTS)
    assert "open in another tab" in other_tab.run("document.body.innerText")
    # No key does anything there.
    for key in "321us":
        other_tab.press(key)
    second = grade(page, "2")
    page.await_true(f"{UNSENT} === 0")
    assert stored(server) == {first: 3.0, second: 2.0}
    click(other_tab, "#take-over")
    other_tab.await_true(WORKS)
    page.await_true(RESTS)
    third = grade(other_tab, "1")
    assert third not in {first, second}
    # What the other tab did last can be undone here.
    other_tab.press("u")
    other_tab.await_true(f"{SHOWN} === {third!r} && {UNSENT} === 0")
    other_tab.press("u")
    other_tab.await_true(f"{SHOWN} === {second!r}")
    page.press("3")
    assert grade(other_tab, "0") == second
    other_tab.await_true(f"{UNSENT} === 0")
    click(page, "#take-over")
    page.await_true(WORKS)
    other_tab.await_true(RESTS)
    assert page.run(SHOWN) != second
    assert stored(server) == {first: 3.0, second: 0.0}
    assert page.complaints == []


def test_a_tab_can_take_over_without_a_network(page: Any, other_tab: Any, server: Server) -> None:
    other_tab.open(server.address + JUDGING)
    other_tab.await_true(RESTS)
    server.kill()
    first = grade(page, "3")
    click(other_tab, "#take-over")
    other_tab.await_true(f"{WORKS} && {SAVING}.startsWith('Offline: 1')")
    second = grade(other_tab, "2")
    assert second != first
    server.start()
    other_tab.await_true(f"{UNSENT} === 0 && {SAVING} === 'All grades saved'")
    assert stored(server) == {first: 3.0, second: 2.0}
    assert actions(server) == ["grade", "grade"]


def test_other_projects_and_closed_tabs_do_not_count(
    page: Any, other_tab: Any, server: Server
) -> None:
    with open_store(server.database) as store:
        project = store.create_project("July")
        store.add_items(project.id, [Item("q", "d", title="Hat")])
    other_tab.open(f"{server.address}/projects/2/judge")
    other_tab.await_true(WORKS)
    page.send("Page.navigate", url="about:blank")
    other_tab.open(server.address + JUDGING)
    other_tab.await_true(WORKS)


@pytest.mark.parametrize("key", ["1", "s", "l"])
def test_a_stale_page_replaces_nothing(tab: Any, other_tab: Any, server: Server, key: str) -> None:
    tab.send("Page.addScriptToEvaluateOnNewDocument", source=DEAF)
    open_judging(tab, server)
    other_tab.open(server.address + JUDGING)
    other_tab.await_true(READY)
    assert other_tab.run(SHOWN) == tab.run(SHOWN)
    first = grade(other_tab, "3")
    other_tab.await_true(f"{UNSENT} === 0")
    assert grade(tab, key) == first
    tab.await_true("!document.getElementById('conflict').hidden")
    assert tab.run("document.getElementById('conflict').textContent").startswith("Not stored: 1.")
    tab.await_true(f"{UNSENT} === 0")
    assert stored(server) == {first: 3.0}
    assert actions(server) == ["grade"]
    # An undo is what the judge wants, wherever the grade was given.
    tab.press("u")
    tab.await_true(f"{SHOWN} === {first!r}")
    assert grade(tab, "0") == first
    tab.await_true(f"{UNSENT} === 0")
    assert stored(server) == {first: 0.0}
