"""The places of a query's chunks in ranked order: all that measures of passages need."""

from __future__ import annotations

from dataclasses import dataclass, field

from relyon.data.parts import Part
from relyon.data.ranking import Ranking

__all__ = ["RankedChunks"]


@dataclass(frozen=True)
class RankedChunks(Ranking):
    """A ranking of chunks without ties, by their places alone; `documents` is empty.

    It stands for the `Ranking` with the same order, for measures of passages.

    Attributes:
        places: The places of the chunks, best ranked first.
        known: Numbers of measures that were computed before.
    """

    places: tuple[Part, ...] = ()
    known: dict[object, tuple[float, float]] = field(default_factory=dict, compare=False)
