"""SQLite: statements on a database, or the full text of a table of documents."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from relyon.core.errors import ParameterError
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.engines.asked import Answer, Request
from relyon.engines.engine import Engine, engines
from relyon.engines.files.options import Options
from relyon.engines.files.secrets import Secrets
from relyon.engines.files.template import Json, Scalar
from relyon.engines.problems import FatalError, PassingError, RefusedError
from relyon.engines.reach import Reach
from relyon.engines.sql.index import TOKENIZERS, DocumentIndex, Indexed, quoted_name
from relyon.engines.sql.rows import Columns
from relyon.engines.sql.statement import names_of
from relyon.engines.sql.words import MATCHES, match_of, quoted_words

__all__ = ["Sqlite"]

#: Steps of SQLite's machine between two looks at the clock.
STEPS = 20_000
#: How often a query may be tried again if another process locks the database.
PASSING = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
BROKEN = {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CANTOPEN}


@engines.register
class Sqlite(Engine):
    """A database of SQLite, which is only read, or a table of documents.

    Args:
        database: The database's file; empty if there is an index.
        sql: The statement; empty for the usual one of an index.
        columns: Which columns of its rows are what.
        index: The documents.
        parameters: The names of the file's parameters.
    """

    name = "sqlite"
    aliases = ("fts5",)

    def __init__(
        self,
        database: str,
        sql: str,
        columns: Columns,
        index: DocumentIndex | None = None,
        *,
        parameters: Iterable[str] = (),
        secrets: Secrets | None = None,
    ) -> None:
        self._database = database
        self._sql = sql
        self._columns = columns
        self._index = index
        self._parameters = tuple(parameters)
        self._indexed: tuple[Indexed, ...] = ()
        self._local = threading.local()
        self._all: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._timeout = 10.0
        self.secrets = secrets or Secrets()

    @classmethod
    def from_options(cls, options: Options, secrets: Secrets) -> Sqlite:
        """Takes `database` with `sql`, or `documents`."""
        parameters = options.table("parameters").scalars()
        sql = options.text("sql")
        documents = options.file("documents")
        database = options.file("database")
        if bool(database) == bool(documents):
            raise ParameterError(
                message("engines.database-or-documents", path=options.path),
                hint=message("engines.write-key", line='documents = "products.csv"'),
            )
        if database:
            sql = options.required("sql", '"SELECT id, -rank AS score FROM …"')
            if not names_of(sql):
                raise ParameterError(
                    message("engines.statement-has-no-parameter", path=options.path),
                    hint=message("engines.mend-statement"),
                )
            columns = Columns.from_options(options)
            return cls(database, sql, columns, parameters=parameters, secrets=secrets)
        tokenize = options.choice("tokenize", TOKENIZERS, "unicode61")
        index = DocumentIndex(documents, options.text("id"), options.text_list("columns"), tokenize)
        columns = Columns(explanation=options.text("explanation")) if sql else Columns()
        return cls("", sql, columns, index, parameters=parameters, secrets=secrets)

    @property
    def address(self) -> str:
        """The file."""
        return self._index.path if self._index else self._database

    @property
    def places(self) -> tuple[str, ...]:
        """The file, and the database."""
        return (self.address, self._database)

    @property
    def recipe(self) -> Json:
        """The statement and columns; of documents their fingerprint, too."""
        found: dict[str, Json] = {
            "kind": self.name,
            "sql": self._sql,
            "columns": self._columns.recipe,
        }
        if self._index is not None:
            found["documents"] = self._index.fingerprint
            found["index"] = self._index.settings
        return found

    def placeholders(self) -> Iterable[str]:
        """The parameters of the statement; of the usual one, weights and `match`."""
        if not self._sql:
            return ("query", "k", *self._parameters)
        names = names_of(self._sql)
        terms = [one for one in ("match",) if one in self._parameters and "terms" in names]
        return [*(one for one in names if one != "terms"), *terms]

    def open(self, timeout: float, connections: int, reach: Reach | None = None) -> None:
        """Builds the index, and checks the statement."""
        self._timeout = timeout
        if self._index is not None:
            self._database = self._index.build()
            self._indexed = self._index.names()
            if not self._sql:
                self._check_parameters()
        if not os.path.isfile(self._database):
            raise FatalError(message("engines.there-is-no-database"), path=self._database)
        sql = self._statement({})[0]
        try:
            # Compiles the statement, and reads nothing.
            self._connection().execute(f"EXPLAIN {sql}", _Values())
        except sqlite3.Error as error:
            raise FatalError(
                message("engines.statement-cannot-be-run", problem=error),
                path=self.address,
                hint=message("engines.mend-statement"),
            ) from None

    def _check_parameters(self) -> None:
        searched = [one for one in self._indexed if one.searched]
        for name in self._parameters:
            if name != "match" and not any(one.called(name) for one in searched):
                raise FatalError(
                    message("engines.parameter-is-no-column", name=name),
                    path=self.address,
                    hint=suggestion(name, ["match", *(one.name for one in searched)]),
                )

    def ask(self, request: Request) -> Answer:
        """Runs the statement."""
        sql, weights = self._statement(request.variant.parameters)
        values = {**request.values, **weights, "terms": self._terms(request)}
        try:
            names, rows = self._run(sql, values)
        except sqlite3.Error as error:
            raise _problem(error, self._timeout) from error
        except (OverflowError, UnicodeEncodeError) as error:
            raise RefusedError("refused", str(error)) from error
        return self._columns.answer(names, rows, request.k, self.address)

    def _run(
        self, sql: str, values: Mapping[str, Scalar]
    ) -> tuple[list[str], list[Sequence[object]]]:
        connection = self._connection()
        end = time.monotonic() + self._timeout
        connection.set_progress_handler(lambda: time.monotonic() > end, STEPS)
        cursor = connection.execute(sql, values)
        rows: list[Sequence[object]] = cursor.fetchall()
        return [one[0] for one in cursor.description or ()], rows

    def _statement(self, parameters: Mapping[str, Scalar]) -> tuple[str, dict[str, Scalar]]:
        """Returns the statement, and the weights of columns, by names that it has."""
        if self._sql:
            return self._sql, {}
        searched = [one for one in self._indexed if one.searched]
        weights: dict[str, Scalar] = {}
        for place, one in enumerate(searched):
            found = next((value for name, value in parameters.items() if one.called(name)), 1.0)
            if isinstance(found, bool | str):
                raise FatalError(
                    message("engines.weight-is-not-a-number", name=one.name, value=found),
                    path=self.address,
                )
            weights[f"_{place}"] = found
        fields = "".join(f", documents.{quoted_name(one.name)}" for one in self._indexed)
        marks = "".join(f", :{name}" for name in weights)
        sql = (
            f"SELECT documents.id AS id, -hits.cost AS score{fields}"
            f" FROM (SELECT rowid AS number, bm25(docs{marks}) AS cost FROM docs"
            " WHERE docs MATCH :terms ORDER BY cost, number LIMIT :k) AS hits"
            " JOIN documents ON documents.rowid = hits.number ORDER BY hits.cost, hits.number"
        )
        return sql, weights

    def _terms(self, request: Request) -> str:
        match = request.variant.parameters.get("match", "any")
        if match not in MATCHES:
            raise FatalError(
                message("engines.match-is-unknown", value=match),
                path=self.address,
                hint=suggestion(str(match), list(MATCHES)),
            )
        if self._index is None:
            return quoted_words(request.query.text, str(match))
        trigram = self._index.tokenize == "trigram"
        return match_of(request.query.text, str(match), trigram=trigram)

    def _connection(self) -> sqlite3.Connection:
        """Returns the connection of this thread."""
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            address = f"{Path(self._database).absolute().as_uri()}?mode=ro"
            try:
                found = sqlite3.connect(
                    address, uri=True, timeout=self._timeout, check_same_thread=False
                )
                found.execute("PRAGMA query_only = ON")
            except sqlite3.Error as error:
                raise _problem(error, self._timeout) from error
            self._local.connection = found
            with self._lock:
                self._all.append(found)
        return found

    def close(self) -> None:
        """Closes the connections of all threads."""
        with self._lock:
            for one in self._all:
                one.close()
            self._all.clear()
        self._local = threading.local()
        if self._index is not None:
            self._index.close()

    def show(self, request: Request) -> str:
        """Returns the statement and the values of its parameters."""
        sql, weights = self._statement(request.variant.parameters)
        values = {**request.values, **weights, "terms": self._terms(request)}
        lines = [f":{name} = {values[name]!r}" for name in names_of(sql) if name in values]
        return self.secrets.hide("\n".join([sql.strip(), *lines]))


class _Values(dict[str, Scalar]):
    """Values of a statement that is only compiled."""

    def __missing__(self, name: str) -> Scalar:
        return ""


def _problem(error: sqlite3.Error, timeout: float) -> Exception:
    """Returns what an error of SQLite means."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_INTERRUPT:
        return PassingError("timeout", message("engines.no-answer-within", seconds=timeout))
    if code in PASSING:
        return PassingError("connection", str(error))
    if code in BROKEN:
        return FatalError(message("engines.statement-cannot-be-run", problem=error))
    return RefusedError("refused", str(error))
