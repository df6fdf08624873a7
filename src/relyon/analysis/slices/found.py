"""Slices of queries, and the numbers of those that were tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from relyon.analysis.slices.predicates import Predicate
from relyon.core.document.json import json_number
from relyon.core.notes import Note
from relyon.core.texts import Catalogue, Language, catalogue

__all__ = ["FoundSlice", "SliceFacts", "SliceVerdict", "conditions"]

SliceVerdict = Literal["loses", "elsewhere", "undecided"]


@dataclass(frozen=True)
class FoundSlice:
    """Queries for which all predicates of a slice are true.

    Attributes:
        candidate: The candidate.
        measure: The measure.
        predicates: What is true of its queries, 1 to 3 of them.
        queries: The ids of all its queries, the largest loss first.
        tested: How many of them tested the slice: those of one half, if it was found in the other,
            or all, if each half found it and the other tested it. The following numbers are theirs.
        difference: The mean of candidate - baseline over them, in the measure's own units.
        rest: The mean over the other queries of the same halves.
        interval: Of the difference; all slices that were tested are covered together.
        searched: The mean over its queries in the half that only found it: often too large a loss,
            because it was selected for that. NaN if both halves tested it.
        p_loss: Of “the slice does not lose”, corrected over all tested slices.
        p_elsewhere: Of “the slice does not lose more than the other queries”, corrected as well.
        verdict: `loses` if both p-values are at most the significance level; `elsewhere` if only
            `p_elsewhere` is: it does worse there than elsewhere; else `undecided`.
        examples: The queries with the largest losses, with their differences.
        overlapping: The predicates of other slices that say the same of mostly the same queries.

    Examples:
        >>> import relyon
        >>> changes = {f"q{n}": -0.5 + n % 5 / 10 if n < 60 else n % 5 / 20 for n in range(240)}
        >>> tiers = {query: "tail" if int(query[1:]) < 60 else "head" for query in changes}
        >>> one = relyon.find_slices(changes, {"tier": tiers}).slices[0]
        >>> one.where("zh"), one.by, one.examples[0]
        ('tier = tail', ('tier',), ('q0', -0.5))
    """

    candidate: str
    measure: str
    predicates: tuple[Predicate, ...]
    queries: tuple[str, ...]
    tested: int
    difference: float
    rest: float
    interval: tuple[float, float]
    searched: float
    p_loss: float
    p_elsewhere: float
    verdict: SliceVerdict = "undecided"
    examples: tuple[tuple[str, float], ...] = ()
    overlapping: tuple[tuple[Predicate, ...], ...] = ()

    @property
    def by(self) -> tuple[str, ...]:
        """The columns to break the comparison down by; empty if a predicate is of none."""
        return tuple(one.feature for one in self.predicates if one.given)

    def where(self, language: Language = "en") -> str:
        """Returns the conditions as text, such as `tier = tail and digits = yes`."""
        return conditions(self.predicates, catalogue("slices", language))

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        low, high = self.interval
        return {
            "candidate": self.candidate,
            "measure": self.measure,
            "where": self.where(),
            "predicates": [one.to_dict() for one in self.predicates],
            "queries": len(self.queries),
            "tested": self.tested,
            "difference": json_number(self.difference),
            "rest": json_number(self.rest),
            "interval": [json_number(low), json_number(high)],
            "searched": json_number(self.searched),
            "p_loss": json_number(self.p_loss),
            "p_elsewhere": json_number(self.p_elsewhere),
            "verdict": self.verdict,
            "examples": [
                {"query": query, "difference": json_number(change)}
                for query, change in self.examples
            ],
            "overlapping": [conditions(one, catalogue("slices", "en")) for one in self.overlapping],
        }

    def to_row(self) -> dict[str, object]:
        """Returns the same, flattened: one column per number."""
        found = self.to_dict()
        low, high = self.interval
        apart = ("predicates", "interval", "examples", "overlapping")
        return {
            **{name: one for name, one in found.items() if name not in apart},
            "interval_low": json_number(low),
            "interval_high": json_number(high),
            "examples": " ".join(query for query, _ in self.examples),
        }


def conditions(predicates: tuple[Predicate, ...], words: Catalogue) -> str:
    """Returns predicates as one condition.

    Args:
        predicates: The predicates.
        words: The texts of the area `slices`.
    """
    return words["and"].join(one.text(words) for one in predicates)


@dataclass(frozen=True)
class SliceFacts:
    """What was searched and tested, which tables read.

    Attributes:
        tested: All slices that were tested, of all candidates and measures.
        queries: How many queries there are.
        features: The names of the features, without the words of texts.
        words: How many words of queries are features.
        predicates: How many predicates the features have.
        depth: The most predicates of a slice.
        least: The least number of queries of a slice, in both halves together.
        alpha: The significance level.
        confidence: The level of the intervals.
        seed: The seed of the halves and of the draws.
        left_out: By column that is not used, why: `constant`, `unique`, `two-values`, `run-value`,
            `one-sided`.
        query_texts: The texts of queries, as far as they are known.
        notes: Notes about the data.
    """

    tested: tuple[FoundSlice, ...]
    queries: int
    features: tuple[str, ...]
    words: int
    predicates: int
    depth: int
    least: int
    alpha: float
    confidence: float
    seed: int
    left_out: Mapping[str, str] = field(default_factory=dict)
    query_texts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    @property
    def slices(self) -> tuple[FoundSlice, ...]:
        """The slices that were found: those that lose, then those worse than elsewhere."""
        return tuple(one for one in self.tested if one.verdict != "undecided")
