"""Runs that list a document twice: read with the first and with the last copy of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.data.columns import is_frame, polars_columns
from relyon.data.run import Run, run_name
from relyon.io import Source, opened, read_run
from relyon.io.format import formats
from relyon.io.plain_text import read_text
from relyon.io.tabular import TabularFormat

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ReadRun", "read_copies"]

Row = tuple[str, str, float]


@dataclass(frozen=True)
class ReadRun:
    """A run, and what it is if of documents that it lists twice the last copy counts.

    Attributes:
        run: The run; of documents listed twice the first copy counts.
        last: The same with the last copies; None if no document is listed twice.
        copies: How many rows repeat a document of their list.
    """

    run: Run
    last: Run | None = None
    copies: int = 0


def read_copies(run: object) -> ReadRun:
    """Reads a run even if it lists documents twice: a file or a data frame.

    Args:
        run: As for `relyon.read_run`.

    Raises:
        InputError: If it cannot be read for another reason, or is of another format.
    """
    given = opened(run, "run") or run
    try:
        return ReadRun(read_run(given))
    except InputError:
        rows = list(_rows(given))
        first: dict[str, dict[str, float]] = {}
        last: dict[str, dict[str, float]] = {}
        for query, document, score in rows:
            first.setdefault(query, {}).setdefault(document, score)
            # In a dict as in a list, the copy that counts has its own place.
            last.setdefault(query, {}).pop(document, None)
            last[query][document] = score
        copies = len(rows) - sum(map(len, first.values()))
        if not copies:
            raise
        name = run_name(run)
        return ReadRun(Run.from_dict(first, name=name), Run.from_dict(last, name=name), copies)


def _rows(given: object) -> Iterable[Row]:
    """Returns the rows of a file or of a data frame; none if they cannot be read again."""
    if isinstance(given, Source):
        again = None
        if given.path != "-":
            again = opened(
                given.path, "run", encoding=given.encoding.codec if given.encoding else None
            )
        if again is None:
            return []
        form = formats.get(again.format)
        if isinstance(form, TabularFormat):
            return _column_rows(form.table(again, "run", None).columns)
        given = again
        fields = [line.split() for line in read_text(given).splitlines() if line.strip()]
        if any(len(one) < 6 for one in fields):
            return []
        try:
            return [(one[0], one[2], float(one[4])) for one in fields]
        except ValueError:
            return []
    if isinstance(given, Run) or not is_frame(given):
        return []
    return _column_rows(polars_columns(given, "run"))


def _column_rows(columns: Mapping[str, pl.Series]) -> Iterable[Row]:
    """Returns the rows of columns by role; none if a score is not a number."""
    if not {"query", "document", "score"} <= columns.keys():
        return []
    named = (columns[name].to_list() for name in ("query", "document", "score"))
    try:
        return [
            (str(query), str(name), float(score)) for query, name, score in zip(*named, strict=True)
        ]
    except (TypeError, ValueError):
        return []
