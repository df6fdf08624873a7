"""One run on a leaderboard: its value, its rank, and the intervals of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from relyon.analysis.leaderboard.costs import CostStanding
from relyon.core.document.json import json_number

__all__ = ["Standing"]


@dataclass(frozen=True)
class Standing:
    """One run on one measure.

    Attributes:
        run: Its name.
        value: The measure, over the queries that all runs have.
        interval: The interval of the value over other queries; NaN if there is none.
        rank: 1 + the number of runs with a better value; equal values share a rank.
        ranks: The first and the last rank of its interval; the level holds for all runs together.
        own_ranks: The same, where the level holds for this run alone: only for a run that was
            chosen before its rank was seen.
        may_be_best: Whether no other run is shown to be better. The set of these runs contains the
            best one at the level of the intervals.
        better: The runs that are separated from it and better, the best first.
        worse: Those that are separated and worse.
        letters: The groups it is in: runs that share a letter are not separated. Empty if there are
            too many groups.
        tasks: Its value on each task, if there are several.
        costs: What it costs, and whether another run is better for no more.
    """

    run: str
    value: float
    interval: tuple[float, float]
    rank: int
    ranks: tuple[int, int]
    own_ranks: tuple[int, int]
    may_be_best: bool
    better: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    letters: str = ""
    tasks: Mapping[str, float] = field(default_factory=dict, hash=False)
    costs: Mapping[str, CostStanding] = field(default_factory=dict, hash=False)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; missing numbers are null."""
        values: dict[str, object] = {
            "run": self.run,
            "value": json_number(self.value),
            "interval": [json_number(one) for one in self.interval],
            "rank": self.rank,
            "ranks": list(self.ranks),
            "own_ranks": list(self.own_ranks),
            "may_be_best": self.may_be_best,
            "better": list(self.better),
            "worse": list(self.worse),
            "letters": self.letters or None,
        }
        if self.tasks:
            values["tasks"] = {name: json_number(one) for name, one in self.tasks.items()}
        if self.costs:
            values["costs"] = {name: one.to_dict() for name, one in self.costs.items()}
        return values
