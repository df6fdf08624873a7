"""What one system answered to each query: its confidence, and whether it was right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.statistics.auroc import Area

__all__ = ["Answers"]


@dataclass(frozen=True)
class Answers:
    """One system's answers to the queries whose answerability is known.

    Attributes:
        system: The name of the system.
        queries: The ids, in order.
        answerable: Whether each query has an answer, of shape (queries,).
        scores: The confidence of each answer: the top score, or the stated column; −∞ without an
            answer.
        right: Whether the answer is right, 0 to 1 (between, in expectation over ties); 0 for a
            query without an answer or without results, NaN for an answerable query without a
            relevant document among its judgments.
    """

    system: str
    queries: tuple[str, ...]
    answerable: NDArray[np.bool_]
    scores: NDArray[np.float64]
    right: NDArray[np.float64]

    @cached_property
    def area(self) -> Area:
        """The area below the ROC curve: do answerable queries have the higher scores?"""
        from relyon.analysis.statistics.auroc import area

        return area(self.scores[self.answerable], self.scores[~self.answerable])

    @property
    def without_answer(self) -> int:
        """The number of queries to which the system returned nothing."""
        import numpy as np

        return int(np.isneginf(self.scores).sum())

    @property
    def most_equal(self) -> int:
        """How many answers share the most frequent score."""
        import numpy as np

        finite = self.scores[np.isfinite(self.scores)]
        return int(np.unique(finite, return_counts=True)[1].max(initial=0))

    def by_id(self) -> Answers:
        """Returns the answers in the order of the ids: some intervals depend on the order."""
        order = sorted(range(len(self.queries)), key=self.queries.__getitem__)
        if order == [*range(len(order))]:
            return self
        return Answers(
            self.system,
            tuple(self.queries[place] for place in order),
            self.answerable[order],
            self.scores[order],
            self.right[order],
        )

    def part(self, chosen: NDArray[np.bool_]) -> Answers:
        """Returns the answers to some of the queries.

        Args:
            chosen: Whether each query is kept.
        """
        return Answers(
            self.system,
            tuple(one for one, kept in zip(self.queries, chosen, strict=True) if kept),
            self.answerable[chosen],
            self.scores[chosen],
            self.right[chosen],
        )
