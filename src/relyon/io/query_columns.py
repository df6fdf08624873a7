"""Columns of a table of queries, such as their tier, language or cluster, by query."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message
from relyon.data.columns import is_frame, named_series, plain_name
from relyon.data.columns.synonyms import QUERY_IDS
from relyon.io.descriptions import NO_ROWS, Descriptions, key_column

if TYPE_CHECKING:
    import polars as pl

__all__ = ["query_columns", "query_table", "table_column"]


def query_columns(
    source: object, names: Sequence[str], ids: Iterable[str]
) -> dict[str, dict[str, str]]:
    """Returns columns of a table of queries: by name, the value of each query, as text.

    A query may have several rows, as in a table of results, if they agree. Queries without a row or
    with an empty value are left out.

    Args:
        source: A data frame, or a CSV, TSV, JSON Lines or Parquet file, with a column of query ids.
        names: The columns, as the table spells them; case, spaces, hyphens and underscores do not
            matter.
        ids: The queries.

    Raises:
        InputError: If the table cannot be read, lacks a column, has none of the ids, or a query has
            two values.
        ParameterError: If the source is something else.

    Examples:
        >>> import polars as pl
        >>> table = pl.DataFrame({"query_id": ["q1", "q2"], "tier": ["head", "tail"]})
        >>> query_columns(table, ["tier"], ["q1", "q2", "q3"])
        {'tier': {'q1': 'head', 'q2': 'tail'}}
    """
    import polars as pl

    wanted = sorted(set(ids))
    table, path = query_table(source, names)
    chosen = {name: table_column(table, name, path) for name in names}
    key = key_column(table, wanted, QUERY_IDS, path, role="query_id", problem=NO_ROWS["query"])
    found: dict[str, dict[str, str]] = {}
    for name, column in chosen.items():
        rows = (
            table.select(
                pl.col(key).cast(pl.String, strict=False).alias("id"),
                pl.col(column).cast(pl.String, strict=False).str.strip_chars().alias("value"),
            )
            .filter(pl.col("id").is_in(wanted) & (pl.col("value") != ""))
            .unique(maintain_order=True)
        )
        values: dict[str, str] = {}
        for query, value in rows.iter_rows():
            if values.setdefault(query, value) != value:
                raise InputError(
                    message(
                        "io.query-column-has-two-values",
                        query=query,
                        column=column,
                        first=values[query],
                        second=value,
                    ),
                    path=path,
                    hint=message("io.give-query-one-value"),
                )
        found[name] = values
    return found


def query_table(source: object, names: Sequence[str]) -> tuple[pl.DataFrame, str]:
    """Returns the table, with the columns that can matter, and its path."""
    import polars as pl

    if isinstance(source, Descriptions) and source.path:
        source = source.path
    if isinstance(source, str | os.PathLike):
        from relyon.io.table_files import read_table

        path = os.fspath(source)
        table = read_table(path)
        # Lists and objects of JSON have no text in Polars: an error about them shows Python's.
        nested = [name for name, kind in table.schema.items() if kind.is_nested()]
        shown = {
            name: pl.Series([None if one is None else str(one) for one in table[name].to_list()])
            for name in nested
        }
        return table.with_columns(**shown), path
    if isinstance(source, Mapping) or not is_frame(source):
        raise ParameterError(
            message(
                "core.parameter-name-must-be-expected",
                name="queries",
                expected="a frame or a file with a column of query ids",
                name_2=type(source).__name__,
            )
        )
    plain = {plain_name(name) for name in names} | set(QUERY_IDS)
    return pl.DataFrame(named_series(source, lambda name: plain_name(name) in plain)), ""


def table_column(table: pl.DataFrame, name: str, path: str) -> str:
    """Returns the name of a column as the table spells it.

    Raises:
        InputError: If it has no such column, or several.
    """
    if name in table.columns:
        return name
    alike = [one for one in table.columns if plain_name(one) == plain_name(name)]
    if len(alike) == 1:
        return alike[0]
    parts = [one.strip() for one in name.split(",")]
    several = len(parts) > 1 and set(parts) <= set(table.columns)
    hint = "io.one-column-each" if several else "io.columns-of-queries"
    raise InputError(
        message("io.no-query-column", name=name),
        path=path,
        hint=message(hint, columns=parts if several else list(table.columns)),
    )
