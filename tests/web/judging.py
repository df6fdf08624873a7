"""The judging page as tests see it: what it shows, what waits in it, and what was stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from tests.databases import create_file
from tests.web.browser import wait_until
from tests.web.server import PASSWORD, Server
from tests.web.sign_in import sign_in

from relyon.judging.records import Item
from relyon.judging.store import Store, open_store

JUDGING = "/projects/1/judge"
READY = "!document.getElementById('task').hidden"
SHOWN = "document.querySelector('#documents .title').textContent"
UNSENT = "Number(document.getElementById('main').dataset.unsent)"
SAVING = "document.getElementById('saving').textContent"


def fill_database(database: Path, items: list[Item], **options: Any) -> None:
    """Makes a database with a judge, a lead who may do everything, and a project."""
    with open_store(create_file(database)) as store:
        store.accounts.create("ana", password=PASSWORD)
        store.accounts.create("lead", role="admin", password=PASSWORD)
        project = store.projects.create("June", **options)
        store.items.add(project.id, items)


def open_judging(tab: Page, server: Server) -> Page:
    """Returns the judging page, once it shows a result to the judge who is signed in."""
    sign_in(tab, server, "ana", JUDGING)
    wait_until(tab, READY)
    return tab


def grade(tab: Page, key: str) -> str:
    """Grades what is shown by a key, waits for the next one, and returns what was shown."""
    wait_until(tab, READY)
    before = tab.evaluate(SHOWN)
    tab.keyboard.press(key)
    wait_until(tab, f"document.getElementById('task').hidden || {SHOWN} !== {before!r}")
    return str(before).split(" {")[0].split(" <")[0]


def stored(server: Server) -> dict[str, float | None]:
    """Returns the first grade of each item by the beginning of its title."""
    with open_store(server.database) as store:
        return grades_by_title(store)


def grades_by_title(store: Store) -> dict[str, float | None]:
    """Returns the first grade of each item by the beginning of its title."""
    titles = {item.id: item.title.split(" <")[0] for item in store.items.all(1)}
    return {titles[item]: found[0].grade for item, found in store.grades.ratings(1).items()}


def actions(server: Server) -> list[str]:
    """Returns what was done, in its order."""
    with open_store(server.database) as store:
        return [one["kind"] for one in store.grades.history(1)]
