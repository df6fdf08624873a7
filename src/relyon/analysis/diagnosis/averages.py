"""Micro and macro averages disagree, and how much weight the largest queries have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.analysis.diagnosis.difference import effective_units, mean_interval
from relyon.analysis.diagnosis.example import Example
from relyon.analysis.diagnosis.rule import Finding, Rule, Subject, register

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Averages"]


@register
@dataclass(frozen=True)
class Averages(Rule):
    """The mean over queries and the ratio of sums point in opposite directions.

    Large queries (many relevant documents, many pairs) have more weight in the ratio of sums.
    Checks Recall and the concordance of pairs, which is PNR as a share, over the queries that have
    a value in both runs.

    Both changes are means over the same queries, so their gap is one too. The rule fires if they
    have opposite signs and their gap differs from 0 by a randomisation test that swaps the runs of
    a query, each of the two measures at half of the level. Only if each change is significant in
    its own direction does it claim that one rose and the other fell: a qualitative interaction.

    Attributes:
        depth: Cutoff of Recall.
        least: The least change of each of the two averages.
        large: The share of queries that counts as largest, by denominator.

    References:
        Gail and Simon (1985), Biometrics 41(2): testing for qualitative interactions.
    """

    name: ClassVar[str] = "micro-macro"
    depth: int = 100
    least: float = 0.002
    large: float = 0.1

    def measures(self) -> tuple[str, ...]:
        return f"recall@{self.depth}", "concordance"

    def apply(self, subject: Subject) -> Finding | None:
        for measure in self.measures():
            found = self._look(subject, measure)
            if found is not None:
                return found
        return None

    def _look(self, subject: Subject, measure: str) -> Finding | None:
        from relyon.analysis.statistics import is_significant

        both = _Both.of(subject, measure)
        if not len(both.queries):
            return None
        macro, micro, gap = both.changes()
        by_mean, by_sum = float(macro.mean()), float(micro.mean())
        if by_mean * by_sum >= 0 or min(abs(by_mean), abs(by_sum)) < self.least:
            return None
        # Two measures are looked at: each is tested at half of the level.
        alpha = subject.alpha / len(self.measures())
        clusters = subject.clusters(both.queries)
        interval = mean_interval(gap, alpha / 2, clusters)
        if not (interval[0] > 0 or interval[1] < 0):
            return None
        p = {
            name: _p(values, clusters)
            for name, values in (("macro", macro), ("micro", micro), ("gap", gap))
        }
        if not is_significant(
            len(gap) if clusters is None else effective_units(clusters), p["gap"], alpha
        ):
            return None
        # Both must be significant: a wrong direction of either is half as likely as its level.
        opposite = max(p["macro"], p["micro"]) <= subject.alpha
        sizes = sorted(
            zip(both.below[1].tolist(), both.queries, strict=True),
            key=lambda one: (-one[0], one[1]),
        )
        count = max(1, math.ceil(self.large * len(sizes)))
        values = dict(zip(both.queries, macro.tolist(), strict=True))
        means, sums = both.numbers()
        return Finding(
            self.name,
            "medium",
            {
                "measure": measure,
                "macro_baseline": means[0],
                "macro_candidate": means[1],
                "macro_difference": by_mean,
                "macro_p": p["macro"],
                "micro_baseline": sums[0],
                "micro_candidate": sums[1],
                "micro_difference": by_sum,
                "micro_p": p["micro"],
                "gap": by_mean - by_sum,
                "gap_interval": interval,
                "gap_p": p["gap"],
                "confidence": 1 - alpha,
                "opposite": opposite,
                "large": count,
                "queries": len(sizes),
                "large_share": math.fsum(size for size, _ in sizes[:count])
                / math.fsum(size for size, _ in sizes),
            },
            examples=tuple(Example.of(query, said=f" ({size:g})") for size, query in sizes[:5]),
            chart_data=tuple(
                {"query": query, "size": size, "difference": values[query]}
                for size, query in sizes[: max(count, 50)]
            ),
            parts=("text", "text.opposite" if opposite else "text.apart", "text.large"),
        )


@dataclass(frozen=True, eq=False)
class _Both:
    """Numerators and denominators of both runs, over the queries that have a value in both."""

    queries: list[str]
    above: tuple[NDArray[np.float64], NDArray[np.float64]]
    below: tuple[NDArray[np.float64], NDArray[np.float64]]

    @classmethod
    def of(cls, subject: Subject, measure: str) -> _Both:
        import numpy as np

        values = subject.both(lambda name: subject.results(name).column(measure))
        above = subject.both(lambda name: subject.results(name).parts(measure)[0])
        below = subject.both(lambda name: subject.results(name).parts(measure)[1])
        held = np.flatnonzero(~np.isnan(values).any(axis=0) & (below > 0).all(axis=0))
        above, below = above[:, held], below[:, held]
        queries = [subject.common.queries[place] for place in held.tolist()]
        return cls(queries, (above[0], above[1]), (below[0], below[1]))

    def numbers(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Returns the means over queries and the ratios of sums, of baseline and candidate."""
        pairs = [*zip(self.above, self.below, strict=True)]
        means = [float((above / below).mean()) for above, below in pairs]
        sums = [float(above.sum() / below.sum()) for above, below in pairs]
        return (means[0], means[1]), (sums[0], sums[1])

    def changes(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Returns one value per query whose mean is the change: macro, micro, and their gap.

        With r the mean of the two ratios, the micro change is the mean of
        (a₂ - r b₂) / b̄₂ - (a₁ - r b₁) / b̄₁; swapping a query's runs turns its sign where the
        denominators agree.
        """
        _, ratios = self.numbers()
        centre = sum(ratios) / 2
        first, second = (
            (above - centre * below) / below.mean()
            for above, below in zip(self.above, self.below, strict=True)
        )
        macro = self.above[1] / self.below[1] - self.above[0] / self.below[0]
        micro = second - first
        return macro, micro, macro - micro


def _p(values: NDArray[np.float64], clusters: NDArray[np.int64] | None) -> float:
    """Returns the p-value of a randomisation test that swaps the two runs of each query.

    The queries of a cluster are swapped together.
    """
    from relyon.analysis.statistics import ClusteredMean, Resampling, cluster_test, paired_test

    if clusters is None:
        p = paired_test("permutation", values).p
    else:
        p = cluster_test("permutation", ClusteredMean.of(values, clusters), Resampling()).p
    return 1.0 if math.isnan(p) else p
