"""Ordinal agreement of scores with labels: Kendall, Spearman, quadratic weighted kappa."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.measures.definition import Aspect, Kernel, Measure, Step
from relyon.measures.formulas import equation, format_number
from relyon.measures.lookup import register
from relyon.measures.pairwise import PairUnjudged, labelled

if TYPE_CHECKING:
    from relyon.data.ranking import Ranking

__all__ = ["Kappa", "Spearman", "Tau"]

SIGNED = (-1.0, 1.0)


def average_ranks(values: Sequence[float]) -> list[float]:
    """Returns ranks from 1 for the lowest; ties share their mean rank."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for position in order[start:end]:
            ranks[position] = (start + 1 + end) / 2
        start = end
    return ranks


@register
@dataclass(frozen=True)
class Tau(Measure):
    """Kendall's tau-b between scores and labels.

    (concordant - discordant) / sqrt((pairs - pairs tied in score) (pairs - pairs tied in label)).
    Undefined if all scores or all labels are equal.

    Attributes:
        unjudged: Unjudged documents are left out (`removed`) or have label 0 (`nonrelevant`).

    Examples:
        >>> import relyon
        >>> round(relyon.measure("tau").score([3, 1, 2]), 4)
        0.3333

    References:
        Kendall (1945), Biometrika 33(3).
    """

    name = "tau"
    aliases = ("kendall", "kendall_tau", "tau_b")
    aspect: ClassVar[Aspect] = "pairs"
    bounds: ClassVar[tuple[float, float]] = SIGNED
    headings: ClassVar[tuple[str, str]] = ("concordant", "discordant")
    ordinal: ClassVar[bool] = True
    convention_fields: ClassVar[dict[str, str]] = {"unjudged": ""}
    formula = "(concordant - discordant) / sqrt(untied in score x untied in label)"
    unjudged: PairUnjudged = "removed"

    def _norm(self, ranking: "Ranking") -> float:
        rows = labelled(ranking, self.unjudged)
        scores = sum(one.score != other.score for (one, _), (other, _) in combinations(rows, 2))
        labels = sum(one != other for (_, one), (_, other) in combinations(rows, 2))
        return math.sqrt(scores * labels)

    def undefined(self, ranking: "Ranking") -> str | None:
        return None if self._norm(ranking) else "all scores or all labels are equal"

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        norm, difference = self._norm(ranking), 0
        above: list[tuple[float, float]] = []
        for entry, label in labelled(ranking, self.unjudged):
            products = [(score - entry.score) * (other - label) for score, other in above]
            concordant = sum(product > 0 for product in products)
            discordant = sum(product < 0 for product in products)
            difference += concordant - discordant
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                float(concordant),
                float(discordant),
                (concordant - discordant) / norm,
                difference / norm,
            )
            above.append((entry.score, label))

    def expanded_formula(self, ranking: "Ranking") -> str:
        steps = list(self.steps(ranking))
        concordant, discordant = (
            format_number(sum(step.gain for step in steps)),
            format_number(sum(step.discount for step in steps)),
        )
        left = f"({concordant} - {discordant}) / {format_number(self._norm(ranking))}"
        return equation(left, self.value(ranking))

    def kernel(self) -> Kernel | None:
        return "tau", {"unjudged": self.unjudged}


@register
@dataclass(frozen=True)
class Spearman(Measure):
    """Spearman's rank correlation between scores and labels.

    Pearson's correlation of their ranks, where ties share their mean rank. Undefined
    where all scores or all labels are equal.

    Attributes:
        unjudged: Unjudged documents are left out (`removed`) or have label 0 (`nonrelevant`).

    Examples:
        >>> import relyon
        >>> round(relyon.measure("spearman").score([3, 1, 2]), 10)
        0.5

    References:
        Spearman (1904), The American Journal of Psychology 15(1).
    """

    name = "spearman"
    aliases = ("rho", "spearman_rho")
    bounds: ClassVar[tuple[float, float]] = SIGNED
    headings: ClassVar[tuple[str, str]] = ("score rank", "label rank")
    ordinal: ClassVar[bool] = True
    convention_fields: ClassVar[dict[str, str]] = {"unjudged": ""}
    formula = "Pearson correlation of the ranks of scores and labels"
    unjudged: PairUnjudged = "removed"

    def undefined(self, ranking: "Ranking") -> str | None:
        rows = labelled(ranking, self.unjudged)
        varied = (
            len({entry.score for entry, _ in rows}) > 1 and len({label for _, label in rows}) > 1
        )
        return None if varied else "all scores or all labels are equal"

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        rows = labelled(ranking, self.unjudged)
        scores = average_ranks([entry.score for entry, _ in rows])
        labels = average_ranks([label for _, label in rows])
        mean = (len(rows) + 1) / 2
        norm = math.sqrt(
            sum((rank - mean) ** 2 for rank in scores) * sum((rank - mean) ** 2 for rank in labels)
        )
        running = 0.0
        for (entry, _), score, label in zip(rows, scores, labels, strict=True):
            product = (score - mean) * (label - mean)
            running += product
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                score,
                label,
                product / norm,
                running / norm,
            )

    def kernel(self) -> Kernel | None:
        return "spearman", {"unjudged": self.unjudged}


@register
@dataclass(frozen=True)
class Kappa(Measure):
    """Quadratic weighted kappa between predicted grades and labels.

    1 - (sum of squared differences) / (the same sum expected from the two sets of grades by
    chance). The scores must be predicted grades: whole numbers. Undefined if both sides are
    constant and equal.

    Attributes:
        unjudged: Unjudged documents are left out (`removed`) or have label 0 (`nonrelevant`).

    Raises:
        InputError: If a score is not a whole number.

    Examples:
        >>> import relyon
        >>> labels, predicted = [3, 2, 0, 1], [3, 1, 0, 1]
        >>> relyon.evaluate_scores(labels, predicted, [4], ["kappa"])["kappa"]
        0.9

    References:
        Cohen (1968), Psychological Bulletin 70(4).
    """

    name = "kappa"
    aliases = ("qwk", "quadratic_kappa")
    bounds: ClassVar[tuple[float, float]] = SIGNED
    headings: ClassVar[tuple[str, str]] = ("difference²", "expected")
    ordinal: ClassVar[bool] = True
    convention_fields: ClassVar[dict[str, str]] = {"unjudged": ""}
    formula = "1 - sum (predicted - label)^2 / expected by chance"
    unjudged: PairUnjudged = "removed"

    def _expected(self, ranking: "Ranking") -> float:
        rows = labelled(ranking, self.unjudged)
        for entry, _ in rows:
            if entry.score != int(entry.score):
                raise InputError(
                    message(
                        "measures.kappa-compares-predicted-grades",
                        score=entry.score,
                    ),
                    hint=message("measures.round-scores-to-grades"),
                )
        total = sum((entry.score - label) ** 2 for entry, _ in rows for _, label in rows)
        return total / len(rows) if rows else 0.0

    def undefined(self, ranking: "Ranking") -> str | None:
        return None if self._expected(ranking) else "predictions and labels are constant and equal"

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        expected, running = self._expected(ranking), 0.0
        for entry, label in labelled(ranking, self.unjudged):
            difference = (entry.score - label) ** 2
            running += difference
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                difference,
                expected,
                -difference / expected,
                1.0 - running / expected,
            )

    def expanded_formula(self, ranking: "Ranking") -> str:
        found = sum(step.gain for step in self.steps(ranking))
        left = f"1 - {format_number(found)} / {format_number(self._expected(ranking))}"
        return equation(left, self.value(ranking))

    def kernel(self) -> Kernel | None:
        return "kappa", {"unjudged": self.unjudged}
