"""Repeated runs whose queries move together: false alarms, and the power that they cost."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

from relyon.analysis.comparison.repeats.repeats import RepeatedValues
from relyon.analysis.statistics import ENOUGH_QUERIES, paired_test

Values = NDArray[np.float64]

RUNS = ((2, 2), (2, 5), (3, 3), (5, 5), (10, 10))
#: The variance of the difference that runs share, over that of a test over queries.
SHARED = (0, 1, 10)
TIMES = 2000
REPEAT = 0.15


def draw(
    random: np.random.Generator,
    runs: tuple[int, int],
    queries: int,
    shared: int,
    interaction: float = 0.1,
) -> RepeatedValues:
    """Draws two systems with the same mean."""
    by_run = sum(1 / count for count in runs)
    by_query = (2 * interaction**2 + REPEAT**2 * by_run) / queries
    run = math.sqrt(shared * by_query / by_run)
    query = random.normal(0.5, 0.2, queries)
    sides = [
        query
        + random.normal(0, interaction, queries)
        + random.normal(0, run, (count, 1))
        + random.normal(0, REPEAT, (count, queries))
        for count in runs
    ]
    return RepeatedValues(np.array(sides[0]), np.array(sides[1]))


def means(found: RepeatedValues) -> Values:
    difference: Values = found.candidate.mean(axis=0) - found.baseline.mean(axis=0)
    return difference


def p_value(found: RepeatedValues, moved: float = 0.0) -> float:
    """Returns p as a comparison does: the test over queries without an excess."""
    differences = means(found) + moved
    if found.excess:
        return found.t_test(differences).p
    return paired_test("t", differences).p


def named(runs: tuple[int, int], queries: int, shared: int, interaction: float) -> str:
    count = f"{runs[0]} runs each" if runs[0] == runs[1] else f"{runs[0]} and {runs[1]} runs"
    alike = ", no system × query" if not interaction else ""
    return f"{count}, {queries} queries, shared {shared:g}{alike}"


CASES = [
    (runs, queries, shared, interaction)
    for runs in RUNS
    for queries, interaction in ((6, 0.1), (20, 0.1), (50, 0.1), (50, 0.0), (200, 0.1))
    for shared in SHARED
]


@pytest.mark.parametrize(
    ("runs", "queries", "shared", "interaction"), CASES, ids=[named(*one) for one in CASES]
)
def test_of_systems_that_do_not_differ(
    runs: tuple[int, int], queries: int, shared: int, interaction: float
) -> None:
    random = np.random.default_rng([12, *runs, queries, shared, int(10 * interaction)])
    assert queries >= ENOUGH_QUERIES
    alarms = sum(
        p_value(draw(random, runs, queries, shared, interaction)) <= 0.05 for _ in range(TIMES)
    )
    few = min(runs) == 2
    row(
        "repeated-runs-false-alarms",
        named(runs, queries, shared, interaction),
        alarms / TIMES,
        TIMES,
        promise="at most 8 of 100" if few else "at most 5 of 100",
        most=0.085 if few else 0.065,
    )


@pytest.mark.parametrize("runs", [(3, 3), (10, 10)], ids=["3", "10"])
@pytest.mark.parametrize("shared", [1, 10])
def test_of_a_test_over_queries_alone(runs: tuple[int, int], shared: int) -> None:
    """What the permutation test, which swaps queries, and every test over queries would say."""
    random = np.random.default_rng([13, *runs, shared])
    alarms = told = 0
    for _ in range(TIMES):
        found = draw(random, runs, 50, shared)
        alarms += paired_test("t", means(found)).p <= 0.05
        told += found.effect is not None and found.effect.p <= 0.05
    row(
        "repeated-runs-false-alarms",
        f"over queries alone: {named(runs, 50, shared, 0.1)}",
        alarms / TIMES,
        TIMES,
        promise="none",
        least=0.1,
        most=0.65,
        assumption=False,
        says="the note run-effect: p-values are about these very runs",
    )
    assert told / TIMES > (0.9 if runs[0] > 3 or shared > 1 else 0.4)


@pytest.mark.parametrize("runs", [(1, 3), (1, 10)], ids=["3", "10"])
@pytest.mark.parametrize("shared", [0, 1, 10])
def test_of_one_run_against_several(runs: tuple[int, int], shared: int) -> None:
    """How far runs of a system with one run differ is unknown, and not counted."""
    random = np.random.default_rng([16, *runs, shared])
    alarms = told = 0
    for _ in range(TIMES):
        found = draw(random, runs, 50, shared)
        alarms += p_value(found) <= 0.05
        told += found.effect is not None and found.effect.p <= 0.05
    case = f"one run against {runs[1]}, 50 queries, shared {shared:g}"
    claim = "repeated-runs-false-alarms"
    if not shared:
        row(claim, case, alarms / TIMES, TIMES, promise="at most 5 of 100", most=0.065)
        return
    row(claim, case, alarms / TIMES, TIMES, promise="none", least=0.07, most=0.5, assumption=False,
        says="the notes single-run-of-system and single-run-differs: not counted")  # fmt: skip
    assert told / TIMES > (0.6 if runs[1] > 3 or shared > 1 else 0.25)


def test_of_values_of_0_and_1() -> None:
    random = np.random.default_rng(14)
    alarms = 0
    for _ in range(TIMES):
        query = random.uniform(0.2, 0.8, 50)
        sides = [
            (random.random((3, 50)) < np.clip(query + random.normal(0, 0.06, (3, 1)), 0, 1)) * 1.0
            for _ in range(2)
        ]
        alarms += p_value(RepeatedValues(np.array(sides[0]), np.array(sides[1]))) <= 0.05
    row(
        "repeated-runs-false-alarms",
        "3 runs each, 50 queries, values of 0 and 1",
        alarms / TIMES,
        TIMES,
        promise="at most 5 of 100",
        most=0.065,
    )


@pytest.mark.parametrize(
    ("runs", "least"), [((2, 2), 0.54), ((3, 3), 0.68), ((5, 5), 0.74), ((10, 10), 0.76)],
    ids=["2", "3", "5", "10"],
)  # fmt: skip
def test_of_the_power_where_runs_share_nothing(runs: tuple[int, int], least: float) -> None:
    """A difference that a test over queries finds in 80 of 100 cases."""
    random = np.random.default_rng([15, *runs])
    by_query = (2 * 0.1**2 + REPEAT**2 * sum(1 / one for one in runs)) / 50
    found = plain = 0
    for _ in range(TIMES):
        one = draw(random, runs, 50, 0)
        moved = 2.86 * math.sqrt(by_query)
        found += p_value(one, moved) <= 0.05
        plain += paired_test("t", means(one) + moved).p <= 0.05
    assert abs(plain / TIMES - 0.8) < 0.03
    promise = f"at least {100 * least:.0f} of 100"
    row("repeated-runs-power", named(runs, 50, 0, 0.1), found / TIMES, TIMES,
        promise=promise, least=least)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "runs", "queries", "shared", "bounds"),
    [
        ("without the maximum", 2, 6, 0.0, (0.1, 0.2)),
        ("degrees of freedom of the excess alone", 2, 200, 3.0, (0.09, 0.13)),
        ("the sum", 10, 200, 0.0, (0.0, 0.02)),
    ],
    ids=["without", "alone", "sum"],
)
def test_of_the_alternatives(
    kind: str, runs: int, queries: int, shared: float, bounds: tuple[float, float]
) -> None:
    """Normal values without system x query: mean squares are independent χ² variables."""
    from scipy import stats

    random = np.random.default_rng([16, runs, queries])
    times = 20_000
    noise = REPEAT**2 / queries
    by_query = 2 * noise / runs
    between = noise + shared * by_query * runs / 2

    def square(freedom: int) -> Values:
        found: Values = random.chisquare(freedom, times) / freedom
        return found

    seen = by_query * square(queries - 1)
    first, second = (between / runs * square(runs - 1) for _ in range(2))
    expected = noise / runs * (square((queries - 1) * (runs - 1)) * 2)
    observed = first + second
    freedom = observed**2 / ((first**2 + second**2) / (runs - 1))
    difference = random.normal(0, math.sqrt(by_query * (1 + shared)), times)
    if kind == "without the maximum":
        variance = np.maximum(seen + observed - expected, 1e-3 * seen)
        parts = seen**2 / (queries - 1) + observed**2 / freedom
        parts += expected**2 / (2 * (queries - 1) * (runs - 1))
    elif kind == "the sum":
        variance = seen + observed
        parts = seen**2 / (queries - 1) + observed**2 / freedom
    else:
        excess = np.maximum(observed - expected, 0)
        variance = seen + excess
        parts = seen**2 / (queries - 1) + excess**2 / freedom
    degrees = np.maximum(variance**2 / parts, 1)
    p = 2 * stats.t.sf(np.abs(difference) / np.sqrt(variance), degrees)
    row(
        "repeated-runs-false-alarms",
        f"alternative, {kind}: {runs} runs each, {queries} queries, shared {shared:g},"
        " no system × query",
        float((p <= 0.05).mean()),
        times,
        promise="none",
        least=bounds[0],
        most=bounds[1],
        assumption=False,
        says="nothing: it is not used",
    )
