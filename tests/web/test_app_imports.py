"""A lead brings files in with the browser alone: a table, a catalogue, needs, and two runs."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

pytest.importorskip("axe_core_python")
pytest.importorskip("fastapi")
pytest.importorskip("playwright")
pytest.importorskip("uvicorn")

from playwright.sync_api import Page
from tests.databases import create_file
from tests.web.accessibility import violations
from tests.web.browser import complaints, open_page, overflow, wait_until
from tests.web.server import PASSWORD, Server, ThreadServer
from tests.web.sign_in import sign_in

from relyon.app.catalogue import say
from relyon.core.language import Language
from relyon.judging.needs import needs_of
from relyon.judging.store import open_store

LOADED = "document.readyState === 'complete'"
#: A picture of one point, and a drawing, which judges do not see.
PICTURE = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAACAUwAOw=="
DRAWING = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with open_store(create_file(tmp_path / "judging.db")) as store:
        store.accounts.create("lead", role="admin", password=PASSWORD)
        store.projects.create("六月 June")
        store.projects.create("Sides", kind="side_by_side")
    with ThreadServer(tmp_path / "judging.db") as running:
        yield running


def write(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def text(tab: Page, selector: str = "main") -> str:
    return str(tab.evaluate(f"document.querySelector({selector!r}).innerText"))


def press(tab: Page, selector: str) -> None:
    """Clicks and waits for the page that comes."""
    tab.evaluate("window.before = true")
    tab.click(selector)
    wait_until(tab, f"!window.before && {LOADED}")


def choose(tab: Page, heading: str, role: str) -> None:
    """Chooses what the column of a heading is."""
    place = tab.evaluate(
        "heading => [...document.querySelectorAll('.mapping th label')]"
        ".findIndex(one => one.firstChild.textContent === heading)",
        heading,
    )
    tab.select_option(f"[name=column-0-{place}]", role)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_table_is_looked_at_mended_and_imported(
    tab: Page, server: Server, tmp_path: Path, language: Language
) -> None:
    table = write(
        tmp_path / "june.csv",
        [
            ["Search term", "Ware", "商品名称", "picture", "需求", "点击率"],
            ["手机壳", "p1", "防水硬壳", PICTURE, "摔不坏的壳", "0.5"],
            ["手机壳", "p2", "软壳", DRAWING, "", "0.1"],
            ["手机壳", "", "没有编号", "", "", ""],
        ],
    )
    sign_in(tab, server, "lead", "/projects/1/data", language=language)
    tab.set_input_files("#upload [name=file]", table)
    press(tab, "#upload button")
    # The column of documents has an unusual name.
    assert say(language, "import.choose_below") in text(tab)
    assert "python" not in text(tab).lower()
    choose(tab, "Ware", "document")
    press(tab, "[value=preview]")
    shown = text(tab)
    colon = say(language, "preferences.colon")
    assert f"{say(language, 'import.new')}{colon}2" in shown
    assert f"{say(language, 'import.refused')}{colon}1" in shown
    assert say(language, "import.no_picture") in shown
    assert tab.evaluate("document.querySelector('.cards img').naturalWidth") == 1
    views: tuple[tuple[int, Literal["light", "dark"]], ...] = ((390, "dark"), (1280, "light"))
    for width, scheme in views:
        open_page(tab, tab.url, width=width, scheme=scheme)
        assert overflow(tab) == 0
        assert violations(tab) == []
    with open_store(server.database) as store:
        assert store.items.all(1) == []
    press(tab, "[value=without]")
    assert say(language, "lead.imported", items=2, grades=0) in text(tab)
    with open_store(server.database) as store:
        items = store.items.all(1)
        assert [(one.query, one.document, one.title) for one in items] == [
            ("手机壳", "p1", "防水硬壳"), ("手机壳", "p2", "软壳"),
        ]  # fmt: skip
        assert [dict(one.fields) for one in items] == [{}, {}]
        assert needs_of(store, 1, ["手机壳"]) == {"手机壳": "摔不坏的壳"}
    # The judge sees the picture and what was meant.
    open_page(tab, f"{server.address}/projects/1/judge")
    wait_until(tab, "!document.getElementById('task').hidden")
    assert "摔不坏的壳" in text(tab, "#need")
    assert complaints(tab) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_two_runs_and_their_titles(
    tab: Page, server: Server, tmp_path: Path, language: Language
) -> None:
    (tmp_path / "old.run").write_text("q1 Q0 d1 1 2 a\nq1 Q0 d2 2 1 a\n")
    new = write(tmp_path / "new.csv", [["搜索词", "商品编号", "得分"], ["q1", "d2", "2"]])
    sign_in(tab, server, "lead", "/projects/2/data", language=language)
    assert "relyon judge" not in text(tab)
    tab.fill("#sides [name=first]", "old")
    tab.fill("#sides [name=second]", "new")
    tab.set_input_files("#sides [name=file]", tmp_path / "old.run")
    tab.set_input_files("#sides [name=other]", new)
    press(tab, "#sides button")
    colon = say(language, "preferences.colon")
    assert f"{say(language, 'import.new_pairs')}{colon}1" in text(tab)
    assert violations(tab) == []
    press(tab, "[value=import]")
    titles = write(tmp_path / "titles.csv", [["id", "title"], ["d1", "Red"], ["d2", "Blue"]])
    tab.check("#upload [value=documents]")
    tab.set_input_files("#upload [name=file]", titles)
    press(tab, "#upload button")
    assert f"{say(language, 'import.filled_pairs')}{colon}1" in text(tab)
    press(tab, "[value=import]")
    with open_store(server.database) as store:
        (pair,) = store.items.comparisons(2).values()
    assert [one.title for one in pair.first_results] == ["Red", "Blue"]
    assert complaints(tab) == []
