"""Ctrl-C in the middle of a statement: whoever cleans up does not wait for themselves."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest
import sqlalchemy as sa

from relyon.judging import Store


def interrupt(*values: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("event", ["before_cursor_execute", "after_cursor_execute"])
def test_an_interrupt_leaves_no_lock(file_store: Store, event: str) -> None:
    database = file_store.database
    file_store.projects.create("June")

    def change(between: Callable[[], None] = lambda: None) -> None:
        with database.write() as connection:
            between()
            connection.execute(sa.text("UPDATE projects SET name = 'May' RETURNING id"))

    with pytest.raises(KeyboardInterrupt) as caught:
        change(lambda: sa.event.listen(database.engine, event, interrupt))
    sa.event.remove(database.engine, event, interrupt)
    assert caught.tb is not None  # which refers to the statement
    other = sqlite3.connect(database.file, timeout=0, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.close()
    assert [project.name for project in file_store.projects.all()] == ["June"]
    change()
    assert [project.name for project in file_store.projects.all()] == ["May"]
