"""The answers of one variant as columns: a run, its notes and its latency are made of these."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
import polars as pl

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.engines.tapes.entry import Entry

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


class Outline(NamedTuple):
    """One entry without its results.

    Attributes:
        query: The id of its query.
        results: The number of results.
        ms: Milliseconds until the answer.
        total: How many documents match, as the engine says; None if it does not.
        duplicates: How many results were left out because their document came before.
        problems: How many attempts failed, that of a query that is refused included.
        failed: Why it has no answer, or an empty string.
    """

    query: str
    results: int
    ms: float
    total: int | None
    duplicates: int
    problems: int
    failed: str

    @property
    def retries(self) -> int:
        """How many attempts failed before it was answered."""
        return self.problems - bool(self.failed)


@dataclass(frozen=True)
class Answers:
    """The answers of one variant.

    Attributes:
        outlines: Every entry without its results.
        ids: The documents of all answers, those of one below those of another.
        scores: Their scores; null for a result without one.
    """

    outlines: list[Outline]
    ids: pl.Series
    scores: pl.Series

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
        found = _native.read_answers(content)
        if found is None:
            return cls._of_frame(_frame(content))
        outlines = map(
            Outline,
            pl.Series(found["query"]),
            found["results"].tolist(),
            found["ms"].tolist(),
            (None if math.isnan(one) else int(one) for one in found["total"].tolist()),
            found["duplicates"].tolist(),
            found["problems"].tolist(),
            pl.Series(found["failed"]),
        )
        scores = pl.Series(found["scores"])
        if scores.is_nan().any():
            scores = scores.fill_nan(None)
        return cls(list(outlines), pl.Series(found["ids"]), scores)

    @classmethod
    def _of_frame(cls, frame: pl.DataFrame) -> Answers:
        """Returns the columns of a row per entry."""
        results = frame.select("ids", "scores").filter(pl.col("ids").list.len() > 0)
        results = results.explode("ids", "scores")
        rows = frame.select(
            "query",
            pl.col("ids").list.len(),
            "ms",
            "total",
            "duplicates",
            pl.col("problems").list.len(),
            "failed",
        )
        return cls([Outline(*row) for row in rows.rows()], results["ids"], results["scores"])

    @property
    def places(self) -> NDArray[np.int64]:
        """The place of each result's answer among all."""
        return np.repeat(np.arange(len(self.outlines)), self._results)

    @property
    def ranks(self) -> NDArray[np.int64]:
        """The rank of each result in its answer, from 1."""
        ends = np.cumsum(self._results)
        return np.arange(1, len(self.ids) + 1) - np.repeat(ends - self._results, self._results)

    @property
    def _results(self) -> NDArray[np.int64]:
        return np.array([one.results for one in self.outlines], dtype=np.int64)


def _frame(content: bytes) -> pl.DataFrame:
    """Returns a row per line, whichever way its JSON is written.

    Raises:
        InputError: If a line is not one of an entry.
    """
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
    return frame
