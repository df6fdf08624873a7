"""Agreement of two rankings without judgments: RBO, overlap, AP correlation."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.ranking import Ranking
from relyon.measures.definition import Measure, Step
from relyon.measures.formulas import equation, format_number
from relyon.measures.lookup import register

__all__ = ["RBO", "Overlap", "TauAP"]


@dataclass(frozen=True)
class ReferenceMeasure(Measure):
    """Shared by measures that compare a run with another run instead of with judgments."""

    needs: ClassVar[str] = "reference"
    is_additive: ClassVar[bool] = False
    headings: ClassVar[tuple[str, str]] = ("in both", "depth")

    def undefined(self, ranking: "Ranking") -> str | None:
        if not ranking.reference:
            return "the other run lacks this query"
        return None if len(ranking) else "nothing was retrieved"


def agreements(ranking: "Ranking", depth: int) -> Iterator[tuple[int, int]]:
    """Yields each depth and the number of documents in both lists down to it."""
    ours: set[str] = set()
    theirs: set[str] = set()
    both = 0
    for place in range(depth):
        if place < len(ranking.documents):
            document = ranking.documents[place].document
            both += document in theirs
            ours.add(document)
        if place < len(ranking.reference):
            document = ranking.reference[place]
            both += document in ours
            theirs.add(document)
        yield place + 1, both


@register
@dataclass(frozen=True)
class Overlap(ReferenceMeasure):
    """Overlap at k.

    Documents among the first `k` of both lists, divided by k. For lists shorter than k,
    divided by the longer one's length. Undefined if one of the lists is empty.

    Attributes:
        k: Ranks counted; `None` counts the whole lists.

    Examples:
        >>> import relyon
        >>> one = relyon.Run.from_dict({"q": {"a": 3, "b": 2, "c": 1}})
        >>> two = {"q": {"b": 3, "a": 2, "d": 1}}
        >>> relyon.evaluate(one, two, ["overlap@2"])["overlap@2"]
        1.0

    References:
        Fagin, Kumar and Sivakumar (2003), SIAM J. Discrete Mathematics 17(1).
    """

    name = "overlap"
    formula = "in the top k of both / k"
    k: int | None = None

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        longest = max(len(ranking), len(ranking.reference))
        depth = min(self.k, longest) if self.k is not None else longest
        before = 0
        for place, both in agreements(ranking, depth):
            entry = ranking.documents[place - 1] if place <= len(ranking) else None
            yield Step(
                place,
                entry.document if entry else "",
                None,
                float(both),
                float(depth),
                (both - before) / depth,
                both / depth,
            )
            before = both

    def expanded_formula(self, ranking: "Ranking") -> str:
        last = list(self.steps(ranking))[-1]
        return equation(f"{format_number(last.gain)} / {format_number(last.discount)}", last.total)


@register
@dataclass(frozen=True)
class RBO(ReferenceMeasure):
    """Rank-biased overlap.

    (1 - p) sum over depths d of p^(d-1) (in both down to d) / d, extrapolated beyond the end of
    the lists (RBO_ext, which also handles lists of different lengths), or its lower bound
    (`min`: no further agreement). Undefined if one of the lists is empty.

    Attributes:
        p: Weight of deep ranks, between 0 and 1: the first 1/(1-p) ranks have most of it.
        form: `ext`, the extrapolated point estimate, or `min`, the lower bound.
        k: Ranks counted; `None` counts the whole lists.

    Raises:
        ParameterError: If p is not between 0 and 1.

    Examples:
        >>> import relyon
        >>> one = relyon.Run.from_dict({"q": {"a": 3, "b": 2}})
        >>> two = {"q": {"a": 9, "b": 8}}
        >>> round(relyon.evaluate(one, two, ["rbo(p=0.9)"])["rbo(p=0.9)"], 9)
        1.0

    References:
        Webber, Moffat and Zobel (2010), ACM TOIS 28(4), equations 11 and 32.
    """

    name = "rbo"
    headings: ClassVar[tuple[str, str]] = ("in both", "weight")
    formula = "(1 - p) sum of p^(d-1) (in both down to d) / d, extrapolated"
    k: int | None = None
    p: float = 0.9
    form: Literal["ext", "min"] = "ext"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.p < 1:
            raise ParameterError(
                message(
                    "measures.parameter-p-of-rbo",
                    p=self.p,
                )
            )

    def expanded_formula(self, ranking: "Ranking") -> str:
        return format_number(self.value(ranking))

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        import math

        p = self.p
        lengths = sorted(
            length if self.k is None else min(length, self.k)
            for length in (len(ranking), len(ranking.reference))
        )
        short, long = lengths
        cut = Ranking(
            documents=ranking.documents[: self.k],
            judged={},
            reference=ranking.reference[: self.k],
        )
        counts = [both for _, both in agreements(cut, long)]
        if self.form == "min":
            # Equation 11: every depth beyond the end counts the overlap so far.
            shared = counts[-1] if counts else 0
            running = 0.0
            tail = -math.log1p(-p) * shared
            weight = (1.0 - p) / p
            for depth, both in enumerate(counts, 1):
                running += (both - shared) * p**depth / depth
                yield self._step(ranking, depth, both, p**depth, 0.0, weight * (running + tail))
            return
        at_short, at_long = counts[short - 1], counts[long - 1]
        running = before = 0.0
        for depth, both in enumerate(counts, 1):
            share = both / depth
            if depth > short:
                share += at_short * (depth - short) / (short * depth)
            running += share * p**depth
            last = depth == long
            total = (1.0 - p) / p * running
            if last:
                total += ((at_long - at_short) / long + at_short / short) * p**long
            yield self._step(ranking, depth, both, p ** (depth - 1), total - before, total)
            before = total

    @staticmethod
    def _step(
        ranking: "Ranking", depth: int, both: int, weight: float, added: float, total: float
    ) -> Step:
        document = ranking.documents[depth - 1].document if depth <= len(ranking) else ""
        return Step(depth, document, None, float(both), weight, added, total)


@register
@dataclass(frozen=True)
class TauAP(ReferenceMeasure):
    """AP rank correlation.

    For each document from rank 2 down, the share of documents above it that the reference also
    ranks above it: 2 / (n - 1) sum of share - 1. Kendall's tau with more weight on mistakes at the
    top. Computed over the documents in both lists. Undefined for fewer than two.

    Examples:
        >>> import relyon
        >>> one = relyon.Run.from_dict({"q": {"a": 3, "b": 2, "c": 1}})
        >>> two = {"q": {"a": 3, "c": 2, "b": 1}}
        >>> relyon.evaluate(one, two, ["tau_ap"])["tau_ap"]
        0.5

    References:
        Yilmaz, Aslam and Robertson (2008), SIGIR.
    """

    name = "tau_ap"
    aliases = ("tauap", "ap_correlation")
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    headings: ClassVar[tuple[str, str]] = ("right above", "above")
    formula = "2/(n-1) sum of (right above rank i) / (i - 1) - 1"

    def undefined(self, ranking: "Ranking") -> str | None:
        held = {entry.document for entry in ranking} & set(ranking.reference)
        return None if len(held) > 1 else "the two lists share fewer than two documents"

    def steps(self, ranking: "Ranking") -> Iterator[Step]:
        places = {document: place for place, document in enumerate(ranking.reference)}
        shared = [entry for entry in ranking if entry.document in places]
        scale = 2.0 / (len(shared) - 1)
        running = 0.0
        for place, entry in enumerate(shared[1:], 1):
            right = sum(places[other.document] < places[entry.document] for other in shared[:place])
            running += right / place
            yield Step(
                entry.rank,
                entry.document,
                None,
                float(right),
                float(place),
                scale * right / place,
                scale * running - 1.0,
            )

    def expanded_formula(self, ranking: "Ranking") -> str:
        steps = list(self.steps(ranking))
        right = sum(step.gain / step.discount for step in steps)
        return equation(f"2 / {len(steps)} x {format_number(right)} - 1", self.value(ranking))
