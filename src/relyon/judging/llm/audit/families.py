"""Own-family preference: whether a judge favours texts or systems of its own model family."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.analysis.statistics.clusters.ratios import RatioEstimate
from relyon.core.document.json import json_values
from relyon.core.parameters import check_fraction
from relyon.data.scale import Scale
from relyon.judging.llm.audit.measurement import MARGIN, Verdict
from relyon.judging.llm.audit.shifts import FEWEST_QUERIES, Estimate, ends_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FamilyGrade", "FamilyPreference", "measure_preference"]

#: Items of a family that must differ from the most frequent difference to show a spread.
FEW = 6
#: With none of n items seen to differ, at most 3 / n of them do in 95 of 100 cases.
RULE_OF_THREE = 3.0


@dataclass(frozen=True)
class FamilyGrade:
    """An item of the judge's own family, or of another one, with both grades.

    Attributes:
        query: Its query.
        own: Whether its text, or the system that found it, is of the judge's family.
        model: The model's grade.
        people: People's grade.
    """

    query: str
    own: bool
    model: float
    people: float


@dataclass(frozen=True)
class FamilyPreference:
    """How much more generous a judge is to its own family than to others, compared with people.

    Attributes:
        family: The judge's family.
        own: Items of its family.
        other: Items of other families.
        difference: The mean of the model's minus people's grade in its own family, minus that in
            the others, in grades.
        p: Its two-sided p-value.
        within: The same between items with equal grades by people.
        within_p: Its two-sided p-value.
        reverse: The same between items with equal grades by the model.
        reverse_p: Its two-sided p-value.
        verdict: `found` if all three are significant with the same sign; `excluded` if all three
            intervals are within the margin; else `open`.
    """

    family: str
    own: int
    other: int
    difference: Estimate
    p: float
    within: Estimate
    within_p: float
    reverse: Estimate
    reverse_p: float
    verdict: Verdict

    @property
    def favours(self) -> Literal["own", "others", ""]:
        """Whom the judge favours, if that was found."""
        if self.verdict != "found":
            return ""
        return "own" if self.difference.value > 0 else "others"

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "family": self.family,
            "own": self.own,
            "other": self.other,
            "difference": self.difference.to_dict(),
            "within": self.within.to_dict(),
            "reverse": self.reverse.to_dict(),
            **json_values({"p": self.p, "within_p": self.within_p, "reverse_p": self.reverse_p}),
            "verdict": self.verdict,
            "favours": self.favours,
        }


def measure_preference(
    grades: Sequence[FamilyGrade],
    scale: Scale,
    *,
    family: str = "",
    margin: float = MARGIN,
    confidence: float = 0.95,
) -> FamilyPreference:
    """Measures whether a judge favours its own family, with people's grades as the reference.

    Three numbers, because each alone can be wrong. The difference of (model − people) between the
    families mistakes a judge that uses the scale less widely than people for one that favours the
    family with the worse texts, and one that uses it more widely for one that favours the better
    ones. Between items with equal grades by people, chance in people's grades makes the family with
    better texts look favoured; between items with equal grades by the model, chance in the model's
    makes it look the less liked. The truth lies between the last two, however the model uses the
    scale. `found` needs all three.

    Within equal grades with n own and m other items the differences are averaged with the weights
    nm / (n + m). The errors are the jackknife's over queries with all their items; the degrees of
    freedom are the queries of the family with fewer, minus 1. There is no interval for fewer than
    six. If fewer than six items of a family differ from its most frequent difference of model and
    people, the intervals are wider by 3/n of the scale's range, and nothing is `found`.

    Args:
        grades: The items.
        scale: The grade scale.
        family: The name of the judge's family.
        margin: Preferences up to this share of the scale's range do not matter.
        confidence: Confidence level of the intervals.

    Raises:
        InputError: If the scale is open: it has no levels.
        ParameterError: If the margin or the confidence is not between 0 and 1.

    Examples:
        >>> from relyon.data.scale import SEARCH
        >>> def grade(n):
        ...     people, own = (n // 2) % 4, n % 2 == 0
        ...     model = max(min(people + own, 3) - (n % 5 == 0), 0)
        ...     return FamilyGrade(f"q{n // 6}", own, model, people)
        >>> found = measure_preference([grade(n) for n in range(120)], SEARCH, family="small")
        >>> found.own, found.other, round(found.difference.value, 2), found.favours
        (60, 60, 0.7, 'own')

    References:
        Efron and Stein (1981), Annals of Statistics 9(3), for the jackknife. Cochran (1954),
        Biometrics 10(4), for the weights. Lord (1967), Psychological Bulletin 68(5), and Goldberger
        (1984), Reverse Regression and Salary Discrimination, Journal of Human Resources 19(3), for
        why three.
        Balog, Metzler and Qin (2025), SIGIR, arXiv:2503.19092, for the question.
    """
    import numpy as np

    check_fraction("margin", margin)
    check_fraction("confidence", confidence)
    lowest, highest = ends_of(scale)
    width = highest - lowest
    by_people = _table(grades, [one.people for one in grades])
    by_model = _table(grades, [one.model for one in grades])
    counts, _ = by_people
    sizes = counts.sum(axis=(0, 2)) if len(grades) else np.zeros(2)
    there = (counts.sum(axis=2) > 0).sum(axis=0) if len(grades) else np.zeros(2)
    few = any(_few(grades, own) for own in (False, True))
    unseen = width * RULE_OF_THREE / max(float(sizes.min()), 1.0) if few else 0.0
    found = []
    for of, table in ((_plain, by_people), (_within, by_people), (_within, by_model)):
        estimate = _jackknife(*table, of, int(there.min()))
        low, high = estimate.interval(confidence)
        p = math.nan if few else estimate.p
        found.append((Estimate(estimate.value, low - unseen, high + unseen), p))
    alpha = 1 - confidence
    signs = {math.copysign(1.0, one.value) for one, _ in found}
    significant = len(signs) == 1 and all(p <= alpha for _, p in found)
    excluded = all(one.excluded < margin * width for one, _ in found)
    (plain, p), (within, within_p), (reverse, reverse_p) = found
    return FamilyPreference(
        family,
        int(sizes[1]),
        int(sizes[0]),
        plain,
        p,
        within,
        within_p,
        reverse,
        reverse_p,
        "found" if significant else "excluded" if excluded else "open",
    )


def _table(
    grades: Sequence[FamilyGrade], equal: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns counts and sums of model − people, by query, family and the grade that is equal."""
    import numpy as np

    levels = {grade: n for n, grade in enumerate(sorted(set(equal)))}
    queries = {query: n for n, query in enumerate(sorted({one.query for one in grades}))}
    counts = np.zeros((len(queries), 2, len(levels)))
    sums = np.zeros_like(counts)
    for one, grade in zip(grades, equal, strict=True):
        cell = queries[one.query], int(one.own), levels[grade]
        counts[cell] += 1
        sums[cell] += one.model - one.people
    return counts, sums


def _few(grades: Sequence[FamilyGrade], own: bool) -> bool:
    apart = Counter(one.model - one.people for one in grades if one.own == own)
    return sum(apart.values()) - max(apart.values(), default=0) < FEW


def _plain(counts: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the mean of the own family minus that of the others, of many tables at once."""
    means: NDArray[np.float64] = sums.sum(axis=2) / counts.sum(axis=2)
    return means[:, 1] - means[:, 0]


def _within(counts: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the same between items of equal grades, by people or by the model."""
    import numpy as np

    both = counts[:, 0] * counts[:, 1]
    weights = both / np.maximum(counts.sum(axis=1), 1)
    means = sums / np.maximum(counts, 1)
    apart = np.where(both > 0, means[:, 1] - means[:, 0], 0.0)
    found: NDArray[np.float64] = (weights * apart).sum(axis=1) / weights.sum(axis=1)
    return found


def _jackknife(
    counts: NDArray[np.float64],
    sums: NDArray[np.float64],
    of: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]],
    fewest: int,
) -> RatioEstimate:
    import numpy as np

    if not len(counts):
        return RatioEstimate(math.nan, math.nan, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = float(of(counts.sum(axis=0)[None], sums.sum(axis=0)[None])[0])
        left = of(counts.sum(axis=0) - counts, sums.sum(axis=0) - sums)
    clusters = len(counts)
    if fewest < FEWEST_QUERIES or not np.isfinite(left).all():
        return RatioEstimate(whole, math.nan, clusters)
    spread = math.fsum(np.square(left - left.mean()).tolist())
    error = math.sqrt((clusters - 1) / clusters * spread)
    return RatioEstimate(whole, error, clusters, fewest - 1)
