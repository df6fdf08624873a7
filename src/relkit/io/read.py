"""Labelled scores from files and frames."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from relkit.core.errors import InputError
from relkit.io.formats import formats, open_source
from relkit.io.open import Source

if TYPE_CHECKING:
    from relkit.data.labelled import LabelledRows
    from relkit.data.scale import Scale

__all__ = ["read_rows", "read_scored"]


def read_scored(
    source: object,
    *,
    query: str | None = None,
    label: str | None = None,
    score: str | None = None,
    document: str | None = None,
    weight: str | None = None,
    scores: str | os.PathLike[str] | None = None,
    groups: str | os.PathLike[str] | None = None,
    format: str | None = None,
    scale: Scale | str | None = None,
) -> LabelledRows:
    """Reads rows of a label and a score, grouped by query.

    Args:
        source: A flat table (CSV, TSV, JSON Lines, Parquet, or any data frame), or an
            SVMlight/LETOR file, whose scores stand in a file of their own.
        query: The query's column; None finds it by the usual names. Without one all rows count as
            one query.
        label: The label's column; None finds it by the usual names.
        score: The score's column; None finds it by the usual names.
        document: The document's column; None finds it by the usual names. There may be none.
        weight: The column of what each row weighs; None for 1 each. It is never guessed.
        scores: For SVMlight/LETOR: the file that holds one score a line.
        groups: For SVMlight files without `qid:`: the file that holds the rows of each query.
        format: The file's format; None recognises it.
        scale: The grade scale, or its name: labels may then be its names.

    Returns:
        Labels, scores and offsets; rows of one query are brought together, in their order.

    Raises:
        InputError: If the data cannot be used; the message names the file and the line.

    Examples:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"q": ["a", "b", "a"], "label": [1, 0, 2], "score": [3.0, 2, 1]})
        >>> scored = read_scored(frame, query="q")
        >>> scored.queries, scored.groups.tolist(), scored.labels.tolist()
        (['a', 'b'], [0, 2, 3], [1.0, 2.0, 0.0])
    """
    from relkit.data.scale import load_scale

    named: Mapping[str, str | None] = {
        "query": query,
        "label": label,
        "score": score,
        "document": document,
        "weight": weight,
    }
    columns = {role: name for role, name in named.items() if name is not None}
    chosen = load_scale(scale)
    if not isinstance(source, str | os.PathLike) and not hasattr(source, "read"):
        from relkit.data.columns import polars_columns
        from relkit.data.labelled import from_columns

        return _filled(
            from_columns(polars_columns(source, "scored", columns=columns), scale=chosen)
        )
    opened = open_source(source, format=format)  # type: ignore[arg-type]
    return read_rows(opened, columns, chosen, scores=_open(scores), groups=_open(groups))


def read_rows(
    source: Source,
    columns: Mapping[str, str] | None = None,
    scale: Scale | None = None,
    *,
    scores: Source | None = None,
    groups: Source | None = None,
) -> LabelledRows:
    """Reads labelled rows from a source whose format is known; see `read_scored`."""
    return _filled(
        formats.get(source.format).read_scored(
            source, columns=columns, scores=scores, groups=groups, scale=scale
        )
    )


def _filled(scored: LabelledRows) -> LabelledRows:
    if not len(scored):
        raise InputError("holds no rows", path=scored.source)
    return scored


def _open(path: str | os.PathLike[str] | None) -> Source | None:
    """Opens a file that is no table, such as one number a line."""
    return None if path is None else Source(path)
