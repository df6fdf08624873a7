"""Trying a query in the browser: two lists, a grade in place, keys, and without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

pytest.importorskip("axe_core_python")
pytest.importorskip("fastapi")
pytest.importorskip("playwright")
pytest.importorskip("uvicorn")
pytest.importorskip("msgspec")

from playwright.sync_api import Browser, Page
from tests.databases import create_file
from tests.web.accessibility import violations
from tests.web.browser import complaints, open_page, overflow, wait_until
from tests.web.server import PASSWORD, ThreadServer
from tests.web.sign_in import sign_in

from relyon.core.language import Language
from relyon.judging.records import Item, Rating
from relyon.judging.store import open_store

TRY = "/projects/1/try"
ENGINE = """\
kind = "python"
name = "shop"
python = "web_shop_search:go"
[parameters]
boost = 1.0
[variants.high]
boost = 3.0
"""
SEARCH = """\
def go(query, k, boost):
    if query == "nonsense":
        raise ValueError("cannot parse it")
    order = "5 1 2 9" if boost > 2 else "1 2 3 4 5"
    about = {"text": "A long text. " * 20, "url": "https://shop.example/shoes"}
    found = [{"id": f"d{n}", "score": 9.5 - int(n), "title": f"Shoe {n}"} for n in order.split()]
    return [{**one, **about} for one in found][:k]
"""
SIZES: tuple[tuple[Literal["light", "dark"], int], ...] = (("light", 1280), ("dark", 390))
FOCUS = "document.activeElement.id"
SHOWN = "document.querySelectorAll('.found-list > li').length"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ThreadServer]:
    database = tmp_path / "judging.db"
    with open_store(create_file(database)) as store:
        store.accounts.create("lead", role="admin", password=PASSWORD)
        june = store.projects.create("June", overlap=2)
        both = [Rating("ana", 3), Rating("bo", 3)]
        store.grades.add(june.id, [(Item("q1", "d1", "red shoes", title="Shoe 1"), both)])
        store.items.add(june.id, [Item("q1", "d2", "red shoes"), Item("q2", "x", "insoles")])
    engines = tmp_path / "engines"
    engines.mkdir()
    (engines / "shop.toml").write_text(ENGINE)
    (engines / "web_shop_search.py").write_text(SEARCH)
    found = ThreadServer(database)
    found.engines = engines
    with found:
        yield found


def ask(tab: Page, query: str = "red shoes") -> None:
    tab.fill("[name=query]", query)
    tab.click("#try button.primary")
    wait_until(tab, "location.search.startsWith('?at=') && document.readyState === 'complete'")


def test_a_grade_in_place(tab: Page, server: ThreadServer) -> None:
    sign_in(tab, server, "lead", TRY)
    ask(tab)
    assert tab.evaluate(SHOWN) == 9
    address = tab.url
    tab.click("#a2 .give button >> nth=1")
    wait_until(tab, "document.querySelector('.said-last') !== null")
    assert "Shoe 2 – Middle" in tab.inner_text(".said-last")
    assert "Middle" in tab.inner_text("#b3 .line")
    # No new page, and the focus stays.
    assert (tab.url, tab.evaluate(FOCUS)) == (address, "a2")
    tab.click(".said-last button")
    wait_until(tab, "document.querySelector('#a2 .unjudged') !== null")
    assert complaints(tab) == []


def test_by_keyboard(tab: Page, server: ThreadServer) -> None:
    sign_in(tab, server, "lead", TRY)
    ask(tab)
    tab.evaluate("document.activeElement.blur()")
    tab.keyboard.press("j")
    assert tab.evaluate(FOCUS) == "a1"
    tab.keyboard.press("j")
    tab.keyboard.press("3")
    wait_until(tab, "document.querySelector('#a2 [aria-pressed=true]') !== null")
    assert "High" in tab.inner_text("#a2 .line")
    tab.keyboard.press("k")
    assert tab.evaluate(FOCUS) == "a1"


def test_a_variant_fills_in_its_values(tab: Page, server: ThreadServer) -> None:
    sign_in(tab, server, "lead", TRY)
    tab.fill("[name='a.p.boost']", "7")
    tab.select_option("[name=a]", "high")
    assert tab.input_value("[name='a.p.boost']") == "3"
    tab.select_option("[name=b]", "")
    assert not tab.is_visible("[name='b.p.boost']")
    ask(tab)
    assert tab.evaluate(SHOWN) == 4
    assert tab.inner_text("#list-a") == "high"


def test_without_scripts(browser: Browser, tab: Page, server: ThreadServer) -> None:
    sign_in(tab, server, "lead", TRY)
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies(tab.context.cookies())  # type: ignore[arg-type]
    plain = context.new_page()
    plain.goto(f"{server.address}{TRY}?query=red+shoes&a=base&b=")
    plain.click("#try button.primary")
    assert plain.locator(".found-list > li").count() == 5
    plain.click("#a2 .give button >> nth=0")
    assert "Shoe 2 – High" in plain.inner_text(".said-last")
    plain.click("text=Add these to the queue")
    assert "Added to the project: 3." in plain.inner_text(".said-last")
    plain.select_option("[name=a]", "high")
    plain.click("[name=fill]")
    assert plain.input_value("[name='a.p.boost']") == "3.0"
    context.close()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_how_it_looks(tab: Page, server: ThreadServer, language: Language) -> None:
    sign_in(tab, server, "lead", TRY, language=language)
    for query in ("red shoes", "nonsense"):
        ask(tab, query)
        for scheme, width in SIZES:
            open_page(tab, tab.url, width=width, scheme=scheme)
            assert violations(tab) == []
            assert overflow(tab) == 0
    assert complaints(tab) == []
