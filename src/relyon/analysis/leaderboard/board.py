"""The leaderboard of one measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from relyon.analysis.leaderboard.standing import Standing
from relyon.core.document.json import json_number
from relyon.core.errors import UnknownNameError
from relyon.core.registry import suggestion
from relyon.core.texts import message

__all__ = ["Board", "FirstTwo", "Unit"]

#: What is drawn at random: queries, clusters of them, queries within fixed tasks, or tasks.
Unit = Literal["queries", "clusters", "queries of tasks", "tasks"]


@dataclass(frozen=True)
class FirstTwo:
    """How far apart the first two runs are.

    Attributes:
        difference: The first one's value minus the second's, in the direction of better.
        p: The corrected p-value of the pair.
        separated: Whether it is at most 1 - the confidence level.
        needed: The units (`Board.unit`) at which this difference would be detected with power 0.8,
            if the two were compared alone; 0 if it cannot be said.
    """

    difference: float
    p: float
    separated: bool
    needed: int

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "difference": json_number(self.difference),
            "p": json_number(self.p),
            "separated": self.separated,
            "needed": self.needed or None,
        }


@dataclass(frozen=True)
class Board:
    """All runs on one measure.

    Attributes:
        measure: The measure.
        definition: Its definition; empty for values of another program.
        average: How queries become one number.
        standings: The runs, the best first; equal values by name.
        queries: The number of queries that all runs have.
        left_out: Queries left out, as a run has no value there.
        unit: What is drawn at random.
        units: How many there are.
        groups: Maximal groups of runs of which no two are separated; empty if there are too many.
        separated: Pairs of runs that are separated.
        pairs: All pairs.
        neighbours: Pairs of neighbours in the order that are separated, of all runs - 1.
        first_two: The first two.
    """

    measure: str
    definition: str
    average: str
    standings: tuple[Standing, ...]
    queries: int
    left_out: int
    unit: Unit
    units: int
    groups: tuple[tuple[str, ...], ...]
    separated: int
    pairs: int
    neighbours: int
    first_two: FirstTwo

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs, the best first."""
        return tuple(one.run for one in self.standings)

    @property
    def may_be_best(self) -> tuple[str, ...]:
        """The set that contains the best run at the level of the intervals."""
        return tuple(one.run for one in self.standings if one.may_be_best)

    def __getitem__(self, run: str) -> Standing:
        """Returns the standing of a run.

        Raises:
            UnknownNameError: If there is none of the name.
        """
        found = next((one for one in self.standings if one.run == run), None)
        if found is None:
            raise UnknownNameError(
                message("analysis.no-run", name=run), hint=suggestion(run, list(self.runs))
            )
        return found

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; missing numbers are null."""
        return {
            "measure": self.measure,
            "definition": self.definition or None,
            "average": self.average,
            "queries": self.queries,
            "left_out": self.left_out,
            "unit": self.unit,
            "units": self.units,
            "standings": [one.to_dict() for one in self.standings],
            "may_be_best": list(self.may_be_best),
            "groups": [list(one) for one in self.groups] or None,
            "separated_pairs": self.separated,
            "pairs": self.pairs,
            "separated_neighbours": self.neighbours,
            "first_two": self.first_two.to_dict(),
        }
