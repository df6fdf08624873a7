"""A judging database: projects, items, users, and the grades that were given.

Who grades what is in `relkit.judging.assignment`, what judges do in `relkit.judging.actions`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from relkit.errors import InputError
from relkit.judging.database import Database
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
    path = database.engine.url.database or ""
    if database.sqlite and not create and not os.path.isfile(path):
        raise InputError("there is no such database", path=path, hint=_INIT)
    try:
        if create:
            database.upgrade()
        found, newest = database.version()
        if found != newest:
            what = "has no judging tables" if found is None else f"is of version {found}"
            raise InputError(f"the database {what}", path=database.address, hint=_INIT)
    except BaseException:
        database.close()
        raise
    return Store(database, clock=clock)
