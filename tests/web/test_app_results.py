"""Results in the browser: found, corrected, taken back; a judge's own; and query by query."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

pytest.importorskip("axe_core_python")
pytest.importorskip("fastapi")
pytest.importorskip("playwright")
pytest.importorskip("uvicorn")

from playwright.sync_api import Page
from tests.databases import create_file
from tests.web.accessibility import violations
from tests.web.browser import complaints, open_page, overflow, wait_until
from tests.web.judging import READY, SAVING, UNSENT, actions
from tests.web.server import PASSWORD, Server, make_server
from tests.web.sign_in import sign_in

from relyon.app.catalogue import say
from relyon.core.language import Language
from relyon.judging.corrections import correct
from relyon.judging.needs import set_needs
from relyon.judging.records import Item, Rating
from relyon.judging.store import open_store

LIST = "/projects/1/results"
TITLES = "[...document.querySelectorAll('#results tbody a')].map(one => one.textContent)"
CARDS = "[...document.querySelectorAll('.list .title')].map(one => one.textContent)"
CURRENT = "document.querySelector('.list [aria-current] .title').textContent"
MARKS = "[...document.querySelectorAll('.list mark')].map(one => one.textContent)"
SIZES: tuple[tuple[Literal["light", "dark"], int], ...] = (("light", 1280), ("dark", 390))


@pytest.fixture
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    database = tmp_path / "judging.db"
    with open_store(create_file(database)) as store:
        for name in ("ana", "bo"):
            store.accounts.create(name, password=PASSWORD)
        store.accounts.create("lead", role="admin", password=PASSWORD)
        june = store.projects.create("June", overlap=2)
        rows = [
            (
                Item("red shoes", "d1", title="Red runner"),
                [Rating("ana", 3, note="x"), Rating("bo", 0)],
            ),
            (Item("red shoes", "d2", title="Blue boot"), [Rating("ana", 1), Rating("bo", 1)]),
        ]
        store.grades.add(june.id, rows)
        store.items.add(
            june.id,
            [
                Item("红色跑步鞋", f"z{n}", title=f"轻便跑步鞋 {n}", snippet="红色，透气。")
                for n in range(4)
            ],
        )
        set_needs(store, june.id, {"红色跑步鞋": "想买红色的跑步鞋。"})
    with make_server(request, database) as running:
        yield running


def submit(tab: Page, form: str, path: str) -> None:
    """Sends a form and waits for the page that follows."""
    tab.evaluate(f"window.before = true; document.querySelector('{form}').requestSubmit()")
    came = f"!window.before && location.pathname.startsWith('{path}')"
    wait_until(tab, f"{came} && document.readyState === 'complete'")


def titles(server: Server) -> list[str]:
    """Returns the titles of the results that count."""
    with open_store(server.database) as store:
        return [one.title for one in store.items.all(1)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_lead_removes_what_was_found_and_takes_it_back(
    tab: Page, server: Server, language: Language
) -> None:
    sign_in(tab, server, "lead", LIST, language=language)
    tab.keyboard.press("/")
    tab.keyboard.type("red")
    submit(tab, "[role=search]", LIST)
    assert sorted(tab.evaluate(TITLES)) == ["Blue boot", "Red runner"]
    tab.keyboard.press("j")
    first = tab.evaluate("document.activeElement.textContent")
    tab.keyboard.press("x")
    tab.select_option("[name=kind]", "remove")
    submit(tab, "#results", f"{LIST}/ask")
    asked = say(language, "results.ask_one", what=say(language, "results.kind_remove"))
    assert tab.inner_text("h1") == asked
    tab.fill("[name=reason]", "a double")
    submit(tab, "main .form", "/projects/1/corrections/")
    assert first not in titles(server)
    submit(tab, "main .form", "/projects/1/corrections/2")
    assert first in titles(server)
    open_page(tab, f"{server.address}{LIST}/1")
    assert "ana" in tab.inner_text("main")
    assert complaints(tab) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pages_of_results_are_accessible_and_fit(
    tab: Page, server: Server, language: Language
) -> None:
    with open_store(server.database) as store:
        lead = store.accounts.get("lead")
        correct(store, 1, lead, "reopen_others", [1], request="a", reason="again")
    for scheme, width in SIZES:
        view: dict[str, Any] = {"scheme": scheme, "width": width, "language": language}
        sign_in(tab, server, "lead", LIST, **view)
        paths = [
            LIST, f"{LIST}?text=red&back=/monitor", f"{LIST}?state=removed", f"{LIST}/1",
            "/projects/1/corrections/1", "/results?query=x", "/projects/1/mine",
        ]  # fmt: skip
        for path in paths:
            open_page(tab, f"{server.address}{path}", width=width, scheme=scheme)
            assert violations(tab) == [], path
            assert overflow(tab) <= 0, path
        open_page(tab, server.address + LIST, width=width, scheme=scheme)
        tab.evaluate("document.querySelector('[name=item]').click()")
        submit(tab, "#results", f"{LIST}/ask")
        assert violations(tab) == []
        sign_in(tab, server, "bo", "/projects/1/mine", **view)
        assert violations(tab) == []
        open_page(tab, f"{server.address}/projects/1/judge?by=query", width=width, scheme=scheme)
        wait_until(tab, READY)
        tab.keyboard.press("2")
        wait_until(tab, "document.querySelectorAll('.answered').length === 1")
        assert violations(tab) == []
        assert overflow(tab) <= 0
        with open_store(server.database) as store:
            assert store.accounts.get("bo")
        tab.keyboard.press("u")
        wait_until(tab, "document.querySelectorAll('.answered').length === 0")
        wait_until(tab, f"{UNSENT} === 0")


def open_list(tab: Page, server: Server, language: str = "en") -> None:
    """Opens the judging page, query by query."""
    sign_in(tab, server, "ana", "/projects/1/judge", language=language)
    open_page(tab, f"{server.address}/projects/1/judge?by=query")
    wait_until(tab, READY)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_all_results_of_a_query_are_graded_in_a_list(
    tab: Page, server: Server, language: Language
) -> None:
    open_list(tab, server, language)
    cards = tab.evaluate(CARDS)
    assert len(cards) == 4
    assert tab.inner_text("#query") == "红色跑步鞋"
    assert "想买红色的跑步鞋" in tab.inner_text("#need")
    assert tab.evaluate(MARKS)[:2] == ["跑步鞋", "红色"]
    # The second one first, then the one that follows; then back to the second, for another grade.
    tab.keyboard.press("j")
    assert tab.evaluate(CURRENT) == cards[1]
    tab.keyboard.press("3")
    assert tab.evaluate(CURRENT) == cards[2]
    tab.keyboard.press("k")
    tab.keyboard.press("1")
    wait_until(tab, f"{UNSENT} === 0")
    with open_store(server.database) as store:
        named = {one.id: one.title for one in store.items.all(1)}
        found = {named[item]: said["ana"] for item, said in store.grades.by_judge(1).items()}
    assert found == {"Red runner": 3, "Blue boot": 1, cards[1]: 1}
    tab.keyboard.press("u")
    assert tab.evaluate(CURRENT) == cards[1]
    for _ in range(4):
        tab.keyboard.press("2")
    wait_until(tab, f"document.getElementById('task').hidden && {UNSENT} === 0")
    with open_store(server.database) as store:
        assert len(store.grades.by_judge(1)) == 6
    # The choice is remembered.
    open_page(tab, f"{server.address}/projects/1/judge")
    wait_until(tab, "!document.getElementById('by-result').hidden")
    assert complaints(tab) == []


def test_nothing_is_lost_without_a_network(tab: Page, server: Server) -> None:
    open_list(tab, server)
    tab.context.set_offline(True)
    for key in "3210":
        tab.keyboard.press(key)
    wait_until(tab, f"{UNSENT} === 4")
    tab.context.set_offline(False)
    wait_until(tab, f"{UNSENT} === 0")
    with open_store(server.database) as store:
        said = [found["ana"] for item, found in store.grades.by_judge(1).items() if item > 2]
    assert sorted(said) == [0, 1, 2, 3]
    assert [kind for kind in actions(server) if kind == "grade"] == ["grade"] * 8


def test_a_removed_or_reopened_result_disturbs_no_judge(tab: Page, server: Server) -> None:
    open_list(tab, server)
    with open_store(server.database) as store:
        lead = store.accounts.get("lead")
        titled = {one.title: one.id for one in store.items.all(1)}
        first = titled[str(tab.evaluate(CURRENT))]
        correct(store, 1, lead, "remove", [first], request="r", reason="broken")
    tab.keyboard.press("3")
    tab.keyboard.press("2")
    wait_until(tab, f"{UNSENT} === 0")
    with open_store(server.database) as store:
        graded = [item for item in store.grades.by_judge(1) if item > 2]
        assert len(graded) == 1
        assert first not in graded
        correct(store, 1, store.accounts.get("lead"), "reopen", graded, request="o", reason="new")
    for _ in range(2):
        tab.keyboard.press("1")
    # What was re-opened comes again, in the same page.
    wait_until(tab, f"{READY} && document.querySelectorAll('.list [aria-current]').length === 1")
    wait_until(tab, f"{UNSENT} === 0 && {READY}")
    tab.keyboard.press("0")
    wait_until(tab, f"{UNSENT} === 0 && document.getElementById('task').hidden")
    with open_store(server.database) as store:
        assert store.grades.by_judge(1)[graded[0]] == {"ana": 0}
    assert tab.evaluate("document.getElementById('problem').hidden")
    assert tab.evaluate("document.getElementById('conflict').hidden")
    assert tab.evaluate(SAVING)


def test_a_judge_changes_a_grade_by_its_key(tab: Page, server: Server) -> None:
    sign_in(tab, server, "ana", "/projects/1/mine")
    assert "Red runner" in tab.inner_text("main")
    tab.keyboard.press("j")
    tab.keyboard.press("2")
    wait_until(tab, "location.search.includes('at=') && document.readyState === 'complete'")
    with open_store(server.database) as store:
        assert sorted(one["ana"] for one in store.grades.by_judge(1).values()) == [1, 2]
    assert complaints(tab) == []
