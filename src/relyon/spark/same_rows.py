"""Checks whether two models scored the same rows, by one number per query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.keys import GOLDEN, hashed, mix_all

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from relyon.spark.tasks import Arrays

__all__ = ["check_same_rows", "row_marks"]


def row_marks(
    starts: NDArray[np.int64], labels: NDArray[np.float64], documents: pa.Array | None
) -> dict[str, NDArray[np.uint64]]:
    """Returns a number per query: the same for any order of its rows, and rarely for other rows.

    Args:
        starts: The first row of each query.
        labels: The label of each row.
        documents: The document of each row, if known.

    Returns:
        Of the labels, and of the documents with their labels: 64 bits per query.
    """
    import numpy as np
    import polars as pl

    marks = mix_all((labels + 0.0).view(np.uint64) + np.uint64(GOLDEN))  # -0.0 is 0.0
    found = {"label": np.add.reduceat(marks, starts)}
    if documents is not None:
        rows = mix_all(marks ^ hashed(pl.Series(documents), 0))
        found["document"] = np.add.reduceat(rows, starts)
    return found


def check_same_rows(parts: Mapping[str, Sequence[Arrays]]) -> None:
    """Refuses models that scored other rows than the first.

    Args:
        parts: By model, its queries and their marks. Documents count if both models have them.

    Raises:
        InputError: If rows differ; it names the first query.
    """
    (first, ours), *others = parts.items()
    for other, theirs in others:
        mine, yours = ({role for part in one for role in part.marks} for one in (ours, theirs))
        role = "document" if "document" in mine & yours else "label"
        known, found = _by_query(ours, role), _by_query(theirs, role)
        wrong = [query for query in known.keys() | found if known.get(query) != found.get(query)]
        if not wrong:
            continue
        query = min(wrong)
        text = "spark.query-has-other-rows"
        names = {"query": query, "other": other, "first": first}
        if query not in known or query not in found:
            lacks, has = (first, other) if query not in known else (other, first)
            text = "spark.query-of-first"
            names |= {"other": lacks, "first": has}
        raise InputError(message(text, **names), hint=message("core.files-of-several-models"))


def _by_query(parts: Sequence[Arrays], role: str) -> dict[str, int]:
    return {
        query: mark
        for part in parts
        for query, mark in zip(part.queries, part.marks[role].tolist(), strict=True)
    }
