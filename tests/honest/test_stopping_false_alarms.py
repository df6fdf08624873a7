"""Early stopping by significance: how often it stops where nothing has become worse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom
from tests.honest.rows import row

from relyon.ltr import EarlyStopping

TRAININGS, ROUNDS = 600, 40


def stopped(kind: str, queries: int, level: float, seed: int, fall: float = 0.0) -> int:
    """How many of the trainings stop by significance."""
    rng = np.random.default_rng(seed)
    count = 0
    for _ in range(TRAININGS):
        base = rng.beta(0.8, 0.6, queries)
        noise = rng.normal(0.0, 0.1, (ROUNDS, queries))
        if kind == "skewed":
            # Few queries change, and these by much.
            changed = rng.random((ROUNDS, queries)) < 0.1
            noise = changed * rng.choice([-0.4, 0.4], (ROUNDS, queries))
        elif kind == "walk":
            noise = np.cumsum(noise / 4, axis=0)
        stopping = EarlyStopping("significance", level=level)
        for place, one in enumerate(noise):
            values = base + one - fall * max(place - 5, 0)
            if stopping.update(float(values.mean()), values):
                count += 1
                break
    return count


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["independent", "walk", "skewed"])
@pytest.mark.parametrize("queries", [20, 200])
def test_without_a_loss_it_stops_at_most_as_often_as_the_level_says(
    kind: str, queries: int
) -> None:
    for level in (0.05, 0.3):
        found = stopped(kind, queries, level, seed=queries)
        row(
            "early-stopping-false-alarms",
            f"{kind} noise, {queries} queries, level {level:g}",
            found / TRAININGS,
            TRAININGS,
            promise=f"at most {level:.0%}",
            most=float(binom.ppf(0.999, TRAININGS, level)) / TRAININGS,
        )


@pytest.mark.slow
def test_without_the_correction_it_would_stop_nearly_always() -> None:
    rng = np.random.default_rng(2)
    count = 0
    for _ in range(TRAININGS):
        best, noise = None, rng.normal(0.0, 0.1, (ROUNDS, 100))
        for one in noise:
            if best is None or one.mean() > best.mean():
                best = one
                continue
            differences = best - one
            if differences.mean() / differences.std(ddof=1) * 10 > 1.66:
                count += 1
                break
    row(
        "early-stopping-false-alarms",
        "without the correction for the best of several rounds",
        count / TRAININGS,
        TRAININGS,
        promise="none",
        least=0.9,
        assumption=False,
        says="not offered",
    )


@pytest.mark.slow
def test_a_loss_stops_it() -> None:
    row(
        "early-stopping-false-alarms",
        "a loss of 0.005 per round after the sixth, 200 queries, level 0.05",
        stopped("independent", 200, 0.05, seed=3, fall=0.005) / TRAININGS,
        TRAININGS,
        promise="stops",
        least=0.95,
    )
