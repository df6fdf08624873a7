"""Measures of two classes, positive and negative: AUC, GAUC, average precision over thresholds."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, Literal

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.measures.definition import Aspect, Combine, Kernel, Step
from relyon.measures.formulas import equation, format_number
from relyon.measures.inversions import Exact, Inversion, costliest, exact
from relyon.measures.lookup import register
from relyon.measures.pairwise import PairUnjudged, labelled
from relyon.measures.relevance import BinaryMeasure

if TYPE_CHECKING:
    from relyon import _native
    from relyon.data.ranking import RankedDocument, Ranking

__all__ = ["AUC", "GAUC", "AveragePrecision"]

Weight = Literal["uniform", "rows", "positives"]


def weight_of(entries: "Sequence[RankedDocument]") -> Exact:
    """Returns the total weight of documents: their number if all rows weigh the same."""
    return sum((exact(entry.weight) for entry in entries), 0)


class ScoreWeights:
    """The weights of documents with a lower and with an equal score.

    Examples:
        >>> import relyon
        >>> scores = ScoreWeights(relyon.Ranking.of([1, 0, 2]).documents)
        >>> scores.lower(1.0), scores.equal(1.0), scores.higher(1.0)
        (1, 1, 1)
    """

    def __init__(self, entries: "Sequence[RankedDocument]") -> None:
        rising = sorted(entries, key=lambda entry: entry.score)
        self._scores = [entry.score for entry in rising]
        self._sums: list[Exact] = [0, *accumulate(exact(entry.weight) for entry in rising)]

    def lower(self, score: float) -> Exact:
        """The weight of documents with a lower score."""
        return self._sums[bisect_left(self._scores, score)]

    def equal(self, score: float) -> Exact:
        """The weight of documents with this score."""
        return self._sums[bisect_right(self._scores, score)] - self.lower(score)

    def higher(self, score: float) -> Exact:
        """The weight of documents with a higher score."""
        return self._sums[-1] - self._sums[bisect_right(self._scores, score)]


@dataclass(frozen=True)
class _Classes(BinaryMeasure):
    """Shared by measures of two classes."""

    ordinal: ClassVar[bool] = True
    weighted: ClassVar[bool] = True
    convention_fields: ClassVar[dict[str, str]] = {"unjudged": ""}

    def threshold(self) -> float:
        """The grade from which a document is positive."""
        rel: float | None = getattr(self, "rel", None)
        return 1.0 if rel is None else rel

    def classes(self, ranking: "Ranking") -> "tuple[list[RankedDocument], list[RankedDocument]]":
        """Returns positive and negative documents."""
        unjudged: str = getattr(self, "unjudged", "removed")
        positive: list[RankedDocument] = []
        negative: list[RankedDocument] = []
        for entry, label in labelled(ranking, unjudged):
            (positive if label >= self.threshold() else negative).append(entry)
        return positive, negative

    def undefined(self, ranking: "Ranking") -> str | None:
        return None if weight_of(self.classes(ranking)[0]) else "no retrieved document is positive"


def _equal_scores(one: "Sequence[RankedDocument]", other: "Sequence[RankedDocument]") -> Exact:
    held = ScoreWeights(other)
    return sum((exact(entry.weight) * held.equal(entry.score) for entry in one), 0)


@dataclass(frozen=True)
class _ClassPairs(_Classes):
    """Shared by AUC and GAUC: pairs of one positive and one negative document."""

    headings: ClassVar[tuple[str, str]] = ("won", "pairs")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.end() <= 1:
            raise ParameterError(
                message(
                    "measures.parameter-max-fpr",
                    name=self.name,
                    value=self.end(),
                )
            )

    def end(self) -> float:
        """The false-positive rate at which the curve ends."""
        end: float = getattr(self, "max_fpr", 1.0)
        return end

    def undefined(self, ranking: "Ranking") -> str | None:
        positive, negative = self.classes(ranking)
        if not weight_of(positive):
            return "no retrieved document is positive"
        return None if weight_of(negative) else "no retrieved document is negative"

    def expanded_formula(self, ranking: "Ranking") -> str:
        positive, negative = self.classes(ranking)
        if self.end() < 1:
            share = sum(step.gain / step.discount for step in self.steps(ranking))
            least, most = format_number(self.end() ** 2 / 2), format_number(self.end())
            left = f"(1 + ({format_number(share)} - {least}) / ({most} - {least})) / 2"
            return equation(left, self.value(ranking))
        tied = _equal_scores(positive, negative)
        won = format_number(float(self._won(positive, negative)))
        above = f"({won} + {format_number(float(tied))}/2)" if tied else won
        ones, others = (format_number(float(weight_of(one))) for one in (positive, negative))
        return equation(f"{above} / ({ones} x {others})", self.value(ranking))

    def inversions(self, ranking: "Ranking", limit: int) -> tuple[list[Inversion], int]:
        rows = labelled(ranking, getattr(self, "unjudged", "removed"))
        rows.sort(key=lambda row: -row[0].score)
        above = [None if label >= self.threshold() else (entry, label) for entry, label in rows]
        below = [(entry, label) if label >= self.threshold() else None for entry, label in rows]
        positive, negative = self.classes(ranking)
        tied = _equal_scores(positive, negative)
        lost = weight_of(positive) * weight_of(negative) - tied - self._won(positive, negative)
        return costliest(above, below, limit, ties=False), int(lost)

    @staticmethod
    def _won(positive: "Sequence[RankedDocument]", negative: "Sequence[RankedDocument]") -> Exact:
        held = ScoreWeights(negative)
        return sum((exact(entry.weight) * held.lower(entry.score) for entry in positive), 0)

    def _beaten(self, score: float, negative: ScoreWeights, limit: float) -> float:
        """The weight of the negatives that a score beats, ties half, as far as the curve goes."""
        equal = negative.equal(score)
        if self.end() >= 1:
            return float(negative.lower(score)) + float(equal) / 2
        left = limit - float(negative.higher(score))
        if left <= 0:
            return 0.0
        if left >= equal:
            return left - float(equal) / 2
        return left * left / (2 * float(equal))

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        positive, negative = self.classes(ranking)
        others = float(weight_of(negative))
        pairs = float(weight_of(positive)) * others
        scores = ScoreWeights(negative)
        # The area below the start of the curve is standardised: 0.5 for a random order.
        end = self.end()
        least = end * end / 2
        base, scale = (
            (0.0, 1.0) if end >= 1 else ((end - 2 * least) / (end - least) / 2, 0.5 / (end - least))
        )
        won = 0.0
        for entry in positive:
            beaten = entry.weight * self._beaten(entry.score, scores, end * others)
            won += beaten
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                beaten,
                pairs,
                beaten / pairs * scale,
                base + won / pairs * scale,
            )


@register
@dataclass(frozen=True)
class AUC(_ClassPairs):
    """Area under the ROC curve.

    The probability that a positive has a higher score than a negative, equal scores counting half,
    over all (query, document) pairs pooled: for models whose scores are comparable across queries.
    For scores that are only comparable within a query use `gauc`. ``macro`` is the plain mean of
    per-query values. Undefined if one class is absent.

    With ``max_fpr=m`` only the start of the curve counts, up to a false-positive rate of m. Its
    area A is standardised as by McClish: (1 + (A - m²/2) / (m - m²/2)) / 2, which is 0.5 for a
    random order and 1 for the best.

    Attributes:
        rel: Lowest positive grade; `None` takes the convention's or the scale's.
        unjudged: Unjudged documents are left out (`removed`) or negative (`nonrelevant`).
        max_fpr: The false-positive rate at which the curve ends.

    Examples:
        >>> import relyon
        >>> relyon.measure("auc").score([1, 0, 1, 0])
        0.75
        >>> round(relyon.measure("auc(max_fpr=0.5)").score([1, 0, 1, 0]), 4)
        0.6667

    References:
        Hanley and McNeil (1982), Radiology 143(1); Fawcett (2006), Pattern Recognition Letters 27;
        McClish (1989), Medical Decision Making 9(3).
    """

    name = "auc"
    aliases = ("roc_auc",)
    aspect: ClassVar[Aspect] = "pairs"
    combine: ClassVar[Combine] = "pooled"
    averages: ClassVar[tuple[str, ...]] = ("micro", "macro")
    formula = "P(score of a positive > score of a negative), ties 1/2"
    rel: float | None = None
    unjudged: PairUnjudged = "removed"
    max_fpr: float = 1.0

    def resampled(self) -> bool:
        return self.max_fpr >= 1

    def pooled(self, total: "_native.Total") -> float:
        return total.auc(self.max_fpr)

    def kernel(self) -> Kernel | None:
        return "auc", {"rel": self.rel, "unjudged": self.unjudged, "max_fpr": self.max_fpr}


@register
@dataclass(frozen=True)
class GAUC(_ClassPairs):
    """Grouped AUC.

    AUC within each query, averaged with weights: sum of w AUC / sum of w. Undefined for a query
    with only one class.

    Attributes:
        rel: Lowest positive grade; `None` takes the convention's or the scale's.
        weight: Each query weighs the same (`uniform`), its number of `rows`, or of `positives`.
        unjudged: Unjudged documents are left out (`removed`) or negative (`nonrelevant`).
        max_fpr: The false-positive rate at which each query's curve ends, as in AUC.

    Examples:
        >>> import relyon
        >>> relyon.measure("gauc").score([1, 0, 1, 0])
        0.75

    References:
        Zhou et al. (2018), Deep Interest Network, KDD.
    """

    name = "gauc"
    aliases = ("group_auc", "uauc")
    aspect: ClassVar[Aspect] = "pairs"
    combine: ClassVar[Combine] = "ratio"
    formula = "sum of weight x AUC / sum of weight, over queries"
    rel: float | None = None
    weight: Weight = "uniform"
    unjudged: PairUnjudged = "removed"
    max_fpr: float = 1.0

    def query_weight(self, ranking: "Ranking") -> float:
        positive, negative = (float(weight_of(one)) for one in self.classes(ranking))
        return {"uniform": 1.0, "rows": positive + negative, "positives": positive}[self.weight]

    def parts(self, ranking: "Ranking") -> tuple[float, float]:
        value = self.value(ranking)
        if math.isnan(value):
            return 0.0, 0.0
        weight = self.query_weight(ranking)
        return weight * value, weight

    def kernel(self) -> Kernel | None:
        return "gauc", {
            "rel": self.rel,
            "weight": self.weight,
            "unjudged": self.unjudged,
            "max_fpr": self.max_fpr,
            "undefined": None,
        }


@register
@dataclass(frozen=True)
class AveragePrecision(_Classes):
    """Average precision over score thresholds (PR-AUC).

    Sum over distinct scores, from the highest down, of (recall - recall before) x precision, where
    documents of that score or more are predicted positive and recall is the share of the positives
    among them: the area below the precision-recall curve. Documents of equal score share one
    threshold, so their order does not matter, and there is no interpolation. All (query, document)
    rows are pooled: for models whose scores are comparable across queries; ``macro`` is the plain
    mean of per-query values. It differs from `ap`, which ranks each query's documents and divides
    by all relevant ones, retrieved or not. Undefined without a positive.

    Attributes:
        rel: Lowest positive grade; `None` takes the convention's or the scale's.
        unjudged: Unjudged documents are left out (`removed`) or negative (`nonrelevant`).

    Examples:
        >>> import relyon
        >>> round(relyon.measure("average_precision").score([1, 0, 1]), 4)
        0.8333
        >>> found = relyon.evaluate_scores([1, 0, 0, 1], [2, 2, 1, 1], None, "pr_auc")
        >>> found["average_precision"]
        0.5

    References:
        scikit-learn's `average_precision_score`; Zhu (2004), Recall, precision and average
        precision, University of Waterloo.
    """

    name = "average_precision"
    aliases = ("average_precision_score", "ap_score", "pr_auc")
    combine: ClassVar[Combine] = "pooled"
    averages: ClassVar[tuple[str, ...]] = ("micro", "macro")
    headings: ClassVar[tuple[str, str]] = ("precision", "positives")
    formula = "sum of recall gained x precision, over scores"
    rel: float | None = None
    unjudged: PairUnjudged = "removed"

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        positive, negative = self.classes(ranking)
        found, others = ScoreWeights(positive), ScoreWeights(negative)
        positives, total = float(weight_of(positive)), 0.0
        for entry in positive:
            true = found.higher(entry.score) + found.equal(entry.score)
            false = others.higher(entry.score) + others.equal(entry.score)
            precision = float(true / (true + false)) if true else 0.0
            added = entry.weight * precision / positives
            total += added
            yield Step(entry.rank, entry.document, entry.grade, precision, positives, added, total)

    def pooled(self, total: "_native.Total") -> float:
        return total.average_precision()

    def kernel(self) -> Kernel | None:
        return "average_precision", {"rel": self.rel, "unjudged": self.unjudged}
