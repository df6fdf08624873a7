"""Interleaving under the truth: clicks that do not depend on the runs, looked at every day."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from relyon.analysis.statistics import always_valid, paired_test
from relyon.online.experiments import mix_runs, score_clicks

pytestmark = pytest.mark.slow

EXPERIMENTS, DAYS = 1000, 30


def most(repeats: int, level: float = 0.05) -> float:
    """Four standard errors above the level."""
    return level + 4 * math.sqrt(level * (1 - level) / repeats)


@pytest.mark.parametrize("per_day", [10, 200])
@pytest.mark.parametrize("kind", ["rare", "even", "graded", "drifting"])
def test_daily_looks(kind: str, per_day: int) -> None:
    """Nothing to find: at most 5% of experiments ever raise an alarm, in 30 daily looks.

    A t test that is looked at as often raises one in far more of them.
    """
    generator = np.random.default_rng(11)
    alarms = uncovered = repeated = 0
    looks = np.arange(1, DAYS + 1) * per_day
    for _ in range(EXPERIMENTS):
        if kind == "rare":  # most sessions prefer none
            values = generator.choice([-1.0, 0.0, 1.0], looks[-1], p=[0.01, 0.98, 0.01])
        elif kind == "even":
            values = generator.choice([-1.0, 1.0], looks[-1])
        elif kind == "graded":
            values = generator.uniform(-0.4, 0.4, looks[-1])
        else:  # users click more and more
            active = generator.random(looks[-1]) < np.linspace(0.05, 0.9, looks[-1])
            values = generator.choice([-1.0, 1.0], looks[-1]) * active
        found = always_valid(values, looks)
        alarms += bool(found.p[-1] <= 0.05)
        uncovered += bool(((found.low > 0) | (found.high < 0)).any())
        repeated += any(paired_test("t", values[:n]).p <= 0.05 for n in looks[::3])
    assert alarms / EXPERIMENTS <= most(EXPERIMENTS)
    assert uncovered / EXPERIMENTS <= most(EXPERIMENTS)
    if kind != "rare" or per_day > 10:  # a dozen clicks in all
        assert repeated / EXPERIMENTS > 0.1
    print(f"{kind}, {per_day} a day: {alarms}, {uncovered}, t test {repeated} of {EXPERIMENTS}")


@pytest.mark.parametrize("method", ["team-draft", "probabilistic", "optimised"])
def test_sessions_that_click_by_position(method: str) -> None:
    """From lists to the verdict: users who look at positions only, many sessions per list."""
    generator = np.random.default_rng(5)
    repeats, queries, draws, sessions = 150, 25, 8, 1500
    alarms = planned = 0
    for seed in range(repeats):
        names = [f"d{number}" for number in range(12)]
        runs = {
            run: {
                f"q{query}": dict(zip(names, generator.random(12).tolist(), strict=True))
                for query in range(queries)
            }
            for run in ("old", "new")
        }
        mixed = mix_runs(runs, method, depth=6, draws=draws, seed=seed)
        mixtures = mixed.lists["mixture"].unique(maintain_order=True)
        shown = pl.DataFrame(
            {
                "bucket": mixtures.gather(generator.integers(0, len(mixtures), sessions)),
                "session": np.arange(sessions),
            }
        ).with_columns(
            timestamp=pl.datetime(2026, 1, 1) + pl.duration(minutes=pl.col("session") * 20)
        )
        rows = shown.join(mixed.lists, left_on="bucket", right_on="mixture").select(
            "session", "bucket", "timestamp", "query", "position", doc="document"
        )
        chances = 0.5 / rows["position"].to_numpy()
        log = rows.with_columns(clicked=generator.random(rows.height) < chances)
        found = score_clicks(mixed, log)["new"]
        alarms += found.looks[-1].p <= 0.05
        planned += found.p <= 0.05
    assert alarms / repeats <= most(repeats)
    assert planned / repeats <= most(repeats)
    print(f"{method}: always-valid {alarms}, planned {planned} of {repeats}")
