"""Measures of novelty and diversity: how well a list serves every subtopic of its query.

They read judgments of subtopics (see `Judgments`). A document is relevant to a subtopic if its
grade there is `rel` or more. Judgments without subtopics count as judgments of one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from relyon.data.ranking import Ranking
from relyon.measures.definition import UNBOUNDED, Kernel, Step
from relyon.measures.lookup import register
from relyon.measures.subtopics import Diversity, Novelty

__all__ = ["APIA", "ERRIA", "NERRIA", "NNRBP", "NRBP", "PIA", "AlphaDCG", "AlphaNDCG", "StRecall"]


@register
@dataclass(frozen=True)
class AlphaDCG(Novelty):
    """α-DCG: discounted gain that shrinks when a subtopic recurs.

    The gain of the document at rank i is the sum, over the subtopics that it is relevant to, of
    (1 - alpha)^(documents above it that are relevant to the same subtopic). Gains are divided by
    log2(i + 1) and summed, and the sum is divided by that of a list in which every document is
    relevant to every subtopic. Without a cutoff that list is as long as the run's. Undefined if
    no document is relevant to any subtopic.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        alpha: The share of a subtopic's gain that each document about it removes, from 0 to 1.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Raises:
        ParameterError: If alpha is not from 0 to 1.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": {"1": 1}, "b": {"1": 1}, "c": {"2": 1}}}
        >>> run = {"q": {"a": 3, "b": 2, "c": 1}}
        >>> round(relyon.evaluate(judgments, run, "alpha_dcg@3")["alpha_dcg@3"], 4)
        0.6302

    References:
        Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon (2008), SIGIR.
    """

    name = "alpha_dcg"
    aliases = ("alpha-dcg", "α_dcg", "α-dcg", "alphadcg")
    formula = "sum of gain / log2(rank + 1), over the highest possible sum"
    weights = "log2"
    norm = "subtopics"
    k: int | None = None
    alpha: float = 0.5
    rel: float | None = None


@register
@dataclass(frozen=True)
class AlphaNDCG(Novelty):
    """α-nDCG: α-DCG as a share of that of the best list.

    The best list takes at each rank the judged document with the most remaining gain, the highest
    id among equal ones, as ndeval does. Rarely another order is better; a run can then exceed 1.
    Undefined if no document is relevant to any subtopic.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        alpha: The share of a subtopic's gain that each document about it removes, from 0 to 1.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Raises:
        ParameterError: If alpha is not from 0 to 1.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": {"1": 1}, "b": {"1": 1}, "c": {"2": 1}}}
        >>> run = {"q": {"a": 3, "b": 2, "c": 1}}
        >>> round(relyon.evaluate(judgments, run, "alpha_ndcg@3")["alpha_ndcg@3"], 4)
        0.9652

    References:
        Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon (2008), SIGIR.
    """

    name = "alpha_ndcg"
    aliases = ("alpha-ndcg", "α_ndcg", "α-ndcg", "alphandcg")
    bounds: ClassVar[tuple[float, float]] = UNBOUNDED
    formula = "sum of gain / log2(rank + 1), over that of the best list"
    weights = "log2"
    norm = "ideal"
    k: int | None = None
    alpha: float = 0.5
    rel: float | None = None


@register
@dataclass(frozen=True)
class ERRIA(Novelty):
    """ERR-IA: intent-aware expected reciprocal rank.

    Like α-DCG with the weight 1 / rank: a user who wants one of the subtopics, all equally likely,
    reads from the top and stops at a relevant document with probability alpha. The sum is divided
    by that of a list in which every document is relevant to every subtopic (without a cutoff, as
    long as the run's), as in ndeval. Undefined if no document is relevant to any subtopic.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        alpha: The share of a subtopic's gain that each document about it removes, from 0 to 1.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Raises:
        ParameterError: If alpha is not from 0 to 1.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": {"1": 1}, "b": {"1": 1}, "c": {"2": 1}}}
        >>> run = {"q": {"a": 3, "b": 2, "c": 1}}
        >>> round(relyon.evaluate(judgments, run, "err_ia@3")["err_ia@3"], 4)
        0.5938

    References:
        Chapelle, Metzler, Zhang and Grinspan (2009), CIKM. Chapelle, Ji, Liao, Velipasaoglu, Lai
        and Wu (2011), Information Retrieval 14(6).
    """

    name = "err_ia"
    aliases = ("err-ia",)
    formula = "sum of gain / rank, over the highest possible sum"
    weights = "inverse"
    norm = "subtopics"
    k: int | None = None
    alpha: float = 0.5
    rel: float | None = None


@register
@dataclass(frozen=True)
class NERRIA(Novelty):
    """nERR-IA: ERR-IA as a share of that of the best list.

    The best list is that of `alpha_ndcg`. Undefined if no document is relevant to any subtopic.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        alpha: The share of a subtopic's gain that each document about it removes, from 0 to 1.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Raises:
        ParameterError: If alpha is not from 0 to 1.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": {"1": 1}, "b": {"1": 1}, "c": {"2": 1}}}
        >>> run = {"q": {"a": 3, "b": 2, "c": 1}}
        >>> round(relyon.evaluate(judgments, run, "nerr_ia@3")["nerr_ia@3"], 4)
        0.95

    References:
        Chapelle, Metzler, Zhang and Grinspan (2009), CIKM.
    """

    name = "nerr_ia"
    aliases = ("nerr-ia",)
    bounds: ClassVar[tuple[float, float]] = UNBOUNDED
    formula = "sum of gain / rank, over that of the best list"
    weights = "inverse"
    norm = "ideal"
    k: int | None = None
    alpha: float = 0.5
    rel: float | None = None


@register
@dataclass(frozen=True)
class NRBP(Novelty):
    """NRBP: novelty- and rank-biased precision.

    Like α-DCG with the weight beta^(rank - 1) over the whole list, times (1 - (1 - alpha) beta)
    over the number of subtopics. Undefined if no document is relevant to any subtopic.

    Attributes:
        alpha: The share of a subtopic's gain that each document about it removes, from 0 to 1.
        beta: The user's patience: the probability of continuing to the next rank, from 0 to below
            1.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Raises:
        ParameterError: If alpha is not from 0 to 1, or beta not from 0 to below 1.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": {"1": 1}, "b": {"1": 1}, "c": {"2": 1}}}
        >>> run = {"q": {"a": 3, "b": 2, "c": 1}}
        >>> relyon.evaluate(judgments, run, "nrbp")["nrbp"]
        0.5625

    References:
        Clarke, Kolla and Vechtomova (2009), ICTIR.
    """

    name = "nrbp"
    formula = "(1 - (1 - alpha) beta) / subtopics * sum of gain beta^(rank - 1)"
    weights = "geometric"
    norm = "subtopics"
    alpha: float = 0.5
    beta: float = 0.5
    rel: float | None = None


@register
@dataclass(frozen=True)
class NNRBP(Novelty):
    """nNRBP: NRBP as a share of that of the best list.

    The best list is that of `alpha_ndcg`. Undefined if no document is relevant to any subtopic.

    Attributes:
        alpha: The share of a subtopic's gain that each document about it removes, from 0 to 1.
        beta: The user's patience: the probability of continuing to the next rank, from 0 to below
            1.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Raises:
        ParameterError: If alpha is not from 0 to 1, or beta not from 0 to below 1.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": {"1": 1}, "b": {"1": 1}, "c": {"2": 1}}}
        >>> run = {"q": {"a": 3, "b": 2, "c": 1}}
        >>> round(relyon.evaluate(judgments, run, "nnrbp")["nnrbp"], 4)
        0.9231

    References:
        Clarke, Kolla and Vechtomova (2009), ICTIR.
    """

    name = "nnrbp"
    bounds: ClassVar[tuple[float, float]] = UNBOUNDED
    formula = "sum of gain beta^(rank - 1), over that of the best list"
    weights = "geometric"
    norm = "ideal"
    alpha: float = 0.5
    beta: float = 0.5
    rel: float | None = None


@register
@dataclass(frozen=True)
class PIA(Diversity):
    """P-IA: intent-aware precision.

    The mean, over subtopics with a relevant document, of precision at k; without a cutoff k is the
    length of the list. Undefined if no document is relevant to any subtopic.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}, "c": {"2": 1}}}
        >>> run = {"q": {"a": 3, "b": 2, "c": 1}}
        >>> relyon.evaluate(judgments, run, "p_ia@2")["p_ia@2"]
        0.75

    References:
        Agrawal, Gollapudi, Halverson and Ieong (2009), WSDM.
    """

    name = "p_ia"
    aliases = ("p-ia",)
    formula = "relevant subtopics of documents at ranks 1..k / (k * subtopics)"
    headings: ClassVar[tuple[str, str]] = ("subtopics", "divisor")
    k: int | None = None
    rel: float | None = None

    def steps(self, ranking: Ranking) -> Iterator[Step]:
        about = self.about(ranking)
        divisor = float((self.k or len(ranking)) * len(self.relevant_to(ranking)))
        running = 0.0
        for entry in ranking.top(self.k):
            found = float(len(about.get(entry.document, [])))
            running += found
            yield Step(
                entry.rank, entry.document, entry.grade, found, divisor,
                found / divisor, running / divisor,
            )  # fmt: skip

    def kernel(self) -> Kernel | None:
        return "p_ia", {"k": self.k, "rel": self.rel}


@register
@dataclass(frozen=True)
class APIA(Diversity):
    """AP-IA: intent-aware average precision; its mean is MAP-IA.

    The mean, over subtopics with a relevant document, of average precision.
    Undefined if no document is relevant to any subtopic.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": {"1": 1}, "b": {"1": 1, "2": 1}, "c": {"2": 1}}}
        >>> run = {"q": {"a": 3, "b": 2, "c": 1}}
        >>> round(relyon.evaluate(judgments, run, "ap_ia")["ap_ia"], 4)
        0.7917

    References:
        Agrawal, Gollapudi, Halverson and Ieong (2009), WSDM.
    """

    name = "ap_ia"
    aliases = ("ap-ia", "map_ia", "map-ia")
    formula = "mean over subtopics of average precision"
    headings: ClassVar[tuple[str, str]] = ("subtopics", "rank")
    k: int | None = None
    rel: float | None = None

    def steps(self, ranking: Ranking) -> Iterator[Step]:
        about, relevant = self.about(ranking), self.relevant_to(ranking)
        above: dict[str, int] = {}
        sums = dict.fromkeys(relevant, 0.0)
        total = 0.0
        for entry in ranking.top(self.k):
            before, found = total, about.get(entry.document, [])
            for subtopic in found:
                above[subtopic] = above.get(subtopic, 0) + 1
                sums[subtopic] += above[subtopic] / entry.rank
            if found:
                total = sum(sums[one] / count for one, count in relevant.items()) / len(relevant)
            yield Step(
                entry.rank, entry.document, entry.grade,
                float(len(found)), float(entry.rank), total - before, total,
            )  # fmt: skip

    def kernel(self) -> Kernel | None:
        return "ap_ia", {"k": self.k, "rel": self.rel}


@register
@dataclass(frozen=True)
class StRecall(Diversity):
    """Subtopic recall: the share of subtopics covered.

    Subtopics with a relevant document among the first k, divided by those with any relevant
    document. Undefined if no document is relevant to any subtopic.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": {"1": 1}, "b": {"1": 1}, "c": {"2": 1}}}
        >>> run = {"q": {"a": 3, "b": 2, "c": 1}}
        >>> relyon.evaluate(judgments, run, "strecall@2")["strecall@2"]
        0.5

    References:
        Zhai, Cohen and Lafferty (2003), SIGIR.
    """

    name = "strecall"
    aliases = ("strec", "st_recall", "subtopic_recall", "s_recall")
    formula = "subtopics found at ranks 1..k / those with a relevant document"
    headings: ClassVar[tuple[str, str]] = ("new subtopics", "subtopics")
    k: int | None = None
    rel: float | None = None

    def steps(self, ranking: Ranking) -> Iterator[Step]:
        about, count = self.about(ranking), float(len(self.relevant_to(ranking)))
        seen: set[str] = set()
        for entry in ranking.top(self.k):
            new = set(about.get(entry.document, [])) - seen
            seen |= new
            found = float(len(new))
            yield Step(
                entry.rank, entry.document, entry.grade,
                found, count, found / count, len(seen) / count,
            )  # fmt: skip

    def missing_relevant(self, ranking: Ranking) -> list[str]:
        about = self.about(ranking)
        counted = [entry.document for entry in ranking.top(self.k)]
        seen = {subtopic for document in counted for subtopic in about.get(document, [])}
        return sorted(
            (document for document, found in about.items() if set(found) - seen),
            key=lambda document: (-len(set(about[document]) - seen), document),
        )

    def kernel(self) -> Kernel | None:
        return "strecall", {"k": self.k, "rel": self.rel}
