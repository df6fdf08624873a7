"""A plan promises a chance to find a fall or a difference: whether it is kept."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from relyon.analysis.statistics import paired_test, queries_needed
from relyon.online.monitoring import Moments, plan_sample
from relyon.online.monitoring.changes import difference
from relyon.online.monitoring.simulated_months import Frames, draw_months
from relyon.online.sampling import allocate, build_tiers

pytestmark = pytest.mark.slow

MONTHS = 300


def log() -> pl.DataFrame:
    generator = np.random.default_rng(1)
    chances = 1 / np.arange(1, 5001) ** 0.9
    asked = generator.choice(5000, 60_000, p=chances / chances.sum())
    return pl.DataFrame(
        {
            "session": [f"s{number}" for number in range(len(asked))],
            "query": [f"q{number}" for number in asked],
            "position": 1,
            "doc": "d",
        }
    )


@pytest.mark.parametrize("within", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("tier", ["all", "tail"])
@pytest.mark.parametrize("fall", [0.1, 0.2])
def test_months(within: float, tier: str, fall: float) -> None:
    frame = log()
    cut = build_tiers(frame, "share", None)
    frames = Frames.of(cut)
    needed = plan_sample(frame, within=within, tiers=cut).needed(fall, tier)
    assert needed is not None
    sizes = allocate(frames.sizes, needed[0] * len(frames.names))
    moments = dict.fromkeys(frames.names, Moments(1.0, 0.64 * (1 - within), 0.64 * within))
    for drop, low, high in ((fall, 0.7, 0.92), (0.0, 0.0, 0.04)):
        generator = np.random.default_rng(5)
        found = 0
        for _ in range(MONTHS):
            before, after = draw_months(frames, sizes, moments, generator, drop)
            one, two = (month[0] if tier == "all" else month[1][tier] for month in (before, after))
            found += difference(one, two).p <= 0.05 / 4
        assert low <= found / MONTHS <= high, (drop, found / MONTHS)


@pytest.mark.parametrize("size", [0.01, 0.02, 0.05])
@pytest.mark.parametrize("comparisons", [1, 4, 20])
@pytest.mark.parametrize("power", [0.8, 0.9])
def test_comparisons(size: float, comparisons: int, power: float) -> None:
    level = 0.05 / comparisons
    count = queries_needed(size, 0.1, level, power)
    generator = np.random.default_rng(7)
    for true, low, high in ((size, power - 0.05, power + 0.05), (0.0, 0.0, level + 0.012)):
        draws = generator.normal(true, 0.1, (1500, count))
        found = float(np.mean([paired_test("t", one).p <= level for one in draws]))
        assert low <= found <= high, (true, found)
