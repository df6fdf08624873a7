"""A plan promises a probability of finding a difference or a drop: whether it is kept."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from tests.honest.rows import row

import relyon
from relyon.analysis.statistics import paired_test
from relyon.analysis.statistics.plans.tests import plan_test
from relyon.online.monitoring import Moments, plan_sample
from relyon.online.monitoring.changes import difference
from relyon.online.monitoring.simulated_months import Frames, draw_months
from relyon.online.sampling import allocate, build_tiers

pytestmark = pytest.mark.slow

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]


def normal(mean: float) -> Draw:
    return lambda generator, size: generator.normal(mean, 1, size)


def ties(mean: float, share: float) -> Draw:
    """Only a share of the queries differs."""
    return lambda generator, size: np.where(
        generator.random(size) < share, generator.normal(mean / share, 1, size), 0.0
    )


def laplace(generator: np.random.Generator, size: int) -> NDArray[np.float64]:
    return generator.laplace(0.4, 1, size)


def heavy(generator: np.random.Generator, size: int) -> NDArray[np.float64]:
    return generator.standard_t(3, size) + 0.5


def skewed(generator: np.random.Generator, size: int) -> NDArray[np.float64]:
    return 0.7 - generator.exponential(1, size)


def rare(generator: np.random.Generator, size: int) -> NDArray[np.float64]:
    """4% lose 1, 40% gain 0.2."""
    place = generator.random(size)
    return np.where(place < 0.04, -1.0, np.where(place < 0.44, 0.2, 0.0))


def planned(
    draw: Draw, size: float, pilot: int, test: str = "t", runs: int = 500
) -> tuple[float, float]:
    """Returns the power that plans from such pilots reach, and the share that are made."""
    generator = np.random.default_rng(7)
    made = found = 0
    for _ in range(runs):
        queries = plan_test(draw(generator, pilot), size, test)
        if queries:
            made += 1
            found += paired_test(test, draw(generator, queries)).p <= 0.05
    return found / max(made, 1), made / runs


INSIDE = {
    "normal, δ = 0.3 σ": (normal(0.3), 0.3),
    "normal, δ = 0.6 σ": (normal(0.6), 0.6),
    "Laplace, δ = 0.3 σ": (laplace, 0.4),
}


@pytest.mark.parametrize("pilot", [10, 20, 50])
@pytest.mark.parametrize("name", INSIDE)
def test_pilots(name: str, pilot: int) -> None:
    found, made = planned(*INSIDE[name], pilot, runs=800)
    assert made == 1
    # Three points, and what 800 repetitions are off by.
    case = f"{name}, pilot of {pilot}"
    row("compare-plan-power", case, found, 800, promise="0.8", least=0.75, most=0.86)


@pytest.mark.parametrize(("share", "pilot"), [(0.5, 20), (0.5, 50), (0.1, 100), (0.1, 200)])
def test_ties(share: float, pilot: int) -> None:
    found, made = planned(ties(0.4 * share, share), 0.4 * share, pilot, runs=800)
    assert made > 0.9
    case = f"{1 - share:.0%} of queries tied, pilot of {pilot}"
    row("compare-plan-power", case, found, 800, promise="0.8", least=0.75, most=0.88)


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
@pytest.mark.parametrize("pilot", [20, 50])
def test_other_tests(test: str, pilot: int) -> None:
    found, _ = planned(normal(0.3), 0.3, pilot, test)
    case = f"{test} test, normal, δ = 0.3 σ, pilot of {pilot}"
    row("compare-plan-power", case, found, 500, promise="0.8", least=0.75, most=0.86)


def warned(draw: Draw, pilot: int, runs: int = 200) -> float:
    """Returns the share of pilots after which the output says that the plan is rough, or none."""
    generator = np.random.default_rng(9)
    found = 0
    for _ in range(runs):
        deltas = draw(generator, pilot)
        values = {
            name: {"rate": {f"q{n}": float(one) for n, one in enumerate(column)}}
            for name, column in (("old", np.zeros(pilot)), ("new", deltas))
        }
        plan = relyon.compare_values(values).plan([0.1])
        found += plan.rows[0].basis != "enough"
        said = plan.to_text()
        assert ("A rough plan" in said or "No plan" in said) == (plan.rows[0].basis != "enough")
    return found / runs


OUTSIDE: dict[str, tuple[Draw, float]] = {
    "t with 3 degrees of freedom": (heavy, 0.5),
    "skewed to losses": (skewed, 0.3),
    "4% lose 1, 40% gain 0.2": (rare, 0.04),
    "90% of queries tied": (ties(0.04, 0.1), 0.04),
}


@pytest.mark.parametrize("pilot", [10, 20])
@pytest.mark.parametrize("name", OUTSIDE)
def test_rough_plans_say_so(name: str, pilot: int) -> None:
    draw, size = OUTSIDE[name]
    power, made = planned(draw, size, pilot, runs=300)
    case = f"{name}, pilot of {pilot}"
    says = f"rough, or no plan (planned in {made:.0%}" + (f", power {power:.2f})" if made else ")")
    row("compare-plan-power", case, warned(draw, pilot), 200, promise="", least=0.98,
        assumption=False, says=says)  # fmt: skip


def log(queries: int, sessions: int, exponent: float) -> pl.DataFrame:
    generator = np.random.default_rng(1)
    chances = 1 / np.arange(1, queries + 1) ** exponent
    asked = generator.choice(queries, sessions, p=chances / chances.sum())
    return pl.DataFrame(
        {
            "session": [f"s{number}" for number in range(len(asked))],
            "query": [f"q{number}" for number in asked],
            "position": 1,
            "doc": "d",
        }
    )


MONTHS = 300
LOGS = {
    "150 queries, Zipf 1": (150, 20_000, 1.0),
    "2,000 queries, Zipf 0.8": (2000, 12_000, 0.8),
    "5,000 queries, Zipf 0.9": (5000, 60_000, 0.9),
}


@pytest.mark.parametrize("name", LOGS)
def test_months(name: str) -> None:
    frame = log(*LOGS[name])
    cut = build_tiers(frame, "share", None)
    frames = Frames.of(cut)
    drops = (0.05, 0.1, 0.2)
    plan = plan_sample(frame, tiers=cut, drops=drops)
    moments = dict.fromkeys(frames.names, Moments(1.0, 0.32, 0.32))
    made = 0
    for tier in ("all", "tail"):
        for drop in drops:
            needed = plan.needed(drop, tier)
            if needed is None:
                assert ">" in plan.to_text()
                continue
            made += 1
            sizes = allocate(frames.sizes, needed[0] * len(frames.names))
            found = shown(frames, sizes, moments, tier, drop)
            case = f"{name}, {tier}, drop of {drop:.0%}"
            row("sample-plan-power", case, found, MONTHS, promise="0.8", least=0.74, most=0.87)
    assert made


def shown(
    frames: Frames, sizes: list[int], moments: dict[str, Moments], tier: str, drop: float
) -> float:
    generator = np.random.default_rng(5)
    found = 0
    for _ in range(MONTHS):
        before, after = draw_months(frames, sizes, moments, generator, drop)
        one, two = (month[0] if tier == "all" else month[1][tier] for month in (before, after))
        found += difference(one, two).p <= 0.05 / 4
    return found / MONTHS


def test_a_spread_that_is_not_the_assumed_one() -> None:
    """Session values vary more than assumed: what the page says the assumption is for."""
    frame = log(*LOGS["2,000 queries, Zipf 0.8"])
    cut = build_tiers(frame, "share", None)
    frames = Frames.of(cut)
    plan = plan_sample(frame, tiers=cut)
    needed = plan.needed(0.2)
    assert needed is not None
    assert "The spread is assumed: grade a month" in plan.to_text()
    sizes = allocate(frames.sizes, needed[0] * len(frames.names))
    moments = dict.fromkeys(frames.names, Moments(1.0, 0.72, 0.72))
    found = shown(frames, sizes, moments, "all", 0.2)
    row("sample-plan-power", "spread 1.2 instead of the assumed 0.8, all, drop of 20%", found,
        MONTHS, promise="", most=0.7, assumption=False,
        says="“The spread is assumed: grade a month”")  # fmt: skip
