"""Which of two systems people prefer, and the order of several."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest

from relyon.core.errors import InputError, ParameterError
from relyon.judging.sbs import Preference, fit_bradley_terry, summarize_preferences


def test_each_query_counts_once() -> None:
    given = [
        Preference("q1", "old", "new", 2, "Ann"),
        Preference("q1", "old", "new", -1, "Bo"),
        Preference("q2", "new", "old", -2, "Ann"),
        Preference("q3", "old", "new", 1, "Ann"),
        Preference("q3", "old", "new", -1, "Bo"),
        Preference("q4", "old", "new", -1, "Ann"),
    ]
    (pair,) = summarize_preferences(given).overall.pairs
    assert (pair.first, pair.second, pair.queries) == ("new", "old", 4)
    assert (pair.first_wins, pair.ties, pair.second_wins) == (2, 1, 1)
    assert pair.mean == pytest.approx((-0.5 - 2 + 0 + 1) / 4)
    assert pair.points == (2, 1, 0, 3, 0)


def test_the_sign_test_is_scipys() -> None:
    from scipy.stats import binomtest

    given = [Preference(f"q{n}", "a", "b", 1 if n < 14 else -1 if n < 18 else 0) for n in range(25)]
    (pair,) = summarize_preferences(given).overall.pairs
    assert pair.p == pytest.approx(float(binomtest(14, 18).pvalue))


def test_tiers_apart() -> None:
    given = [Preference(f"q{n}", "a", "b", 1, tier="head" if n < 3 else "tail") for n in range(8)]
    found = summarize_preferences(given)
    assert {tier: one.pairs[0].queries for tier, one in found.tiers.items()} == {
        "head": 3,
        "tail": 5,
    }
    assert found.overall.pairs[0].queries == 8
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert content["tiers"]["tail"]["pairs"][0]["second_wins"] == 5
    assert "sign test" in content["overall"]["reason"]


def test_one_query_has_no_p_value() -> None:
    (pair,) = summarize_preferences([Preference("q", "a", "b", 1)]).overall.pairs
    assert math.isnan(pair.p)


@pytest.mark.long
def test_bradley_terry_is_a_logistic_regression() -> None:
    import numpy as np
    import statsmodels.api as sm

    drawn = random.Random(3)
    worth = {"a": 0.0, "b": 0.8, "c": -0.5, "d": 0.3}
    names = sorted(worth)
    wins: dict[tuple[str, str], float] = {}
    rows, outcomes = [], []
    for _ in range(400):
        one, other = drawn.sample(names, 2)
        better = drawn.random() < 1 / (1 + math.exp(worth[other] - worth[one]))
        winner, loser = (one, other) if better else (other, one)
        wins[winner, loser] = wins.get((winner, loser), 0) + 1
        rows.append([(name == one) - (name == other) for name in names[1:]])
        outcomes.append(float(better))
    fitted = sm.GLM(np.array(outcomes), np.array(rows), family=sm.families.Binomial()).fit()
    expected = dict(zip(names, [0.0, *fitted.params], strict=True))
    centre = sum(expected.values()) / 4
    found = {one.system: one for one in fit_bradley_terry(wins)}
    for name in names:
        assert found[name].strength == pytest.approx(expected[name] - centre, abs=1e-6)
    # The standard error of a difference does not depend on how the strengths are centred.
    contrast = np.array([1 - 1 / 4, -1 / 4, -1 / 4])
    error = math.sqrt(float(contrast @ fitted.cov_params() @ contrast))
    assert found["b"].high - found["b"].strength == pytest.approx(1.959964 * error, rel=1e-4)


def test_ties_are_half_a_win_each() -> None:
    found = fit_bradley_terry({("a", "b"): 2.5, ("b", "a"): 0.5})
    assert found[0].strength - found[1].strength == pytest.approx(math.log(5))


def test_three_systems_are_put_in_order() -> None:
    drawn = random.Random(1)
    order = ["weak", "middle", "strong"]
    given = []
    for n in range(150):
        one, other = drawn.sample(order, 2)
        better = order.index(other) - order.index(one)
        value = max(-2, min(2, better + drawn.choice([-2, -1, 0, 1, 2])))
        given.append(Preference(f"q{n}", one, other, value))
    found = summarize_preferences(given).overall
    assert [one.system for one in found.strengths] == ["strong", "middle", "weak"]
    assert sum(one.strength for one in found.strengths) == pytest.approx(0, abs=1e-9)
    assert all(one.low < one.strength < one.high for one in found.strengths)
    assert found.reason == ""


def test_who_never_lost_has_no_finite_strength() -> None:
    given = [Preference(f"q{n}", "a", "b", 1) for n in range(3)]
    given += [Preference(f"q{n}", "a", "c", 1) for n in range(3)]
    given += [Preference("q1", "b", "c", 1), Preference("q2", "b", "c", -1)]
    found = summarize_preferences(given).overall
    assert found.strengths == ()
    assert "no finite estimate" in found.reason
    with pytest.raises(InputError, match="b never lost to a"):
        fit_bradley_terry({("b", "a"): 3})


def test_bad_input() -> None:
    with pytest.raises(InputError, match="no preferences"):
        summarize_preferences([])
    with pytest.raises(InputError, match="not a preference: `3`"):
        summarize_preferences([Preference("q", "a", "b", 3)])
    with pytest.raises(InputError, match="with itself"):
        summarize_preferences([Preference("q", "a", "a", 1)])
    with pytest.raises(ParameterError, match="`confidence`"):
        summarize_preferences([Preference("q", "a", "b", 1)], confidence=1)
    with pytest.raises(InputError, match="fewer than two"):
        fit_bradley_terry({})
    with pytest.raises(InputError, match="-1 times"):
        fit_bradley_terry({("a", "b"): -1, ("b", "a"): 2})


def test_from_a_database(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    from relyon.judging.actions import Action
    from relyon.judging.records import Comparison, Item
    from relyon.judging.sbs import read_preferences
    from relyon.judging.store import open_store

    with open_store(tmp_path / "judging.db", create=True) as store:
        project = store.projects.create("SBS", kind="side_by_side", overlap=2)
        first, second = (Item("q", "a"),), (Item("q", "b"),)
        store.items.add_comparisons(
            project.id,
            [Comparison(f"q{n}", "old", "new", first, second, tier="head") for n in range(12)],
        )
        for name in ("Ann", "Bo"):
            user = store.accounts.create(name)
            for task in store.grading.take(user, project.id, count=20):
                seen = 1 if task.right[0].document == "b" else -1
                store.grading.record(
                    user, Action("grade", key=str(task.item.id), item_id=task.item.id, grade=seen)
                )
        found = read_preferences(store, project.id)
    assert len(found) == 24
    assert {(one.first, one.second, one.value, one.tier) for one in found} == {
        ("old", "new", 1.0, "head")
    }
    (pair,) = summarize_preferences(found).overall.pairs
    assert (pair.first, pair.first_wins, pair.second_wins) == ("new", 12, 0)
