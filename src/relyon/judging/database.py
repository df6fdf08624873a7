"""The connection to a judging database: SQLite in a file, or PostgreSQL by its URL."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import DependencyError, InputError, ParameterError
from relyon.core.packages import missing_package
from relyon.core.texts import message
from relyon.io.databases import hide_password
from relyon.judging.connections import (
    PATIENCE,
    abandon,
    begin,
    connect_to_read,
    prepare_reading,
    prepare_writing,
    sqlite_driver,
)
from relyon.judging.files import is_read_only
from relyon.judging.schema import sa

if TYPE_CHECKING:
    from alembic.config import Config

__all__ = ["Database", "new_id"]

#: PostgreSQL's codes for a missing table, a missing column, and missing permission. It counts them
#: as programming errors; SQLite, and we, as an unusable database.
UNUSABLE = {"42P01", "42703", "42501"}

#: What to do, by a part of SQLite's message.
HINTS = {
    "malformed": "restore a backup: `relyon judge restore BACKUP DATABASE --force`",
    "not a database": "restore a backup: `relyon judge restore BACKUP DATABASE --force`",
    "readonly": "copy it to a writable place; reading it, as `judge export` does, still works",
    "disk is full": "free some disk space; confirmed grades are stored",
    "is locked": "another program has locked it: try again when it has finished",
}

MIGRATIONS = Path(__file__).with_name("migrations")


def new_id(result: sa.CursorResult[*tuple[object, ...]]) -> int:
    """Returns the id of an inserted row."""
    key = result.inserted_primary_key
    return int(key[0]) if key is not None else 0


class Database:
    """Transactions on SQLite or PostgreSQL with the same semantics on both.

    SQLite runs with a write-ahead log, so that readers and the writer do not wait for each other,
    with foreign keys checked, and with every commit on disk before it is confirmed.

    Args:
        address: A path, or a URL: ``sqlite:///PATH`` or ``postgresql://USER@HOST/NAME``.
        access: Whether it may be written; `read` leaves every bit of a file unchanged.

    Attributes:
        address: The file, or the URL without a password, for messages.
        file: The file; empty for PostgreSQL.
        read_only: Whether it is opened read-only, or cannot be written.
        engine: SQLAlchemy's engine.

    Raises:
        ParameterError: If it is a URL of another database.
        DependencyError: If a driver is missing.
        InputError: If it cannot be opened.
    """

    def __init__(
        self, address: str | os.PathLike[str], *, access: Literal["write", "read"] = "write"
    ) -> None:
        url = _url(os.fspath(address))
        self.sqlite = url.get_backend_name() == "sqlite"
        self.file = (url.database or "") if self.sqlite else ""
        self.address = self.file or hide_password(url.render_as_string(hide_password=True))
        self.read_only = access == "read" or (
            self.sqlite and os.path.exists(self.file) and is_read_only(self.file)
        )
        # SQLite allows one writer at a time. Threads of this process queue here: SQLite's own
        # waiting is a lottery, which some of fifty writers lose for too long.
        self._lock = threading.Lock()
        try:
            self.engine = self._create_engine(url)
        except ImportError as error:
            raise DependencyError(
                message(
                    "judging.driver-of-this-database",
                    error_name=error.name,
                ),
                hint=message("judging.pip-install-relyon-postgres"),
            ) from None
        if self.sqlite:
            prepare = prepare_reading if self.read_only else prepare_writing
            sa.event.listen(self.engine, "connect", prepare)
            sa.event.listen(self.engine, "begin", begin)
            sa.event.listen(self.engine, "invalidate", abandon)

    def _create_engine(self, url: sa.URL) -> sa.Engine:
        if self.sqlite and self.read_only:
            return sa.create_engine(
                url, pool_size=20, max_overflow=80, creator=lambda: connect_to_read(self.file)
            )
        if self.sqlite:
            return sa.create_engine(
                url, pool_size=20, max_overflow=80, connect_args={"timeout": PATIENCE}
            )
        return sa.create_engine(
            url,
            pool_size=10,
            max_overflow=20,
            pool_pre_ping=True,
            pool_timeout=60,
            # A disconnected server does not answer at all.
            connect_args={} if "connect_timeout" in url.query else {"connect_timeout": 15},
        )

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A read transaction on a consistent snapshot."""
        with self._errors(), self.engine.connect() as connection:
            if not self.sqlite:  # whose transactions see a snapshot anyway
                connection.execution_options(isolation_level="REPEATABLE READ")
                if self.read_only:  # False would override the server's own setting
                    connection.execution_options(postgresql_readonly=True)
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A write transaction, stored completely or not at all."""
        with self._errors(), self._turn(), self.engine.connect() as connection:
            chosen = connection.execution_options(relyon_writes=True)
            with chosen.begin():
                yield chosen

    def try_write(self, statement: sa.Executable) -> bool:
        """Executes an optional statement, and returns whether it did.

        It does not wait for other writers, and an unwritable database is not an error.
        """
        if self.sqlite and not self._lock.acquire(blocking=False):
            return False
        try:
            with self.engine.connect() as connection:
                chosen = connection.execution_options(relyon_writes=True)
                driver = sqlite_driver(connection.connection) if self.sqlite else None
                if driver is not None:
                    driver.execute("PRAGMA busy_timeout = 0")
                try:
                    with chosen.begin():
                        if driver is None:
                            chosen.exec_driver_sql("SET LOCAL lock_timeout = '10ms'")
                        chosen.execute(statement)
                finally:
                    if driver is not None:
                        driver.execute(f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}")
            return True
        except sa.exc.DBAPIError:
            return False
        finally:
            if self.sqlite:
                self._lock.release()

    @contextmanager
    def _turn(self, patience: float = -1) -> Iterator[None]:
        if not self.sqlite:
            yield
            return
        if not self._lock.acquire(timeout=patience):
            raise InputError(message("judging.database-cannot-be-used"), path=self.address)
        try:
            yield
        finally:
            self._lock.release()

    def probe(self, patience: float) -> None:
        """Rewrites a value, to see whether grades could be stored now.

        Args:
            patience: Seconds to wait for other writers.

        Raises:
            InputError: If they could not.
        """
        statement = sa.text("UPDATE alembic_version SET version_num = version_num")
        if not self.sqlite:
            with self.write() as connection:
                limit = int(patience * 1000)
                for name in ("lock_timeout", "statement_timeout"):
                    connection.exec_driver_sql(f"SET LOCAL {name} = {limit}")
                connection.execute(statement)
            return
        with self._errors(), self._turn(patience), self._waiting(patience) as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.execute(statement.text)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def checkpoint(self, patience: float = 5.0) -> bool:
        """Moves the contents of SQLite's write-ahead log into the file, and empties the log.

        Args:
            patience: Seconds to wait for other users of the database.

        Returns:
            Whether the file alone is now complete.
        """
        if not self.sqlite or self.read_only:
            return True
        try:
            with self._errors(), self._turn(PATIENCE), self._waiting(patience) as connection:
                busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except InputError:
            return False
        return not busy

    @contextmanager
    def _waiting(self, patience: float) -> Iterator[sqlite3.Connection]:
        """The driver's own connection, with a limited wait for locks."""
        raw = self.engine.raw_connection()
        try:
            connection = sqlite_driver(raw)
            connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
            try:
                yield connection
            except sqlite3.Error as error:
                raise sa.exc.OperationalError("", None, error) from error
            finally:
                connection.execute(f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}")
        finally:
            raw.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sa.exc.OperationalError, sa.exc.DatabaseError) as error:
            mistake = isinstance(error, sa.exc.IntegrityError | sa.exc.ProgrammingError)
            if mistake and getattr(error.orig, "sqlstate", "") not in UNUSABLE:
                raise
            reason = str(error.orig).strip().split("\n")[0]
            raise InputError(
                message("judging.database-cannot-be-used-reason", reason=reason),
                path=self.address,
                hint=next((hint for text, hint in HINTS.items() if text in reason), ""),
            ) from error

    def upgrade(self) -> None:
        """Creates the tables, or upgrades those of an earlier version.

        Raises:
            InputError: If the database cannot be written.
        """
        from alembic import command

        with self.write() as connection:
            if not self.sqlite:
                # Two programs that start at the same time upgrade one after the other.
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(728511)"))
            command.upgrade(self.config(connection), "head")

    def version(self) -> tuple[str | None, str]:
        """Returns the revision of the tables (None if there are none) and the newest one."""
        from alembic.runtime.migration import MigrationContext
        from alembic.script import ScriptDirectory

        with self.read() as connection:
            config = self.config(connection)
            found = MigrationContext.configure(connection).get_current_revision()
        newest = ScriptDirectory.from_config(config).get_current_head()
        return found, newest or ""

    def versions(self) -> list[str]:
        """Returns the revisions of the tables that this relyon knows."""
        from alembic.script import ScriptDirectory

        with self.read() as connection:
            config = self.config(connection)
        return [one.revision for one in ScriptDirectory.from_config(config).walk_revisions()]

    def inspect(self, connection: sa.Connection) -> sa.Inspector:
        """Returns SQLAlchemy's inspector."""
        return sa.inspect(connection)

    def config(self, connection: sa.Connection) -> Config:
        """Returns Alembic's settings for a connection."""
        try:
            from alembic.config import Config
        except ImportError:
            raise missing_package(
                "Alembic", purpose=message("judging.judging-app"), install="relyon[judge]"
            ) from None
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        return config

    def close(self) -> None:
        """Closes all connections."""
        self.engine.dispose()


def _url(address: str) -> sa.URL:
    if "://" not in address:
        if not address or address == ":memory:":
            raise ParameterError(
                message("judging.is-not-database", address=address),
                hint=message("judging.name-file-such-as-judging"),
            )
        return sa.URL.create("sqlite", database=address)
    try:
        url = sa.make_url(address)
    except (sa.exc.ArgumentError, ValueError):
        raise ParameterError(
            message("judging.this-is-not-url"),
            hint=message("judging.write-sqlite-path"),
        ) from None
    kind = url.drivername.partition("+")[0]
    if kind in {"postgresql", "postgres"}:
        return url.set(drivername="postgresql+psycopg")
    if kind != "sqlite" or not url.database or url.database == ":memory:":
        raise ParameterError(
            message("judging.judging-database-is-sqlite", kind=kind),
            hint=message("judging.write-sqlite-path"),
        )
    return url
