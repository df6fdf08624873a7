"""The answers of one variant as columns: a run, its notes and its latency are made of these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import msgspec
import polars as pl

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.engines.tapes.entry import Entry

__all__ = ["Answers", "Outline"]

#: What is read of an entry's line.
COLUMNS: dict[str, pl.DataType | type[pl.DataType]] = {
    "query": pl.String,
    "ids": pl.List(pl.String),
    "scores": pl.List(pl.Float64),
    "ms": pl.Float64,
    "total": pl.Int64,
    "duplicates": pl.Int64,
    "problems": pl.List(pl.String),
    "failed": pl.String,
}


@dataclass(frozen=True)
class Outline:
    """One entry without its results.

    Attributes:
        query: The id of its query.
        results: The number of results.
        ms: Milliseconds until the answer.
        total: How many documents match, as the engine says; None if it does not.
        duplicates: How many results were left out because their document came before.
        retries: How many attempts failed before it was answered.
        failed: Why it has no answer, or an empty string.
    """

    query: str
    results: int
    ms: float
    total: int | None
    duplicates: int
    retries: int
    failed: str


@dataclass(frozen=True)
class Answers:
    """The answers of one variant.

    Attributes:
        frame: A row per query: `query`, `ids`, `scores` and the others of `COLUMNS`.
    """

    frame: pl.DataFrame

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Answers:
        """Returns the columns of entries."""
        return cls.read(msgspec.json.encode(one) + b"\n" for one in entries)

    @classmethod
    def read(cls, lines: Iterable[bytes]) -> Answers:
        """Returns the columns of the lines of entries.

        Raises:
            InputError: If a line is not one of an entry.
        """
        content = b"".join(lines)
        if not content:
            return cls(pl.DataFrame(schema=COLUMNS))
        try:
            frame = pl.read_ndjson(content, schema=COLUMNS)
        except pl.exceptions.PolarsError as error:
            raise InputError(message("engines.line-is-none-of-tape", problem=error)) from None
        frame = frame.with_columns(
            pl.col("ids", "scores", "problems").fill_null([]),
            pl.col("ms").fill_null(0.0),
            pl.col("duplicates").fill_null(0),
            pl.col("failed").fill_null(""),
        )
        odd = frame.filter(pl.col("ids").list.len() != pl.col("scores").list.len())
        if odd.height:
            query = odd["query"][0]
            raise InputError(message("engines.scores-are-not-of-results", query=query))
        return cls(frame)

    @cached_property
    def outlines(self) -> list[Outline]:
        """Returns every entry without its results."""
        failed = pl.col("failed") != ""
        rows = self.frame.select(
            "query",
            pl.col("ids").list.len(),
            "ms",
            "total",
            "duplicates",
            pl.col("problems").list.len().cast(pl.Int64) - failed.cast(pl.Int64),
            "failed",
        )
        return [Outline(*row) for row in rows.iter_rows()]
