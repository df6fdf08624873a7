"""Off-policy evaluation where people come back, logs hardly vary, and rates stay rates."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest

from relyon.core.errors import InputError, ParameterError
from relyon.labels.off_policy import evaluate_policy


def people(users: int, each: int, seed: int = 0) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Decisions of people who come back: half click always, the others never."""
    chance = np.random.default_rng(seed)
    user = np.repeat(np.arange(users), each)
    doc = chance.integers(0, 2, len(user))
    log = pl.DataFrame(
        {
            "user": [f"u{number}" for number in user],
            "doc": [str(one) for one in doc],
            "clicked": user % 2 == 0,
            "propensity": 0.5,
        }
    )
    return log, pl.DataFrame({"document": ["0", "1"], "probability": [0.8, 0.2]})


@pytest.mark.parametrize("interval", ["betting", "bernstein", "bootstrap", "t"])
def test_intervals_are_by_user_where_the_log_has_users(interval: Any) -> None:
    log, policy = people(20, 50)
    by_user = evaluate_policy(log, policy, interval=interval)
    assert by_user.units is not None
    assert (by_user.unit, by_user.units.count, by_user.units.largest) == ("user", 20, 0.05)
    assert by_user.units.effective == pytest.approx(20)
    with pytest.warns(UserWarning, match="people come back"):
        alone = evaluate_policy(log, policy, interval=interval, cluster="none")
    wide, narrow = (np.diff(found.logged_interval)[0] for found in (by_user, alone))
    assert wide > 3 * narrow or interval == "bernstein"
    assert wide > narrow
    one, other = (np.diff(found["ips"].interval)[0] for found in (by_user, alone))
    assert one > other
    text = " ".join(by_user.to_text().split())
    assert "20 users count as 20.0 equally active ones, the most active has 5.0%" in text
    assert "taken to be independent" in " ".join(alone.to_text().split())
    assert by_user.to_dict()["cluster"] == "user"
    assert "20 个用户" in by_user.to_text(language="zh").replace("\n", "")


def test_users_with_one_session_each_change_nothing() -> None:
    log, policy = people(200, 1)
    by_user = evaluate_policy(log, policy, interval="t")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alone = evaluate_policy(log, policy, interval="t", cluster="none")
    assert by_user["ips"].interval == pytest.approx(alone["ips"].interval)


def test_looks_are_not_by_user() -> None:
    log, policy = people(20, 5)
    with pytest.raises(ParameterError, match="independent sessions"):
        evaluate_policy(log, policy, interval="anytime")
    assert evaluate_policy(log.drop("user"), policy, interval="anytime").unit == "none"


def test_one_user_who_decides_leaves_no_interval() -> None:
    log, policy = people(3, 40)
    most = pl.concat([log.head(40)] * 8 + [log]).with_row_index("session")
    for interval in ("bootstrap", "t"):
        found = evaluate_policy(most, policy, interval=interval)
        assert all(math.isnan(bound) for bound in found.logged_interval)
    low, high = evaluate_policy(most, policy).logged_interval
    assert low < 0.1
    assert high > 0.99


def test_a_log_that_hardly_varies_is_refused() -> None:
    """A ranker that shows one document, and two others once each: nothing is known."""
    docs = ["a"] * 9998 + ["b", "c"]
    log = pl.DataFrame(
        {
            "doc": docs,
            "clicked": [n % 7 == 0 for n in range(10_000)],
            "propensity": [0.9998] * 9998 + [0.0001, 0.0001],
        }
    )
    uniform = pl.DataFrame({"document": ["a", "b", "c"], "probability": [1 / 3] * 3})
    with pytest.raises(InputError, match="10,000 sessions are worth") as error:
        evaluate_policy(log, uniform)
    assert "decide the number by chance" in str(error.value)
    # The same few sessions of a small log are a good part of it.
    assert evaluate_policy(log.tail(40), uniform)["ips"].value > 0


@pytest.mark.parametrize("interval", ["betting", "bernstein", "bootstrap", "t"])
def test_rates_stay_rates(interval: Any) -> None:
    """Few clicks and heavy weights: no end of an interval leaves what a decision can earn."""
    chance = np.random.default_rng(3)
    for _ in range(6):
        doc = chance.choice(3, 300, p=[0.9, 0.05, 0.05])
        log = pl.DataFrame(
            {
                "doc": [str(one) for one in doc],
                "clicked": chance.random(300) < 0.9 * (doc > 0),
                "propensity": np.array([0.9, 0.05, 0.05])[doc],
            }
        )
        policy = pl.DataFrame({"document": ["1", "2"], "probability": [0.5, 0.5]})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = evaluate_policy(log, policy, interval=interval)
        for one in found.values:
            low, high = one.interval
            assert math.isnan(low) or 0 <= low <= high <= 1
        beyond = any(one.value > 1 for one in found.values)
        said = any("no session can earn on average" in str(one.message) for one in caught)
        assert beyond == said == ("offpolicy-outside" in {note.kind for note in found.notes})
