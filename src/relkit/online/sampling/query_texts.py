"""Texts of queries, from a table with a row per query."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from relkit.core.errors import InputError
from relkit.core.texts import message
from relkit.data.columns import NAMES, plain_name

if TYPE_CHECKING:
    import os

    import polars as pl

__all__ = ["key_column", "named_column", "read_query_texts", "text_columns"]

#: Usual names of columns, most specific first.
QUERY_TEXTS = ("querytext", "text", "query", "question", "title", "keywords", "keyword", "查询")
QUERY_IDS = ("id", *NAMES["query"])


def read_query_texts(path: str | os.PathLike[str], queries: Collection[str]) -> dict[str, str]:
    """Returns what was asked, by the ids of queries.

    Args:
        path: CSV, TSV, JSON Lines or Parquet, compressed or not, with a column of ids and one of
            texts.
        queries: The ids that are looked for; those that the table lacks are left out.

    Raises:
        InputError: If the table cannot be read, holds none of the queries, or has no texts.

    Examples:
        >>> import os
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "queries.tsv")
        ...     with open(path, "w") as file:
        ...         _ = file.write("id\\ttext\\nq1\\tred shoes\\nq2\\tblue shoes\\n")
        ...     read_query_texts(path, {"q1"})
        {'q1': 'red shoes'}
    """
    from relkit.io.table_files import read_table

    table = read_table(path)
    wanted = set(queries)
    key, column = text_columns(table, wanted, str(path))
    texts: dict[str, str] = {}
    for query, text in table.select(key, column).iter_rows():
        if str(query) in wanted and text:
            texts.setdefault(str(query), str(text))
    return texts


def text_columns(table: pl.DataFrame, wanted: Collection[str], path: str) -> tuple[str, str]:
    """Returns the columns of the queries' ids and of their texts.

    Raises:
        InputError: If none of the ids is there, or there are no texts.
    """
    key = key_column(table, wanted, QUERY_IDS, path, role="query_id", of="one of the queries")
    column = named_column(table, QUERY_TEXTS, key)
    if column is None:
        raise InputError(
            "has no column of the queries' texts",
            path=path,
            hint=message(
                "call it query_text; the columns are {columns}", columns=list(table.columns)
            ),
        )
    return key, column


def key_column(
    table: pl.DataFrame,
    wanted: Collection[str],
    names: Sequence[str],
    path: str,
    *,
    role: str,
    of: str,
) -> str:
    """Returns the column of a usual name that holds most of the ids.

    Args:
        table: What is looked through.
        wanted: The ids.
        names: Usual names, as `plain_name` has them.
        path: Of the table, for messages.
        role: What to call such a column.
        of: What the rows should be about.

    Raises:
        InputError: If none of them holds one.
    """
    import polars as pl

    found = {
        name: int(table[name].cast(pl.String, strict=False).is_in(list(wanted)).sum())
        for name in table.columns
        if plain_name(name) in names and not table[name].dtype.is_nested()
    }
    best = max(found, key=lambda name: found[name], default="")
    if found.get(best):
        return best
    raise InputError(
        message("none of its rows is about {of}", of=of),
        path=path,
        hint=(
            message(
                "ids were looked for in {found}: they must be written as in the log or run",
                found=list(found),
            )
            if found
            else message(
                "call the column of ids `{role}`; the columns are {columns}",
                role=role,
                columns=list(table.columns),
            )
        ),
    )


def named_column(table: pl.DataFrame, names: Sequence[str], key: str) -> str | None:
    """Returns the first column that has one of the names and is not that of the ids."""
    plain = {plain_name(name): name for name in table.columns if name != key}
    return next((plain[name] for name in names if name in plain), None)
