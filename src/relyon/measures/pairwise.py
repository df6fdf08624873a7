"""Measures over pairs of documents: PNR and its share."""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from relyon.core.errors import ParameterError
from relyon.core.rules import Counted
from relyon.core.texts import message
from relyon.measures.definition import Aspect, Kernel, Measure, Step
from relyon.measures.formulas import equation, format_number
from relyon.measures.inversions import Exact, Inversion, LabelCounts, costliest, exact
from relyon.measures.lookup import register

if TYPE_CHECKING:
    from relyon import _native
    from relyon.data.ranking import RankedDocument, Ranking

__all__ = ["PNR", "Concordance", "labelled"]

LabelTies = Literal["positive", "ignore"]
ScoreTies = Literal["ignore", "half", "rank"]
PairUnjudged = Literal["removed", "nonrelevant"]


def labelled(ranking: "Ranking", unjudged: str) -> "list[tuple[RankedDocument, float]]":
    """Returns the retrieved documents that have a label, best ranked first.

    Labels are the unmodified grades: those below 0 keep their order.
    """
    pairs = []
    for entry in ranking:
        if entry.grade is not None:
            pairs.append((entry, entry.grade))
        elif unjudged == "nonrelevant":
            pairs.append((entry, 0.0))
    return pairs


@dataclass(frozen=True)
class _Pairs(Measure):
    """Shared by measures that count positive and negative pairs."""

    averages: ClassVar[tuple[str, ...]] = ("micro", "macro")
    headings: ClassVar[tuple[str, str]] = ("positive", "negative")
    is_additive: ClassVar[bool] = False
    ordinal: ClassVar[bool] = True
    weighted: ClassVar[bool] = True
    convention_fields: ClassVar[dict[str, str]] = {"unjudged": ""}
    fallbacks: ClassVar[dict[str, object]] = {"label_ties": "positive", "score_ties": "ignore"}
    label_ties: LabelTies | None = None
    score_ties: ScoreTies | None = None
    unjudged: PairUnjudged = "removed"

    def pairs(self, ranking: "Ranking") -> "Iterator[tuple[RankedDocument, float, float]]":
        """Yields each document with its positive and negative pairs with documents above it.

        The weight of a pair is the product of its rows' weights.
        """
        rows = labelled(ranking, self.unjudged)
        above = LabelCounts([label for _, label in rows])
        equal: defaultdict[float, defaultdict[float, Exact]] = defaultdict(lambda: defaultdict(int))
        for entry, label in rows:
            worse, same, better = above.around(label)
            weight = exact(entry.weight)
            positive: Exact | float = better + same * (self.filled("label_ties") == "positive")
            negative: Exact | float = worse
            above.add(label, weight)
            if self.filled("score_ties") != "rank":
                tied = equal[entry.score]
                for other, count in tied.items():
                    if other == label and self.filled("label_ties") == "ignore":
                        continue
                    if other >= label:
                        positive -= count
                    else:
                        negative -= count
                    if self.filled("score_ties") == "half":
                        positive += count / 2
                        negative += count / 2
                tied[label] += weight
            yield entry, float(positive * weight), float(negative * weight)

    def inversions(self, ranking: "Ranking", limit: int) -> tuple[list[Inversion], int]:
        rows = labelled(ranking, self.unjudged)
        ties = self.filled("score_ties") == "rank"
        whole = replace(self, score_ties="rank" if ties else "ignore")
        count = sum(negative for _, _, negative in whole.pairs(ranking))
        return costliest(rows, rows, limit, ties=ties), int(count)

    def parts(self, ranking: "Ranking") -> tuple[float, float]:
        counted = list(self.pairs(ranking))
        return sum(entry[1] for entry in counted), sum(entry[2] for entry in counted)

    def undefined(self, ranking: "Ranking") -> str | None:
        positive, negative = self.parts(ranking)
        return None if positive + negative else "there are no pairs to count"

    def ratio(self, positive: float, negative: float) -> float:
        """Returns the measure of summed counts."""
        raise NotImplementedError

    @property
    def shown(self) -> str:
        if self.filled("label_ties") == "positive":
            return super().shown
        return f"{replace(self, label_ties=None)} (strict)"

    def details(
        self, numerator: float, denominator: float, equal: tuple[float, float] = (0.0, 0.0)
    ) -> dict[str, float]:
        positive, negative = self.counts(numerator, denominator)
        strict = positive - equal[0], negative - equal[1]
        half = sum(strict) / 2
        chance = equal[0] + half, equal[1] + half
        found = {"positive": positive, "negative": negative}
        for name, pairs in (("", (positive, negative)), ("strict", strict), ("random", chance)):
            if name:
                found[name] = self.ratio(*pairs)
            if sum(pairs) and self.name != "concordance":
                found[f"{name}_share".removeprefix("_")] = pairs[0] / sum(pairs)
        return found

    def mean_details(self, total: "_native.Total", undefined: Counted) -> dict[str, float]:
        return {"strict": total.mean_strict(undefined), "random": total.mean_random(undefined)}

    def counts(self, numerator: float, denominator: float) -> tuple[float, float]:
        """Returns the positive and the negative pairs behind a ratio."""
        return numerator, denominator

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

    def kernel(self) -> Kernel | None:
        return self.name, {
            "label_ties": self.filled("label_ties"),
            "score_ties": self.filled("score_ties"),
            "unjudged": self.unjudged,
        }


@register
@dataclass(frozen=True)
class PNR(_Pairs):
    """Positive-to-negative pair ratio (正逆序比).

    Over pairs of documents of one query, a pair whose better-scored document has the better label
    is positive, one whose better-scored document has the worse label is negative, and one of equal
    labels is positive: PNR = positive / negative. Without a negative pair it is +inf. Undefined
    without any pair. Over queries the counts are summed (micro); `macro` takes the mean.

    Tables show `pnr(label_ties=ignore)` as `pnr (strict)`. Its details are the value without pairs
    of equal labels (strict) and the value of random orders (random): with T pairs of equal labels
    and D of different ones (T + D/2) / (D/2), and 1 if equal labels are not counted.

    Attributes:
        label_ties: Pairs of equal labels are `positive`, or not counted (`ignore`, as Baidu's
            public operator does); `None` takes the convention's, or `positive`.
        score_ties: Pairs of equal scores do not count (`ignore`), count `half` to each side, or are
            broken by the ranking's tie rule (`rank`); `None` takes the convention's, or `ignore`.
        unjudged: Pairs with unjudged documents are left out (`removed`), or such documents have
            the label 0 (`nonrelevant`).
        smoothing: Added to both counts.

    Examples:
        >>> import relyon
        >>> relyon.measure("pnr").score([3, 2, 3, 3, 2, 1])
        6.5
        >>> relyon.measure("pnr(label_ties=ignore)").score([3, 2, 3, 3, 2, 1])
        4.5

    References:
        The 正逆序比 of Chinese web search. Wang Shusen, 搜索引擎技术 (book 2023, slides 2024,
        github.com/wangshusen/SearchEngine), counts equal labels as positive: 13 : 2 in this list.
        PaddlePaddle's positive_negative_pair_op leaves them out. Without label ties it is
        (1 + tau) / (1 - tau) for Kendall's tau.
    """

    name = "pnr"
    aspect: ClassVar[Aspect] = "pairs"
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    formula = "positive pairs / negative pairs"
    smoothing: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.smoothing < 0:
            raise ParameterError(
                message(
                    "measures.parameter-smoothing-of-pnr",
                    smoothing=self.smoothing,
                )
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

    def expanded_formula(self, ranking: "Ranking") -> str:
        positive, negative = map(format_number, self.parts(ranking))
        if self.smoothing:
            extra = format_number(self.smoothing)
            positive, negative = f"({positive} + {extra})", f"({negative} + {extra})"
        return equation(f"{positive} / {negative}", self.value(ranking))

    def kernel(self) -> Kernel | None:
        name, values = super().kernel() or ("", {})
        return name, {**values, "smoothing": self.smoothing}


@register
@dataclass(frozen=True)
class Concordance(_Pairs):
    """Share of positive pairs.

    positive / (positive + negative): PNR mapped to 0..1. Undefined without any pair.

    Attributes:
        label_ties: As in PNR.
        score_ties: As in PNR.
        unjudged: As in PNR.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("concordance").score([3, 2, 3, 3, 2, 1]), 4)
        0.8667

    References:
        Goodman and Kruskal (1954): with label ties ignored it is (gamma + 1) / 2.
    """

    name = "concordance"
    title = "C"
    aspect: ClassVar[Aspect] = "pairs"
    formula = "positive pairs / (positive + negative pairs)"

    def ratio(self, positive: float, negative: float) -> float:
        pairs = positive + negative
        return positive / pairs if pairs else math.nan

    def parts(self, ranking: "Ranking") -> tuple[float, float]:
        positive, negative = super().parts(ranking)
        return positive, positive + negative

    def counts(self, numerator: float, denominator: float) -> tuple[float, float]:
        return numerator, denominator - numerator

    def undefined(self, ranking: "Ranking") -> str | None:
        return None if self.parts(ranking)[1] else "there are no pairs to count"

    def expanded_formula(self, ranking: "Ranking") -> str:
        positive, pairs = self.parts(ranking)
        left = format_number(positive)
        left = f"{left} / ({left} + {format_number(pairs - positive)})"
        return equation(left, self.value(ranking))
