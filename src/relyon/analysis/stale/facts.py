"""What an analysis of labels that no longer describe the collection found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.analysis.stale.bounds import Figures
from relyon.analysis.stale.states import State
from relyon.core.notes import Note

if TYPE_CHECKING:
    import polars

__all__ = ["Number", "Rules", "StaleFacts"]


@dataclass(frozen=True)
class Rules:
    """What was asked for.

    Attributes:
        near: The least closeness that counts as nearly the same.
        counted: The states that count as stale.
        oldest: The age in days above which a grade counts as stale; None for no limit.
        within: The width of the range that is to be reached; None for none.
        measure: The measure; empty without runs.
        levels: The grades that a document can get, ascending.
        fields: The fields that were compared.
        documents: The number of documents of the collection.
    """

    near: float
    counted: tuple[State, ...]
    oldest: float | None = None
    within: float | None = None
    measure: str = ""
    levels: tuple[float, ...] = ()
    fields: tuple[str, ...] = ()
    documents: int = 0


@dataclass(frozen=True)
class Number:
    """A run's mean, or the difference of a candidate and the baseline.

    Attributes:
        run: The run.
        baseline: The run that it is compared with; empty for a run's own mean.
        figures: The number, without stale grades, and its range.
        value_share: The share of the run's DCG that stale grades contribute; NaN of a difference.
        weight_share: The share of the ranks' weight with judged documents, discounted as in DCG, on
            which the grade is stale; NaN of a difference.
    """

    run: str
    baseline: str
    figures: Figures
    value_share: float = float("nan")
    weight_share: float = float("nan")

    @property
    def undecided(self) -> bool:
        """Whether new grades can turn the sign of a difference around, or make it 0."""
        bounds = self.figures.bounds
        return bool(self.baseline) and bounds.low <= 0 <= bounds.high

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        one = self.figures
        return {
            "run": self.run,
            "baseline": self.baseline or None,
            "value": one.value,
            "low": one.bounds.low,
            "high": one.bounds.high,
            "exact": one.bounds.exact,
            "left_out": one.left_out,
            "without_gone": one.without_gone,
            "queries": one.queries,
            "value_share": self.value_share,
            "weight_share": self.weight_share,
            "undecided": self.undecided if self.baseline else None,
        }


@dataclass(frozen=True)
class StaleFacts:
    """What was found; `StaleJudgments` has it in all forms.

    Attributes:
        pairs: One row per judged pair: `query`, `document`, `grade`, `state`, `closeness`,
            `new_document`, `tier`, `judged_at` (UTC), `old` and `stale`.
        again: The pairs to judge again, those first that can move the numbers most: `query`,
            `document`, `query_text`, `grade`, `tier` and `reach`, by how much a new grade of this
            pair alone can move the measure's mean (or the difference, with two runs or more).
        needed: How many of them to judge again for a range of at most `within`; None if nothing was
            asked for.
        runs: Every run's mean.
        contrasts: Every candidate minus the baseline.
        rules: What was asked for.
        notes: What was noticed.
    """

    pairs: polars.DataFrame = field(repr=False)
    again: polars.DataFrame = field(repr=False)
    needed: int | None
    runs: tuple[Number, ...]
    contrasts: tuple[Number, ...]
    rules: Rules
    notes: tuple[Note, ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of pairs by state."""
        from relyon.analysis.stale.states import STATES

        held = self.pairs["state"]
        return {state: int((held == state).sum()) for state in STATES}

    @property
    def stale(self) -> int:
        """The number of stale pairs."""
        return int(self.pairs["stale"].sum())
