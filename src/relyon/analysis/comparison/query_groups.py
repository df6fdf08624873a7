"""Groups of queries: those with the same value in a column of their table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["MOST_VALUES", "SHOWN_VALUES", "GroupKind", "QueryGroup", "group_queries"]

#: A column with more values is refused.
MOST_VALUES = 50
#: Of more values than this, those with most queries have a row of their own.
SHOWN_VALUES = 20

GroupKind = Literal["value", "others", "none"]


@dataclass(frozen=True)
class QueryGroup:
    """Queries with the same value in a column.

    Attributes:
        kind: `value`, `others` for the values with fewest queries together, or `none` for queries
            without a value.
        value: The value; empty for `others` and `none`.
        queries: Their ids, sorted.
        values: How many values they have: 1, more for `others`, 0 for `none`.
    """

    kind: GroupKind
    value: str
    queries: tuple[str, ...]
    values: int = 1

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: the number of queries, not their ids."""
        return {
            "kind": self.kind,
            "value": self.value or None,
            "queries": len(self.queries),
            "values": self.values,
        }


def group_queries(
    column: str, values: Mapping[str, str], queries: Sequence[str]
) -> tuple[QueryGroup, ...]:
    """Returns the queries of each value: most queries first, then the others, then those without.

    Args:
        column: The name of the column.
        values: The value of each query.
        queries: The queries of a comparison.

    Raises:
        ParameterError: If the column has more than 50 values, or another one for each query.

    Examples:
        >>> found = group_queries("tier", {"a": "tail", "b": "head", "c": "tail"}, "abcd")
        >>> [(one.kind, one.value, one.queries) for one in found]
        [('value', 'tail', ('a', 'c')), ('value', 'head', ('b',)), ('none', '', ('d',))]
    """
    found: dict[str, list[str]] = {}
    without = []
    for query in sorted(queries):
        if query in values:
            found.setdefault(values[query], []).append(query)
        else:
            without.append(query)
    _refuse_many(column, found, len(queries))
    order = sorted(found, key=lambda value: (-len(found[value]), _natural(value)))
    few = order[SHOWN_VALUES - 1 :] if len(order) > SHOWN_VALUES else []
    groups = [
        QueryGroup("value", value, tuple(found[value]))
        for value in (order[: SHOWN_VALUES - 1] if few else order)
    ]
    if few:
        ids = sorted(query for value in few for query in found[value])
        groups.append(QueryGroup("others", "", tuple(ids), len(few)))
    if without:
        groups.append(QueryGroup("none", "", tuple(without), 0))
    return tuple(groups)


def _refuse_many(column: str, found: Mapping[str, Sequence[str]], queries: int) -> None:
    """Refuses a column of ids, texts or numbers without bins.

    Raises:
        ParameterError: If it has too many values.
    """
    single = len(found) > 2 and all(len(ids) == 1 for ids in found.values())
    if len(found) <= MOST_VALUES and not single:
        return
    numeric = all(map(_is_number, found))
    raise ParameterError(
        message(
            "analysis.column-has-too-many-values",
            column=column,
            count=len(found),
            queries=queries,
            most=MOST_VALUES,
        ),
        hint=message("analysis.bin-numbers" if numeric else "analysis.group-values"),
    )


def _natural(text: str) -> tuple[float, str]:
    """Returns what orders values: numbers by size, before other texts."""
    return (float(text) if _is_number(text) else math.inf), text


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
