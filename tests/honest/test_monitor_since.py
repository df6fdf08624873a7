"""The change since the first month, and what months have in common, over years of one process."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from tests.honest.rows import row

from relyon.analysis.statistics import adjust
from relyon.online.monitoring.changes import Difference, difference
from relyon.online.monitoring.month_variance import Cells, MonthMean, cell_means
from relyon.online.monitoring.since import correct_since

pytestmark = pytest.mark.slow

CLAIM = "monitor-since"
YEARS = 200
MONTHS = 12
TIERS = ("head", "middle", "tail")
#: Queries of each tier, graded sessions per query, and the mean of their DCG.
QUERIES, EACH, LEVEL = 40, 5, 3.0

Month = dict[str, MonthMean]


def year(chance: np.random.Generator, shock: float) -> Iterator[Month]:
    """Yields months of one process: the same queries, whose values vary from month to month.

    Args:
        chance: What is drawn from.
        shock: The standard deviation of what all queries of a month have in common.
    """
    strata = np.repeat(np.arange(len(TIERS)), QUERIES)
    names = tuple(f"q{number}" for number in range(len(strata)))
    always = LEVEL + chance.normal(0, 1, len(strata))
    counts = np.full(len(strata), EACH)
    for _ in range(MONTHS):
        means = always + chance.normal(0, shock) + chance.normal(0, 0.5, len(strata))
        means += chance.normal(0, 1 / np.sqrt(EACH), len(strata))
        squares = chance.chisquare(EACH - 1, len(strata))
        whole, tiers = cell_means(
            TIERS,
            np.array([5000.0, 3000.0, 2000.0]),
            np.full(len(TIERS), QUERIES * EACH),
            Cells(strata, names, counts, means, squares),
        )
        yield {"all": whole, **tiers}


def compare(before: Month, after: Month) -> dict[str, Difference]:
    return {name: difference(before[name], after[name]) for name in before}


@cache
def counted(shock: float) -> dict[str, float]:
    """Returns shares of years in which something was called a change."""
    chance = np.random.default_rng(round(1000 * shock))
    found = dict.fromkeys(("uncorrected", "last", "ever", "monthly", "spread"), 0.0)
    for _ in range(YEARS):
        months = list(year(chance, shock))
        looks = [correct_since(compare(months[0], month)) for month in months[2:]]
        least = [min(one.p_adjusted for one in look.values()) for look in looks]
        found["uncorrected"] += min(one.p for one in looks[-1].values()) <= 0.05
        found["last"] += least[-1] <= 0.05
        found["ever"] += min(least) <= 0.05
        steps = [compare(*pair) for pair in pairwise(months)]
        corrected = [min(adjust([one.p for one in step.values()], "holm")) for step in steps]
        found["monthly"] += min(corrected) <= 0.05
        values = np.array([step["all"].value for step in steps])
        errors = np.array([step["all"].standard_error for step in steps])
        found["spread"] += bool(np.mean(values**2) > 2 * np.mean(errors**2))
    return {name: count / YEARS for name, count in found.items()}


def test_one_look_is_corrected_over_the_tiers() -> None:
    found = counted(0.0)
    row(
        CLAIM, "twelve months of one process, four tests: a change since the first at the last",
        found["last"], YEARS, promise="at most 5%", most=0.1,
    )  # fmt: skip
    assert found["uncorrected"] > found["last"]


def test_a_look_every_month_is_outside() -> None:
    found = counted(0.0)
    row(
        CLAIM, "twelve months of one process, looked at every month: a change at any of ten looks",
        found["ever"], YEARS, promise="none", least=0.05, assumption=False,
        says="“for one look”",
    )  # fmt: skip


def test_effects_of_a_month_are_outside() -> None:
    """5% of DCG, common to all queries of a month."""
    found = counted(0.05 * LEVEL)
    row(
        CLAIM, "a shock of 5% of DCG common to each month: a change since the first at the last",
        found["last"], YEARS, promise="none", least=0.2, assumption=False,
        says="“effects common to a month … lie outside every error”",
    )  # fmt: skip
    row(
        "monitor-false-alarms", "a shock of 5% of DCG common to each month: years with an alarm",
        found["monthly"], YEARS, promise="none", least=0.5, assumption=False,
        says="“effects common to a month … lie outside every error”",
    )  # fmt: skip
    row(
        "monitor-false-alarms",
        "the same: years whose earlier changes spread more than sampling explains (√2 times)",
        found["spread"], YEARS, promise="none", least=0.9, assumption=False,
        says="shown beside the change from six rounds on",
    )  # fmt: skip
