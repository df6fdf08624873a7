"""Measures of a user who reads from the top and may stop: ERR, RBP."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from relkit.convention import Gain, gain_function
from relkit.errors import ParameterError
from relkit.measures.base import Measure, Step, register
from relkit.measures.gain import native_gain
from relkit.ranking import Ranking

__all__ = ["ERR", "RBP"]


@register
@dataclass(frozen=True)
class ERR(Measure):
    """Expected reciprocal rank.

    A user reads from the top and stops at a document of grade y with probability
    (2^y - 1) / 2^max; ERR is the expected value of 1 / (rank of the stop), 0 without a stop. It
    divides by nothing that a query may lack, so a query without a relevant document counts 0.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        max: The highest grade of the scale; `None` takes the scale's, or the highest in the
            judgments. gdeval uses 4.

    Raises:
        ParameterError: If a grade is above `max`.

    Examples:
        >>> import relkit
        >>> relkit.measure("err(max=1)@2").score([0, 1])
        0.25

    References:
        Chapelle, Metzler, Zhang and Grinspan (2009), CIKM.
    """

    name = "err"
    formula = "sum of (1/rank) p(stop here) product of (1 - p) above"
    headings: ClassVar[tuple[str, str]] = ("p(stop)", "p(reached)")
    k: int | None = None
    max: float | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        highest = 1.0 if self.max is None else self.max
        total, reached = 0.0, 1.0
        for entry in ranking.top(self.k):
            grade = max(entry.grade or 0.0, 0.0)
            if grade > highest:
                raise ParameterError(
                    f"`err(max={highest:g})` met a grade of {grade:g}",
                    hint=f"raise it: err(max={grade:g})",
                )
            stop = (2.0**grade - 1.0) / 2.0**highest
            added = reached * stop / entry.rank
            total += added
            yield Step(entry.rank, entry.document, entry.grade, stop, reached, added, total)
            reached *= 1.0 - stop

    def kernel(self) -> tuple[str, dict[str, Any]] | None:
        return "err", {"k": self.k, "max": 1.0 if self.max is None else self.max}


@register
@dataclass(frozen=True)
class RBP(Measure):
    """Rank-biased precision.

    A user goes on from one rank to the next with probability p:
    (1 - p) sum of g_i p^(i-1), with g_i = 1 for a relevant document, or its gain in 0..1 where a
    gain is given.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        p: Persistence of the user, between 0 and 1.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        gain: A map of grades to gains in 0..1, or `scale`; `None` means binary.

    Raises:
        ParameterError: If p is not between 0 and 1, or a gain is above 1.

    Examples:
        >>> import relkit
        >>> round(relkit.measure("rbp(p=0.5)").score([1, 0, 1]), 4)
        0.625

    References:
        Moffat and Zobel (2008), ACM TOIS 27(1).
    """

    name = "rbp"
    formula = "(1 - p) sum of gain p^(rank - 1)"
    headings: ClassVar[tuple[str, str]] = ("gain", "weight")
    convention_fields: ClassVar[dict[str, str]] = {"gain": ""}
    k: int | None = None
    p: float = 0.8
    rel: float | None = None
    gain: Gain | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.p < 1:
            raise ParameterError(
                f"the parameter `p` of `rbp` must be between 0 and 1. Got `{self.p:g}` instead."
            )

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        threshold = 1.0 if self.rel is None else self.rel
        worth = gain_function(self.gain) if self.gain is not None else None
        total, weight = 0.0, 1.0 - self.p
        for entry in ranking.top(self.k):
            if worth is None:
                gain = float(entry.grade is not None and entry.grade >= threshold)
            else:
                gain = worth(entry.grade)
            if gain > 1:
                raise ParameterError(f"`rbp` needs gains from 0 to 1, got {gain:g}")
            total += gain * weight
            yield Step(entry.rank, entry.document, entry.grade, gain, weight, gain * weight, total)
            weight *= self.p

    def kernel(self) -> tuple[str, dict[str, Any]] | None:
        gain = native_gain(self.gain)
        return "rbp", {"k": self.k, "p": self.p, "rel": self.rel, "gain": gain}
