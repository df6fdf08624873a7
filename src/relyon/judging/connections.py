"""Connections to SQLite and their setup."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from urllib.parse import quote

from relyon.judging.schema import sa

__all__ = [
    "PATIENCE",
    "abandon",
    "begin",
    "connect_to_read",
    "prepare_reading",
    "prepare_writing",
    "sqlite_driver",
]

#: Seconds that a writer waits for another process's transaction to end.
PATIENCE = 60.0


def connect_to_read(path: str) -> sqlite3.Connection:
    """Connects to a file that cannot be changed here."""
    # Changes that a server has not yet moved into the file are visible only with its log, which
    # needs its lock file; without a log neither may exist. An empty log with a lock file is in
    # use, too.
    log = os.path.exists(f"{path}-wal") and (
        os.path.exists(f"{path}-shm") or os.stat(f"{path}-wal").st_size
    )
    how = "mode=ro" if log else "mode=ro&immutable=1"
    return sqlite3.connect(
        f"file:{quote(os.path.abspath(path))}?{how}", uri=True, timeout=PATIENCE,
        check_same_thread=False,
    )  # fmt: skip


def sqlite_driver(connection: sa.PoolProxiedConnection) -> sqlite3.Connection:
    """Returns the driver's own connection to SQLite."""
    found = connection.driver_connection
    if not isinstance(found, sqlite3.Connection):
        raise TypeError(found)
    return found


def prepare_reading(connection: sqlite3.Connection, record: object) -> None:
    """Sets up a read-only connection to SQLite."""
    connection.isolation_level = None


def prepare_writing(connection: sqlite3.Connection, record: object) -> None:
    """Sets up a connection to SQLite."""
    connection.isolation_level = None  # the driver must not begin transactions itself
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}")
    # The mode is stored in the file: another program's file keeps its own.
    tables = "SELECT count(*) = 0 OR max(name = 'alembic_version') FROM sqlite_master"
    if cursor.execute(tables).fetchone()[0]:
        cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def begin(connection: sa.Connection) -> None:
    """Begins a transaction as a writer: upgrading it later may fail."""
    writes = connection.get_execution_options().get("relyon_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def abandon(connection: sqlite3.Connection, record: object, error: object) -> None:
    """Ends the transaction of an abandoned connection, as after Ctrl-C in a statement.

    SQLite would close it, and release its lock, only once nothing refers to its statements, which
    the error's traceback still does: the cleanup would wait for itself.
    """
    with suppress(sqlite3.Error):
        connection.rollback()
