"""What the paired tests say about two runs: p-values and statistics, computed when asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from relkit.analysis.comparison.pairing import Pairing
from relkit.analysis.comparison.settings import TESTS

if TYPE_CHECKING:
    from relkit.analysis.statistics import Resampling

__all__ = ["NO_POOLED", "STATISTICS", "Lazy", "outcomes"]

#: Tests of one value a query, which a pooled number does not have.
NO_POOLED = ("t", "wilcoxon", "sign")
STATISTICS = ("t", "degrees_of_freedom", "w")


class Lazy(Mapping[str, float]):
    """Numbers by name, each computed when it is first asked for.

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

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


def outcomes(pairing: Pairing, draws: Resampling) -> tuple[Lazy, Lazy]:
    """Returns the p-value of every paired test, and the statistics `t`, `degrees_of_freedom`, `w`.

    W is the smaller sum of the ranks of the differences that are not 0, as in scipy. Where a number
    is pooled over queries, what rests on one value a query is NaN.
    """
    from relkit.analysis import statistics

    pooled = pairing.pools

    @cache
    def test(name: str) -> Any:
        return statistics.tests.get(name)(pairing.differences, draws)

    def p_value(name: str) -> float:
        if pooled is not None and name in NO_POOLED:
            return math.nan
        if pooled is not None and name == "permutation":
            return statistics.swapped_p(*pooled, draws)
        if name == "permutation" and pairing.ratio is not None:
            return statistics.ratio_p(pairing.parts, pairing.ratio, draws)
        return float(test(name).p)

    def statistic(name: str) -> float:
        if pooled is not None:
            return math.nan
        if name == "degrees_of_freedom":
            return float(len(pairing.differences) - 1)
        return float(test("t" if name == "t" else "wilcoxon").statistic)

    return Lazy(TESTS, p_value), Lazy(STATISTICS, statistic)
