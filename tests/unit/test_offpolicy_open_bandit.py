"""Logs of two policies, the Open Bandit Dataset: each says of the other what its own log says."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from relyon.labels.off_policy import OffPolicy, evaluate_policy, policy_of

#: Clicks of each policy in its own 10,000 decisions.
TRUTH = {"random": 46 / 10_000, "bts": 69 / 10_000}


@pytest.fixture(scope="module")
def logs(test_data: Path) -> dict[str, Path]:
    found = {name: test_data / "open_bandit_small" / f"{name}.men.csv.gz" for name in TRUTH}
    for path in found.values():
        if not path.exists():
            pytest.skip(f"{path} is not there")
    return found


def evaluated(logs: dict[str, Path], source: str, about: str, **options: Any) -> OffPolicy:
    """What one policy's log says of a policy."""
    even = pl.DataFrame({"document": [str(n) for n in range(34)], "probability": [1 / 34] * 34})
    candidate = policy_of(logs["bts"]) if about == "bts" else even
    return evaluate_policy(logs[source], candidate, **options)


@pytest.mark.parametrize("interval", ["betting", "bernstein", "anytime"])
@pytest.mark.parametrize(("source", "about"), [("random", "bts"), ("bts", "random")])
def test_exact_intervals_hold_the_truth(
    logs: dict[str, Path], source: str, about: str, interval: str
) -> None:
    found = evaluated(logs, source, about, estimators=["ips", "snips", "dr"], interval=interval)
    assert found.logged == pytest.approx(TRUTH[source])
    for value in found.values:
        if interval == "anytime" and value.estimator == "dr":
            assert all(map(math.isnan, value.interval))  # it rests on later sessions
        else:
            assert value.interval[0] <= TRUTH[about] <= value.interval[1]


def test_the_better_policy_is_found(logs: dict[str, Path]) -> None:
    """From the random log, which has all of it: the interval of BTS begins above 0.002."""
    found = evaluated(logs, "random", "bts")
    for value in found.values:
        assert value.value > found.logged
        assert value.value == pytest.approx(0.0057, abs=3e-4)
    assert found.overlaps[0].effective == pytest.approx(2869, abs=1)
    assert found["ips"].interval == pytest.approx((0.0024, 0.0108), abs=1e-4)


def test_normal_intervals_are_too_narrow_for_heavy_weights(logs: dict[str, Path]) -> None:
    """What the documentation says of the t interval."""
    found = evaluated(logs, "bts", "random", estimators=["ips"], interval="t")
    assert found["ips"].interval[1] < TRUTH["random"]
    assert found.overlaps[0].largest == pytest.approx(178.25, abs=0.01)


def test_a_policy_on_its_own_log(logs: dict[str, Path]) -> None:
    found = evaluated(logs, "random", "random", estimators=["ips", "snips"])
    assert found["ips"].value == pytest.approx(found.logged, rel=1e-12)
    assert found["snips"].value == pytest.approx(found.logged, rel=1e-12)
    assert found.overlaps[0].effective == pytest.approx(10_000)
