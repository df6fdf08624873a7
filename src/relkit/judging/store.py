"""A judging database: projects, items, users, and the grades that were given.

Who grades what is in `relkit.judging.assignment`, what judges do in `relkit.judging.actions`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from relkit.core.errors import InputError
from relkit.judging.database import Database
from relkit.judging.files import check_file, make_file
from relkit.judging.llm.acceptance import MachineStore

__all__ = ["Store", "open_store"]

_INIT = "`relkit judge init` makes one, and brings an older one up to date"


class Store(MachineStore):
    """A judging database that is open: accounts, projects, items, ratings, gold and decisions,
    and what language models say.

    Attributes:
        database: The connection.
        clock: Tells the time.
    """


def open_store(
    address: str | os.PathLike[str],
    *,
    create: bool = False,
    clock: Callable[[], float] = time.time,
) -> Store:
    """Opens a judging database.

    Args:
        address: A file, or the URL of a PostgreSQL database (`postgresql://USER@HOST/NAME`).
        create: Make the tables where there are none, or bring those of an earlier version up to
            date.
        clock: Tells the time in seconds since 1970.

    Raises:
        InputError: If there is no such database, or its tables are of another version.
        ParameterError: If the URL is of another kind of database.
        DependencyError: If a package is missing: ``pip install 'relkit[judge]'``.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from relkit.judging.records import Item
        >>> folder = TemporaryDirectory()
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     project = store.create_project("June", scale="search", overlap=2)
        ...     store.add_items(project.id, [Item("red shoes", "d1"), Item("red shoes", "d2")])
        2
        >>> folder.cleanup()
    """
    database = Database(address)
    try:
        there = not database.sqlite or check_file(database.file)
        if create and database.read_only:
            raise InputError(
                "the database cannot be written here",
                path=database.file,
                hint="copy it to where it can; `judge status` and `judge export` read it as it is",
            )
        if not there and not create:
            raise InputError("there is no such database", path=database.file, hint=_INIT)
        if not there:
            make_file(database.file, _make_tables)
        found, newest = database.version()
        if found != newest:
            _check_tables(database, found)
            if not create:
                what = "has no judging tables" if found is None else f"is of version {found}"
                raise InputError(f"the database {what}", path=database.address, hint=_INIT)
            database.upgrade()
    except BaseException:
        database.close()
        raise
    return Store(database, clock=clock)


def _make_tables(path: str) -> None:
    """Fills a new file, in which no later failure can leave half of them."""
    database = Database(path)
    try:
        database.upgrade()
    finally:
        database.close()


def _check_tables(database: Database, found: str | None) -> None:
    """Refuses what is no judging database, or that of a newer relkit.

    Raises:
        InputError: If it is one of these.
    """
    if found is not None and found not in database.versions():
        raise InputError(
            f"the database is of version {found}, which this relkit does not know",
            path=database.address,
            hint="a newer one made it: pip install --upgrade relkit",
        )
    if found is not None or not database.sqlite:
        return
    # A file gets its name only with its tables: this one was not made here, or is not whole.
    with database.read() as connection:
        tables = database.inspect(connection).get_table_names()
    if tables:
        raise InputError(
            f"the database has no judging tables, but others: {', '.join(sorted(tables)[:3])}",
            path=database.address,
            hint="name another file",
        )
    raise InputError(
        "the database has no judging tables, like a copy without the -wal that was beside it",
        path=database.address,
        hint="copy with `relkit judge backup`, and put that copy in its place:"
        f" `relkit judge restore BACKUP {database.file} --force`",
    )
