"""Finds the first bad row: the fast readers only know that there is one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from relkit.core.errors import InputError, ParseError
from relkit.core.texts import message as say
from relkit.data.columns.values import missing, number, parse_grade

if TYPE_CHECKING:
    import polars as pl

    from relkit.data.scale import Scale

__all__ = ["Record", "diagnose", "refuse", "rows_of"]

# One row of a table: its line (or row) number and its field for each role.
Record = tuple[int, Mapping[str, Any]]


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
        unit: "line" of a text file, or "row" of a table.
        scale: Names that grades may have.

    Raises:
        InputError: At the first row that cannot be used. Returns if there is none.
    """
    seen: dict[tuple[str, str, str], tuple[float, int]] = {}
    for place, fields in records:
        for role in ("query", "document"):
            if fields[role] is None or fields[role] == "":
                refuse(f"the {role} is empty", path, place, unit)
        query, document = str(fields["query"]), str(fields["document"])
        if missing(fields.get(value)):
            if value == "grade":
                continue
            refuse(f"the {value} is empty", path, place, unit)
        try:
            found = parse_grade(fields[value], scale) if value == "grade" else number(fields[value])
        except InputError as error:
            refuse(error.message, path, place, unit, error.hint)
        if found is None:
            refuse(f"the {value} `{fields[value]}` is not a number", path, place, unit)
        if not math.isfinite(found):
            refuse(
                f"the {value} of document `{document}` is {found}",
                path,
                place,
                unit,
                "scores and grades must be finite: drop the row, or give it a number",
            )
        rank = fields.get("rank")
        if rank is not None and not _is_rank(rank):
            refuse(f"the rank `{rank}` is not a whole number", path, place, unit)
        subtopic = "" if missing(fields.get("subtopic")) else str(fields["subtopic"])
        earlier = seen.setdefault((query, subtopic, document), (found, place))
        if earlier[1] != place and (value == "score" or earlier[0] != found):
            what = "retrieved twice" if value == "score" else "judged twice, with different grades"
            about = f", subtopic `{subtopic}`," if subtopic else ""
            refuse(
                f"document `{document}` of query `{query}`{about} is {what} "
                f"(first in {unit} {earlier[1]})",
                path,
                place,
                unit,
            )


def _is_rank(value: Any) -> bool:
    found = number(value)
    return found is not None and math.isfinite(found) and found.is_integer()


def refuse(message: str, path: str, place: int, unit: str, hint: str = "") -> NoReturn:
    """Raises the error of one row: "line" of a text file or "row" of a table."""
    if unit == "line":
        raise ParseError(message, path=path, line=place, hint=hint)
    raise InputError(
        say("row {place}: {message}", place=place, message=message), path=path, hint=hint
    )


def rows_of(columns: Mapping[str, pl.Series]) -> Iterator[Record]:
    """Yields every row of a table with its number, from 1."""
    roles = list(columns)
    for place, values in enumerate(zip(*columns.values(), strict=True), start=1):
        yield place, dict(zip(roles, values, strict=True))
