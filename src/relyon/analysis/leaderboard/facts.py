"""The numbers of a leaderboard, which tables and pages show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.analysis.leaderboard.board import Board
from relyon.core.notes import Note

if TYPE_CHECKING:
    from relyon.data.convention import Convention

__all__ = ["LeaderboardFacts"]


@dataclass(frozen=True)
class LeaderboardFacts:
    """The numbers of a `Leaderboard`.

    Attributes:
        boards: One per measure.
        confidence: The level of the intervals.
        tasks: The number of queries of each task, if there are several.
        sampled: Whether tasks are drawn at random, not queries within them.
        cluster: The column of clusters; empty without.
        resamples: Number of draws.
        seed: Their seed.
        convention: The rules of the evaluations; None if only values were given.
        inputs: The fingerprints of what each run was measured with, as far as they are known.
        notes: Notes about the data.
    """

    boards: tuple[Board, ...]
    confidence: float
    tasks: Mapping[str, int] = field(default_factory=dict, hash=False)
    sampled: bool = False
    cluster: str = ""
    resamples: int = 1000
    seed: int = 0
    convention: Convention | None = None
    inputs: Mapping[str, object] = field(default_factory=dict, hash=False)
    notes: tuple[Note, ...] = ()

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs, in the order of the first measure."""
        return self.boards[0].runs

    @property
    def has_costs(self) -> bool:
        """Whether what the runs cost is known."""
        return any(one.costs for board in self.boards for one in board.standings)
