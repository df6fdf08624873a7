"""Which judges need help: found when they do, and nobody named by chance."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

pytest.importorskip("sqlalchemy")

from tests.unit.simulated_judges import grade

from relyon.judging.given_grades import GivenGrades, read_given
from relyon.judging.gold import GoldQuality
from relyon.judging.judge_checks import check_judges, measure_period
from relyon.judging.records import Item, Rating
from relyon.judging.store import Store


def test_agreement_is_that_of_pairs(store: Store) -> None:
    project = store.projects.create("June", overlap=3)
    ratings = [Rating("ana", 3), Rating("bo", 3), Rating("cy", 0)]
    store.grades.add(project.id, [(Item("q", "d1"), ratings), (Item("q", "d2"), ratings[:1])])
    store.gold.add(project.id, [(Item("q", "d3"), 2.0)])
    given = read_given(store, project.id)
    assert (given.judges, given.frame.height, given.places) == (["ana", "bo", "cy"], 4, 6)
    shared = given.shared().sort("judge")
    assert shared["equal"].to_list() == [0.5, 0.5, 0.0]
    assert shared["above"].to_list() == [1.5, 1.5, -3.0]
    assert measure_period(shared).value == pytest.approx(1 / 3)
    assert read_given(store, store.projects.create("empty").id).periods()[1] == []


def test_who_differs_is_named_and_nobody_else() -> None:
    strict = check_judges(grade(np.random.default_rng(1), shift={"j2": -0.8}))
    assert [(one.kind, one.judge) for one in strict if one.kind != "apart"] == [("strict", "j2")]
    assert {one.judge for one in strict} == {"j2"}
    careless = check_judges(grade(np.random.default_rng(2), noise={"j3": 5}))
    assert [(one.kind, one.judge) for one in careless] == [("apart", "j3")]
    both = check_judges(grade(np.random.default_rng(3), shift={"j1": 0.9, "j4": -0.9}, queries=120))
    shifted = {(one.kind, one.judge) for one in both if one.kind != "apart"}
    assert shifted == {("generous", "j1"), ("strict", "j4")}


@pytest.mark.parametrize("tail", ["", "j0"])
def test_nobody_is_named_by_chance(tail: str) -> None:
    random = np.random.default_rng(4)
    named = Counter(
        bool(check_judges(grade(random, queries=queries, tail=tail))) for queries in [15, 60] * 15
    )
    # At most 5% for each of two kinds: more than 6 of 30 would be seen once in 100 times.
    assert named[True] <= 6


def test_those_who_do_not_read_are_named() -> None:
    random = np.random.default_rng(5)
    fast = check_judges(grade(random, seconds=0.4))
    assert {one.kind for one in fast} == {"fast"}
    assert "median of 0.4 seconds" in fast[0].text()
    alike = grade(random)
    own = pl.when(pl.col("judge") == "j1").then(1.0).otherwise("grade").alias("grade")
    same = check_judges(GivenGrades(alike.frame.with_columns(own), alike.places))
    assert ("same", "j1") in {(one.kind, one.judge) for one in same}


def test_gold_items_need_numbers() -> None:
    nothing = grade(np.random.default_rng(6), queries=3)
    few = [GoldQuality("ana", 4, 0.0, 2.0), GoldQuality("bo", 5, 0.6, 0.0)]
    assert check_judges(nothing, few) == []
    (found,) = check_judges(nothing, [GoldQuality("ana", 30, 0.3, 0.5), *few])
    assert (found.kind, found.judge, found.count) == ("gold", "ana", 30)
    assert found.text("zh").startswith("ana 在 30 条金标题中答对 30%")


def test_of_two_judges_nobody_is_right() -> None:
    two = grade(np.random.default_rng(7), judges=2, shift={"j0": 1.5})
    (found,) = check_judges(two)
    assert (found.kind, found.judge) == ("two_differ", "j0 / j1")
    assert check_judges(grade(np.random.default_rng(8), judges=2, noise={"j0": 0, "j1": 0})) == []


@pytest.mark.parametrize(
    ("days", "first", "count"), [(3, "01-01", 4), (40, "12-29", 7), (400, "1970-01", 14)]
)
def test_periods_cover_everything(days: int, first: str, count: int) -> None:
    frame = pl.DataFrame({"at": [0.0, days * 86_400.0]})
    _, periods = GivenGrades(frame, 2).periods()
    assert len(periods) == count
    assert periods[0].endswith(first)
