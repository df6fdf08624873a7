"""Measures of the C/W/L framework: a reader continues to the next rank with some probability."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import ClassVar

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.ranking import Ranking
from relyon.measures.definition import Kernel, Measure, Step
from relyon.measures.formulas import equation, format_number, quotient
from relyon.measures.lookup import register

__all__ = ["BPM", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11", "SDCG"]

#: Ranks that cwl_eval sums for a measure without a cutoff.
DEPTH = 1000


@dataclass(frozen=True)
class Continuation(Measure):
    """Shared by measures defined by the probability of continuing from each rank.

    The weight of a rank is the probability of reaching it, divided by the sum of these
    probabilities over all ranks; the value is the weighted mean of the gains. Ranks after the end
    of a short list have no gain.
    """

    headings: ClassVar[tuple[str, str]] = ("gain", "weight")

    def __post_init__(self) -> None:
        super().__post_init__()
        target: float = getattr(self, "target", 1.0)
        if not target > 0:
            raise ParameterError(
                message(
                    "measures.parameter-target-of-must-be-above",
                    name=self.name,
                    target=target,
                )
            )
        lowest, highest = self.scale()
        if not highest > lowest:
            raise ParameterError(
                message(
                    "measures.parameter-max-of-must-be-above",
                    name=self.name,
                    highest=highest,
                    lowest=lowest,
                )
            )

    def scale(self) -> tuple[float, float]:
        """The grades with gain 0 and 1; at least 1 above `min` while `max` is open."""
        lowest: float = getattr(self, "min", 0.0)
        highest: float | None = getattr(self, "max", None)
        return lowest, max(lowest + 1.0, 1.0) if highest is None else highest

    def gain(self, grade: float | None) -> float:
        """The gain of a document with that grade, from 0 to 1."""
        if grade is None:
            return 0.0
        lowest, highest = self.scale()
        return (min(max(grade, 0.0, lowest), highest) - lowest) / (highest - lowest)

    def goes_on(self, rank: int, gain: float, gained: float) -> float:
        """The probability of continuing after a rank, from its gain and the sum of gains so far."""
        raise NotImplementedError

    def last(self, ranking: "Ranking") -> int:
        """The last rank that counts."""
        depth: int | None = getattr(self, "depth", None)
        k: int | None = getattr(self, "k", None)
        return depth or k or len(ranking)

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        last = self.last(ranking)
        gains = [self.gain(entry.grade) for entry in ranking.top(last)]
        reached: list[float] = []
        chance, gained = 1.0, 0.0
        for rank in range(1, last + 1):
            reached.append(chance)
            gain = gains[rank - 1] if rank <= len(gains) else 0.0
            gained += gain
            chance *= self.goes_on(rank, gain, gained)
        whole = math.fsum(reached)
        total = 0.0
        for entry, gain in zip(ranking, gains, strict=False):
            weight = reached[entry.rank - 1] / whole
            total += gain * weight
            yield Step(entry.rank, entry.document, entry.grade, gain, weight, gain * weight, total)

    def settings(self) -> dict[str, object]:
        """Its parameters, as kernels take them."""
        given = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        if "max" in given:
            given["max"] = self.scale()[1]
        return given

    def kernel(self) -> Kernel | None:
        return self.name, self.settings()


@register
@dataclass(frozen=True)
class SDCG(Continuation):
    """Scaled discounted cumulative gain.

    DCG divided by that of a list with only the best possible documents:
    sum of g_i / log2(i + 1) over the first `k` ranks, divided by the sum of 1 / log2(i + 1), with
    g_i the grade scaled to 0..1. Unlike NDCG it expects `k` best documents for every query, so a
    query without a relevant document counts 0 and no query is undefined.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        min: The grade with gain 0; lower grades have gain 0, too.
        max: The grade with gain 1; higher grades have gain 1, too. `None` takes the scale's
            highest, or the highest in the judgments.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("sdcg(max=3)@3").score([3, 0, 3]), 4)
        0.7039

    References:
        Järvelin and Kekäläinen (2002), ACM TOIS 20(4); as a C/W/L measure Moffat, Bailey, Scholer
        and Thomas (2017), ACM TOIS 35(3).
    """

    name = "sdcg"
    formula = "DCG@k of scaled grades / sum of 1/log2(rank + 1)"
    k: int | None = None
    min: float = 0.0
    max: float | None = None

    def goes_on(self, rank: int, gain: float, gained: float) -> float:
        return math.log2(rank + 1) / math.log2(rank + 2)

    def expanded_formula(self, ranking: "Ranking") -> str:
        terms = [
            f"{format_number(step.gain)}/{format_number(math.log2(step.rank + 1))}"
            for step in self.steps(ranking)
            if step.gain
        ]
        whole = math.fsum(1 / math.log2(rank + 1) for rank in range(1, self.last(ranking) + 1))
        value = self.value(ranking)
        return equation(quotient(terms, format_number(whole)), value)


@register
@dataclass(frozen=True)
class INSQ(Continuation):
    """INSQ: a reader grows more patient with the rank.

    The probability of continuing after rank i is ((i + 2T - 1) / (i + 2T))^2, for any gain. No
    query is undefined for it; one without a relevant document counts 0.

    Attributes:
        target: T, the gain that the reader expects.
        min: The grade with gain 0; lower grades have gain 0, too.
        max: The grade with gain 1; higher grades have gain 1, too. `None` takes the scale's
            highest, or the highest in the judgments.
        depth: Ranks over which the weights are summed, 1000 in cwl_eval.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("insq(target=1,max=1)").score([1, 0, 1]), 4)
        0.4853

    References:
        Moffat, Scholer and Thomas (2012), ADCS.
    """

    name = "insq"
    formula = "sum of gain W; W falls by ((rank + 2T - 1) / (rank + 2T))^2"
    target: float = 1.0
    min: float = 0.0
    max: float | None = None
    depth: int = DEPTH

    def goes_on(self, rank: int, gain: float, gained: float) -> float:
        return ((rank + 2 * self.target - 1) / (rank + 2 * self.target)) ** 2


@register
@dataclass(frozen=True)
class INST(Continuation):
    """INST: like INSQ, but the reader adapts to the gains so far.

    The probability of continuing after rank i is ((i + T + T_i - 1) / (i + T + T_i))^2, where T_i
    is the rest of the target T after the gains of the first i documents. No query is undefined
    for it; one without a relevant document counts 0.

    Attributes:
        target: T, the gain that the reader expects.
        min: The grade with gain 0; lower grades have gain 0, too.
        max: The grade with gain 1; higher grades have gain 1, too. `None` takes the scale's
            highest, or the highest in the judgments.
        depth: Ranks over which the weights are summed, 1000 in cwl_eval.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("inst(target=1,max=1)").score([1, 0, 1]), 4)
        0.7233

    References:
        Bailey, Moffat, Scholer and Thomas (2015), SIGIR.
    """

    name = "inst"
    formula = "sum of gain W; W falls by ((rank + T + T_i - 1) / (rank + T + T_i))^2"
    target: float = 1.0
    min: float = 0.0
    max: float | None = None
    depth: int = DEPTH

    def goes_on(self, rank: int, gain: float, gained: float) -> float:
        place = rank + 2 * self.target - gained
        return ((place - 1) / place) ** 2


@register
@dataclass(frozen=True)
class BPM(Continuation):
    """Bejeweled player model.

    The reader stops at the first rank where the gains add up to `target`, or at rank `k`; the
    value is the mean gain of the ranks read. That is the static model. In the dynamic one each
    document moves both limits: the target by `benefit` and k by `cost` times
    (gain - `median`). No query is undefined for it; one without a relevant document counts 0.

    Attributes:
        k: Ranks that the reader is willing to read; `None` means the whole list.
        target: The gain that the reader expects.
        min: The grade with gain 0; lower grades have gain 0, too.
        max: The grade with gain 1; higher grades have gain 1, too. `None` takes the scale's
            highest, or the highest in the judgments.
        benefit: How far a document moves the target; 0 is the static model.
        cost: How far a document moves the number of ranks; 0 is the static model.
        median: The gain of a document that moves neither limit, between 0 and 1.

    Examples:
        >>> import relyon
        >>> relyon.measure("bpm(target=1,max=1)@10").score([0, 0, 1, 1])
        0.3333333333333333

    References:
        Zhang, Liu, Li, Zhang, Xu and Ma (2017), SIGIR.
    """

    name = "bpm"
    formula = "mean gain down to the rank where the target is met, or k"
    k: int | None = None
    target: float = 1.0
    min: float = 0.0
    max: float | None = None
    benefit: float = 0.0
    cost: float = 0.0
    median: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("benefit", "cost"):
            if getattr(self, name) < 0:
                raise ParameterError(
                    message(
                        "measures.parameter-of-bpm",
                        name=name,
                        value=getattr(self, name),
                    )
                )
        if not 0 < self.median < 1:
            raise ParameterError(
                message(
                    "measures.parameter-median-of-bpm",
                    median=self.median,
                )
            )

    def last(self, ranking: "Ranking") -> int:
        target, budget, gained = self.target, float(self.k or len(ranking)), 0.0
        if not budget:
            return 0
        rank = 0
        while True:
            rank += 1
            entry = ranking.documents[rank - 1] if rank <= len(ranking) else None
            gain = self.gain(entry.grade) if entry is not None else 0.0
            gained += gain
            if gained >= target or rank >= budget:
                return rank
            target += self.benefit * (gain - self.median)
            budget += self.cost * (gain - self.median)

    def goes_on(self, rank: int, gain: float, gained: float) -> float:
        return 1.0

    def expanded_formula(self, ranking: "Ranking") -> str:
        gains = math.fsum(step.gain for step in self.steps(ranking))
        return equation(f"{format_number(gains)} / {self.last(ranking)}", self.value(ranking))


@register
@dataclass(frozen=True)
class NERR8(Continuation):
    """Nearly ERR, equation 8: the reader continues with 1 - gain.

    ERR itself does not fit the C/W/L framework; this is the nearest measure that does, cut off at
    rank `k`. No query is undefined for it; one without a relevant document counts 0.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        min: The grade with gain 0; lower grades have gain 0, too.
        max: The grade with gain 1; higher grades have gain 1, too. `None` takes the scale's
            highest, or the highest in the judgments.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("nerr8(max=2)@3").score([0, 1, 2]), 4)
        0.4

    References:
        Azzopardi, Mackenzie and Moffat (2021), ICTIR: "ERR is not C/W/L".
    """

    name = "nerr8"
    formula = "sum of gain W; W falls by 1 - gain, ranks 1..k"
    k: int | None = None
    min: float = 0.0
    max: float | None = None

    def goes_on(self, rank: int, gain: float, gained: float) -> float:
        return 1 - gain


@register
@dataclass(frozen=True)
class NERR9(Continuation):
    """Nearly ERR, equation 9: like 8, but readers tire as in ERR.

    The probability of continuing after rank i is i / (i + 1) (1 - gain), cut off at rank `k`. No
    query is undefined for it; one without a relevant document counts 0.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        min: The grade with gain 0; lower grades have gain 0, too.
        max: The grade with gain 1; higher grades have gain 1, too. `None` takes the scale's
            highest, or the highest in the judgments.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("nerr9(max=2)@3").score([0, 1, 2]), 4)
        0.25

    References:
        Azzopardi, Mackenzie and Moffat (2021), ICTIR: "ERR is not C/W/L".
    """

    name = "nerr9"
    formula = "sum of gain W; W falls by rank / (rank + 1) (1 - gain), ranks 1..k"
    k: int | None = None
    min: float = 0.0
    max: float | None = None

    def goes_on(self, rank: int, gain: float, gained: float) -> float:
        return rank / (rank + 1) * (1 - gain)


@register
@dataclass(frozen=True)
class NERR10(Continuation):
    """Nearly ERR, equation 10: like 8, with the persistence of RBP.

    The probability of continuing after a document is p (1 - gain). No query is undefined for it;
    one without a relevant document counts 0.

    Attributes:
        p: Persistence of the reader, between 0 and 1.
        min: The grade with gain 0; lower grades have gain 0, too.
        max: The grade with gain 1; higher grades have gain 1, too. `None` takes the scale's
            highest, or the highest in the judgments.
        depth: Ranks over which the weights are summed, 1000 in cwl_eval.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("nerr10(p=0.5,max=1)").score([0, 1]), 4)
        0.3333

    References:
        Azzopardi, Mackenzie and Moffat (2021), ICTIR: "ERR is not C/W/L".
    """

    name = "nerr10"
    formula = "sum of gain W; W falls by p (1 - gain)"
    p: float = 0.9
    min: float = 0.0
    max: float | None = None
    depth: int = DEPTH

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.p < 1:
            raise ParameterError(
                message(
                    "measures.parameter-p-of-nerr10",
                    p=self.p,
                )
            )

    def goes_on(self, rank: int, gain: float, gained: float) -> float:
        return self.p * (1 - gain)


@register
@dataclass(frozen=True)
class NERR11(Continuation):
    """Nearly ERR, equation 11: like 8, with the patience of INSQ.

    The probability of continuing after rank i is ((i + 2T - 1) / (i + 2T))^2 (1 - gain). No query
    is undefined for it; one without a relevant document counts 0.

    Attributes:
        target: T, the gain that the reader expects.
        min: The grade with gain 0; lower grades have gain 0, too.
        max: The grade with gain 1; higher grades have gain 1, too. `None` takes the scale's
            highest, or the highest in the judgments.
        depth: Ranks over which the weights are summed, 1000 in cwl_eval.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("nerr11(target=0.5,max=1)").score([0, 1]), 4)
        0.2

    References:
        Azzopardi, Mackenzie and Moffat (2021), ICTIR: "ERR is not C/W/L".
    """

    name = "nerr11"
    formula = "sum of gain W; W falls by (1 - gain) ((rank + 2T - 1)/(rank + 2T))^2"
    target: float = 1.0
    min: float = 0.0
    max: float | None = None
    depth: int = DEPTH

    def goes_on(self, rank: int, gain: float, gained: float) -> float:
        return ((rank + 2 * self.target - 1) / (rank + 2 * self.target)) ** 2 * (1 - gain)
