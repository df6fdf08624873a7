"""Backup of a judging database while it is in use, and restoring it.

A plain copy of the file may lack what is in its write-ahead log; these copies are a consistent
snapshot in one file, checked before they get their name.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.judging.connections import sqlite_driver
from relyon.judging.database import Database
from relyon.judging.files import COMPANIONS, check_file, is_open, make_file, sync_folder
from relyon.judging.schema import sa

__all__ = ["Copy", "Restored", "back_up", "check_copy", "restore"]

#: Pages copied at a time: 4 MiB.
STEP = 1024

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Copy:
    """A verified copy of a database in one file.

    Attributes:
        file: Its name.
        bytes: Its size.
        version: The version of its tables.
        rows: The number of rows of each table.
    """

    file: str
    bytes: int
    version: str
    rows: Mapping[str, int]


@dataclass(frozen=True)
class Restored:
    """A restored database.

    Attributes:
        copy: Its contents.
        aside: Where the previous database is now; empty if there was none.
    """

    copy: Copy
    aside: str


def back_up(
    database: str | os.PathLike[str],
    file: str | os.PathLike[str],
    *,
    existing: Literal["refuse", "replace"] = "refuse",
    progress: Progress | None = None,
) -> Copy:
    """Copies a database into one file, while others keep grading.

    Args:
        database: The file of the database, of any version.
        file: The name of the copy, which it gets only once it is complete, checked and on disk;
            until then an existing file of that name stays.
        existing: What to do with an existing file of that name.
        progress: Called with the number of pages copied and their total.

    Raises:
        InputError: If the database cannot be read, or the copy cannot be written.
        ParameterError: If it is a PostgreSQL database, or both are the same file.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from relyon.judging import open_store
        >>> folder = TemporaryDirectory()
        >>> with open_store(f"{folder.name}/judging.db", create=True) as store:
        ...     june = store.projects.create("June")
        ...     back_up(store.database.file, f"{folder.name}/copy.db").rows["projects"]
        1
        >>> folder.cleanup()
    """
    target = os.fspath(file)
    source = Database(database)
    try:
        if not source.sqlite:
            raise _not_a_file(source, f"pg_dump --format=custom --file={target} URL")
        if not check_file(source.file):
            raise InputError(message("judging.this-database-does"), path=source.file)
        if os.path.exists(target) and os.path.samefile(source.file, target):
            raise ParameterError(
                message("judging.backup-is-database-itself", target=target),
                hint=message("core.name-another-file"),
            )
        if existing == "refuse" and os.path.exists(target):
            raise _taken(target)
        made = make_file(
            target,
            lambda name: _copy(source, name, target, progress),
            existing="keep" if existing == "refuse" else "replace",
        )
        if not made:
            raise _taken(target)
    finally:
        source.close()
    return check_copy(target, pages="trust")


def check_copy(file: str | os.PathLike[str], *, pages: Literal["check", "trust"] = "check") -> Copy:
    """Reads a copy, and returns its contents.

    Args:
        file: The copy, which is not modified.
        pages: Whether to check every page and every reference.

    Raises:
        InputError: If it is damaged, or not a judging database that this relyon knows.
    """
    path = os.fspath(file)
    if "://" in path or not check_file(path):
        raise InputError(message("core.there-is-no"), path=path)
    found = Database(path, access="read")
    try:
        version = found.version()[0]
        if version is None:
            raise InputError(message("judging.this-is-not-copy"), path=path)
        if version not in found.versions():
            raise InputError(
                message(
                    "judging.copy-is-of-version",
                    version=version,
                ),
                path=path,
                hint=message("judging.newer-relyon-created"),
            )
        with found.read() as connection:
            rows = _count(found, connection)
            if pages == "check":
                _check_pages(connection, path)
    finally:
        found.close()
    return Copy(path, os.path.getsize(path), version, rows)


def restore(
    file: str | os.PathLike[str],
    database: str | os.PathLike[str],
    *,
    existing: Literal["refuse", "set_aside"] = "refuse",
    progress: Progress | None = None,
) -> Restored:
    """Replaces a database with a copy; no server may have it open.

    Args:
        file: A copy made by `back_up`, checked before anything is changed.
        database: The file of the database; this process must not have it open.
        existing: Whether to rename an existing database and its files.
        progress: Called with the number of pages copied and their total.

    Raises:
        InputError: If the copy is damaged, the database exists, or a program has it open.
        ParameterError: If it is a PostgreSQL database.
    """
    path = os.fspath(file)
    target = Database(database)
    target.close()
    if not target.sqlite:
        raise _not_a_file(target, f"pg_restore --clean --if-exists --no-owner --dbname=URL {path}")
    copy = check_copy(path)
    name = os.path.realpath(target.file)
    old = [end for end in ("", *COMPANIONS) if os.path.lexists(f"{name}{end}")]
    if old and os.path.exists(name) and os.path.samefile(name, path):
        raise ParameterError(message("judging.copy-is-database-itself", path=path))
    if old and existing == "refuse":
        raise InputError(
            message("judging.database-already-exists"),
            path=target.file,
            hint=message("judging.force-replaces-with-copy"),
        )
    if is_open(name):
        raise InputError(
            message("judging.program-has-database-open"),
            path=target.file,
            hint=message("judging.stop-server-first"),
        )
    aside = f"{name}.{datetime.now():before-%Y%m%d-%H%M%S}"
    owner = os.stat(name if os.path.exists(name) else os.path.dirname(name) or ".")
    moved: list[str] = []

    def fill(temporary: str) -> None:
        source = Database(path, access="read")
        try:
            _copy(source, temporary, target.file, progress)
        finally:
            source.close()
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            os.chown(temporary, owner.st_uid, owner.st_gid)
        for end in old:
            os.rename(f"{name}{end}", f"{aside}{end}")
            moved.append(end)
        sync_folder(name)

    try:
        if not make_file(name, fill):
            raise InputError(message("judging.database-was-created-there"), path=target.file)
    except BaseException:
        if not os.path.exists(name):
            for end in moved:
                os.rename(f"{aside}{end}", f"{name}{end}")
        raise
    return Restored(Copy(target.file, copy.bytes, copy.version, copy.rows), aside if moved else "")


def _copy(source: Database, temporary: str, target: str, progress: Progress | None) -> None:
    """Copies a snapshot of a database page by page, and checks the result."""

    def tell(status: int, remaining: int, total: int) -> None:
        if progress is not None:
            progress(total - remaining, total, "" if remaining else "checking")

    try:
        # One transaction sees one state, so writers do not restart the copy.
        with source.read() as connection:
            rows = _count(source, connection)
            made = sqlite3.connect(temporary, isolation_level=None)
            try:
                driver = sqlite_driver(connection.connection)
                driver.backup(made, pages=STEP, progress=tell)
                # So that the file can be read alone, even on a read-only medium.
                made.execute("PRAGMA journal_mode = DELETE")
            finally:
                made.close()
    except sqlite3.Error as error:
        raise InputError(
            message("judging.copy-cannot-be-written", error=error), path=target
        ) from error
    arrived = check_copy(temporary)
    if arrived.rows != rows:
        raise InputError(message("judging.copy-does-not-match"), path=target)


def _count(database: Database, connection: sa.Connection) -> dict[str, int]:
    tables = database.inspect(connection).get_table_names()
    return {
        name: connection.execute(
            sa.select(sa.func.count()).select_from(sa.table(name))
        ).scalar_one()
        for name in tables
    }


def _check_pages(connection: sa.Connection, path: str) -> None:
    found: list[str] = [
        row[0] for row in connection.exec_driver_sql("PRAGMA integrity_check(3)") if row[0] != "ok"
    ]
    found += [
        f"a row of {row[0]} names one of {row[2]} that is not there"
        for row in connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(3)
    ]
    if found:
        raise InputError(
            message("judging.file-is-damaged", found=found[0]),
            path=path,
            hint=message("judging.use-another-copy"),
        )


def _taken(target: str) -> InputError:
    return InputError(
        message("judging.file-already-exists"),
        path=target,
        hint=message("judging.name-another-one-or-replace"),
    )


def _not_a_file(database: Database, command: str) -> ParameterError:
    found = database.engine.url
    url = sa.URL.create(
        "postgresql", found.username, None, found.host, found.port, found.database, found.query
    )
    return ParameterError(
        message("judging.this-is-postgresql-database"),
        hint=command.replace("URL", f"'{url.render_as_string()}'"),
    )
