"""Texts of queries and titles of documents by their ids, from tables with one row each."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note, warn
from relyon.core.texts import message
from relyon.data.columns import ITEM_NAMES, NAMES, is_frame, named_series, plain_name
from relyon.data.columns.synonyms import QUERY_IDS, QUERY_TEXTS

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Descriptions", "described", "key_column", "named_column", "text_columns"]

#: Usual names of columns, most specific first.
TITLES = (*ITEM_NAMES["title"], *ITEM_NAMES["snippet"])

Role = Literal["query", "document"]
#: The usual names of the columns of ids and of texts, and what to call these.
SPELLINGS: Mapping[Role, tuple[Sequence[str], Sequence[str], tuple[str, str]]] = {
    "query": (QUERY_IDS, QUERY_TEXTS, ("query_id", "query_text")),
    "document": (NAMES["document"], TITLES, ("document_id", "title")),
}
NO_ROWS = {
    "query": "none of its rows is about one of the queries",
    "document": "none of its rows is about one of the documents",
}
NO_TEXTS = {
    "query": "has no column of query texts",
    "document": "has no column of document titles",
}
#: Ids that a note names.
NAMED = 3


class Descriptions:
    """Texts of queries, or titles of documents, by their ids.

    A table is read at the first lookup; only the texts of requested ids are kept.

    Args:
        source: A mapping from ids to texts, any data frame, or a CSV, TSV, JSON Lines or Parquet
            file, compressed or not, with a column of ids and one of texts. A file without a header
            line has ids first and texts second. None knows no text.
        role: Whether the ids are of queries or documents.
        texts: Whether a table without a column of texts is an error, or has no text; such a table
            may have other columns that are used.

    Raises:
        ParameterError: If the source is something else.

    Examples:
        >>> found = Descriptions({"q1": "red shoes", "q2": "tv"}, "query")
        >>> found.find(["q1", "q3"])
        {'q1': 'red shoes'}
        >>> print(found.notes()[0])
        no text for 1 of 2 queries (q3)
    """

    def __init__(
        self, source: object, role: Role, texts: Literal["needed", "optional"] = "needed"
    ) -> None:
        self.role = role
        self.texts = texts
        self.path = os.fspath(source) if isinstance(source, str | os.PathLike) else ""
        self._source = source
        self._table: pl.DataFrame | None = None
        self._looked_in: tuple[str, ...] = ()
        self._asked: dict[str, str] = {}
        known = source is None or isinstance(source, Mapping) or bool(self.path)
        if not known and not is_frame(source):
            raise ParameterError(
                message(
                    "core.parameter-name-must-be-expected",
                    name="query_texts" if role == "query" else "document_titles",
                    expected="a mapping from ids to texts, a frame or a file",
                    name_2=type(source).__name__,
                )
            )

    @classmethod
    def of(cls, source: object, role: Role) -> Descriptions:
        """Returns descriptions as they are, or those of a source."""
        return source if isinstance(source, cls) else cls(source, role)

    def find(self, ids: Iterable[str]) -> dict[str, str]:
        """Returns the texts of ids; those without one are left out.

        Raises:
            InputError: If the table cannot be read, or has no column of ids or of texts.
        """
        if self._source is None:
            return {}
        wanted = list(dict.fromkeys(ids))
        new = [one for one in wanted if one not in self._asked]
        if new:
            self._asked |= dict.fromkeys(new, "") | self._read(set(new))
        return {one: self._asked[one] for one in wanted if self._asked[one]}

    def notes(self) -> tuple[Note, ...]:
        """Returns a note with the number of requested ids that have no text."""
        missing = sorted(one for one, text in self._asked.items() if not text)
        if not missing or self._source is None:
            return ()
        some = len(missing) < len(self._asked)
        kind = "texts-missing" if some else "texts-absent" if self._looked_in else "texts-unknown"
        return (
            Note(
                kind,
                len(missing),
                "info" if some else "warning",
                tuple(missing[:NAMED]),
                {"asked": len(self._asked), "columns": list(self._looked_in)},
                run=self.path,
                key=f"{kind}.{self.role}",
            ),
        )

    def _read(self, wanted: Collection[str]) -> dict[str, str]:
        if isinstance(self._source, Mapping):
            if not all(isinstance(one, str) for one in self._source):
                self._source = {str(one): text for one, text in self._source.items()}
            return {one: str(self._source[one]) for one in wanted if self._source.get(one)}
        import polars as pl

        table = self._loaded()
        ids, texts, _ = SPELLINGS[self.role]
        held = _held(table, wanted, ids)
        self._looked_in = tuple(held)
        key = max(held, key=lambda one: held[one], default="")
        if held and not held[key]:
            return {}
        column = named_column(table, texts, key) if held else None
        if not held:
            key, column, table = self._headerless(table, wanted)
        if column is None and self.texts == "optional":
            self._source = None
            return {}
        if column is None:
            raise _no_texts(self.role, table, self.path)
        rows = table.select(
            pl.col(key).cast(pl.String, strict=False).alias("id"),
            pl.col(column).cast(pl.String, strict=False).alias("text"),
        ).filter(pl.col("id").is_in(list(wanted)) & (pl.col("text").str.strip_chars() != ""))
        found: dict[str, str] = {}
        for one, text in rows.iter_rows():
            found.setdefault(one, text)
        return found

    def _headerless(
        self, table: pl.DataFrame, wanted: Collection[str]
    ) -> tuple[str, str, pl.DataFrame]:
        """Returns two columns of a file whose first line is data: ids, then texts.

        Raises:
            InputError: If its first column contains none of the ids.
        """
        import polars as pl

        columns = table.columns
        if self.path and len(columns) > 1:
            first = pl.DataFrame({name: [name] for name in columns[:2]})
            below = table.select(pl.col(columns[:2]).cast(pl.String, strict=False))
            whole = pl.concat([first, below])
            if whole[columns[0]].is_in(list(wanted)).any():
                return columns[0], columns[1], whole
        name = SPELLINGS[self.role][2][0]
        raise _no_ids((), table, self.path, role=name, problem=NO_ROWS[self.role])

    def _loaded(self) -> pl.DataFrame:
        """Returns the columns of usual names, or of a file all of them."""
        if self._table is None:
            import polars as pl

            if self.path:
                from relyon.io.table_files import read_table

                self._table = read_table(self.path)
            else:
                names = {one for part in SPELLINGS[self.role][:2] for one in part}
                self._table = pl.DataFrame(
                    named_series(self._source, lambda name: plain_name(name) in names)
                )
        return self._table


def described(source: object, role: Role, ids: Iterable[str]) -> dict[str, str]:
    """Returns the texts of ids from a mapping, frame or file; warns about ids without a text.

    Notes of `Descriptions` are left to the caller.

    Args:
        source: As for `Descriptions`, or `Descriptions`.
        role: Whether the ids are of queries or documents.
        ids: Those that are shown.

    Raises:
        InputError: If a table cannot be read, or has no column of ids or of texts.
        ParameterError: If the source is neither a mapping nor a frame nor a file.
    """
    found = Descriptions.of(source, role)
    texts = found.find(ids)
    if found is not source:
        warn(found.notes())
    return texts


def text_columns(table: pl.DataFrame, wanted: Collection[str], path: str) -> tuple[str, str]:
    """Returns the columns of the queries' ids and of their texts.

    Raises:
        InputError: If none of the ids is there, or there are no texts.
    """
    key = key_column(table, wanted, QUERY_IDS, path, role="query_id", problem=NO_ROWS["query"])
    column = named_column(table, QUERY_TEXTS, key)
    if column is None:
        raise _no_texts("query", table, path)
    return key, column


def key_column(
    table: pl.DataFrame,
    wanted: Collection[str],
    names: Sequence[str],
    path: str,
    *,
    role: str,
    problem: str,
) -> str:
    """Returns the column of a usual name that contains most of the ids.

    Args:
        table: The table.
        wanted: The ids.
        names: Usual names, as `plain_name` has them.
        path: Of the table, for messages.
        role: The role of the column, for messages.
        problem: The error's message if they contain none.

    Raises:
        InputError: If none of them contains an id.
    """
    found = _held(table, wanted, names)
    best = max(found, key=lambda name: found[name], default="")
    if found.get(best):
        return best
    raise _no_ids(list(found), table, path, role=role, problem=problem)


def named_column(table: pl.DataFrame, names: Sequence[str], key: str) -> str | None:
    """Returns the first column that has one of the names and is not that of the ids."""
    plain = {plain_name(name): name for name in table.columns if name != key}
    return next((plain[name] for name in names if name in plain), None)


def _held(table: pl.DataFrame, wanted: Collection[str], names: Sequence[str]) -> dict[str, int]:
    """Returns how many of the ids each column of a usual name contains."""
    import polars as pl

    return {
        name: int(table[name].cast(pl.String, strict=False).is_in(list(wanted)).sum())
        for name in table.columns
        if plain_name(name) in names and not table[name].dtype.is_nested()
    }


def _no_ids(
    found: Sequence[str], table: pl.DataFrame, path: str, *, role: str, problem: str
) -> InputError:
    if found:
        hint = message("io.ids-were-looked", found=found)
    else:
        columns = list(table.columns)
        hint = message("io.call-column-of-ids", role=role, columns=columns)
    return InputError(problem, path=path, hint=hint)


def _no_texts(role: Role, table: pl.DataFrame, path: str) -> InputError:
    name = SPELLINGS[role][2][1]
    columns = list(table.columns)
    hint = message("io.call-name", name=name, columns=columns)
    return InputError(NO_TEXTS[role], path=path, hint=hint)
