"""Query and document details from tables: texts, titles and images for items."""

from __future__ import annotations

from collections.abc import ItemsView
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.data.columns import ITEM_NAMES, NAMES
from relyon.data.sheets import Item, Sheet
from relyon.io.descriptions import key_column, named_column, text_columns
from relyon.io.spaced_ids import ORIGINAL

if TYPE_CHECKING:
    import os

    import polars as pl

__all__ = ["add_query_texts", "describe_documents"]

#: The columns of the tables that go with an export of ids.
WRITTEN = ({"id", "text", ORIGINAL}, {"id", ORIGINAL})
#: The texts of an item by their names, and its further fields.
_Known = tuple[dict[str, str], dict[str, object]]
#: The error for a table without any of the documents.
NO_ROWS = "none of its rows is about an item that is imported"


def describe_documents(sheet: Sheet, path: str | os.PathLike[str]) -> tuple[Sheet, int]:
    """Adds the fields of documents from a table to items that lack them.

    The column of ids is the commonly named one that contains most of the documents. Columns of
    titles, snippets, URLs and images are found by their common names; all others become further
    fields. Existing values are kept.

    Args:
        sheet: Items.
        path: CSV, TSV, JSON Lines or Parquet, compressed or not: a row per document.

    Returns:
        The sheet, and the number of items whose document is not in the table.

    Raises:
        InputError: If the table cannot be read, or contains none of the documents.

    Examples:
        >>> import os
        >>> from tempfile import TemporaryDirectory
        >>> from relyon.data.sheets import Row
        >>> sheet = Sheet((Row(Item("shoes", "d1")), Row(Item("shoes", "d2"))))
        >>> with TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "documents.csv")
        ...     with open(path, "w") as file:
        ...         _ = file.write("id,title,price\\nd1,Red shoes,30\\n")
        ...     described, unknown = describe_documents(sheet, path)
        >>> described.rows[0].item.title, described.rows[0].item.fields, unknown
        ('Red shoes', {'price': '30'}, 1)
    """
    from relyon.io.table_files import read_table

    table = read_table(path)
    wanted = {row.item.document for row in sheet.rows}
    key = key_column(table, wanted, NAMES["document"], str(path), role="document", problem=NO_ROWS)
    chosen = {part: named_column(table, names, key) for part, names in ITEM_NAMES.items()}
    original = _original(table, key)
    known: dict[str, _Known] = {}
    for document, row in _rows(table, key, wanted):
        texts = {
            part: str(row[name]) for part, name in chosen.items() if name and row[name] is not None
        }
        if original is not None and row[original] is not None:
            texts["document"] = str(row[original])
        used = {key, original, *chosen.values()}
        fields = {
            name: one for name, one in row.items() if name not in used and one not in (None, "")
        }
        known[document] = (texts, fields)
    rows = tuple(
        replace(row, item=_filled(row.item, known.get(row.item.document))) for row in sheet.rows
    )
    return replace(sheet, rows=rows), sum(row.item.document not in known for row in sheet.rows)


def add_query_texts(sheet: Sheet, path: str | os.PathLike[str]) -> tuple[Sheet, int]:
    """Adds the texts of queries, from a table with a row per query, to items that have ids only.

    Args:
        sheet: Items.
        path: CSV, TSV, JSON Lines or Parquet, compressed or not, with a column of ids and one of
            texts.

    Returns:
        The sheet, and the number of items whose query is not in the table.

    Raises:
        InputError: If the table cannot be read, contains none of the queries, or has no texts.
    """
    from relyon.io.table_files import read_table

    table = read_table(path)
    wanted = {row.item.query for row in sheet.rows}
    key, column = text_columns(table, wanted, str(path))
    original = _original(table, key)
    known: dict[str, _Known] = {}
    for query, row in _rows(table, key, wanted):
        text, name = str(row[column] or ""), query
        if original is not None and row[original] is not None:
            name = str(row[original])
        shown = "" if original and text == name else text
        known[query] = ({"query": name, "query_text": shown}, {})
    rows = tuple(
        replace(row, item=_filled(row.item, known.get(row.item.query))) for row in sheet.rows
    )
    return replace(sheet, rows=rows), sum(row.item.query not in known for row in sheet.rows)


def _original(table: pl.DataFrame, key: str) -> str | None:
    """Returns the column of original ids in a table written by an export; None in other tables."""
    return ORIGINAL if key == "id" and {*table.columns} in WRITTEN else None


def _rows(table: pl.DataFrame, key: str, wanted: set[str]) -> ItemsView[str, dict[str, object]]:
    """Returns the first row of each wanted id."""
    rows: dict[str, dict[str, object]] = {}
    for row in table.iter_rows(named=True):
        identity = str(row[key])
        if identity in wanted:
            rows.setdefault(identity, row)
    return rows.items()


def _filled(item: Item, known: _Known | None) -> Item:
    texts, fields = known or ({}, {})
    filled = replace(
        item,
        query=texts.get("query", item.query),
        document=texts.get("document", item.document),
        query_text=item.query_text or texts.get("query_text", ""),
        title=item.title or texts.get("title", ""),
        snippet=item.snippet or texts.get("snippet", ""),
        url=item.url or texts.get("url", ""),
        image=item.image or texts.get("image", ""),
        fields={**fields, **item.fields},
    )
    # If the id's text was the query itself, it is the query again.
    return replace(filled, query_text="") if filled.query_text == filled.query else filled
