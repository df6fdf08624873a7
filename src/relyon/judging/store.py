"""A judging database, and its parts."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Literal, Self

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.judging.accounts import Accounts
from relyon.judging.database import Database
from relyon.judging.database_part import Base
from relyon.judging.decisions import Decisions
from relyon.judging.figures import Figures
from relyon.judging.files import check_file, make_file
from relyon.judging.gold import Gold
from relyon.judging.grades import Grades
from relyon.judging.grading import Grading
from relyon.judging.items import Items
from relyon.judging.llm.audit.records import Probes
from relyon.judging.llm.models import Models
from relyon.judging.llm.replies import Replies
from relyon.judging.projects import Projects

__all__ = ["Store", "open_store"]

_INIT = "judging.relyon-judge-init-makes"


class Store(Base):
    """An open judging database.

    Attributes:
        database: The connection.
        clock: Returns the time in seconds since 1970.
        accounts: Accounts and passwords.
        projects: Projects and their settings.
        items: The documents, or the pairs of rankings, that judges see.
        grades: The judges' ratings.
        grading: Assigns items to judges, and stores their actions.
        gold: Items whose grade is known, and how judges grade them.
        models: Language models as judges, and the acceptance of their grades.
        replies: The answers of language models.
        probes: The requests of audits of language models.
        decisions: The decisions of leads, and the final grades.
        figures: Cached figures of large projects.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        super().__init__(database, clock)
        self.accounts = Accounts(database, clock)
        self.projects = Projects(database, clock)
        self.items = Items(database, clock, self.projects)
        self.grades = Grades(database, clock, self.projects)
        self.gold = Gold(database, clock, self.projects)
        self.grading = Grading(database, clock, self.projects)
        self.models = Models(database, clock)
        self.replies = Replies(database, clock)
        self.probes = Probes(database, clock)
        self.decisions = Decisions(
            database,
            clock,
            projects=self.projects,
            items=self.items,
            grades=self.grades,
            gold=self.gold,
            models=self.models,
            replies=self.replies,
        )
        self.figures = Figures()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes all connections."""
        self.database.close()


def open_store(
    address: str | os.PathLike[str],
    *,
    create: bool = False,
    access: Literal["write", "read"] = "write",
    clock: Callable[[], float] = time.time,
) -> Store:
    """Opens a judging database.

    Args:
        address: A file, or the URL of a PostgreSQL database (`postgresql://USER@HOST/NAME`).
        create: Whether to create missing tables, or upgrade those of an earlier version.
        access: Whether the database may be written; `read` leaves it unchanged.
        clock: Returns the time in seconds since 1970.

    Raises:
        InputError: If this database does not exist, or its tables are of another version.
        ParameterError: If the URL is of another kind of database.
        DependencyError: If a package is missing: ``pip install 'relyon[judge]'``.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from relyon.judging import Item
        >>> folder = TemporaryDirectory()
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     project = store.projects.create("June", scale="search", overlap=2)
        ...     store.items.add(project.id, [Item("red shoes", "d1"), Item("red shoes", "d2")])
        2
        >>> folder.cleanup()
    """
    database = Database(address, access=access)
    try:
        there = not database.sqlite or check_file(database.file)
        if create and database.read_only:
            raise InputError(
                message("judging.database-cannot-be-written"),
                path=database.address,
                hint=message("judging.copy-to-where-can"),
            )
        if not there and not create:
            raise InputError(
                message("judging.this-database-does"), path=database.file, hint=message(_INIT)
            )
        if not there:
            make_file(database.file, _make_tables)
        found, newest = database.version()
        if found != newest:
            _check_tables(database, found)
            if not create:
                what = "has no judging tables" if found is None else f"is of version {found}"
                raise InputError(
                    message("judging.database-what", what=what),
                    path=database.address,
                    hint=message(_INIT),
                )
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
    """Rejects a file that is not a judging database, or is a newer relyon's.

    Raises:
        InputError: If it is one of these.
    """
    if found is not None and found not in database.versions():
        raise InputError(
            message("judging.database-is-of-version", found=found),
            path=database.address,
            hint=message("judging.newer-relyon-created"),
        )
    if found is not None or not database.sqlite:
        return
    # A file gets its name only with its tables: this one is another program's, or incomplete.
    with database.read() as connection:
        tables = database.inspect(connection).get_table_names()
    if tables:
        raise InputError(
            message(
                "judging.database-has-no-judging-tables",
                tables=list(sorted(tables)[:3]),
            ),
            path=database.address,
            hint=message("core.name-another-file"),
        )
    raise InputError(
        message("judging.database-has-no-judging"),
        path=database.address,
        hint=message(
            "judging.copy-with-relyon-judge",
            file=database.file,
        ),
    )
