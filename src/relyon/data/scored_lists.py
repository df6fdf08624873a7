"""Labelled rows with scores as judgments and runs; documents without ids get one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.data.labelled import LabelledRows

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.scale import Scale

__all__ = ["row_columns", "scored_judgments", "scored_run"]


def scored_judgments(rows: LabelledRows, scale: Scale | None = None) -> Judgments:
    """Returns the labels of rows as judgments.

    A document without an id is named by its row number, from 1, and the second row of a repeated
    document is `ID (2)`, so that no row is lost.

    Examples:
        >>> import polars as pl
        >>> import relyon
        >>> frame = pl.DataFrame({"q": ["a", "a"], "label": [1, 0], "score": [0.5, 0.7]})
        >>> scored_judgments(relyon.read_scored(frame, query="q")).to_dict()
        {'a': {'1': 1.0, '2': 0.0}}
    """
    from relyon.data.columns import judgment_table
    from relyon.data.judgments import Judgments

    table, _, _ = judgment_table(row_columns(rows, "grade"), path=rows.path)
    return Judgments(table, scale=scale, source=rows.source, names_in=rows.names_in)


def scored_run(rows: LabelledRows, name: str) -> Run:
    """Returns the scores of rows as a run, whose documents are those of `scored_judgments`."""
    from relyon.data.columns import run_table
    from relyon.data.run import Run

    table, _ = run_table(row_columns(rows, "score"), path=rows.path)
    return Run(table, name=name, source=rows.source)


def row_columns(rows: LabelledRows, role: str = "") -> dict[str, pl.Series]:
    """Returns queries, documents, and labels or scores under a role."""
    import polars as pl

    query = pl.Series("query", rows.queries, dtype=pl.String).gather(rows.qid)
    if rows.documents is None:
        document = pl.int_range(1, len(rows) + 1, eager=True).cast(pl.String).alias("document")
    else:
        document = _told_apart(query, pl.Series("document", rows.documents, dtype=pl.String))
    columns = {"query": query, "document": document}
    if role:
        columns[role] = pl.Series(role, rows.labels if role == "grade" else rows.known_scores())
    return columns


def _told_apart(query: pl.Series, document: pl.Series) -> pl.Series:
    """Returns documents with a number appended to those repeated within their query."""
    import polars as pl

    while True:
        frame = pl.DataFrame({"query": query, "document": document.fill_null("")})
        number = pl.int_range(1, pl.len() + 1).over("query", "document")
        frame = frame.with_columns(number=number)
        if bool((frame.get_column("number") == 1).all()):
            return frame.get_column("document")
        again = pl.format("{} ({})", "document", "number")
        document = frame.select(
            pl.when(pl.col("number") > 1).then(again).otherwise("document").alias("document")
        ).to_series()
