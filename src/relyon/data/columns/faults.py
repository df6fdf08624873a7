"""Finds the first bad row: the fast readers only know that there is one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NoReturn

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import message as say
from relyon.data.columns.fields import missing, number, number_hint, parse_grade

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.scale import Scale

__all__ = ["Record", "blank_hint", "diagnose", "refuse", "rows_of"]

#: What the cells of a row of totals say.
TOTALS = {"total", "totals", "sum", "subtotal", "average", "合计", "总计", "小计", "汇总", "平均"}
TOTALS |= {"合計", "總計", "小計", "grand total", "overall"}

#: What a document is that a query has again, by what is read of it.
TWICE = {
    "score": "retrieved twice",
    "rank": "retrieved twice",
    "grade": "judged twice, with different grades",
}

# One row of a table: its line (or row) number and its field for each role.
Record = tuple[int, Mapping[str, object]]


def diagnose(
    records: Iterable[Record],
    value: str,
    *,
    path: str,
    unit: str = "line",
    scale: Scale | None = None,
) -> None:
    """Reads rows one by one and raises the error of the first bad one.

    Slow, and only used after a fast reader has failed.

    Args:
        records: Line numbers and fields by role.
        value: "grade" or "score".
        path: The file, for messages.
        unit: "line" of a text file, "row" of a table, or "" for rows without a number.
        scale: Names that grades may have.

    Raises:
        InputError: At the first row that cannot be used. Returns if every row can be used.
    """
    seen: dict[tuple[str, str, str], tuple[float, int]] = {}
    rows = iter(records)
    for place, fields in rows:
        for role in ("query", "document"):
            if fields[role] is None or fields[role] == "":
                hint = blank_hint(role, fields, rows)
                refuse(say("data.is-empty", what=role), path, place, unit, hint)
        query, document = str(fields["query"]), str(fields["document"])
        if missing(fields.get(value)):
            if value == "grade":
                continue
            hint = blank_hint(value, fields, rows)
            refuse(say("data.is-empty", what=value), path, place, unit, hint)
        try:
            found = parse_grade(fields[value], scale) if value == "grade" else number(fields[value])
        except InputError as error:
            refuse(error.message, path, place, unit, error.hint)
        if found is None:
            wrong = say("core.is-not-number", what=value, text=fields[value])
            refuse(wrong, path, place, unit, number_hint(fields[value]))
        if not math.isfinite(found):
            refuse(
                say(
                    "data.role-of-document",
                    role=value,
                    document=document,
                    value=found,
                ),
                path,
                place,
                unit,
                say("data.scores-and-grades"),
            )
        rank = fields.get("rank")
        if rank is not None and not _is_rank(rank):
            refuse(say("core.rank-is-not-whole", rank=rank), path, place, unit)
        subtopic = "" if missing(fields.get("subtopic")) else str(fields["subtopic"])
        earlier = seen.setdefault((query, subtopic, document), (found, place))
        if earlier[1] != place and (value != "grade" or earlier[0] != found):
            values = {"document": document, "query": query, "first": earlier[1]}
            values |= {"what": say(TWICE[value]), "unit": unit}
            refuse(
                say(
                    "data.document-of-query-subtopic",
                    **values,
                    subtopic=subtopic,
                )
                if subtopic
                else say(
                    "data.document-of-query-is-what",
                    **values,
                ),
                path,
                place,
                unit,
            )


def blank_hint(role: str, fields: Mapping[str, object], rest: Iterable[Record]) -> str:
    """Returns the hint for the first row that lacks a value: how many do, and what to do.

    Args:
        role: The role of the empty field.
        fields: The fields of the row.
        rest: The rows below it.

    Examples:
        >>> print(blank_hint("query", {"query": "", "document": "b"}, [(3, {"query": ""})]))
        2 rows have no query: fill it down to every row of its group, or delete these rows
    """
    for value in fields.values():
        if isinstance(value, str) and value.strip().strip(":：").lower() in TOTALS:
            return say("data.delete-row-of-totals", word=value.strip())
    count = 1
    try:
        count += sum(missing(other.get(role)) for _, other in rest)
    except InputError:  # a row below is malformed, too
        return say("data.fill-in-or-delete", what=role)
    if role == "query":
        return say("data.fill-query-down", count=count)
    return say("data.fill-in-or-delete-count", what=role, count=count)


def _is_rank(value: object) -> bool:
    found = number(value)
    return found is not None and math.isfinite(found) and found.is_integer()


def refuse(message: str, path: str, place: int, unit: str, hint: str = "") -> NoReturn:
    """Raises the error of one row: "line" of a text file, "row" of a table, "" without a number."""
    if unit == "line":
        raise ParseError(message, path=path, line=place, hint=hint)
    if not unit:
        raise InputError(message, path=path, hint=hint)
    raise InputError(say("data.row-place", place=place, message=message), path=path, hint=hint)


def rows_of(columns: Mapping[str, pl.Series]) -> Iterator[Record]:
    """Yields every row of a table with its number, from 1."""
    roles = list(columns)
    for place, values in enumerate(zip(*columns.values(), strict=True), start=1):
        yield place, dict(zip(roles, values, strict=True))
