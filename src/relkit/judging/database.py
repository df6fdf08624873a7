"""The connection to a judging database: SQLite in a file, or PostgreSQL by its URL."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relkit.errors import DependencyError, InputError, ParameterError
from relkit.judging.schema import sa

if TYPE_CHECKING:
    from alembic.config import Config

__all__ = ["Database", "new_id"]

#: Seconds that a writer waits for another process's transaction to end.
PATIENCE = 60.0

#: PostgreSQL's words for: no such table, no such column, not allowed. It counts them as mistakes of
#: the program; SQLite, and we, as a database that cannot be used.
UNUSABLE = {"42P01", "42703", "42501"}

MIGRATIONS = Path(__file__).with_name("migrations")


def new_id(result: sa.CursorResult[Any]) -> int:
    """Returns the id of the row that an insert made."""
    key = result.inserted_primary_key
    return int(key[0]) if key is not None else 0


class Database:
    """Transactions on SQLite or PostgreSQL that mean the same on both.

    SQLite runs with a write-ahead log, so that readers and the writer do not wait for each other,
    with foreign keys checked, and with every commit on the disk before it is confirmed.

    Args:
        address: A path, or a URL: ``sqlite:///PATH`` or ``postgresql://USER@HOST/NAME``.

    Attributes:
        address: The file, or the URL without a password, for messages.
        engine: SQLAlchemy's.

    Raises:
        ParameterError: If it is a URL of another database.
        DependencyError: If a driver is missing.
        InputError: If it cannot be opened.
    """

    def __init__(self, address: str | os.PathLike[str]) -> None:
        url = _url(os.fspath(address))
        self.sqlite = url.get_backend_name() == "sqlite"
        text = url.render_as_string(hide_password=True)
        self.address = (url.database or text) if self.sqlite else text
        # One writer at a time is SQLite's rule. Threads of this process queue for it here: its own
        # waiting is a lottery, which some of fifty writers lose for too long.
        self._turn: Any = threading.Lock() if self.sqlite else nullcontext()
        try:
            self.engine = sa.create_engine(url, **self._settings())
        except ImportError as error:
            raise DependencyError(
                f"the driver of this database is not installed: {error.name}",
                hint="pip install 'relkit[postgres]'",
            ) from None
        if self.sqlite:
            sa.event.listen(self.engine, "connect", _prepare)
            sa.event.listen(self.engine, "begin", _begin)

    def _settings(self) -> dict[str, Any]:
        if self.sqlite:
            return {"connect_args": {"timeout": PATIENCE}, "pool_size": 20, "max_overflow": 80}
        return {"pool_size": 10, "max_overflow": 20, "pool_pre_ping": True, "pool_timeout": 60}

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """One transaction that sees one state of the data and changes nothing."""
        with self._errors(), self.engine.connect() as connection:
            # What SQLite's transactions see anyway.
            level = {} if self.sqlite else {"isolation_level": "REPEATABLE READ"}
            yield connection.execution_options(**level)

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """One transaction that is stored as a whole or not at all."""
        with self._errors(), self._turn, self.engine.connect() as connection:
            chosen = connection.execution_options(relkit_writes=True)
            with chosen.begin():
                yield chosen

    def try_write(self, statement: sa.Executable) -> bool:
        """Carries out one statement that may be left out, and says whether it did.

        It waits for no other writer, and a database that cannot be written is no error.
        """
        if self.sqlite and not self._turn.acquire(blocking=False):
            return False
        try:
            with self.engine.connect() as connection:
                chosen = connection.execution_options(relkit_writes=True)
                driver: Any = connection.connection.dbapi_connection
                if self.sqlite:
                    driver.execute("PRAGMA busy_timeout = 0")
                try:
                    with chosen.begin():
                        if not self.sqlite:
                            chosen.exec_driver_sql("SET LOCAL lock_timeout = '10ms'")
                        chosen.execute(statement)
                finally:
                    if self.sqlite:
                        driver.execute(f"PRAGMA busy_timeout = {int(PATIENCE * 1000)}")
            return True
        except sa.exc.DBAPIError:
            return False
        finally:
            if self.sqlite:
                self._turn.release()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sa.exc.OperationalError, sa.exc.DatabaseError) as error:
            mistake = isinstance(error, sa.exc.IntegrityError | sa.exc.ProgrammingError)
            if mistake and getattr(error.orig, "sqlstate", "") not in UNUSABLE:
                raise
            reason = str(error.orig).strip().split("\n")[0]
            raise InputError(f"the database cannot be used: {reason}", path=self.address) from error

    def upgrade(self) -> None:
        """Makes the tables, or changes those of an earlier version; does nothing if they are new.

        Raises:
            InputError: If the database cannot be written.
        """
        from alembic import command

        with self.write() as connection:
            if not self.sqlite:
                # Two programs that start at once upgrade one after the other.
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(728511)"))
            command.upgrade(self.config(connection), "head")

    def version(self) -> tuple[str | None, str]:
        """Returns the revision of the tables, None where there are none, and the newest one."""
        from alembic.runtime.migration import MigrationContext
        from alembic.script import ScriptDirectory

        with self.read() as connection:
            config = self.config(connection)
            found = MigrationContext.configure(connection).get_current_revision()
        newest = ScriptDirectory.from_config(config).get_current_head()
        return found, newest or ""

    def inspect(self, connection: sa.Connection) -> sa.Inspector:
        """Returns SQLAlchemy's view of what tables there are."""
        return sa.inspect(connection)

    def config(self, connection: sa.Connection) -> Config:
        """Returns Alembic's settings for a connection."""
        try:
            from alembic.config import Config
        except ImportError:
            raise DependencyError(
                "judging needs Alembic", hint="pip install 'relkit[judge]'"
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
                f"`{address}` is no database", hint="name a file such as judging.db, or a URL"
            )
        return sa.URL.create("sqlite", database=address)
    try:
        url = sa.make_url(address)
    except (sa.exc.ArgumentError, ValueError):
        raise ParameterError(
            "this is no URL of a database",
            hint="write sqlite:///PATH or postgresql://USER@HOST/NAME",
        ) from None
    kind = url.drivername.partition("+")[0]
    if kind in {"postgresql", "postgres"}:
        return url.set(drivername="postgresql+psycopg")
    if kind != "sqlite" or not url.database or url.database == ":memory:":
        raise ParameterError(
            f"a judging database is SQLite in a file or PostgreSQL, and not `{kind}`",
            hint="write sqlite:///PATH or postgresql://USER@HOST/NAME",
        )
    return url


def _prepare(connection: Any, record: object) -> None:
    """Sets up one connection to SQLite."""
    connection.isolation_level = None  # the driver must not begin transactions of its own
    cursor = connection.cursor()
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
        f"busy_timeout = {int(PATIENCE * 1000)}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: sa.Connection) -> None:
    """Begins a transaction that will write as a writer: to become one later may fail."""
    writes = connection.get_execution_options().get("relkit_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
