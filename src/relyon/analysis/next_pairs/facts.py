"""The facts of a draw and of an estimate, without the ways to show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relyon.analysis.next_pairs.drawn import DrawnPair
    from relyon.core.notes import Note

__all__ = ["DrawFacts", "EstimateFacts"]


@dataclass(frozen=True)
class EstimateFacts:
    """The fields of `PairsEstimate`."""

    measure: str
    value: float
    low: float
    high: float
    confidence: float
    error: float
    draw_error: float
    queries: int
    drawn: int
    left: int
    batches: int
    skipped: int
    next_half: float
    next_budget: int
    values: Mapping[str, float] = field(repr=False, default_factory=dict)
    notes: tuple[Note, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every pair is graded: the value is that of a complete evaluation."""
        return self.left == 0 and self.skipped == 0

    @property
    def half(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class DrawFacts:
    """The fields of `NextPairs`."""

    drawn: tuple[DrawnPair, ...]
    left: int
    covered: float
    estimate: EstimateFacts
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        """The number of pairs to grade."""
        return len(self.drawn)
