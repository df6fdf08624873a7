"""Methods in which runs vote: Borda points, or pairwise majorities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from relyon.ltr.fusion.method import Kernel, Method, Place, Reads, merge_sorted, register

__all__ = ["BordaFuse", "Condorcet", "WeightedBordaFuse", "WeightedCondorcet"]


@register
@dataclass(frozen=True)
class BordaFuse(Method):
    """Borda count: of c candidates the first gets c points, the second c - 1 …

    The remaining points are shared equally by the documents that the run lacks.

    References:
        Aslam and Montague (2001), SIGIR.
    """

    name: ClassVar[str] = "borda"
    aliases: ClassVar[tuple[str, ...]] = ("bordafuse", "borda_fuse")
    formula: ClassVar[str] = "sum of w x (c - r + 1); w x (c - n + 1) / 2 from a run that lacks it"
    reads: ClassVar[Reads] = "ranks"

    def points(self, place: Place) -> float:
        """The points of a place."""
        return float(place.candidates - place.rank + 1)

    def absent(self, run: int, retrieved: int, candidates: int) -> float | None:
        """An equal share of the remaining points."""
        return (candidates - retrieved + 1) / 2

    def kernel(self) -> Kernel:
        """The arguments of the native core."""
        return Kernel("borda", absent="borda")


@register
@dataclass(frozen=True)
class WeightedBordaFuse(BordaFuse):
    """Borda count with a weight per run.

    References:
        Aslam and Montague (2001), SIGIR.
    """

    name: ClassVar[str] = "w_borda"
    aliases: ClassVar[tuple[str, ...]] = ("w_bordafuse", "weighted_bordafuse", "weighted_borda")
    needs_weights: ClassVar[bool] = True


@register
@dataclass(frozen=True)
class Condorcet(BordaFuse):
    """Condorcet fusion: a document precedes those that a majority of runs ranks below it.

    A run prefers documents that it returned to those that it lacks, and has no vote on two that it
    lacks. Majorities can be cyclic; so the documents are first ordered by their Borda points and
    then merged, pairs first: a later one moves before an earlier one if more weight prefers it. The
    best of c documents gets the score c, the next c - 1 …

    References:
        Montague and Aslam (2002), CIKM.
    """

    name: ClassVar[str] = "condorcet"
    aliases: ClassVar[tuple[str, ...]] = ("condorcet_fuse",)
    formula: ClassVar[str] = "c - place in an order in which majorities win"

    def order(
        self, places: Mapping[str, Mapping[int, Place]], weights: Sequence[float]
    ) -> list[str] | None:
        """The order of all documents, starting with that by Borda points."""

        def votes(one: str, other: str) -> float:
            return sum(
                sorted(
                    weight
                    for run, weight in enumerate(weights)
                    if run in places[one]
                    and (
                        run not in places[other] or places[one][run].rank < places[other][run].rank
                    )
                )
            )

        return merge_sorted(
            list(places), lambda later, earlier: votes(later, earlier) > votes(earlier, later)
        )

    def kernel(self) -> Kernel:
        """The arguments of the native core."""
        return Kernel("borda", absent="borda", combine="votes")


@register
@dataclass(frozen=True)
class WeightedCondorcet(Condorcet):
    """Condorcet fusion in which each run's vote has a weight.

    References:
        Montague and Aslam (2002), CIKM.
    """

    name: ClassVar[str] = "w_condorcet"
    aliases: ClassVar[tuple[str, ...]] = ("weighted_condorcet",)
    needs_weights: ClassVar[bool] = True
