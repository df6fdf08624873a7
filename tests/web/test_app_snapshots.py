"""Snapshots in the browser: two taken, compared, the unjudged graded, and compared again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright")
pytest.importorskip("msgspec")

from playwright.sync_api import Page
from tests.databases import create_file
from tests.unit.snapshotted import project_of
from tests.web.accessibility import violations
from tests.web.browser import complaints, open_page, overflow, wait_until
from tests.web.judging import UNSENT, grade
from tests.web.server import PASSWORD, ThreadServer
from tests.web.sign_in import sign_in

from relyon.judging.store import open_store

ENGINE = """
kind = "python"
name = "shop"
python = "tests.unit.snapshotted:find"
[parameters]
shift = 0
[variants.shifted]
shift = 2
"""
PAGE = "/projects/1/snapshots"


class EngineServer(ThreadServer):
    """The app, whose operator allows an engine."""

    engines: Path

    def start(self) -> None:
        from relyon.app import Settings, create_app
        from relyon.app.engines.allowed import AllowedEngines
        from relyon.app.process import Ending, listen, own_names, serve_app

        self._store = open_store(self.database)
        listening = listen("127.0.0.1", self.port)
        settings = Settings(
            allowed_hosts=own_names("127.0.0.1", listening),
            engines=AllowedEngines.read(self.engines),
        )
        self._ending = Ending()
        self._thread = Thread(
            target=serve_app, args=(create_app(self._store, settings), listening, self._ending)
        )
        self._thread.start()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[EngineServer]:
    database = create_file(tmp_path / "judging.db")
    with open_store(database) as store:
        store.accounts.create("lea", role="admin", password=PASSWORD)
        project_of(store, queries=6, graded=6)
    folder = tmp_path / "engines"
    folder.mkdir()
    (folder / "shop.toml").write_text(ENGINE, "utf-8")
    found = EngineServer(database)
    found.engines = folder
    with found:
        yield found


def text(tab: Page) -> str:
    return str(tab.inner_text("main"))


def check(tab: Page, address: str) -> None:
    """A page fits a phone and a screen, light and dark, in both languages, for everyone."""
    for width, language in ((390, "zh"), (1280, "en")):
        joint = "&" if "?" in address else "?"
        open_page(
            tab,
            f"{address}{joint}lang={language}",
            width=width,
            scheme="dark" if width < 600 else "light",
        )
        assert overflow(tab) == 0
        assert violations(tab) == []


def take(tab: Page, server: EngineServer, variant: str, name: str) -> None:
    """Fills in the form, and waits until the snapshot has its numbers."""
    open_page(tab, f"{server.address}{PAGE}?variant={variant}", width=1280)
    tab.fill("[name=name]", name)
    tab.fill("[name=k]", "5")
    tab.get_by_role("button", name="Take the snapshot").click()
    # The script of jobs loads the page again once it is done.
    tab.get_by_role("row", name=name).get_by_text("%").wait_for()


def test_from_two_snapshots_to_grades_that_decide(tab: Page, server: EngineServer) -> None:
    sign_in(tab, server, "lea", PAGE)
    check(tab, f"{server.address}{PAGE}")
    take(tab, server, "base", "Before")
    take(tab, server, "shifted", "After")
    check(tab, f"{server.address}{PAGE}")
    tab.get_by_role("button", name="Compare").click()
    tab.get_by_role("heading", name="After against Before").wait_for()
    compared = tab.url
    before = text(tab)
    assert "Graded of the top 5: 100% of Before, 80% of After." in before
    assert "6 not in the project yet" in before
    check(tab, compared)
    tab.get_by_role("link", name="Grade the unjudged").click()
    check(tab, tab.url)
    tab.get_by_role("button", name="Add 6 results").click()
    tab.get_by_text("Added 6 results for the judges.").wait_for()
    tab.get_by_role("link", name="Start judging").click()
    shown = {grade(tab, "1") for _ in range(6)}
    assert shown == {f"Shoe q{query}-6" for query in range(6)}
    wait_until(tab, f"{UNSENT} === 0")
    open_page(tab, compared, width=1280)
    after = text(tab)
    assert "Graded of the top 5: 100% of Before, 100% of After." in after
    assert "0 waiting for a grade, 0 not in the project yet" in after
    assert number(after) > number(before)
    check(tab, f"{server.address}{PAGE}/1")
    assert complaints(tab) == []


def number(page: str) -> float:
    """Returns the difference that a comparison shows."""
    found = re.search(r"\(([−+]0\.\d+),", page)
    assert found is not None
    return float(found[1].replace("−", "-"))
