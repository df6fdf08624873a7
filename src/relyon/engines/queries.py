"""The queries to send: from a mapping, a list, a frame or a file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.data.columns import is_frame, named_series, plain_name
from relyon.data.columns.synonyms import QUERY_IDS, QUERY_TEXTS
from relyon.engines.asked import Query
from relyon.engines.files.template import Scalar
from relyon.engines.hits import whole_text
from relyon.engines.tapes.entry import sorted_json
from relyon.io.descriptions import named_column
from relyon.io.table_files import has_table, read_table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["queries_hash", "read_queries"]


def read_queries(source: object) -> tuple[Query, ...]:
    """Returns the queries to send, in order.

    Args:
        source: `{id: text}`; a list or a column of texts, which are the ids, too; a data frame;
            or a file: a table (CSV, TSV, JSON Lines, Parquet, Excel) with a column of query texts
            and perhaps one of ids, or lines of text with a query each (`.txt`). Further columns can
            be used in templates.

    Raises:
        InputError: If there is none, two have one id, or one has no text.
        ParameterError: If the source is something else.

    Examples:
        >>> [one.id for one in read_queries({"q1": "red shoes", "q2": "tv"})]
        ['q1', 'q2']
        >>> read_queries(["red shoes"])[0]
        Query(id='red shoes', text='red shoes', values={})
    """
    path = os.fspath(source) if isinstance(source, str | os.PathLike) else ""
    if path:
        found = _of_file(path)
    elif isinstance(source, Mapping):
        found = [Query(str(id), str(text)) for id, text in source.items()]
    elif (texts := _of_column(source)) is not None:
        found = [Query(one, one) for one in texts]
    elif is_frame(source):
        found = _of_frame(source)
    elif isinstance(source, Sequence) and not isinstance(source, bytes):
        found = [one if isinstance(one, Query) else Query(str(one), str(one)) for one in source]
    else:
        raise ParameterError(
            message("engines.queries-must-be", name=type(source).__name__),
            hint=message("engines.give-queries"),
        )
    _check(found, path)
    return tuple(found)


def queries_hash(queries: Iterable[Query]) -> str:
    """Returns the fingerprint of queries: ids, texts and further columns, in order."""
    parts = [[one.id, one.text, one.values] for one in queries]
    return hashlib.sha256(sorted_json(parts)).hexdigest()[:32]


def _check(queries: Sequence[Query], path: str) -> None:
    if not queries:
        raise InputError(message("engines.no-queries"), path=path)
    seen: dict[str, int] = {}
    for number, one in enumerate(queries, 1):
        if not one.text.strip() or not one.id:
            raise InputError(
                message("engines.query-is-empty", number=number, id=one.id),
                path=path,
                hint=message("engines.remove-empty-query"),
            )
        if whole_text(one.id + one.text) != one.id + one.text:
            raise InputError(
                message("engines.query-is-no-text", number=number, id=whole_text(one.id)), path=path
            )
        if one.id in seen:
            raise InputError(
                message("engines.query-twice", number=number, first=seen[one.id], id=one.id),
                path=path,
                hint=message("engines.remove-double-query"),
            )
        seen[one.id] = number


def _of_file(path: str) -> list[Query]:
    if has_table(path):
        return _of_table(read_table(path), path)
    from relyon.io.plain_text import read_file

    lines = (line.strip() for line in read_file(path).splitlines())
    return [Query(line, line) for line in lines if line]


def _of_column(source: object) -> list[str] | None:
    """Returns the texts of a column of a frame, or of an array; None of anything else."""
    values = getattr(source, "to_list", None) or getattr(source, "tolist", None)
    if not callable(values) or hasattr(source, "columns"):
        return None
    found = values()
    texts = isinstance(found, list) and all(isinstance(one, str) for one in found)
    return found if texts else None


def _of_frame(frame: object) -> list[Query]:
    import polars as pl

    return _of_table(pl.DataFrame(named_series(frame, lambda name: True)), "")


def _of_table(table: pl.DataFrame, path: str) -> list[Query]:
    """Returns the rows of a table with a column of texts and perhaps one of ids."""
    plain = {plain_name(name): name for name in table.columns}
    texts = [name for name in QUERY_TEXTS if name in plain]
    keys = [name for name in QUERY_IDS if name in plain]
    key = plain[keys[0]] if keys else ""
    text = named_column(table, QUERY_TEXTS, key) or ""
    if not text and texts and key == plain[texts[0]]:
        text = key
    if not text:
        raise InputError(
            message("engines.no-column-of-queries", columns=list(table.columns)),
            path=path,
            hint=message("engines.name-column-of-queries"),
        )
    others = [name for name in table.columns if name not in (key, text)]
    return [
        Query(_text(row[key or text]), _text(row[text]), _values(row, others))
        for row in table.iter_rows(named=True)
    ]


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()


def _values(row: Mapping[str, object], names: Iterable[str]) -> dict[str, Scalar]:
    """Returns further columns: placeholders have plain names, and no value is an empty text."""
    found: dict[str, Scalar] = {}
    for name in names:
        value = row[name]
        found[name] = value if isinstance(value, str | int | float | bool) else _text(value)
    return found
