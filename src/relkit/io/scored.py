"""Labelled scores: rows of a label and a score, grouped by query."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from relkit.core.errors import InputError
from relkit.core.notes import Note
from relkit.data.columns import (
    NAMED_GRADES,
    Record,
    missing,
    number,
    parse_grade,
    refuse,
    rows_of,
    scaled,
    to_numbers,
    to_text,
)

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relkit.data.scale import Scale

__all__ = ["Scored", "from_columns", "offsets_of"]


@dataclass(frozen=True)
class Scored:
    """Labels and scores, row by row, the rows of one query together.

    Attributes:
        labels: One grade a row, float64.
        scores: One score a row, float64.
        groups: Offsets: query i holds the rows `groups[i]` to `groups[i + 1]`.
        queries: The name of each query.
        documents: The document of each row, or None where the rows have no ids.
        source: The file the rows came from, or "memory".
        notes: What is worth knowing about the data.
        weights: What each row weighs, or None where all weigh the same.
    """

    labels: NDArray[np.float64]
    scores: NDArray[np.float64]
    groups: NDArray[np.int64]
    queries: list[str]
    documents: list[str] | None = None
    source: str = "memory"
    notes: tuple[Note, ...] = field(default=())
    weights: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.labels)

    def __repr__(self) -> str:
        return (
            f"Scored(queries={len(self.queries)}, rows={len(self.labels)}, source={self.source!r})"
        )


def from_columns(
    columns: Mapping[str, pl.Series],
    *,
    path: str = "",
    scale: Scale | None = None,
    records: Callable[[], Iterable[Record]] | None = None,
) -> Scored:
    """Groups rows by their query column, keeping the order of queries and of their rows.

    Without a query column all rows count as one query.

    Raises:
        InputError: At the first row whose label or score cannot be used.
    """
    import polars as pl

    label, score = columns["label"], columns["score"]
    labels = to_numbers(label, "label", path) if scale is None else scaled(label, scale)
    scores = to_numbers(score, "score", path)
    query = to_text(columns["query"], "query", path) if "query" in columns else None
    numbers = {"label": labels, "score": scores}
    if "weight" in columns:
        numbers["weight"] = to_numbers(columns["weight"], "weight", path)
    for role, values in numbers.items():
        wrong = values.null_count() or not bool(values.is_finite().all())
        if wrong or (role == "weight" and bool((values < 0).any())):
            _fail(columns, path, scale, records)
    if query is not None and (query.null_count() or bool((query == "").any())):
        _fail(columns, path, scale, records)
    document = to_text(columns["document"], "document", path) if "document" in columns else None
    frame = pl.DataFrame(numbers)
    notes: tuple[Note, ...] = ()
    if query is None:
        names, sizes = ["all"], [frame.height]
        notes = (Note("one-group"),)
    else:
        groups = (
            pl.DataFrame({"query": query})
            .with_row_index("row")
            .group_by("query", maintain_order=True)
            .agg("row")
        )
        names = groups.get_column("query").to_list()
        lengths = groups.get_column("row").list.len()
        sizes = lengths.to_list()
        if (query != query.shift(1)).sum() + 1 > len(names):
            order = groups.get_column("row").explode()
            frame = frame[order]
            document = document.gather(order) if document is not None else None
    return Scored(
        frame.get_column("label").to_numpy(),
        frame.get_column("score").to_numpy(),
        offsets_of(sizes),
        names,
        document.to_list() if document is not None else None,
        path or "memory",
        notes,
        frame.get_column("weight").to_numpy() if "weight" in columns else None,
    )


def _fail(
    columns: Mapping[str, pl.Series],
    path: str,
    scale: Scale | None,
    records: Callable[[], Iterable[Record]] | None,
) -> NoReturn:
    """Raises the error of the first row that cannot be used."""
    unit = "line" if records is not None else "row"
    for place, fields in records() if records is not None else rows_of(columns):
        if "query" in fields and missing(fields["query"]):
            refuse("the query is empty", path, place, unit)
        for role in ("label", "score", "weight"):
            if role not in fields:
                continue
            value = fields[role]
            if missing(value):
                refuse(f"the {role} is empty", path, place, unit)
            try:
                named = role == "label" and scale is not None
                found = parse_grade(value, scale) if named else number(value)
            except InputError as error:
                refuse(error.message, path, place, unit, error.hint)
            if found is None:
                hint = NAMED_GRADES if role == "label" else ""
                refuse(f"the {role} `{value}` is not a number", path, place, unit, hint)
            if not math.isfinite(found):
                refuse(f"the {role} is {found}", path, place, unit, "it must be finite")
            if role == "weight" and found < 0:
                refuse(f"the weight is {found:g}", path, place, unit, "a row weighs 0 or more")
    raise InputError("a label or a score cannot be used", path=path)


def offsets_of(sizes: Iterable[int]) -> NDArray[np.int64]:
    """The running sums of group sizes, from 0."""
    import numpy as np

    listed = np.fromiter(sizes, dtype=np.int64)
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(listed)])
