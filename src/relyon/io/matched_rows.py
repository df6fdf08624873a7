"""A test set scored by two models: the rows of one file in the order of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParseError
from relyon.core.texts import Message, message
from relyon.data.scored_lists import row_columns
from relyon.io.line_numbers import find_line

if TYPE_CHECKING:
    from relyon.data.labelled import LabelledRows

__all__ = ["matched_rows"]


def matched_rows(first: LabelledRows, other: LabelledRows) -> LabelledRows:
    """Returns the rows of a second model's file in the order of the first.

    Rows with documents are matched by query and document, others by position.

    Args:
        first: The rows that determine the order.
        other: Rows of the same queries, documents and labels.

    Raises:
        InputError: If a row has no match, or a different label.
    """
    import numpy as np
    import polars as pl

    if first.documents is None or other.documents is None:
        _check_order(first, other)
        return other
    pair = ["query", "document"]
    ours, theirs = (pl.DataFrame(row_columns(rows)) for rows in (first, other))
    places = ours.join(theirs.with_row_index("place"), on=pair, how="left", maintain_order="left")
    for one, against, alone in (
        (first, other, places.filter(pl.col("place").is_null())),
        (other, first, theirs.join(ours, on=pair, how="anti", maintain_order="left")),
    ):
        if alone.height:
            raise _of_pair(
                one,
                alone.row(0)[:2],
                message("io.is-not-in-other", other=against.source),
                message("core.files-of-several-models"),
            )
    found = other.in_order(places.get_column("place").to_numpy())
    wrong = np.flatnonzero(found.labels != first.labels)
    if len(wrong):
        row = int(wrong[0])
        raise _of_pair(
            other,
            places.row(row)[:2],
            _labels(first, found, row),
            message("io.row-needs-same-label"),
        )
    return replace(found, queries=first.queries, groups=first.groups)


def _check_order(first: LabelledRows, other: LabelledRows) -> None:
    """Refuses rows whose queries or labels differ.

    Raises:
        InputError: If there are any; it names the first.
    """
    import numpy as np

    if len(first) != len(other):
        raise InputError(
            message(
                "io.has-rows",
                count=len(other),
                other=first.source,
                count_2=len(first),
            ),
            path=other.path,
            hint=message("core.files-of-several-models"),
        )
    for row, (one, two) in enumerate(zip(_queries(first), _queries(other), strict=True), 1):
        if one != two:
            raise InputError(
                message(
                    "io.row-belongs-to-query",
                    row=row,
                    query=two,
                    query_2=one,
                    other=first.source,
                ),
                path=other.path,
                hint=message("io.without-column-of-documents"),
            )
    wrong = np.flatnonzero(first.labels != other.labels)
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            message("io.row-what", row=row + 1, what=_labels(first, other, row)),
            path=other.path,
            hint=message("io.row-needs-same-label"),
        )


def _labels(first: LabelledRows, other: LabelledRows, row: int) -> Message:
    return message(
        "io.label-is-label",
        label=float(other.labels[row]),
        label_2=float(first.labels[row]),
        other=first.source,
    )


def _of_pair(rows: LabelledRows, pair: Sequence[str], what: Message, hint: str) -> InputError:
    """Returns the error for a query and document, with its line if the file has lines."""
    text = message(
        "io.query-document",
        query=pair[0],
        document=pair[1],
        what=what,
    )
    line = find_line(rows.path, *pair) if rows.path else None
    if line is None:
        return InputError(text, path=rows.path, hint=hint)
    return ParseError(text, path=rows.path, line=line, hint=hint)


def _queries(rows: LabelledRows) -> list[str]:
    return [rows.queries[place] for place in rows.qid.tolist()]
