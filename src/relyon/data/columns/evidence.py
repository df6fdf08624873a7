"""Columns of evidence: as numbers, in the order of the judgments; finds the first bad value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, overload

from relyon.core.texts import message
from relyon.data.columns.faults import Record, refuse
from relyon.data.columns.fields import missing, number, number_hint, parse_grade, to_numbers
from relyon.data.evidence import ROLES, Evidence

if TYPE_CHECKING:
    import polars as pl

    from relyon import _native
    from relyon.data.scale import Scale

__all__ = ["diagnose_evidence", "evidence_of", "judgment_rows", "usable_evidence"]


def judgment_rows(table: _native.JudgmentTable) -> pl.DataFrame:
    """Returns the rows of judgments: query, document and grade, and subtopic if there are several.

    Args:
        table: Judgments.
    """
    import polars as pl

    schema = {"query": pl.String, "document": pl.String, "grade": pl.Float64}
    if not table.has_subtopics:
        query, document, grade = table.columns()
        return pl.DataFrame({"query": query, "document": document, "grade": grade}, schema=schema)
    rows = [
        (query, subtopic, document, grade)
        for query in table.queries()
        for document, grades in table.subtopics(query).items()
        for subtopic, grade in grades.items()
    ]
    schema = {"query": pl.String, "subtopic": pl.String} | schema
    return pl.DataFrame(rows, schema=schema, orient="row")


def usable_evidence(
    columns: Mapping[str, pl.Series], grade: pl.Series, path: str = ""
) -> dict[str, pl.Series] | None:
    """Converts the columns of evidence to numbers, with null for missing values.

    Args:
        columns: Series by role.
        grade: The grades as numbers.
        path: The file, for messages.

    Returns:
        The numbers by role; None if one of them cannot be used.
    """
    found = {}
    for role in ROLES:
        if role not in columns:
            continue
        given = columns[role]
        values = to_numbers(given, role, path).fill_nan(None)
        blank = given.is_null()
        if str(given.dtype) == "String":
            blank |= given.str.strip_chars().is_in(["", "nan", "NaN"])
        elif given.dtype.is_float():
            blank |= given.is_nan()
        if int(values.null_count()) > int(blank.fill_null(True).sum()):
            return None
        if bool(values.is_infinite().any()) or bool(_beyond(role, values, grade).any()):
            return None
        found[role] = values
    return found


@overload
def _beyond(role: str, values: pl.Series, grade: pl.Series) -> pl.Series: ...
@overload
def _beyond(role: str, values: float, grade: float) -> bool: ...
def _beyond(role: str, values: pl.Series | float, grade: pl.Series | float) -> pl.Series | bool:
    """Whether a value contradicts its grade or its meaning; a Boolean series for series."""
    if role == "weight":
        return values < 0
    return values > grade if role == "low" else values < grade


def evidence_of(
    table: _native.JudgmentTable, keys: Mapping[str, pl.Series], found: Mapping[str, pl.Series]
) -> Evidence | None:
    """Sorts evidence into the order of the rows of judgments.

    Args:
        table: The judgments.
        keys: The query, document and perhaps subtopic of each value, as text.
        found: The numbers by role.

    Returns:
        The evidence; None if a repeated judgment has two different values.
    """
    import polars as pl

    rows = judgment_rows(table)
    names = [name for name in rows.columns if name != "grade"]
    given = pl.DataFrame({**{name: keys[name] for name in names}, **found}).unique()
    if given.height != rows.height:
        return None
    joined = rows.join(given, on=names, how="left", maintain_order="left")
    arrays = {role: joined.get_column(role).fill_null(math.nan).to_numpy() for role in found}
    return Evidence(arrays.get("weight"), arrays.get("low"), arrays.get("high"))


def diagnose_evidence(
    records: Iterable[Record], *, path: str, unit: str, scale: Scale | None
) -> None:
    """Reads rows one by one and raises an error for the first with bad evidence.

    Args:
        records: Line numbers and fields by role.
        path: The file, for messages.
        unit: "line" of a text file, or "row" of a table.
        scale: Names that grades may have.

    Raises:
        InputError: At the first row that cannot be used. Returns if every row can be used.
    """
    seen: dict[tuple[str, str, str], tuple[list[float | None], int]] = {}
    for place, fields in records:
        if missing(fields["grade"]):
            continue
        grade = parse_grade(fields["grade"], scale)
        values = [
            _value(role, fields[role], grade, path, place, unit) for role in ROLES if role in fields
        ]
        subtopic = "" if missing(fields.get("subtopic")) else str(fields["subtopic"])
        key = (str(fields["query"]), subtopic, str(fields["document"]))
        earlier, first = seen.setdefault(key, (values, place))
        if earlier != values:
            text = message(
                "data.document-of-query",
                document=key[2],
                query=key[0],
                unit=unit,
                first=first,
            )
            refuse(text, path, place, unit)


def _value(
    role: str, field: object, grade: float, path: str, place: int, unit: str
) -> float | None:
    """Returns one value of evidence, or None if the field is empty."""
    if missing(field):
        return None
    found = number(field)
    if found is None:
        text = message("data.is-not-number", role=role, field=field)
        hint = message("data.rename-column-if-contains", role=role)
        refuse(text, path, place, unit, number_hint(field, hint))
    if math.isnan(found):
        return None
    if math.isinf(found):
        text = message("data.role-is-found", role=role, found=found)
        refuse(text, path, place, unit, message("data.must-be-finite"))
    if _beyond(role, found, grade):
        if role == "weight":
            text = message("data.weight-is-found", found=found)
            refuse(text, path, place, unit, message("data.weights-of-judgments"))
        text = message(
            "data.interval-of-grade-does",
            grade=grade,
            role=role,
            found=found,
        )
        refuse(text, path, place, unit, message("data.interval-goes-from-low"))
    return found
