"""Between two runs of equal quality, `depth` claims a difference as rarely as it promises."""

from __future__ import annotations

import numpy as np
import pytest
from bench import depth_alarms
from scipy.stats import binom
from tests.honest.rows import row

from relyon.analysis.depth.rules import TIMES
from relyon.analysis.depth.sensitivity import queries_needed

pytestmark = pytest.mark.slow

CLAIM = "depth-false-alarms"
REPETITIONS = 600
ALPHA = 0.05
#: At most this many alarms in 99.9% of such experiments.
MOST = int(binom.ppf(0.999, REPETITIONS, ALPHA))


@pytest.mark.parametrize("queries", [10, 50, 200])
def test_claims_are_as_rare_as_alpha(queries: int) -> None:
    found = depth_alarms.counts(queries, REPETITIONS)
    # The simulation can alarm: chance alone reaches p ≤ 0.05 at some K, and changes the order.
    assert found["uncorrected"] > 2 * MOST
    assert found["signs"] > REPETITIONS / 2
    for name in ("marked", "claimed", "order-changes", "overstated"):
        row(
            CLAIM, f"two runs of equal quality, {queries} queries: {name}",
            found[name] / REPETITIONS, REPETITIONS, promise="at most 5%", most=MOST / REPETITIONS,
        )  # fmt: skip


def test_five_queries_claim_nothing() -> None:
    found = depth_alarms.counts(5, REPETITIONS)
    assert found["uncorrected"] > 0
    for name in ("marked", "claimed", "order-changes", "queries-needed"):
        assert found[name] == 0, name


@pytest.mark.parametrize(("queries", "most"), [(6, 0.1), (50, 0.03)])
def test_extreme_queries_do_not_break_the_bound(queries: int, most: float) -> None:
    """All cutoffs are equally sensitive, and few queries make up most of the variance."""
    chance = np.random.default_rng(queries)
    wrong = 0
    for _ in range(REPETITIONS):
        baseline = chance.lognormal(0, 1, queries)
        values = {k: (baseline, chance.standard_t(3, queries)) for k in range(1, 8)}
        found = queries_needed("ndcg", "b", values, ALPHA, 1)
        wrong += found is not None and found.low >= TIMES
    row(
        CLAIM, f"a few queries dominate the variance, {queries} queries: overstated",
        wrong / REPETITIONS, REPETITIONS, promise="none", most=most, assumption=False,
        says="the page says that it assumes that no query dominates",
    )  # fmt: skip
