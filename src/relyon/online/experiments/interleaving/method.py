"""Methods of interleaving: how lists are mixed and clicks are credited."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar

from relyon.core.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "Clicks", "Draw", "Interleaving", "Placed", "Rankings", "contested", "fill_up", "left",
    "methods", "pick", "register",
]  # fmt: skip

#: The documents of one query, best first, one list per run.
Rankings = Sequence[Sequence[str]]


class Placed(NamedTuple):
    """A document in a mixed list.

    Attributes:
        document: Its id.
        owner: The number of its owning run, from 0; None if it has no owner.
        credits: What a click on it says about each run: each method has a meaning of its own.
    """

    document: str
    owner: int | None
    credits: tuple[float, ...]


Draw = Callable[[Random], list[Placed]]


@dataclass(frozen=True)
class Clicks:
    """The clicks of sessions on mixed lists, ordered by session and position.

    Attributes:
        sessions: How many sessions there are; those without a click have no rows below.
        session: The number of the session of each click, from 0.
        credits: What each click says about each run, shape (clicks, runs).
    """

    sessions: int
    session: NDArray[np.int64]
    credits: NDArray[np.float64]


class Interleaving(ABC):
    """A way to mix the lists of several runs so that clicks on it say which run is better.

    Attributes:
        name: Its name in options and results.
        aliases: Other names.
        most: How many runs it can mix; None for any number.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    most: ClassVar[int | None] = None

    @abstractmethod
    def plan(self, rankings: Rankings, depth: int) -> Draw:
        """Returns a function that draws a mixed list of one query.

        Args:
            rankings: One list per run, each with one document or more, none twice.
            depth: Positions of the mixed list.
        """

    @abstractmethod
    def outcomes(self, clicks: Clicks, first: int, second: int) -> NDArray[np.float64]:
        """Returns for each session, from −1 to 1, how far it prefers the second run to the first.

        Sessions without a click prefer none: 0.
        """


C = TypeVar("C", bound="type[Interleaving]")

methods: Registry[type[Interleaving]] = Registry(
    "interleaving method",
    modules={
        f"relyon.online.experiments.interleaving.{module}": names
        for module, names in {
            "team_draft": "team-draft",
            "balanced": "balanced",
            "probabilistic": "probabilistic",
            "optimised": "optimised optimized",
        }.items()
    },
)


def register(method: C) -> C:
    """Adds a class of methods to those that have names."""
    return methods.register(method)


def pick(random: Random, count: int) -> int:
    """Returns a whole number below `count`: the same one from a seed in every version of Python."""
    return int(random.random() * count)


def contested(rankings: Rankings, depth: int) -> int:
    """Returns how many positions every run can always fill: those are credited.

    Below the end of the shortest list only some runs have anything to offer: whoever clicks there
    would speak for the longer list, without having chosen.
    """
    return min(depth, *map(len, rankings))


def left(ranking: Sequence[str], placed: Sequence[Placed]) -> Iterator[str]:
    """Yields the documents of a run that are not in the mixed list, best first."""
    there = {one.document for one in placed}
    return (document for document in ranking if document not in there)


def fill_up(placed: list[Placed], rankings: Rankings, depth: int) -> None:
    """Fills up a list from the runs in turn; added results have no owner."""
    turn = empty = 0
    while len(placed) < depth and empty < len(rankings):
        document = next(left(rankings[turn % len(rankings)], placed), None)
        turn += 1
        empty = empty + 1 if document is None else 0
        if document is not None:
            placed.append(Placed(document, None, (0.0,) * len(rankings)))
