"""Full text of a table of documents: SQLite's FTS5, built once and kept beside the table."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property

from relyon.core.errors import InputError, ParameterError
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.data.columns import ITEM_NAMES, NAMES, plain_name
from relyon.engines.files.template import Json
from relyon.engines.problems import FatalError
from relyon.engines.sql.words import paired
from relyon.io.atomic_files import replaced_file
from relyon.io.sheet_names import file_and_sheet
from relyon.io.table_files import read_table

__all__ = ["TOKENIZERS", "DocumentIndex", "Indexed", "quoted_name"]

TOKENIZERS = {
    "unicode61": "unicode61 remove_diacritics 2",
    "porter": "porter unicode61 remove_diacritics 2",
    "trigram": "trigram",
}
#: Names that a column of SQLite's full text cannot have.
RESERVED = {"docs", "rank", "rowid", "oid", "_rowid_", "id"}
#: The version of the tables below.
VERSION = 1
FOLDER = ".relyon"

_building = threading.Lock()


@dataclass(frozen=True)
class Indexed:
    """A column of the table.

    Attributes:
        name: Its name in the database and of its field in answers.
        column: Its name in the table.
        searched: Whether its words are found.
    """

    name: str
    column: str
    searched: bool

    def called(self, name: str) -> bool:
        """Returns whether a parameter means this column."""
        return plain_name(name) in (plain_name(self.name), plain_name(self.column))


@dataclass
class DocumentIndex:
    """The full text of a table of documents.

    The database has two tables: `documents` with the column `id` and one for each other column, and
    `docs`, SQLite's full text, whose `rowid` is that of `documents`.

    Args:
        path: The table: CSV, TSV, JSON Lines, Parquet or Excel.
        id: The column of ids; by default the one with a usual name.
        columns: The columns whose words are found; by default title and text, or all texts.
        tokenize: One of `TOKENIZERS`.
    """

    path: str
    id: str = ""
    columns: Sequence[str] = ()
    tokenize: str = "unicode61"
    _database: str = field(default="", init=False)
    _temporary: str = field(default="", init=False)

    @cached_property
    def fingerprint(self) -> str:
        """The fingerprint of the documents.

        Raises:
            InputError: If the file cannot be read.
        """
        file = file_and_sheet(self.path)[0]
        try:
            with open(file, "rb") as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest()[:32]
        except OSError as error:
            raise InputError(
                message("core.cannot-be-read-strerror", strerror=error.strerror or error), path=file
            ) from None

    @property
    def settings(self) -> list[Json]:
        """What decides the index besides the documents."""
        sheet = self.path[len(file_and_sheet(self.path)[0]) :]
        return [self.id, list(self.columns), self.tokenize, sheet, str(VERSION)]

    def build(self) -> str:
        """Returns the path of the database, which is built if it is not there or is of others.

        It lies in the folder `.relyon` beside the table, or in a temporary file if that folder
        cannot be written.

        Raises:
            InputError: If the documents cannot be read or have no ids.
            ParameterError: If there is no such column.
        """
        file = file_and_sheet(self.path)[0]
        settings = hashlib.sha256(json.dumps(self.settings).encode()).hexdigest()[:8]
        folder = os.path.join(os.path.dirname(os.path.abspath(file)), FOLDER)
        kept = os.path.join(folder, f"{os.path.basename(file)}.{settings}.db")
        with _building:
            if self._database and os.path.exists(self._database):
                return self._database
            if not self._is_current(kept):
                kept = self._written(_Table(self), kept)
            self._database = kept
            return kept

    def _written(self, table: _Table, path: str) -> str:
        """Writes the database, to a temporary file if need be, and returns where."""
        try:
            folder = os.path.dirname(path)
            if not os.path.isdir(folder):
                os.mkdir(folder)
                with open(os.path.join(folder, ".gitignore"), "w", encoding="utf-8") as file:
                    file.write("*\n")
            with replaced_file(path) as partial:
                table.write(partial)
            return path
        except (InputError, OSError, sqlite3.OperationalError):
            descriptor, self._temporary = tempfile.mkstemp(suffix=".db", prefix="relyon-")
            os.close(descriptor)
        try:
            table.write(self._temporary)
        except sqlite3.Error as error:
            self.close()
            raise FatalError(
                message("engines.index-cannot-be-built", problem=error), path=self.path
            ) from None
        return self._temporary

    def _is_current(self, path: str) -> bool:
        if not os.path.exists(path):
            return False
        try:
            with closing(sqlite3.connect(path)) as database:
                found = database.execute("SELECT fingerprint FROM about").fetchone()
        except sqlite3.Error:
            return False
        return bool(found) and found[0] == self.fingerprint

    def names(self) -> tuple[Indexed, ...]:
        """Returns the columns, of the database that was built."""
        with closing(sqlite3.connect(self.build())) as database:
            [(found,)] = database.execute("SELECT columns FROM about")
        return tuple(Indexed(*one) for one in json.loads(found))

    def close(self) -> None:
        """Removes a temporary file."""
        if self._temporary:
            os.unlink(self._temporary)
            self._temporary = self._database = ""


class _Table:
    """The documents, read, and the roles of their columns."""

    def __init__(self, index: DocumentIndex) -> None:
        self._index = index
        self._table = read_table(index.path)
        if not self._table.height:
            raise InputError(message("core.contains-no-rows"), path=index.path)
        self._key = self._id_column()
        self.columns = self._named()
        self._rows = list(self._checked())

    def _id_column(self) -> str:
        names = self._table.columns
        if self._index.id:
            return self._column(self._index.id)
        plain = {plain_name(name): name for name in reversed(names)}
        # The address of a document is its id only if nothing else is.
        for name in sorted(NAMES["document"], key="url".__eq__):
            if name in plain:
                return plain[name]
        raise InputError(
            message("engines.documents-have-no-ids", columns=list(names)),
            path=self._index.path,
            hint=message("engines.name-id-column"),
        )

    def _column(self, name: str) -> str:
        if name not in self._table.columns:
            raise ParameterError(
                message("engines.documents-have-no-column", path=self._index.path, name=name),
                hint=suggestion(name, list(self._table.columns)),
            )
        return name

    def _named(self) -> list[Indexed]:
        import polars as pl

        plain = {
            plain_name(name): name for name in reversed(self._table.columns) if name != self._key
        }
        roles: dict[str, str] = {}
        for role, known in ITEM_NAMES.items():
            there = next((plain[name] for name in known if name in plain), None)
            if there is not None:
                roles[there] = role
        searched = [self._column(name) for name in self._index.columns]
        if not searched:
            searched = [name for name, role in roles.items() if role in ("title", "snippet")]
        if not searched:
            types = self._table.schema
            searched = [one for one in plain.values() if types[one] == pl.String]
        if not searched:
            searched = [self._key]
        found: list[Indexed] = []
        seen = set(RESERVED)
        for column in self._table.columns:
            name = roles.get(column, column)
            while name.lower() in seen:
                name += "_"
            seen.add(name.lower())
            if column != self._key or column in searched:
                found.append(Indexed(name, column, column in searched))
        return found

    def write(self, path: str) -> None:
        """Writes the database into a file that is empty or not there."""
        searched = [one for one in self.columns if one.searched]
        fields = "".join(f", {quoted_name(one.name)} TEXT" for one in self.columns)
        words = ", ".join(quoted_name(one.name) for one in searched)
        tokenizer = TOKENIZERS[self._index.tokenize]
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA journal_mode = OFF")
            database.execute("PRAGMA synchronous = OFF")
            database.execute(f"CREATE TABLE documents (id TEXT NOT NULL{fields})")
            database.execute(
                f"CREATE VIRTUAL TABLE docs USING fts5({words}, content='', tokenize='{tokenizer}')"
            )
            database.execute("CREATE TABLE about (fingerprint TEXT, columns TEXT)")
            names = "".join(f", {quoted_name(one.name)}" for one in self.columns)
            database.executemany(
                f"INSERT INTO documents (rowid, id{names})"
                f" VALUES (?, ?{', ?' * len(self.columns)})",
                ((number, id, *values) for number, (id, values) in enumerate(self._rows, 1)),
            )
            database.executemany(
                f"INSERT INTO docs (rowid, {words}) VALUES (?{', ?' * len(searched)})",
                (
                    (number, *self._texts(values))
                    for number, (_, values) in enumerate(self._rows, 1)
                ),
            )
            database.execute("INSERT INTO docs (docs) VALUES ('optimize')")
            columns = json.dumps([[one.name, one.column, one.searched] for one in self.columns])
            database.execute("INSERT INTO about VALUES (?, ?)", (self._index.fingerprint, columns))
            database.commit()

    def _checked(self) -> Iterator[tuple[str, list[str | None]]]:
        names = [one.column for one in self.columns]
        keys = self._table[self._key].to_list()
        seen: dict[str, int] = {}
        for number, (key, values) in enumerate(
            zip(keys, self._table.select(names).iter_rows(), strict=True), 1
        ):
            id = "" if key is None else str(key).strip()
            if not id:
                raise InputError(
                    message("engines.document-has-no-id", number=number, column=self._key),
                    path=self._index.path,
                )
            if id in seen:
                raise InputError(
                    message("engines.document-twice", number=number, first=seen[id], id=id),
                    path=self._index.path,
                    hint=message("engines.remove-double-document"),
                )
            seen[id] = number
            yield id, [_text(one) for one in values]

    def _texts(self, values: Sequence[str | None]) -> Iterator[str]:
        pairs = self._index.tokenize != "trigram"
        for one, value in zip(self.columns, values, strict=True):
            if one.searched:
                yield paired(value or "") if pairs else value or ""


def _text(value: object) -> str | None:
    if value is None:
        return None
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def quoted_name(name: str) -> str:
    """Returns a name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
