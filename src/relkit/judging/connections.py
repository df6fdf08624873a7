"""Connections to SQLite: what each is told before it is used."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from relkit.judging.schema import sa

__all__ = ["PATIENCE", "abandon", "begin", "connect_to_read", "prepare_reading", "prepare_writing"]

#: Seconds that a writer waits for another process's transaction to end.
PATIENCE = 60.0


def connect_to_read(path: str) -> sqlite3.Connection:
    """Connects to a file that nobody can change here."""
    # What a server has not yet moved into the file is seen only with its log, and that only where
    # its lock file can be used; without a log there must be none of these.
    log = os.path.exists(f"{path}-wal") and os.stat(f"{path}-wal").st_size
    how = "mode=ro" if log else "mode=ro&immutable=1"
    return sqlite3.connect(
        f"file:{quote(os.path.abspath(path))}?{how}", uri=True, timeout=PATIENCE,
        check_same_thread=False,
    )  # fmt: skip


def prepare_reading(connection: Any, record: object) -> None:
    """Sets up one connection to SQLite that only reads."""
    connection.isolation_level = None


def prepare_writing(connection: Any, record: object) -> None:
    """Sets up one connection to SQLite."""
    connection.isolation_level = None  # the driver must not begin transactions of its own
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}")
    # The mode is kept in the file: that of another program stays as it is.
    tables = "SELECT count(*) = 0 OR max(name = 'alembic_version') FROM sqlite_master"
    if cursor.execute(tables).fetchone()[0]:
        cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def begin(connection: sa.Connection) -> None:
    """Begins a transaction that will write as a writer: to become one later may fail."""
    writes = connection.get_execution_options().get("relkit_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def abandon(connection: Any, record: object, error: object) -> None:
    """Ends the transaction of a connection that is given up, as after Ctrl-C in a statement.

    SQLite would close it only once nobody refers to its statements any more, which the error's
    traceback does, and keep the lock until then: whoever cleans up would wait for themselves.
    """
    with suppress(sqlite3.Error):
        connection.rollback()
