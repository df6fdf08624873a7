"""How much of a run's number rests on stale grades."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.analysis.stale.scenarios import Scenarios

if TYPE_CHECKING:
    from relyon.analysis.stale.bounds import StaleSet
    from relyon.data.run import Run

__all__ = ["rank_shares"]


def rank_shares(
    scenarios: Scenarios, runs: Sequence[Run], stale: StaleSet
) -> list[tuple[float, float]]:
    """Returns two shares of every run: of its DCG, and of the weight of its judged ranks.

    The first is 1 − DCG without the stale grades / DCG, both summed over queries, down to the
    measure's cutoff. A stale grade of 0 has no part in it; so the second counts every judged
    document as one of gain 1: the sum of 1/log2(rank + 1) over stale ranks, over that of all judged
    ranks. A share without a denominator is NaN.

    Args:
        scenarios: Judgments, runs and the measure, whose cutoff is used.
        runs: The runs.
        stale: The stale grades.
    """
    from relyon.measures import measure

    cut = getattr(scenarios.measure, "k", None)
    name = f"dcg@{cut}" if isinstance(cut, int) else "dcg"
    own = scenarios.with_measure(measure(name))
    flat = Scenarios(
        {query: dict.fromkeys(grades, 1.0) for query, grades in scenarios.judgments.items()},
        runs,
        measure(f"dcg(gain=linear)@{cut}" if isinstance(cut, int) else "dcg(gain=linear)"),
        scenarios.convention,
        None,
    )
    queries = list(scenarios.judgments)
    out = [
        (query, stale.fixed(query) | dict.fromkeys(stale.open.get(query, ()), None))
        for query in queries
    ]
    whole = own.values((query, {}) for query in queries)
    rest = own.values(out)
    places = flat.values((query, {}) for query in queries)
    left = flat.values((query, dict.fromkeys(changed, 0.0)) for query, changed in out)
    found = []
    for run in range(scenarios.runs):
        sums = [_sum(values[:, run].tolist()) for values in (whole, rest, places, left)]
        found.append((_share(sums[0], sums[1]), _share(sums[2], sums[3])))
    return found


def _sum(values: Sequence[float]) -> float:
    return math.fsum(value for value in values if not math.isnan(value))


def _share(whole: float, rest: float) -> float:
    return 1 - rest / whole if whole > 0 else math.nan
