"""The rules of an analysis: how thresholds are chosen, and what is reported."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.analysis.abstention.thresholds import Choice
from relyon.core.parameters import check_fraction, check_whole

__all__ = ["AbstentionRules"]


@dataclass(frozen=True)
class AbstentionRules:
    """How thresholds are chosen, and what is reported.

    Attributes:
        target: The share of unanswerable queries that may be answered.
        cost: The cost of a false answer; that of no answer to an answerable query is 1.
        threshold: A threshold that is given.
        base_rate: π, the share of unanswerable queries where the system is used; None takes that of
            the queries reported.
        k: A right answer has a relevant document among the first k.
        folds: The number of parts of the queries; each part's threshold is chosen on the others.
        confidence: The level of the intervals.
        alpha: The significance level of corrected p-values.
        correction: `holm`, `bh` or `none`.
        seed: The seed of the bootstrap.
    """

    target: float | None = None
    cost: float | None = None
    threshold: float | None = None
    base_rate: float | None = None
    k: int = 1
    folds: int = 5
    confidence: float = 0.95
    alpha: float = 0.05
    correction: str = "holm"
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole("k", self.k)
        check_whole("folds", self.folds, least=2)
        check_whole("seed", self.seed, least=0)
        for name in ("confidence", "alpha"):
            check_fraction(name, getattr(self, name))
        self.choice(0.5)
        if self.base_rate is not None:
            check_fraction("base_rate", self.base_rate)

    def choice(self, share: float) -> Choice:
        """Returns the rule that chooses a threshold.

        Args:
            share: The share of unanswerable queries in the test set.
        """
        rate = share if self.base_rate is None else self.base_rate
        return Choice.of(self.target, self.cost, self.threshold, rate)
