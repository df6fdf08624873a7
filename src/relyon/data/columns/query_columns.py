"""Rows without a query column: columns that could have the queries, and the note about them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence

from relyon.core.notes import Note
from relyon.data.columns.fields import missing, number
from relyon.data.columns.roles import KNOWN, plain_name

__all__ = ["SAMPLE", "group_notes", "query_candidates"]

#: First values of a column that show whether it could name queries.
SAMPLE = 20
#: Columns that the note names.
MOST = 5
#: The name of an id: `kw_id`, `kwId`, `词id`, `编号`; not `valid`.
ID_NAME = re.compile(
    r"(?:^|[\W_])(?:id|ID|Id)$|[a-z](?:Id|ID)$|[^\x00-\x7f](?:id|ID|Id)$|编号$|編號$"
)


def query_candidates(values: Mapping[str, Iterable[object]]) -> tuple[str, ...]:
    """Returns the columns that could be that of queries: texts, or whole numbers called an id.

    Columns whose names mean something else, such as `title` or `url`, are not.

    Args:
        values: The first values of columns without a role, by name.

    Examples:
        >>> query_candidates({"kw_id": [7, 8], "bm25": [1.5, 2], "title": ["a"], "q": ["a"]})
        ('kw_id', 'q')
    """
    return tuple(
        name
        for name, found in values.items()
        if plain_name(name) not in KNOWN and _could_name(name, [*found])
    )


def group_notes(roles: Container[str], candidates: Sequence[str] = ()) -> tuple[Note, ...]:
    """Notes a missing query column: a warning if the rows look like those of several queries.

    Args:
        roles: The roles that have a column.
        candidates: Columns that could be that of queries.
    """
    if "query" in roles:
        return ()
    if candidates:
        values = {"columns": [f"`{name}`" for name in candidates[:MOST]], "first": candidates[0]}
        return (Note("one-group", level="warning", values=values, key="one-group.named"),)
    if "document" in roles:
        return (Note("one-group", level="warning", key="one-group.documents"),)
    return (Note("one-group"),)


def _could_name(name: str, values: Sequence[object]) -> bool:
    known = [value for value in values if not missing(value)]
    numbers = [number(value) for value in known]
    if not known:
        return False
    if any(found is None for found in numbers):
        return True
    whole = all(found is not None and found.is_integer() for found in numbers)
    return whole and ID_NAME.search(name.strip()) is not None
