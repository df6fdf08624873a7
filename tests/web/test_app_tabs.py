"""Two pages of one judge: they notice each other, and neither replaces what the other stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright")
pytest.importorskip("uvicorn")

from playwright.sync_api import Page
from tests.web.browser import complaints, open_page, wait_until
from tests.web.judging import (
    JUDGING,
    READY,
    SAVING,
    SHOWN,
    UNSENT,
    actions,
    fill_database,
    grade,
    open_judging,
    stored,
)
from tests.web.server import IN_A_PROCESS, Server, make_server

from relyon.judging.records import Item
from relyon.judging.store import open_store

RESTS = "!document.getElementById('elsewhere').hidden && document.getElementById('task').hidden"
WORKS = f"document.getElementById('elsewhere').hidden && {READY}"
#: The page hears of no other one, as if that were on another device.
DEAF = "window.BroadcastChannel = class { addEventListener() {} postMessage() {} };"


@pytest.fixture
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    database = tmp_path / "judging.db"
    fill_database(database, [Item("red shoes", f"d{n}", title=f"Shoe {n}") for n in range(30)])
    with make_server(request, database) as running:
        yield running


@pytest.fixture
def page(tab: Page, server: Server) -> Page:
    return open_judging(tab, server)


def test_a_second_tab_rests_until_it_takes_over(
    page: Page, other_tab: Page, server: Server
) -> None:
    first = grade(page, "3")
    open_page(other_tab, server.address + JUDGING)
    wait_until(other_tab, RESTS)
    assert "open in another tab" in other_tab.evaluate("document.body.innerText")
    # No key does anything there.
    for key in "321us":
        other_tab.keyboard.press(key)
    second = grade(page, "2")
    wait_until(page, f"{UNSENT} === 0")
    assert stored(server) == {first: 3.0, second: 2.0}
    other_tab.click("#take-over")
    wait_until(other_tab, WORKS)
    wait_until(page, RESTS)
    third = grade(other_tab, "1")
    assert third not in {first, second}
    # What the other tab did last can be undone here.
    other_tab.keyboard.press("u")
    wait_until(other_tab, f"{SHOWN} === {third!r} && {UNSENT} === 0")
    other_tab.keyboard.press("u")
    wait_until(other_tab, f"{SHOWN} === {second!r}")
    page.keyboard.press("3")
    assert grade(other_tab, "0") == second
    wait_until(other_tab, f"{UNSENT} === 0")
    page.click("#take-over")
    wait_until(page, WORKS)
    wait_until(other_tab, RESTS)
    assert page.evaluate(SHOWN) != second
    assert stored(server) == {first: 3.0, second: 0.0}
    assert complaints(page) == []


@IN_A_PROCESS
def test_a_tab_can_take_over_without_a_network(page: Page, other_tab: Page, server: Server) -> None:
    open_page(other_tab, server.address + JUDGING)
    wait_until(other_tab, RESTS)
    server.kill()
    first = grade(page, "3")
    other_tab.click("#take-over")
    wait_until(other_tab, f"{WORKS} && {SAVING}.startsWith('Offline: 1')")
    second = grade(other_tab, "2")
    assert second != first
    server.start()
    wait_until(other_tab, f"{UNSENT} === 0 && {SAVING} === 'All grades saved'")
    assert stored(server) == {first: 3.0, second: 2.0}
    assert actions(server) == ["grade", "grade"]


def test_other_projects_and_closed_tabs_do_not_count(
    page: Page, other_tab: Page, server: Server
) -> None:
    with open_store(server.database) as store:
        project = store.projects.create("July")
        store.items.add(project.id, [Item("q", "d", title="Hat")])
    open_page(other_tab, f"{server.address}/projects/2/judge")
    wait_until(other_tab, WORKS)
    page.goto("about:blank")
    open_page(other_tab, server.address + JUDGING)
    wait_until(other_tab, WORKS)


@pytest.mark.parametrize("key", ["1", "s", "l"])
def test_a_stale_page_replaces_nothing(
    tab: Page, other_tab: Page, server: Server, key: str
) -> None:
    tab.add_init_script(DEAF)
    open_judging(tab, server)
    open_page(other_tab, server.address + JUDGING)
    wait_until(other_tab, READY)
    assert other_tab.evaluate(SHOWN) == tab.evaluate(SHOWN)
    first = grade(other_tab, "3")
    wait_until(other_tab, f"{UNSENT} === 0")
    assert grade(tab, key) == first
    wait_until(tab, "!document.getElementById('conflict').hidden")
    assert tab.evaluate("document.getElementById('conflict').textContent").startswith(
        "Not stored: 1."
    )
    wait_until(tab, f"{UNSENT} === 0")
    assert stored(server) == {first: 3.0}
    assert actions(server) == ["grade"]
    # An undo is what the judge wants, wherever the grade was given.
    tab.keyboard.press("u")
    wait_until(tab, f"{SHOWN} === {first!r}")
    assert grade(tab, "0") == first
    wait_until(tab, f"{UNSENT} === 0")
    assert stored(server) == {first: 0.0}
