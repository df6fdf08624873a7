"""Measures over pairs of documents: PNR and its share, AUC, GAUC."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from relkit.errors import ParameterError
from relkit.measures.base import Combine, Measure, Step, equation, figure, register
from relkit.measures.binary import BinaryMeasure
from relkit.measures.inversions import Inversion, LabelCounts, costliest
from relkit.ranking import RankedDocument, Ranking

__all__ = ["AUC", "GAUC", "PNR", "Concordance"]

LabelTies = Literal["positive", "ignore"]
ScoreTies = Literal["ignore", "half", "rank"]
PairUnjudged = Literal["removed", "nonrelevant"]
Weight = Literal["uniform", "rows", "positives"]


def labelled(ranking: "Ranking", unjudged: str) -> "list[tuple[RankedDocument, float]]":
    """Returns the retrieved documents that have a label, best ranked first."""
    pairs = []
    for entry in ranking:
        if entry.grade is not None:
            pairs.append((entry, max(entry.grade, 0.0)))
        elif unjudged == "nonrelevant":
            pairs.append((entry, 0.0))
    return pairs


@dataclass(frozen=True)
class _Pairs(Measure):
    """Shared by measures that count positive and negative pairs."""

    averages: ClassVar[tuple[str, ...]] = ("micro", "macro")
    headings: ClassVar[tuple[str, str]] = ("positive", "negative")
    shares: ClassVar[bool] = False
    convention_fields: ClassVar[dict[str, str]] = {"unjudged": ""}
    label_ties: LabelTies = "positive"
    score_ties: ScoreTies = "ignore"
    unjudged: PairUnjudged = "removed"

    def pairs(self, ranking: "Ranking") -> "Iterator[tuple[RankedDocument, float, float]]":
        """Yields each document with its positive and negative pairs with documents above it."""
        rows = labelled(ranking, self.unjudged)
        above = LabelCounts([label for _, label in rows])
        equal: defaultdict[float, Counter[float]] = defaultdict(Counter)
        for entry, label in rows:
            worse, same, better = above.around(label)
            positive = float(better + same * (self.label_ties == "positive"))
            negative = float(worse)
            above.add(label)
            if self.score_ties != "rank":
                tied = equal[entry.score]
                for other, count in tied.items():
                    if other == label and self.label_ties == "ignore":
                        continue
                    if other >= label:
                        positive -= count
                    else:
                        negative -= count
                    if self.score_ties == "half":
                        positive += count / 2
                        negative += count / 2
                tied[label] += 1
            yield entry, positive, negative

    def inversions(self, ranking: "Ranking", limit: int) -> tuple[list[Inversion], int]:
        rows = labelled(ranking, self.unjudged)
        ties = self.score_ties == "rank"
        whole = replace(self, score_ties="rank" if ties else "ignore")
        count = sum(negative for _, _, negative in whole.pairs(ranking))
        return costliest(rows, rows, limit, ties=ties), int(count)

    def parts(self, ranking: "Ranking") -> tuple[float, float]:
        counted = list(self.pairs(ranking))
        return sum(entry[1] for entry in counted), sum(entry[2] for entry in counted)

    def undefined(self, ranking: "Ranking") -> str | None:
        positive, negative = self.parts(ranking)
        return None if positive + negative else "there is no pair to count"

    def ratio(self, positive: float, negative: float) -> float:
        """Returns the measure of summed counts."""
        raise NotImplementedError

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        positives = negatives = before = 0.0
        for entry, positive, negative in self.pairs(ranking):
            positives += positive
            negatives += negative
            total = self.ratio(positives, negatives)
            total = 0.0 if math.isnan(total) else total
            change = total - before if math.isfinite(total) and math.isfinite(before) else 0.0
            yield Step(entry.rank, entry.document, entry.grade, positive, negative, change, total)
            before = total

    def kernel(self) -> tuple[str, dict[str, Any]] | None:
        return self.name, {
            "label_ties": self.label_ties,
            "score_ties": self.score_ties,
            "unjudged": self.unjudged,
        }


@register
@dataclass(frozen=True)
class PNR(_Pairs):
    """Positive-to-negative pair ratio (正逆序比).

    Over pairs of documents of one query, a pair whose better-scored document has the better label
    is positive, one whose better-scored document has the worse label is negative:
    PNR = positive / negative. Without a negative pair it is +inf. Undefined without any pair. Over
    queries the counts are added up (micro); `macro` takes the mean.

    Attributes:
        label_ties: Pairs of equal labels are `positive` (the convention of Chinese search teams)
            or not counted (`ignore`).
        score_ties: Pairs of equal scores count nothing (`ignore`), `half` to each side, or are
            broken by the ranking's tie rule (`rank`).
        unjudged: Pairs with unjudged documents are left out (`removed`), or such documents have
            the label 0 (`nonrelevant`).
        smoothing: Added to both counts.

    Examples:
        >>> import relkit
        >>> relkit.measure("pnr").score([3, 2, 3, 3, 2, 1])
        6.5
        >>> relkit.measure("pnr(label_ties=ignore)").score([3, 2, 3, 3, 2, 1])
        4.5

    References:
        The 正逆序比 of Chinese web search teams; without label ties it is (1 + tau) / (1 - tau)
        for Kendall's tau.
    """

    name = "pnr"
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    formula = "positive pairs / negative pairs"
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.smoothing < 0:
            raise ParameterError(
                f"the parameter `smoothing` of `pnr` must be 0 or more. Got `{self.smoothing:g}`"
                " instead."
            )

    def ratio(self, positive: float, negative: float) -> float:
        if positive + negative == 0:
            return math.nan
        positive, negative = positive + self.smoothing, negative + self.smoothing
        if negative == 0:
            return math.inf
        return positive / negative

    def micro(self, numerator: float, denominator: float) -> float:
        return self.ratio(numerator, denominator)

    def worked(self, ranking: "Ranking") -> str:
        positive, negative = map(figure, self.parts(ranking))
        if self.smoothing:
            extra = figure(self.smoothing)
            positive, negative = f"({positive} + {extra})", f"({negative} + {extra})"
        return equation(f"{positive} / {negative}", self.value(ranking))

    def kernel(self) -> tuple[str, dict[str, Any]] | None:
        name, values = super().kernel() or ("", {})
        return name, values | {"smoothing": self.smoothing}


@register
@dataclass(frozen=True)
class Concordance(_Pairs):
    """Share of positive pairs.

    positive / (positive + negative): what PNR says, between 0 and 1. Undefined without any pair.

    Attributes:
        label_ties: As in PNR.
        score_ties: As in PNR.
        unjudged: As in PNR.

    Examples:
        >>> import relkit
        >>> round(relkit.measure("concordance").score([3, 2, 3, 3, 2, 1]), 4)
        0.8667

    References:
        Goodman and Kruskal (1954): with label ties ignored it is (gamma + 1) / 2.
    """

    name = "concordance"
    formula = "positive pairs / (positive + negative pairs)"

    def ratio(self, positive: float, negative: float) -> float:
        pairs = positive + negative
        return positive / pairs if pairs else math.nan

    def parts(self, ranking: "Ranking") -> tuple[float, float]:
        positive, negative = super().parts(ranking)
        return positive, positive + negative

    def undefined(self, ranking: "Ranking") -> str | None:
        return None if self.parts(ranking)[1] else "there is no pair to count"

    def worked(self, ranking: "Ranking") -> str:
        positive, pairs = self.parts(ranking)
        left = f"{figure(positive)} / ({figure(positive)} + {figure(pairs - positive)})"
        return equation(left, self.value(ranking))


def _equal_scores(one: "Sequence[RankedDocument]", other: "Sequence[RankedDocument]") -> int:
    held = Counter(entry.score for entry in other)
    return sum(held[entry.score] for entry in one)


@dataclass(frozen=True)
class _ClassPairs(BinaryMeasure):
    """Shared by AUC and GAUC: pairs of one positive and one negative document."""

    headings: ClassVar[tuple[str, str]] = ("won", "pairs")
    convention_fields: ClassVar[dict[str, str]] = {"unjudged": ""}

    def classes(self, ranking: "Ranking") -> "tuple[list[RankedDocument], list[RankedDocument]]":
        """Returns positive and negative documents."""
        unjudged: str = getattr(self, "unjudged", "removed")
        positive: list[RankedDocument] = []
        negative: list[RankedDocument] = []
        for entry, label in labelled(ranking, unjudged):
            (positive if label >= self.threshold() else negative).append(entry)
        return positive, negative

    def undefined(self, ranking: "Ranking") -> str | None:
        positive, negative = self.classes(ranking)
        if not positive:
            return "no retrieved document is positive"
        return None if negative else "no retrieved document is negative"

    def worked(self, ranking: "Ranking") -> str:
        positive, negative = self.classes(ranking)
        tied = _equal_scores(positive, negative)
        won = self._won(positive, negative)
        above = f"({won} + {tied}/2)" if tied else f"{won}"
        return equation(f"{above} / ({len(positive)} x {len(negative)})", self.value(ranking))

    def inversions(self, ranking: "Ranking", limit: int) -> tuple[list[Inversion], int]:
        rows = labelled(ranking, getattr(self, "unjudged", "removed"))
        rows.sort(key=lambda row: -row[0].score)
        above = [None if label >= self.threshold() else (entry, label) for entry, label in rows]
        below = [(entry, label) if label >= self.threshold() else None for entry, label in rows]
        positive, negative = self.classes(ranking)
        tied = _equal_scores(positive, negative)
        lost = len(positive) * len(negative) - tied - self._won(positive, negative)
        return costliest(above, below, limit, ties=False), lost

    @staticmethod
    def _won(positive: "Sequence[RankedDocument]", negative: "Sequence[RankedDocument]") -> int:
        scores = sorted(entry.score for entry in negative)
        return sum(bisect_left(scores, entry.score) for entry in positive)

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        positive, negative = self.classes(ranking)
        pairs = len(positive) * len(negative)
        scores = sorted(entry.score for entry in negative)
        won = 0.0
        for entry in positive:
            lower = bisect_left(scores, entry.score)
            beaten = lower + (bisect_right(scores, entry.score) - lower) / 2
            won += beaten
            yield Step(
                entry.rank,
                entry.document,
                entry.grade,
                beaten,
                float(pairs),
                beaten / pairs,
                won / pairs,
            )


@register
@dataclass(frozen=True)
class AUC(_ClassPairs):
    """Area under the ROC curve.

    The probability that a positive has a higher score than a negative, equal scores counting half,
    over all (query, document) pairs pooled: for models whose scores mean the same in every query.
    For scores that are only comparable within a query use `gauc`. ``macro`` is the plain mean of
    per-query values. Undefined where one class is absent.

    Attributes:
        rel: Lowest positive grade; `None` takes the convention's or the scale's.
        unjudged: Unjudged documents are left out (`removed`) or negative (`nonrelevant`).

    Examples:
        >>> import relkit
        >>> relkit.measure("auc").score([1, 0, 1, 0])
        0.75

    References:
        Hanley and McNeil (1982), Radiology 143(1); Fawcett (2006), Pattern Recognition Letters 27.
    """

    name = "auc"
    aliases = ("roc_auc",)
    combine: ClassVar[Combine] = "pooled"
    averages: ClassVar[tuple[str, ...]] = ("micro", "macro")
    formula = "P(score of a positive > score of a negative), ties 1/2"
    rel: float | None = None
    unjudged: PairUnjudged = "removed"

    def kernel(self) -> tuple[str, dict[str, Any]] | None:
        return "auc", {"rel": self.rel, "unjudged": self.unjudged}


@register
@dataclass(frozen=True)
class GAUC(_ClassPairs):
    """Grouped AUC.

    AUC within each query, averaged with weights: sum of w AUC / sum of w. Undefined for a
    query with one class only.

    Attributes:
        rel: Lowest positive grade; `None` takes the convention's or the scale's.
        weight: Each query weighs the same (`uniform`), its number of `rows`, or of `positives`.
        unjudged: Unjudged documents are left out (`removed`) or negative (`nonrelevant`).

    Examples:
        >>> import relkit
        >>> relkit.measure("gauc").score([1, 0, 1, 0])
        0.75

    References:
        Zhou et al. (2018), Deep Interest Network, KDD.
    """

    name = "gauc"
    aliases = ("group_auc", "uauc")
    combine: ClassVar[Combine] = "ratio"
    formula = "sum of weight x AUC / sum of weight, over queries"
    rel: float | None = None
    weight: Weight = "uniform"
    unjudged: PairUnjudged = "removed"

    def parts(self, ranking: "Ranking") -> tuple[float, float]:
        value = self.value(ranking)
        if math.isnan(value):
            return 0.0, 0.0
        positive, negative = self.classes(ranking)
        weight = {
            "uniform": 1.0,
            "rows": float(len(positive) + len(negative)),
            "positives": float(len(positive)),
        }[self.weight]
        return weight * value, weight

    def kernel(self) -> tuple[str, dict[str, Any]] | None:
        return "gauc", {"rel": self.rel, "weight": self.weight, "unjudged": self.unjudged}
