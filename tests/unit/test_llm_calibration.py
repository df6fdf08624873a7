"""A model's grades held against people's: scikit-learn and krippendorff as oracles."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest

pytest.importorskip("sqlalchemy")

import relyon
from relyon.analysis.statistics import Resampling
from relyon.core.errors import InputError
from relyon.data.scale import BINARY, SEARCH
from relyon.judging.agreement import measure_agreement
from relyon.judging.llm.calibration import measure_calibration
from relyon.judging.llm.figures import NAMES, Unit, measure_figures, resampled_figures
from relyon.judging.records import Item

FEW = Resampling(200)


def gradings(count: int, seed: int, noise: float = 0.4) -> list[Unit]:
    chance = random.Random(seed)
    units = []
    for number in range(count):
        truth = chance.randrange(4)
        other = chance.randrange(4) if chance.random() < noise else truth
        units.append(Unit.of_two(f"q{number % 17}", float(other), float(truth)))
    return units


@pytest.mark.parametrize("seed", range(4))
def test_figures_are_those_of_other_programs(seed: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    krippendorff = pytest.importorskip("krippendorff")
    units = gradings(120, seed)
    first, second = zip(*(unit.pairs[0] for unit in units), strict=True)
    found = measure_figures(units, SEARCH, resampling=FEW)
    assert (found.items, found.queries) == (120, 17)
    assert found.equal.value == metrics.accuracy_score(second, first)
    assert found.kappa.value == pytest.approx(metrics.cohen_kappa_score(first, second))
    assert found.weighted_kappa.value == pytest.approx(
        metrics.cohen_kappa_score(first, second, weights="quadratic")
    )
    assert found.alpha_ordinal.value == pytest.approx(
        krippendorff.alpha([first, second], level_of_measurement="ordinal")
    )
    assert found.difference.value == pytest.approx(np.mean(np.subtract(first, second)))
    relevant = [[grade >= 2 for grade in grades] for grades in (first, second)]
    assert found.relevant_kappa.value == pytest.approx(metrics.cohen_kappa_score(*relevant))
    assert found.relevant_equal.value == metrics.accuracy_score(*relevant)


def test_tables_give_the_figures_of_the_grades_they_count() -> None:
    """What is computed of every resample is what is computed of the grades themselves."""
    chance = random.Random(3)
    for _ in range(30):
        units = [
            Unit.of_several("q", [float(chance.randrange(4)) for _ in range(chance.choice([2, 3]))])
            for _ in range(25)
        ]
        value = measure_figures(units, SEARCH, resampling=FEW)
        levels = np.arange(4.0)
        tables = np.zeros((2, 1, 4, 4))
        for unit in units:
            for one, other in unit.pairs:
                tables[0, 0, int(one), int(other)] += 1
                tables[1, 0, int(one), int(other)] += 1 / (len(unit.groups[0]) - 1)
        found = resampled_figures(tables[0], tables[1], levels, SEARCH)
        for name in NAMES:
            assert found[name][0] == pytest.approx(getattr(value, name).value, abs=1e-12), name


def test_intervals_surround_the_value_and_narrow_with_more_queries() -> None:
    few, many = gradings(60, 1), gradings(600, 1)
    many = [Unit(f"q{place % 170}", one.pairs, one.groups) for place, one in enumerate(many)]
    narrow = measure_figures(many, SEARCH)
    wide = measure_figures(few, SEARCH)
    for name in NAMES:
        for found in (getattr(narrow, name), getattr(wide, name)):
            assert found.low <= found.value <= found.high, name
    assert narrow.kappa.high - narrow.kappa.low < (wide.kappa.high - wide.kappa.low) / 2


def test_intervals_hold_the_true_value_as_often_as_they_say() -> None:
    """Of a mean difference, whose truth is known: 0.5."""
    chance = random.Random(8)
    covered = 0
    for seed in range(150):
        units = []
        for query in range(60):
            shift = chance.choice([0.0, 1.0])  # the items of a query are alike
            units += [Unit.of_two(f"q{query}", 1 + shift, 1.0) for _ in range(3)]
        found = measure_figures(units, SEARCH, resampling=Resampling(300, seed)).difference
        covered += found.low <= 0.5 <= found.high
    assert 134 <= covered <= 149


def test_the_same_seed_gives_the_same_interval() -> None:
    units = gradings(60, 5)
    assert measure_figures(units, SEARCH) == measure_figures(units, SEARCH)
    other = measure_figures(units, SEARCH, resampling=Resampling(2000, 1))
    assert other.kappa.low != measure_figures(units, SEARCH).kappa.low


def test_one_query_has_no_interval_and_one_grade_no_kappa() -> None:
    alone = measure_figures([Unit.of_two("q", 3, 2), Unit.of_two("q", 1, 1)], SEARCH)
    assert math.isnan(alone.kappa.low)
    same = measure_figures([Unit.of_two(f"q{n}", 3, 3) for n in range(5)], SEARCH)
    assert math.isnan(same.kappa.value)
    assert math.isnan(same.kappa.high)
    assert (same.equal.low, same.equal.high) == (1.0, 1.0)


def test_grades_that_are_no_whole_numbers() -> None:
    found = measure_figures([Unit.of_two(f"q{n}", n / 2, n / 2) for n in range(4)], SEARCH)
    assert found.weighted_kappa.value == 1
    assert (found.weighted_kappa.low, found.weighted_kappa.high) == (1.0, 1.0)
    assert found.alpha_ordinal.value == 1.0


def project(
    bias: float = 0.0,
) -> tuple[dict[int, list[float]], dict[int, float], dict[int, dict[str, float]], list[Item]]:
    chance = random.Random(2)
    items, samples, final, people = [], {}, {}, {}
    for number in range(90):
        tier = "head" if number % 2 else "tail"
        items.append(Item(f"q{number % 15}", f"d{number}", tier=tier, id=number + 1))
        truth = chance.randrange(4)
        people[number + 1] = {
            name: float(min(3, max(0, truth + chance.choice([0, 0, 0, 1, -1]))))
            for name in ("Ann", "Bo")
        }
        final[number + 1] = float(truth)
        if number < 80:
            samples[number + 1] = [
                float(min(3, max(0, truth + bias + chance.choice([0, 0, 1, -1])))) for _ in range(3)
            ]
    return samples, final, people, items


def test_a_calibration() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    samples, final, people, items = project()
    found = measure_calibration("llm:m", samples, final, people, items, SEARCH, resampling=FEW)
    assert found.items == 80
    machine = [sorted(samples[item])[1] for item in samples]
    truth = [final[item] for item in samples]
    # Rows are the model's grades: scikit-learn has the truth in rows.
    assert np.array_equal(np.array(found.confusion).T, metrics.confusion_matrix(truth, machine))
    assert found.levels == (0.0, 1.0, 2.0, 3.0)
    assert found.overall.final.kappa.value == pytest.approx(
        metrics.cohen_kappa_score(machine, truth)
    )
    assert {tier: one.final.items for tier, one in found.tiers.items()} == {"head": 40, "tail": 40}
    assert [one.judge for one in found.judges] == ["Ann", "Bo", "llm:m"]
    same = {item: people[item] for item in samples}
    assert found.overall.people is not None
    assert found.overall.people.alpha_ordinal.value == pytest.approx(
        measure_agreement(same).overall.alpha_ordinal
    )
    assert found.overall.people.difference.value == 0.0
    several = [samples[item] for item in samples]
    assert found.consistency.unanimous == sum(len(set(one)) == 1 for one in several) / 80
    assert found.consistency.spread == sum(max(one) - min(one) for one in several) / 80
    assert json.loads(json.dumps(found.to_dict()))["outlook"]["within"] is found.outlook.within  # type: ignore[union-attr]


def test_a_generous_model_shows_and_agrees_less_than_people() -> None:
    samples, final, people, items = project(bias=2.0)
    found = measure_calibration("llm:m", samples, final, people, items, SEARCH, resampling=FEW)
    assert found.overall.final.difference.low > 0.5
    assert found.outlook is not None
    assert (found.outlook.verdict, found.outlook.within) == ("below", False)
    assert found.outlook.high < -found.outlook.margin
    assert "by more than the margin" in found.outlook.text()
    assert "差距超过容许范围" in found.outlook.text("zh")


def test_the_verdict_is_a_test_against_a_margin() -> None:
    samples, final, people, items = project()
    found = measure_calibration("llm:m", samples, final, people, items, SEARCH, resampling=FEW)
    outlook = found.outlook
    assert outlook is not None
    assert found.overall.single is not None
    assert found.overall.people is not None
    # Two people, who graded everything: the same pairs as those of the figures.
    assert outlook.machine == pytest.approx(found.overall.single.weighted_kappa.value)
    assert outlook.people == pytest.approx(found.overall.people.weighted_kappa.value)
    assert outlook.difference == pytest.approx(outlook.machine - outlook.people)
    assert outlook.low < outlook.difference < outlook.high
    assert (outlook.items, outlook.queries, outlook.judges) == (80, 15, ("Ann", "Bo"))
    for margin, verdict in ((-outlook.low + 0.01, "within"), (-outlook.low - 0.01, "open")):
        again = measure_calibration(
            "llm:m", samples, final, people, items, SEARCH, resampling=FEW, margin=margin
        )
        assert again.outlook is not None
        assert again.outlook.verdict == verdict
    assert "cannot be told" in again.outlook.text()  # type: ignore[union-attr]
    with pytest.raises(relyon.ParameterError, match="margin"):
        measure_calibration("llm:m", samples, final, people, items, SEARCH, margin=0.0)


def test_people_with_few_items_are_left_out_and_named() -> None:
    samples, final, people, items = project()
    plain = measure_calibration("llm:m", samples, final, people, items, SEARCH, resampling=FEW)
    for item in list(people)[:4]:
        people[item]["Cy"] = 0.0
    found = measure_calibration("llm:m", samples, final, people, items, SEARCH, resampling=FEW)
    assert found.outlook is not None
    assert plain.outlook is not None
    assert found.outlook.left_out == ("Cy",)
    assert found.outlook.difference == plain.outlook.difference
    assert "Left out, since they share fewer than 5 items with others: Cy." in found.outlook.text()
    assert "未计入：Cy。" in found.outlook.text("zh")


def test_few_items_or_queries_cannot_tell() -> None:
    items = [Item(f"q{n % 5}", f"d{n}", id=n) for n in range(40)]
    grades = {n: float(n % 4) for n in range(40)}
    people = {n: {"Ann": grades[n], "Bo": grades[n]} for n in grades}
    samples = {n: [grades[n]] for n in grades}
    five = measure_calibration("llm:m", samples, grades, people, items, SEARCH)
    assert five.outlook is not None
    assert (five.outlook.difference, five.outlook.verdict) == (0.0, "open")
    assert "fewer than six queries" in five.outlook.text()
    # Everybody agrees on all of 40 items: of others up to 3 in 40 may differ.
    many = [Item(f"q{n}", f"d{n}", id=n) for n in range(40)]
    found = measure_calibration("llm:m", samples, grades, people, many, SEARCH)
    assert found.outlook is not None
    assert (found.outlook.low, found.outlook.high) == pytest.approx((-0.075, 0.075))
    # Forty people, two of whom graded each item: none has five items.
    alone = {n: {f"a{n}": 1.0, f"b{n}": grades[n]} for n in grades}
    none = measure_calibration("llm:m", samples, grades, alone, many, SEARCH)
    assert none.outlook is not None
    assert (none.outlook.verdict, none.outlook.items) == ("open", 0)
    assert len(none.outlook.left_out) == 80
    assert "cannot be told" in none.outlook.text()
    assert json.loads(json.dumps(none.to_dict()))["outlook"]["difference"] is None


def test_single_people_are_compared_one_by_one() -> None:
    items = [Item("a", "1", id=1), Item("b", "2", id=2)]
    people = {1: {"Ann": 3.0, "Bo": 0.0}, 2: {"Ann": 1.0}}
    found = measure_calibration(
        "llm:m", {1: [3.0], 2: [1.0]}, {1: 0.0, 2: 1.0}, people, items, SEARCH
    )
    assert found.overall.single is not None
    assert found.overall.single.equal.value == pytest.approx(2 / 3)
    assert found.overall.final.equal.value == 0.5
    assert found.overall.people is not None
    assert (found.overall.people.items, found.overall.people.equal.value) == (1, 0.0)


def test_known_grades_without_people() -> None:
    """Gold items may be all that there is."""
    items = [Item(f"q{n}", "d", id=n) for n in range(4)]
    found = measure_calibration(
        "llm:m", {n: [n % 2] for n in range(4)}, {n: n % 2 for n in range(4)}, {}, items, BINARY
    )
    assert found.overall.final.kappa.value == 1.0
    assert (found.overall.single, found.overall.people, found.outlook) == (None, None, None)
    assert found.judges == ()


def test_without_a_common_item() -> None:
    with pytest.raises(InputError, match="no item was graded by both `llm:m` and people"):
        measure_calibration("llm:m", {1: [1]}, {2: 1.0}, {}, [Item("q", "d", id=1)], SEARCH)
