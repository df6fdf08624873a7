"""PostgreSQL: a statement with named parameters, which only reads."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote

from relyon.core.errors import ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.engines.asked import Answer, Request
from relyon.engines.engine import Engine, engines
from relyon.engines.files.options import Options
from relyon.engines.files.secrets import Secrets
from relyon.engines.files.template import Json, Scalar, write_scalar
from relyon.engines.problems import FatalError, PassingError, RefusedError
from relyon.engines.reach import PrivateAddressError, Reach
from relyon.engines.sql.rows import Columns
from relyon.engines.sql.statement import names_of, replaced

if TYPE_CHECKING:
    import psycopg

    from relyon.engines.sql.timed_connection import TimedConnection

__all__ = ["Postgresql"]

PORT = 5432
#: Seconds after which a server counts as silent that should have ended a statement.
GRACE = 1.0
#: Classes of SQLSTATE that pass: connections, resources, conflicts, locks, an operator's stop.
PASSING = ("08", "40", "53", "55", "57")
CANCELLED = "57014"
#: Classes that no query will escape: sign-in, no such database, no permission, not a read.
FATAL = ("28", "3D", "25", "42501")
#: What a server says when it will never let this user in.
LOCKED_OUT = ("authentication failed", "does not exist", "pg_hba.conf", "not permitted")


@engines.register
class Postgresql(Engine):
    """A database of PostgreSQL.

    Args:
        where: How to connect, as libpq names it.
        sql: The statement.
        columns: Which columns of its rows are what.
        settings: Settings of the server for these connections.
        secrets: What must not be shown.
    """

    name = "postgresql"
    aliases = ("postgres",)

    def __init__(
        self,
        where: Mapping[str, str],
        sql: str,
        columns: Columns,
        *,
        settings: Mapping[str, Scalar] | None = None,
        secrets: Secrets | None = None,
    ) -> None:
        self._where = dict(where)
        self._sql = sql
        self._names = names_of(sql)
        self._text = replaced(sql, "%({})s".format, lambda text: text.replace("%", "%%"))
        self._columns = columns
        self._settings = dict(settings or {})
        self._local = threading.local()
        self._all: list[psycopg.Connection] = []
        self._lock = threading.Lock()
        self._timeout = 10.0
        self._reach: Reach | None = None
        self.secrets = secrets or Secrets()

    @classmethod
    def from_options(cls, options: Options, secrets: Secrets) -> Postgresql:
        """Takes `dsn`, or `host`, `port`, `database`, `user` and `password`; and `sql`."""
        where = _read_dsn(options, secrets)
        for key, name in (("host", "host"), ("database", "dbname"), ("user", "user")):
            if text := options.text(key):
                where[name] = secrets.fill(text, path=options.path, secret=False)
        if options.has("port"):
            where["port"] = str(options.whole("port", PORT, least=1))
        if password := options.text("password"):
            where["password"] = secrets.fill(password, path=options.path)
            if where["password"] == password:
                raise _in_the_file(options.path, "password")
        if not where:
            options.required("dsn", '"${DATABASE_URL}"')
        sql = options.required("sql", '"SELECT id, … FROM … LIMIT :k"')
        if not names_of(sql):
            raise ParameterError(
                message("engines.statement-has-no-parameter", path=options.path),
                hint=message("engines.mend-statement"),
            )
        columns = Columns.from_options(options)
        settings = options.table("settings").scalars()
        return cls(where, sql, columns, settings=settings, secrets=secrets)

    @property
    def address(self) -> str:
        """The host, port and database."""
        host = self._where.get("host") or self._where.get("hostaddr") or "localhost"
        shown = f"{host}:{self._where.get('port', PORT)}/{self._where.get('dbname', '')}"
        return self.secrets.hide(shown)

    @property
    def places(self) -> tuple[str, ...]:
        """The address, and the hosts, which may be several."""
        hosts = ",".join(self._where.get(name, "") for name in ("host", "hostaddr"))
        return (self.address, *hosts.split(","))

    @property
    def recipe(self) -> Json:
        """The statement, its columns and settings."""
        return {
            "kind": self.name,
            "sql": self._sql,
            "columns": self._columns.recipe,
            "settings": dict(self._settings),
        }

    def placeholders(self) -> Iterable[str]:
        """The parameters of the statement."""
        return self._names

    def open(self, timeout: float, connections: int, reach: Reach | None = None) -> None:
        """Remembers how to connect."""
        optional_package(
            "psycopg", purpose=message("engines.searching"), install="relyon[postgres]"
        )
        self._timeout, self._reach = timeout, reach

    def ask(self, request: Request) -> Answer:
        """Runs the statement."""
        import psycopg

        values = request.values
        wanted = {name: values[name] for name in self._names}
        try:
            connection = self._connection()
            connection.end = time.monotonic() + self._timeout + GRACE
            cursor = connection.execute(self._text.encode(), wanted)
            rows = cursor.fetchall()
        except psycopg.Error as error:
            raise self._problem(error) from None
        except UnicodeEncodeError as error:
            raise RefusedError("refused", str(error)) from None
        names = [one.name for one in cursor.description or ()]
        return self._columns.answer(names, rows, request.k, self.address)

    def _connection(self) -> TimedConnection:
        """Returns the connection of this thread."""
        import psycopg

        from relyon.engines.sql.timed_connection import TimedConnection

        found: TimedConnection | None = getattr(self._local, "connection", None)
        if found is None or found.closed:
            milliseconds = math.ceil(self._timeout * 1000)
            given = {
                "application_name": "relyon",
                "connect_timeout": str(max(2, math.ceil(self._timeout))),
                "tcp_user_timeout": str(milliseconds),
                "keepalives_idle": "10",
                "keepalives_interval": "3",
                "keepalives_count": "3",
                **self._where,
                **self._addresses(),
            }
            found = TimedConnection.connect(
                psycopg.conninfo.make_conninfo("", **given), autocommit=True, prepare_threshold=None
            )
            with self._lock:
                self._all.append(found)
            self._local.connection = found
            self._settle(found, milliseconds)
        return found

    def _settle(self, found: TimedConnection, milliseconds: int) -> None:
        """Makes a connection read only, and limits the time of its statements.

        Raises:
            FatalError: If the server does not take a setting.
        """
        import psycopg

        found.end = time.monotonic() + self._timeout + GRACE
        name = ""
        settings: dict[str, Scalar] = {
            **self._settings,
            "default_transaction_read_only": "on",
            "statement_timeout": milliseconds,
        }
        try:
            for name, value in settings.items():
                text = write_scalar(value)
                found.execute("SELECT set_config(%s, %s, false)", (name, text))
        except psycopg.Error as error:
            found.close()
            if (error.sqlstate or "").startswith(("22", "42")):
                problem = self.secrets.hide(error.diag.message_primary or "")
                raise FatalError(
                    message("engines.setting-is-not-taken", name=name, problem=problem),
                    path=self.address,
                ) from None
            raise

    def _addresses(self) -> dict[str, str]:
        """Returns the addresses to connect to, if some must not be.

        Raises:
            FatalError: If the host is at one of these.
            PassingError: If its name cannot be looked up.
        """
        if self._reach is None or self._reach.private:
            return {}
        hosts = (self._where.get("hostaddr") or self._where.get("host") or "").split(",")
        ports = self._where.get("port", str(PORT)).split(",")
        if not all(hosts) or any(one.startswith(("/", "@")) for one in hosts):
            raise _private(self.address)
        if "service" in self._where:
            raise _private(self.address)
        try:
            found = [self._reach.addresses(one, int(ports[0] or PORT))[0] for one in hosts]
        except PrivateAddressError:
            raise _private(self.address) from None
        except OSError as error:
            raise PassingError("connection", str(error)) from None
        return {"hostaddr": ",".join(found)}

    def _problem(self, error: psycopg.Error) -> Exception:
        """Returns what an error of PostgreSQL means."""
        state = error.sqlstate or ""
        said = error.diag.message_primary or " ".join(str(error).split())
        said = self.secrets.hide(said)
        if isinstance(error, _silent()):
            self._local.connection.close()
            late = message("engines.no-answer-within", seconds=self._timeout)
            return PassingError("timeout", late)
        if state == CANCELLED:
            return PassingError("timeout", said)
        if state.startswith(FATAL) or (state[:2] == "42" and error.diag.statement_position):
            return FatalError(
                message("engines.statement-cannot-be-run", problem=said),
                path=self.address,
                hint=message("engines.mend-statement"),
            )
        if state and not state.startswith(PASSING):
            return RefusedError("refused", said)
        if not state and isinstance(error, _data_errors()):
            return RefusedError("refused", said)
        if not state and any(one in said for one in LOCKED_OUT):
            return FatalError(
                message("engines.answers-with-status", address=self.address, problem=said),
                hint=message("engines.check-user"),
            )
        return PassingError("connection", said)

    def close(self) -> None:
        """Ends all connections."""
        with self._lock:
            for one in self._all:
                one.close()
            self._all.clear()
        self._local = threading.local()

    def show(self, request: Request) -> str:
        """Returns the statement and the values of its parameters."""
        values = request.values
        lines = [f":{name} = {values[name]!r}" for name in self._names if name in values]
        return self.secrets.hide("\n".join([self._sql.strip(), *lines]))


def _silent() -> type[Exception]:
    from relyon.engines.sql.timed_connection import SilentError

    return SilentError


def _data_errors() -> tuple[type[Exception], ...]:
    import psycopg

    return (psycopg.DataError, psycopg.ProgrammingError, psycopg.NotSupportedError)


def _read_dsn(options: Options, secrets: Secrets) -> dict[str, str]:
    """Returns the parts of `dsn`.

    Raises:
        ParameterError: If it is not one, or has a password that is written in the file.
    """
    given = options.text("dsn")
    if not given:
        return {}
    psycopg = optional_package(
        "psycopg", purpose=message("engines.searching"), install="relyon[postgres]"
    )
    filled = secrets.fill(given, path=options.path, secret=False)
    try:
        parts = psycopg.conninfo.conninfo_to_dict(filled)
    except psycopg.Error:
        raise ParameterError(
            message("engines.is-no-dsn", path=options.path), hint=message("engines.write-dsn")
        ) from None
    found = {name: str(value) for name, value in parts.items() if value is not None}
    password = found.get("password", "")
    if password:
        if filled == given or password in unquote(given):
            raise _in_the_file(options.path, "dsn")
        secrets.add(password, path=options.path)
    if key := found.get("sslpassword", ""):
        secrets.add(key, path=options.path)
    return found


def _in_the_file(path: str, key: str) -> ParameterError:
    return ParameterError(
        message("engines.secret-in-the-file", path=path, key=key),
        hint=message("engines.secret-from-environment", line='password = "${PGPASSWORD}"'),
    )


def _private(address: str) -> FatalError:
    return FatalError(
        message("engines.address-is-private", address=address),
        hint=message("engines.allow-private"),
    )
