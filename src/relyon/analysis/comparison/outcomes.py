"""Outcomes of paired tests of two runs: p-values and statistics, computed on demand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from relyon.analysis.comparison.pairing import Pairing
from relyon.analysis.comparison.settings import TESTS

if TYPE_CHECKING:
    from relyon.analysis.statistics import Resampling, TestResult

__all__ = ["NO_POOLED", "STATISTICS", "Bootstraps", "Lazy", "outcomes"]

#: Tests of one value per query, which a pooled number does not have.
NO_POOLED = ("t", "wilcoxon", "sign")
STATISTICS = ("t", "degrees_of_freedom", "w")


class Lazy(Mapping[str, float]):
    """Numbers by name, each computed on first use.

    Examples:
        >>> squares = Lazy(["2", "3"], lambda name: float(name) ** 2)
        >>> squares["3"], dict(squares)
        (9.0, {'2': 4.0, '3': 9.0})
    """

    def __init__(self, names: Sequence[str], compute: Callable[[str], float]) -> None:
        self._names = names
        self._compute = cache(compute)

    def __getitem__(self, name: str) -> float:
        if name not in self._names:
            raise KeyError(name)
        return self._compute(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[object, ...]:
        return dict, (dict(self),)


class Bootstraps:
    """Bootstrap tests of pairings: those with equally many queries share their draws.

    Drawing queries takes longer than summing their values.

    Args:
        pairings: All pairings that may be requested.
        draws: How often, and from which seed.
    """

    def __init__(self, pairings: Iterable[Pairing], draws: Resampling) -> None:
        self._draws = draws
        self._pairings = list(pairings)
        self._found: dict[int, TestResult] = {}

    def __call__(self, pairing: Pairing) -> TestResult:
        """Returns the test of one of the pairings."""
        from relyon.analysis import statistics

        if id(pairing) not in self._found:
            count = len(pairing.differences)
            alike = [one for one in self._pairings if len(one.differences) == count]
            results = statistics.bootstrap_results([one.differences for one in alike], self._draws)
            self._found |= {id(one): result for one, result in zip(alike, results, strict=True)}
        return self._found[id(pairing)]


def outcomes(pairing: Pairing, draws: Resampling, bootstraps: Bootstraps) -> tuple[Lazy, Lazy]:
    """Returns the p-value of every paired test, and the statistics `t`, `degrees_of_freedom`, `w`.

    W is the smaller sum of the ranks of nonzero differences, as in SciPy. For a number pooled over
    queries, tests of per-query values are NaN; for queries in clusters, those by ranks or signs.

    Args:
        pairing: The pairing to test.
        draws: How often the resampling tests draw, and from which seed.
        bootstraps: Draws for this pairing and others.
    """
    from relyon.analysis import statistics

    pooled, repeats, clustered = pairing.pools, pairing.repeats, pairing.clustered

    @cache
    def test(name: str) -> TestResult:
        if name == "t" and repeats is not None and repeats.excess:
            return repeats.t_test(pairing.differences, clustered)
        if clustered is not None:
            return statistics.cluster_test(name, clustered, draws)
        if name == "bootstrap":
            return bootstraps(pairing)
        return statistics.tests.get(name)(pairing.differences, draws)

    def p_value(name: str) -> float:
        if pooled is not None and name in NO_POOLED:
            return math.nan
        if pooled is not None and name == "permutation":
            return statistics.swapped_p(*pooled, draws)
        if name == "permutation" and pairing.ratio is not None and clustered is None:
            from relyon.analysis.statistics.left_out import ratios_of

            arrays = ratios_of(pairing.ratio)
            return statistics.ratio_p(pairing.parts, pairing.ratio, draws, arrays)
        return float(test(name).p)

    def statistic(name: str) -> float:
        if pooled is not None:
            return math.nan
        if name == "degrees_of_freedom" and repeats is not None and repeats.excess:
            return repeats.error(pairing.differences, clustered)[1]
        if name == "degrees_of_freedom" and clustered is not None:
            return clustered.degrees
        if name == "degrees_of_freedom":
            return float(len(pairing.differences) - 1)
        return float(test("t" if name == "t" else "wilcoxon").statistic)

    return Lazy(TESTS, p_value), Lazy(STATISTICS, statistic)
