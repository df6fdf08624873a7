"""Months of one process: a fall is called as rarely as promised, and real ones are found."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from scipy.stats import binom
from tests.honest.rows import row

pytestmark = pytest.mark.slow

CLAIM = "monitor-false-alarms"
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def made() -> Iterator[ModuleType]:
    sys.path.insert(0, str(DOCS))
    import make_monitoring

    yield make_monitoring
    sys.path.remove(str(DOCS))


def most(tests: int) -> int:
    """Returns how often independent tests fell at most, but for a chance of 1 in 200,000.

    The file holds fewer than 200 such bounds, so that a chance failure of any is below 1 in 1,000.
    """
    return int(binom.isf(5e-6, tests, 0.025))


def test_a_census_is_no_alarm(made: ModuleType) -> None:
    """Forty queries, all sessions taken: the pairs that once were alarms in 95 of 100."""
    rates = made.simulate(made.Process(40, 3), 1.0, pairs=40)
    assert rates.whole.fell <= most(40)
    assert rates.tiers.share <= most(40) / 40
    fallen = made.simulate(made.Process(40, 3, drop=1.5), 1.0, pairs=10)
    assert fallen.whole.fell == 10


def test_a_single_query_is_unknown(made: ModuleType) -> None:
    rates = made.simulate(made.Process(3, 40, skew=0.0), 1.0, pairs=10)
    assert rates.tiers.fell == 0
    assert rates.tiers.unknown > 0


#: Queries, sessions per query, what months share, skew of the traffic, values of 0 or 3.
CORNERS = [
    (2, 60, "redrawn", 0.0, False),
    (3, 100, "shared", 0.0, False),
    (6, 20, "disjoint", 0.0, True),
    (6, 400, "redrawn", 0.0, False),
    (12, 40, "disjoint", 1.0, False),
    (40, 3, "shared", 0.0, False),
    (40, 3, "redrawn", 1.0, False),
    (40, 40, "shared", 1.0, False),
    (400, 1, "disjoint", 0.0, False),
]
PAIRS = 24


@pytest.mark.parametrize("design", ["stratified", "pptss"])
@pytest.mark.parametrize(("queries", "each", "months", "skew", "discrete"), CORNERS)
def test_a_fall_is_called_as_rarely_as_promised(
    made: ModuleType,
    queries: int,
    each: int,
    months: str,
    skew: float,
    discrete: bool,
    design: str,
) -> None:
    process = made.Process(queries, each, months, skew, discrete)
    together = made.Rates()
    for number, inclusion in enumerate((0.02, 0.1, 0.5, 1.0)):
        if queries * each * inclusion > 1600:
            continue  # The table of the documentation holds these: they take long.
        rates = made.simulate(
            process, inclusion, design, pairs=PAIRS, same_seed=number % 2 == 0, seed=queries
        )
        together += rates
        assert rates.whole.fell <= most(rates.whole.tests), inclusion
    tests = together.whole.tests
    kind = "0 or 3, " if discrete else ""
    row(
        CLAIM, f"{queries} queries × {each}, {months}, {kind}skew {skew:g}, {design}: a fall",
        together.whole.fell / tests, tests, promise="at most 2.5%", most=most(tests) / tests,
    )  # fmt: skip
    # The tiers of a pair come from one month: as if each pair were a single test, of three.
    assert together.tiers.share <= most(together.whole.tests) / together.whole.tests


@pytest.mark.parametrize("same_seed", [True, False])
def test_a_real_fall_is_found(made: ModuleType, same_seed: bool) -> None:
    process = made.Process(40, 20, drop=1.0)
    for inclusion in (0.25, 0.5, 1.0):
        rates = made.simulate(process, inclusion, pairs=40, same_seed=same_seed)
        assert rates.whole.share > 0.9, inclusion
