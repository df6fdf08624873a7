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
                message("is not in {other}", other=against.source),
                "files of several models must have the same rows",
            )
    found = other.in_order(places.get_column("place").to_numpy())
    wrong = np.flatnonzero(found.labels != first.labels)
    if len(wrong):
        row = int(wrong[0])
        raise _of_pair(
            other,
            places.row(row)[:2],
            _labels(first, found, row),
            "a row needs the same label for every model",
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
                "has {count:,} rows, but {other} has {count_2:,}",
                count=len(other),
                other=first.source,
                count_2=len(first),
            ),
            path=other.path,
            hint="files of several models must have the same rows",
        )
    for row, (one, two) in enumerate(zip(_queries(first), _queries(other), strict=True), 1):
        if one != two:
            raise InputError(
                message(
                    "row {row:,} belongs to query `{query}`, but to query `{query_2}` in {other}",
                    row=row,
                    query=two,
                    query_2=one,
                    other=first.source,
                ),
                path=other.path,
                hint="without a column of documents, rows are matched by their order",
            )
    wrong = np.flatnonzero(first.labels != other.labels)
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            message("row {row:,}: {what}", row=row + 1, what=_labels(first, other, row)),
            path=other.path,
            hint="a row needs the same label for every model",
        )


def _labels(first: LabelledRows, other: LabelledRows, row: int) -> Message:
    return message(
        "the label is {label:g}, but {label_2:g} in {other}",
        label=float(other.labels[row]),
        label_2=float(first.labels[row]),
        other=first.source,
    )


def _of_pair(rows: LabelledRows, pair: Sequence[str], what: Message, hint: str) -> InputError:
    """Returns the error for a query and document, with its line if the file has lines."""
    text = message(
        "query `{query}`, document `{document}`: {what}",
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
