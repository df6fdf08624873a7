"""Measures of a user who reads from the top and may stop: ERR, RBP."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from relyon.core.errors import ParameterError
from relyon.core.rules import Gain, gain_function
from relyon.core.texts import message
from relyon.measures.definition import Aspect, Better, Describes, Kernel, Measure, Step
from relyon.measures.gain import UNJUDGED, native_gain
from relyon.measures.lookup import register

if TYPE_CHECKING:
    from relyon.data.ranking import Ranking

__all__ = ["ERR", "RBP", "RBPResidual"]

#: trec_eval's default.
TREC_PERSISTENCE = 0.9


#: The persistence of RBP's user unless a name or a convention sets it.
PERSISTENCE = 0.8


def _persistence(p: float | None) -> float:
    return PERSISTENCE if p is None else p


@register
@dataclass(frozen=True)
class ERR(Measure):
    """Expected reciprocal rank.

    A user reads from the top and stops at a document of grade y with probability
    (2^y - 1) / 2^max; ERR is the expected value of 1 / (rank of the stop), 0 without a stop. It
    never divides by zero, so a query without a relevant document counts 0.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        max: The highest grade of the scale; `None` takes the scale's, or the highest in the
            judgments. gdeval uses 4.
        unjudged: The grade of unjudged retrieved documents; `None` takes the convention's if it is
            a grade; otherwise users never stop at them.

    Raises:
        ParameterError: If a grade is above `max`.

    Examples:
        >>> import relyon
        >>> relyon.measure("err(max=1)@2").score([0, 1])
        0.25

    References:
        Chapelle, Metzler, Zhang and Grinspan (2009), CIKM.
    """

    name = "err"
    aspect: ClassVar[Aspect] = "top"
    formula = "sum of (1/rank) p(stop here) product of (1 - p) above"
    headings: ClassVar[tuple[str, str]] = ("p(stop)", "p(reached)")
    convention_fields: ClassVar[dict[str, str]] = UNJUDGED
    k: int | None = None
    max: float | None = None
    unjudged: float | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        highest = 1.0 if self.max is None else self.max
        total, reached = 0.0, 1.0
        for entry in ranking.top(self.k):
            grade = max((self.unjudged if entry.grade is None else entry.grade) or 0.0, 0.0)
            if grade > highest:
                raise ParameterError(
                    message(
                        "measures.grade-is-above-maximum",
                        highest=highest,
                        grade=grade,
                    ),
                    hint=message("measures.raise-err-max", grade=grade),
                )
            stop = (2.0**grade - 1.0) / 2.0**highest
            added = reached * stop / entry.rank
            total += added
            yield Step(entry.rank, entry.document, entry.grade, stop, reached, added, total)
            reached *= 1.0 - stop

    def kernel(self) -> Kernel | None:
        highest = 1.0 if self.max is None else self.max
        return "err", {"k": self.k, "max": highest, "unjudged": self.unjudged}


@register
@dataclass(frozen=True)
class RBP(Measure):
    """Rank-biased precision.

    A user goes on from one rank to the next with probability p:
    (1 - p) sum of g_i p^(i-1), with g_i = 1 for a relevant document, or its gain in 0..1 if a gain
    is given.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        p: Persistence of the user, between 0 and 1; `None` takes the convention's, or 0.8.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        gain: A map of grades to gains in 0..1, or `scale`; `None` means binary.
        normalise: Divides gains by the highest gain of the query's judged documents if that is
            above 1, as trec_eval 10 does.

    Raises:
        ParameterError: If p is not between 0 and 1, or a gain is above 1.

    Examples:
        >>> import relyon
        >>> round(relyon.measure("rbp(p=0.5)").score([1, 0, 1]), 4)
        0.625

    References:
        Moffat and Zobel (2008), ACM TOIS 27(1).
    """

    name = "rbp"
    trec_names: ClassVar[Mapping[str, str]] = {
        "rbp(p=0.9,gain=linear,normalise=true)": "rbp",
        "rbp(p=0.9)": "rbp",
        "rbp(p={p})": "rbp_p={p:g}",
    }
    aspect: ClassVar[Aspect] = "top"
    argument: ClassVar[str] = "p"
    formula = "(1 - p) sum of gain p^(rank - 1)"
    headings: ClassVar[tuple[str, str]] = ("gain", "weight")
    convention_fields: ClassVar[dict[str, str]] = {"gain": ""}
    k: int | None = None
    fallbacks: ClassVar[dict[str, object]] = {"p": PERSISTENCE}
    p: float | None = None
    rel: float | None = None
    gain: Gain | None = None
    normalise: bool = False

    @property
    def asks_relevance(self) -> bool:
        return self.gain is None

    def trec_name(self, filled: Measure | None = None) -> str:
        """Returns trec_eval's name, with p unless it is trec_eval's default."""
        if self.p is not None or not isinstance(filled, RBP):
            return super().trec_name()
        whole = replace(self, p=_persistence(filled.p))
        name = whole.trec_name()
        return str(self) if whole.p == TREC_PERSISTENCE and name == str(whole) else name

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.p is not None and not 0 < self.p < 1:
            raise ParameterError(
                message(
                    "measures.parameter-p-of-rbp",
                    p=self.p,
                )
            )

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        threshold = 1.0 if self.rel is None else max(self.rel, 0.0)
        worth = gain_function(self.gain) if self.gain is not None else None
        persistence, top = _persistence(self.p), 1.0
        if worth is not None and self.normalise:
            top = max(map(worth, ranking.judged.values()), default=1.0)
        total, weight = 0.0, 1.0 - persistence
        for entry in ranking.top(self.k):
            if worth is None:
                gain = float(entry.grade is not None and entry.grade >= threshold)
            else:
                gain = worth(entry.grade) / max(top, 1.0)
            if gain > 1:
                raise ParameterError(message("measures.rbp-needs-gains", gain=gain))
            total += gain * weight
            yield Step(entry.rank, entry.document, entry.grade, gain, weight, gain * weight, total)
            weight *= persistence

    def kernel(self) -> Kernel | None:
        gain = native_gain(self.gain)
        return "rbp", {
            "k": self.k,
            "p": _persistence(self.p),
            "rel": self.rel,
            "gain": gain,
            "normalise": self.normalise,
        }


@register
@dataclass(frozen=True)
class RBPResidual(Measure):
    """Residual of rank-biased precision.

    How much RBP would rise if every unjudged document were relevant:
    (1 - p) sum of p^(i-1) over the unjudged ranks i, and p^n for the ranks after the end of a list
    of n documents.

    Attributes:
        p: Persistence of the user, between 0 and 1; `None` is 0.8.
        tail: The ranks after the end of the list count `always`, or only if an `unjudged`
            document was retrieved, as in trec_eval.

    Raises:
        ParameterError: If p is not between 0 and 1.

    Examples:
        >>> import relyon
        >>> relyon.measure("rbp_residual(p=0.5)").score([1, None, 1])
        0.375

    References:
        Moffat and Zobel (2008), ACM TOIS 27(1).
    """

    name = "rbp_residual"
    trec_names: ClassVar[Mapping[str, str]] = {"rbp_residual(p=0.9,tail=unjudged)": "rbp_resid"}
    formula = "(1 - p) sum of p^(rank - 1) over unjudged ranks, + p^n"
    describes: ClassVar[Describes] = "data"
    better: ClassVar[Better] = "lower"
    argument: ClassVar[str] = "p"
    headings: ClassVar[tuple[str, str]] = ("unjudged", "weight")
    is_additive: ClassVar[bool] = False
    fallbacks: ClassVar[dict[str, object]] = {"p": PERSISTENCE}
    p: float | None = None
    tail: Literal["always", "unjudged"] = "always"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < _persistence(self.p) < 1:
            raise ParameterError(
                message(
                    "measures.parameter-p-of-rbp-residual",
                    p=self.p,
                )
            )

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        p = _persistence(self.p)
        total, weight = 0.0, 1.0
        for entry in ranking:
            unjudged = float(entry.grade is None)
            added = unjudged * weight * (1.0 - p)
            total += added
            share = weight * (1.0 - p)
            yield Step(entry.rank, entry.document, entry.grade, unjudged, share, added, total)
            weight *= p
        if total or self.tail == "always":
            yield Step(len(ranking) + 1, "", None, 1.0, weight, weight, total + weight)

    def kernel(self) -> Kernel | None:
        return "rbp_residual", {"p": _persistence(self.p), "tail": self.tail}
