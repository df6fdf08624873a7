"""Ratios of sums over queries of unequal size: tests, intervals, and who is named."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from statistics import NormalDist

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

from relyon.analysis.comparison.inference import contrasts
from relyon.analysis.comparison.pairing import Pairing, Sample, pair
from relyon.analysis.comparison.settings import Settings
from relyon.measures import measure

Values = NDArray[np.float64]

CLAIM = "ratio-tests"
SETTINGS = Settings(resamples=499, threads=1)
PNR = measure("pnr")


def pairs_of(documents: int) -> int:
    return documents * (documents - 1) // 2


#: Documents of each query.
SIZES: dict[str, list[int]] = {
    "8 queries of 10 documents": [10] * 8,
    "40 queries of 10 documents": [10] * 40,
    "50 queries of 4 to 30 documents": [*range(4, 29)] * 2,
    "40 queries, one of 25 documents, 39 of 10": [25] + [10] * 39,
    "40 queries, one of 40 documents, 39 of 10": [40] + [10] * 39,
    "40 queries, one of 100 documents, 39 of 10": [100] + [10] * 39,
    "20 queries, one of 100 documents, 19 of 10": [100] + [10] * 19,
}


def drawn(
    sizes: list[int], random: np.random.Generator, noise: Callable[[int], tuple[Values, Values]]
) -> Pairing:
    """Returns two runs on queries of these sizes.

    The share of positive pairs is a query's own, changed by the noise of each run.
    """
    total = np.array([pairs_of(one) for one in sizes], float)
    level = random.normal(1.5, 0.5, len(sizes))
    samples = []
    for change in noise(len(sizes)):
        positive = np.rint(total / (1 + np.exp(-level - change)))
        numerators = {f"q{place}": float(one) for place, one in enumerate(positive)}
        denominators = {f"q{place}": float(one) for place, one in enumerate(total - positive)}
        values = {q: PNR.micro(numerators[q], denominators[q]) for q in numerators}
        sums = math.fsum(numerators.values()), math.fsum(denominators.values())
        samples.append(
            Sample(
                values,
                "micro",
                numerators,
                denominators,
                PNR.micro,
                measure=PNR,
                details=PNR.details(*sums),
            )
        )
    return pair("pnr", samples[0], samples[1])


@cache
def counted(name: str, runs: int) -> dict[str, float]:
    """Returns shares of alarms, of intervals with the truth and of intervals not shown."""
    random = np.random.default_rng([7, len(name)])
    sizes = SIZES[name]

    def noise(count: int) -> tuple[Values, Values]:
        return random.normal(0, 0.4, count), random.normal(0, 0.4, count)

    found = {"permutation": 0, "t": 0, "share": 0, "inside": 0, "shown": 0, "named": 0}
    for _ in range(runs):
        pairing = drawn(sizes, random, noise)
        (one,) = contrasts("old", {("new", "pnr"): pairing}, (), SETTINGS)
        assert one.test == "permutation"
        assert one.share is not None
        found["permutation"] += one.p <= 0.05
        found["share"] += one.share.p <= 0.05
        found["t"] += one.p_values["t"] <= 0.05
        low, high = one.quotient
        found["shown"] += not math.isnan(low)
        found["inside"] += low <= 1 <= high
        found["named"] += one.dominant is not None or one.no_interval == "one-decides"
    return {key: count / runs for key, count in found.items()}


RUNS = 500
#: What 5% gives in 99.9% of such experiments.
MOST = 0.05 + 3.3 * math.sqrt(0.05 * 0.95 / RUNS)


@pytest.mark.parametrize("name", SIZES)
def test_false_alarms(name: str) -> None:
    found = counted(name, RUNS)
    for test, words in (("permutation", "PNR"), ("share", "the share of positive pairs")):
        case = f"false alarms, {words}, {name}"
        row(CLAIM, case, found[test], RUNS, promise="at most 6%", most=min(MOST, 0.08))


@pytest.mark.parametrize("name", SIZES)
def test_intervals(name: str) -> None:
    found = counted(name, RUNS)
    if "one of 40 " in name or "one of 100 " in name:
        case = f"no interval, since one query decides: {name}"
        row(CLAIM, case, 1 - found["shown"], RUNS, promise="not shown", least=1.0)
        assert found["named"] == 1.0
    else:
        case = f"coverage of the quotient's interval, {name}"
        share = found["inside"] / found["shown"]
        row(CLAIM, case, share, RUNS, promise="at least 92%", least=0.92)


def test_the_t_test_of_pseudo_values_would_not_do() -> None:
    """It is in `p_values`, and decides nothing."""
    found = counted("20 queries, one of 100 documents, 19 of 10", RUNS)
    assert found["t"] > 1.5 * found["permutation"]


def test_a_query_that_turns_the_number_is_named() -> None:
    """39 queries improve, and one with 71% of the pairs gets worse."""
    random = np.random.default_rng(9)

    def noise(count: int) -> tuple[Values, Values]:
        change = random.normal(0.5, 0.3, count)
        change[0] = -0.4
        return random.normal(0, 0.1, count), change

    named = 0
    for _ in range(200):
        pairing = drawn(SIZES["40 queries, one of 100 documents, 39 of 10"], random, noise)
        (one,) = contrasts("old", {("new", "pnr"): pairing}, (), SETTINGS)
        named += one.dominant is not None and one.dominant.query == "q0"
    case = "39 of 40 queries improve, the one with 71% of the pairs gets worse"
    row(
        CLAIM,
        case,
        named / 200,
        200,
        promise="none",
        least=0.95,
        assumption=False,
        says="the query is named with its share, and the difference without it",
    )


def test_of_large_losses_too_rare_to_be_seen() -> None:
    """The ratios are the same, but not query by query: 4% lose much, the others gain little."""
    random = np.random.default_rng(10)
    levels = [NormalDist(1.5, 0.5).inv_cdf((place + 0.5) / 500) for place in range(500)]

    def share(change: float) -> float:
        return float(np.mean([1 / (1 + math.exp(-one - change)) for one in levels]))

    low, high = 0.0, 2.0
    for _ in range(40):
        gain = (low + high) / 2
        low, high = (
            (gain, high) if 0.96 * share(gain) + 0.04 * share(-2) < share(0) else (low, gain)
        )

    def noise(count: int) -> tuple[Values, Values]:
        own = random.normal(0, 0.02, (2, count))
        return own[0], own[1] + np.where(random.random(count) < 0.04, -2.0, gain)

    alarms = 0
    for _ in range(RUNS):
        (one,) = contrasts("old", {("new", "pnr"): drawn([30] * 20, random, noise)}, (), SETTINGS)
        alarms += one.p <= 0.05
    row(
        CLAIM,
        "false alarms, 4% of queries lose much, 20 queries of 30 documents",
        alarms / RUNS,
        RUNS,
        promise="none",
        most=0.9,
        assumption=False,
        says="the page: losses too rare to be among the queries are not covered",
    )
