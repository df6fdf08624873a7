"""One task's calls, each with a ranked list: the input of measures of whole tasks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.ranking import MOST_ORDERS, Ranking

__all__ = ["Call", "TaskRanking", "calls_of"]


@dataclass(frozen=True)
class Call:
    """One call of a search tool: what was asked, returned and read.

    Attributes:
        ranking: The ranked results, with the task's judgments.
        query: The text that was sent.
        read: The documents that were then read, in order; `None` if reading was not recorded.
        tokens: The tokens that the call cost, NaN if unknown.
        seconds: The seconds that it took, NaN if unknown.
    """

    ranking: Ranking
    query: str = ""
    read: tuple[str, ...] | None = None
    tokens: float = math.nan
    seconds: float = math.nan

    def __iter__(self) -> Iterator[str]:
        """Iterates over the ids of the results, best first."""
        return (entry.document for entry in self.ranking)


@dataclass(frozen=True)
class TaskRanking(Ranking):
    """The calls of one task and all its judgments.

    `documents` are those of all calls, one call after the other, with the ranks of each call.

    Attributes:
        calls: The calls, in order.
    """

    calls: tuple[Call, ...] = ()

    @classmethod
    def of_calls(cls, calls: tuple[Call, ...], ranking: Ranking) -> TaskRanking:
        """Joins the calls of a task.

        Args:
            calls: The calls, in order.
            ranking: The ranking of any of them, or an empty one: what they share is taken from it.
        """
        return cls(
            documents=tuple(entry for call in calls for entry in call.ranking),
            judged=ranking.judged,
            query=ranking.query,
            pooled=ranking.pooled,
            ignores=ranking.ignores,
            unseen=ranking.unseen,
            graded=ranking.graded,
            passages=ranking.passages,
            chunks=ranking.chunks,
            calls=calls,
        )

    def reordered(self, order: Literal["worst", "best"]) -> TaskRanking:
        """Returns the same calls, each with tied documents in the worst or the best order."""
        calls = tuple(replace(one, ranking=one.ranking.reordered(order)) for one in self.calls)
        return self.of_calls(calls, self)

    def orders(self) -> Iterator[Ranking]:
        """Yields every order of tied documents within the calls once.

        Raises:
            ParameterError: If there are more than 50,000 of them.
        """
        every = [list(one.ranking.orders()) for one in self.calls]
        if math.prod(map(len, every)) > MOST_ORDERS:
            raise ParameterError(
                message("data.query-has-too-many", query=self.query),
                hint=message("data.choose-another-tie-rule-for-this"),
            )
        for orders in product(*every):
            pairs = zip(self.calls, orders, strict=True)
            calls = tuple(replace(one, ranking=ranking) for one, ranking in pairs)
            yield self.of_calls(calls, self)


def calls_of(ranking: Ranking) -> tuple[Call, ...]:
    """Returns the calls of a task; a ranking of an ordinary run is a task with one call.

    Examples:
        >>> [list(call) for call in calls_of(Ranking.of([3, None]))]
        [['d1', 'd2']]
    """
    return ranking.calls if isinstance(ranking, TaskRanking) else (Call(ranking),)
