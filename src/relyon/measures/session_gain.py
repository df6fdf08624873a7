"""Discounted gain over a session of calls: sDCG, its normalised form, and sRBP."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal

from relyon.core.errors import ParameterError
from relyon.core.rules import Gain, gain_function
from relyon.core.texts import message
from relyon.data.ranking import Ranking
from relyon.measures.definition import UNBOUNDED, Aspect
from relyon.measures.formulas import equation, format_number
from relyon.measures.lookup import register
from relyon.measures.tasks import (
    CallRows,
    Repeats,
    TaskMeasure,
    TaskStep,
    distinct_judgments,
    grade_values,
    shares,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.judged_calls import JudgedCalls

__all__ = ["NSDCG", "SRBP", "SessionDCG"]

UNJUDGED = {"unjudged": "unjudged_grade"}
Form = Literal["track", "original"]


class _Discounted(TaskMeasure):
    """Shared by sDCG and nsDCG: the discounts of ranks and of calls."""

    aspect: ClassVar[Aspect] = "top"
    convention_fields: ClassVar[dict[str, str]] = UNJUDGED
    k: int | None
    calls: int | None
    b: float
    bq: float
    gain: Gain | None
    unjudged: float | None
    form: Form
    repeats: Repeats

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, base in (("b", self.b), ("bq", self.bq)):
            if not base > 1:
                raise ParameterError(
                    message("measures.base-of-must-be-above", name=self.name, key=name, base=base)
                )

    def _divisor(self, base: float) -> Callable[[int], float]:
        """Returns the function from a rank, or from the number of a call, to its divisor."""
        log = math.log2 if base == 2 else lambda value: math.log(value) / math.log(base)
        if self.form == "original":
            return lambda place: 1.0 + log(float(place))
        return lambda place: log(place + base - 1.0)

    def _worth(self) -> Callable[[float | None], float]:
        worth, unjudged = gain_function(self.gain or "linear"), self.unjudged
        return lambda grade: worth(unjudged if grade is None else grade)

    def _steps(self, ranking: Ranking, share: float) -> Iterator[TaskStep]:
        worth, by_rank, by_call = self._worth(), self._divisor(self.b), self._divisor(self.bq)
        running = 0.0
        for one in self.listed(ranking):
            gain = worth(one.entry.grade) if one.new or self.repeats == "counted" else 0.0
            rank, call = by_rank(one.entry.rank), by_call(one.call)
            running += gain / rank / call
            yield one.step(gain, rank * call, gain / rank / call / share, running / share)

    def _sums(self, judged: JudgedCalls) -> NDArray[np.float64]:
        import numpy as np

        rows = CallRows.of(judged, self.k, self.calls)
        gains = grade_values(rows.grade, self._worth())
        if self.repeats == "ignored":
            gains[~rows.new] = 0.0
        ranks, calls = (
            np.array([1.0, *map(self._divisor(base), range(1, int(places.max(initial=0)) + 1))])
            for base, places in ((self.b, rows.rank), (self.bq, rows.call))
        )
        return rows.sums(gains / ranks[rows.rank] / calls[rows.call], len(judged.tasks))


@register
@dataclass(frozen=True)
class SessionDCG(_Discounted):
    """sDCG: discounted cumulative gain over the calls of a task.

    The gain of the document at rank i of call j, divided by log_b(i + b - 1) and by
    log_bq(j + bq - 1), is summed over ranks up to k and all calls. With one call and ``b=2`` it is
    `dcg`. A document that several calls return counts each time, as published; with
    ``repeats=ignored`` it counts once, where the task returned it first. It is not normalised.
    The name `sdcg` is that of another measure, scaled DCG.

    Attributes:
        k: Ranks counted per call; `None` counts all.
        calls: Calls counted; `None` counts all.
        b: The base of the ranks' logarithm, above 1; the higher, the weaker the discount.
        bq: The base of the calls' logarithm, above 1.
        gain: How a grade becomes a gain; `None` takes the convention's.
        unjudged: The grade of unjudged retrieved documents; `None` takes the convention's if it is
            a grade; otherwise they have no gain.
        form: `track` has the divisors above, those of the TREC Session Track; `original` has
            1 + log_b(i) and 1 + log_bq(j), which fall faster after the first.
        repeats: A document that the task had before is `counted` again or `ignored`.

    Raises:
        ParameterError: If a base is not above 1.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("session_dcg@3").score([3, 2, 1]), 10)
        4.7618595071

    References:
        Järvelin, Price, Delcambre and Nielsen (2008), ECIR; Kanoulas, Carterette, Clough and
        Sanderson (2010), Overview of the TREC 2010 Session Track.
    """

    name = "session_dcg"
    aliases = ("s_dcg",)
    title = "sDCG"
    bounds: ClassVar[tuple[float, float]] = UNBOUNDED
    formula = "sum of gain / (log_b(rank+b-1) log_bq(call+bq-1))"
    k: int | None = None
    calls: int | None = None
    b: float = 2.0
    bq: float = 4.0
    gain: Gain | None = None
    unjudged: float | None = None
    form: Form = "track"
    repeats: Repeats = "counted"

    def steps(self, ranking: Ranking) -> Iterator[TaskStep]:
        return self._steps(ranking, 1.0)

    def values(self, judged: JudgedCalls) -> NDArray[np.float64]:
        return self._sums(judged)


@register
@dataclass(frozen=True)
class NSDCG(_Discounted):
    """nsDCG: sDCG as a share of the best with as many calls.

    Every call of the best session returns the ideal list, the judged documents by gain, cut at k.
    With ``repeats=ignored`` the best session returns each document once, the best ones at the
    places with the smallest divisors. A session of fewer calls is compared with fewer ideal lists,
    so nsDCG does not reward a task for ending early. With one call and ``b=2`` it is `ndcg`. With a
    grade for `unjudged` documents it can exceed 1. Undefined if the ideal sum is 0.

    Attributes:
        k: Ranks counted per call; `None` counts all.
        calls: Calls counted; `None` counts all.
        b: The base of the ranks' logarithm, above 1; the higher, the weaker the discount.
        bq: The base of the calls' logarithm, above 1.
        gain: How a grade becomes a gain; `None` takes the convention's.
        unjudged: The grade of unjudged retrieved documents; `None` takes the convention's if it is
            a grade; otherwise they have no gain.
        form: The divisors; see `session_dcg`.
        repeats: A document that the task had before is `counted` again or `ignored`.

    Raises:
        ParameterError: If a base is not above 1.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("nsdcg@3").score([2, 3, 0]), 4)
        0.9134

    References:
        Kanoulas, Carterette, Clough and Sanderson (2011), Evaluating multi-query sessions, SIGIR.
    """

    name = "nsdcg"
    aliases = ("session_ndcg", "ns_dcg")
    title = "nsDCG"
    formula = "sDCG@k / sDCG@k of as many ideal lists"
    k: int | None = None
    calls: int | None = None
    b: float = 2.0
    bq: float = 4.0
    gain: Gain | None = None
    unjudged: float | None = None
    form: Form = "track"
    repeats: Repeats = "counted"

    def _ideal(self, grades: list[float], calls: int) -> float:
        """Returns the ideal sum of so many calls, from the grades of the judged documents."""
        worth = gain_function(self.gain or "linear")
        gains = sorted(map(worth, grades), reverse=True)
        depth = len(gains) if self.k is None else min(self.k, len(gains))
        ranks = [self._divisor(self.b)(rank) for rank in range(1, depth + 1)]
        over = [self._divisor(self.bq)(call) for call in range(1, calls + 1)]
        if self.repeats == "ignored":
            places = sorted(rank * call for rank in ranks for call in over)
            pairs = zip(gains, places, strict=False)
            return math.fsum(gain / place for gain, place in pairs)
        one = 0.0
        for gain, rank in zip(gains, ranks, strict=False):
            one += gain / rank
        total = 0.0
        for call in over:
            total += one / call
        return total

    def _share(self, ranking: Ranking) -> float:
        calls = max(len(self.counted_calls(ranking)), 1)
        return self._ideal(list(ranking.judged.values()), calls)

    def undefined(self, ranking: Ranking) -> str | None:
        return None if self._share(ranking) > 0 else "the ideal DCG is 0"

    def steps(self, ranking: Ranking) -> Iterator[TaskStep]:
        return self._steps(ranking, self._share(ranking))

    def expanded_formula(self, ranking: Ranking) -> str:
        value, ideal = self.value(ranking), self._share(ranking)
        dcg, best = format_number(value * ideal), format_number(ideal)
        return equation(message("measures.dcg-ideal-dcg", dcg=dcg, ideal=best), value)

    def values(self, judged: JudgedCalls) -> NDArray[np.float64]:
        import numpy as np

        task, _, grades = distinct_judgments(judged)
        ends = np.searchsorted(task, np.arange(len(judged.tasks) + 1))
        counts = np.diff(judged.calls)
        if self.calls is not None:
            counts = np.minimum(counts, self.calls)
        known: dict[tuple[tuple[float, ...], int], float] = {}
        ideal = np.zeros(len(judged.tasks))
        for place, (start, end) in enumerate(pairwise(ends.tolist())):
            own = tuple(sorted(grades[start:end].tolist())), max(int(counts[place]), 1)
            if own not in known:
                known[own] = self._ideal(list(own[0]), own[1])
            ideal[place] = known[own]
        return shares(self._sums(judged), ideal)


@register
@dataclass(frozen=True)
class SRBP(TaskMeasure):
    """sRBP: rank-biased precision over the calls of a task.

    After each result a user stops with probability 1 - p. Who goes on takes the next result of the
    same call with probability b, or else makes the next call and starts at its top:
    (1 - p) sum of g_ij ((p - bp) / (1 - bp))^(j-1) (bp)^(i-1) over ranks i of calls j. The weights
    of infinitely many calls with infinite lists add up to 1. With ``b=1`` it is `rbp` of the first
    call. Binary unless a gain is given. A document that several calls return counts each time, as
    published; with ``repeats=ignored`` it counts once, where the task returned it first.

    Attributes:
        k: Ranks counted per call; `None` counts all.
        calls: Calls counted; `None` counts all.
        p: Persistence of the user, between 0 and 1.
        b: The probability of who goes on to stay with the same call, above 0 and at most 1.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        gain: A map of grades to gains in 0..1, or `scale`; `None` means binary.
        repeats: A document that the task had before is `counted` again or `ignored`.

    Raises:
        ParameterError: If p or b is out of range, or a gain is above 1.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("srbp(p=0.5,b=1)").score([1, 0, 1]), 4)
        0.625

    References:
        Lipani, Carterette and Yilmaz (2019), From a user model for query sessions to session rank
        biased precision (sRBP), ICTIR.
    """

    name = "srbp"
    aliases = ("session_rbp",)
    title = "sRBP"
    aspect: ClassVar[Aspect] = "top"
    formula = "(1-p) sum of gain ((p-bp)/(1-bp))^(call-1) (bp)^(rank-1)"
    headings: ClassVar[tuple[str, str]] = ("gain", "weight")
    convention_fields: ClassVar[dict[str, str]] = {"gain": "", "p": ""}
    k: int | None = None
    calls: int | None = None
    p: float = 0.8
    b: float = 0.8
    rel: float | None = None
    gain: Gain | None = None
    repeats: Repeats = "counted"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.p < 1:
            raise ParameterError(message("measures.parameter-p-of-srbp", p=self.p))
        if not 0 < self.b <= 1:
            raise ParameterError(message("measures.parameter-b-of-srbp", b=self.b))

    @property
    def asks_relevance(self) -> bool:
        return self.gain is None

    def _worth(self) -> Callable[[float | None], float]:
        threshold = 1.0 if self.rel is None else max(self.rel, 0.0)
        worth = gain_function(self.gain) if self.gain is not None else None

        def found(grade: float | None) -> float:
            if worth is None:
                return float(grade is not None and grade >= threshold)
            gain = worth(grade)
            if gain > 1:
                raise ParameterError(message("measures.srbp-needs-gains", gain=gain))
            return gain

        return found

    def steps(self, ranking: Ranking) -> Iterator[TaskStep]:
        worth, stay = self._worth(), self.b * self.p
        again = (self.p - stay) / (1.0 - stay)
        total = 0.0
        for one in self.listed(ranking):
            gain = worth(one.entry.grade)
            if self.repeats == "ignored" and not one.new:
                gain = 0.0
            weight = (1.0 - self.p) * again ** (one.call - 1) * stay ** (one.entry.rank - 1)
            total += gain * weight
            yield one.step(gain, weight, gain * weight, total)

    def values(self, judged: JudgedCalls) -> NDArray[np.float64]:
        rows = CallRows.of(judged, self.k, self.calls)
        gains = grade_values(rows.grade, self._worth())
        if self.repeats == "ignored":
            gains[~rows.new] = 0.0
        stay = self.b * self.p
        again = (self.p - stay) / (1.0 - stay)
        weights = (1.0 - self.p) * again ** (rows.call - 1.0) * stay ** (rows.rank - 1.0)
        return rows.sums(gains * weights, len(judged.tasks))
