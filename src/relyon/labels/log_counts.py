"""Rows of a log as the native log counts them: which count, which clicks, of which part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from relyon import _native

if TYPE_CHECKING:
    import polars as pl

    from relyon.labels.rules import Rules

__all__ = ["Dropped", "Fold", "counted", "fill"]

COLUMNS = ("session", "query", "doc", "position", "clicked")


class Fold(NamedTuple):
    """A part of the sessions, chosen by their ids: the same ones in any order and engine.

    Attributes:
        number: Which part, from 0.
        of: How many there are.
        inside: Whether the part itself is meant, or all the others.
    """

    number: int
    of: int
    inside: bool = True


@dataclass
class Dropped:
    """Rows and clicks that were left out.

    Attributes:
        rows: Rows that lack an id, or were not shown.
        clicks: Clicks after which the user did not stay.
    """

    rows: int = 0
    clicks: int = 0


def fill(
    natives: Sequence[_native.ClickLog],
    folds: Sequence[Fold | None],
    parts: Iterable[pl.DataFrame],
) -> bool:
    """Adds rows to the logs of their folds; returns whether those of each session were together.

    Args:
        natives: One log per fold.
        folds: The folds; `None` is the whole log.
        parts: What `counted` returns.
    """
    for part in parts:
        for native, rows in zip(natives, _folded(part, folds), strict=True):
            if not native.add(*(rows.get_column(name) for name in COLUMNS)):
                return False
    return all(native.finish() for native in natives)


def _folded(part: pl.DataFrame, folds: Sequence[Fold | None]) -> Iterator[pl.DataFrame]:
    import polars as pl

    asked = part.height and any(fold is not None for fold in folds)
    hashes = pl.Series(_native.hash_ids(part.get_column("session")) if asked else [])
    for fold in folds:
        if fold is None or not part.height:
            yield part
            continue
        chosen = hashes % fold.of == fold.number
        yield part.filter(chosen if fold.inside else ~chosen)


def counted(rows: pl.DataFrame, rules: Rules, dropped: Dropped) -> pl.DataFrame:
    """Returns the rows that count, with the clicks that count.

    Args:
        rows: `Rules.columns`.
        rules: Which count.
        dropped: Counts the others.
    """
    import narwhals as nw

    part = nw.from_native(rows, eager_only=True)
    complete = part.select(complete=rules.complete(part.columns)).get_column("complete")
    if complete.sum() < len(part):  # few logs lack anything: their rows are not copied
        part = part.filter(complete)
    dropped.rows += rows.height - len(part)
    if rules.asks_dwell:
        dropped.clicks += len(part.filter(rules.done & ~rules.stayed))
    clicked = rules.clicked.cast(nw.Int8).alias("clicked")
    return part.select(*COLUMNS[:-1], clicked).to_native()
