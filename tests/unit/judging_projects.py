"""Judging databases whose projects are read as judgments."""

from __future__ import annotations

from pathlib import Path

from tests.databases import create_file

from relyon.judging.records import Item, Rating
from relyon.judging.store import Store, open_store

#: A server that no one is behind, with a password that must not be shown.
URL = "postgresql://ann:s3cret@127.0.0.1:1/judging"

#: The final grades of the project that `fill` creates.
FINAL = {"tv": {"tv-1": 3.0, "tv-2": 1.0}, "cup": {"cup-1": 3.0}, "hat": {"hat-1": 2.0}}


def fill(store: Store, name: str = "June") -> int:
    """Creates a project with grades that agree, differ, are decided, and are missing."""
    project = store.projects.create(name, overlap=3)
    store.grades.add(
        project.id,
        [
            (Item("tv", "tv-1"), [Rating("Ann", 3), Rating("Bo", 3)]),
            (Item("tv", "tv-2"), [Rating("Ann", 3), Rating("Bo", 0)]),
            (Item("cup", "cup-1"), [Rating("Ann", 1), Rating("Bo", 3), Rating("Cy", 3)]),
            (Item("pen", "pen-1"), [Rating("Ann", None, "gone")]),
        ],
    )
    store.items.add(project.id, [Item("pen", "pen-2")])
    store.gold.add(project.id, [(Item("hat", "hat-1"), 2)])
    lead = store.accounts.create(f"Lee {name}", role="lead")
    decided = next(one for one in store.items.all(project.id) if one.document == "tv-2")
    store.decisions.decide(decided.id, lead, 1, key=f"first {name}")
    return project.id


def create_june(folder: Path) -> str:
    """Creates a database with one project, and returns its path."""
    path = str(create_file(folder / "judging.db"))
    with open_store(path) as store:
        fill(store)
    return path


def create_several(folder: Path) -> str:
    """Creates a database with several projects, and returns its path."""
    path = create_june(folder)
    with open_store(path) as store:
        for name in ("Live", "A#1"):
            project = store.projects.create(name)
            store.grades.add(project.id, [(Item("tv", name), [Rating("Ann", 2)])])
        store.projects.create("Empty")
        store.projects.create("Side", kind="side_by_side")
    return path
