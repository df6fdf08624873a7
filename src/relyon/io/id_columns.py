"""Columns of a table of features that are ids, though their values are numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from relyon.core.notes import Note
from relyon.data.columns import NAMES, feature_name, plain_name
from relyon.data.columns.synonyms import QUERY_KEYS, SPELLINGS

if TYPE_CHECKING:
    import polars as pl

__all__ = ["without_id_columns"]

#: Names of ids, without words that features have, too.
IDS = {
    *NAMES["document"], *QUERY_KEYS, *SPELLINGS["session"], *SPELLINGS["user"],
} - {"topicid", "request"}  # fmt: skip


def without_id_columns(
    columns: Mapping[str, pl.Series],
) -> tuple[dict[str, pl.Series], list[Note]]:
    """Returns columns without features whose names and values are those of ids, and a note.

    A second id, such as `product_id` beside `document`, says nothing about relevance; trees
    remember it. Columns that contain anything but whole numbers stay.

    Args:
        columns: Series by role; every column without a role is a feature.
    """
    ids = [role for role, column in columns.items() if _is_id(feature_name(role), column)]
    if not ids:
        return dict(columns), []
    names = tuple(str(columns[role].name) for role in ids)
    left = {role: column for role, column in columns.items() if role not in ids}
    return left, [Note("id-columns", len(ids), values={"names": names})]


def _is_id(name: str | None, column: pl.Series) -> bool:
    import polars as pl

    if name is None or plain_name(name) not in IDS:
        return False
    if column.dtype == pl.String:  # whole numbers as files write them
        return bool(column.str.strip_chars().str.contains(r"^\d+(?:\.0*)?$").all())
    if column.dtype.is_integer():
        return True
    return column.dtype.is_float() and bool((column == column.round()).all())
