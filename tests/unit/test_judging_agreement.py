"""Agreement between judges: published values, the field's libraries, and where there is none."""

from __future__ import annotations

import csv
import json
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, strategies as st
from tests.unit.conftest import Command

import relyon
from relyon.core.errors import InputError, ParameterError
from relyon.judging.agreement import find_disagreements, measure_agreement
from relyon.judging.coefficients import Level, cohen_kappa, fleiss_kappa, krippendorff_alpha

LEVELS: tuple[Level, ...] = get_args(Level)


def units_of(raters: list[list[Any]]) -> list[list[Any]]:
    return [[grade for grade in unit if grade is not None] for unit in zip(*raters, strict=True)]


@pytest.fixture(scope="module")
def published(test_data: Path) -> dict[str, Any]:
    text = (test_data / "reference_fixtures" / "agreement_small.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)["sets"]
    return found


@pytest.fixture(scope="module")
def chorus(test_data: Path) -> dict[tuple[str, str], dict[str, int]]:
    path = test_data / "chorus_3raters" / "Broad_Query_Set_individual_ratings.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return {
            (row["query"], row["docid"]): {
                f"judge {n}": int(row[f"agent_{n}_rating"]) for n in (1, 2, 3)
            }
            for row in csv.DictReader(file)
        }


@pytest.fixture
def grades() -> list[list[int | None]]:
    """Three judges who agree somewhat, with holes."""
    drawn = random.Random(5)
    truth = [drawn.randrange(4) for _ in range(80)]
    return [
        [
            None if drawn.random() < 0.2 else min(3, max(0, grade + drawn.choice([0, 0, 0, 1, -1])))
            for grade in truth
        ]
        for _ in range(3)
    ]


@pytest.mark.parametrize(
    "name",
    [
        "krippendorff_nominal_interval",
        "krippendorff_4observers",
        "gwet_raw_4raters",
        "gwet_raw_5observers",
        "gwet_raw_gender",
    ],
)
def test_published_values(published: dict[str, Any], name: str) -> None:
    found = published[name]
    units = units_of(found["raters"])
    computed = found["computed_krippendorff_0.9.0"]
    for level in LEVELS:
        if level in computed:
            alpha = krippendorff_alpha(units, level=level)
            assert alpha == pytest.approx(computed[level], abs=1e-12)
    for level in LEVELS:
        if f"alpha_{level}" in found["published"]:
            alpha = krippendorff_alpha(units, level=level)
            assert alpha == pytest.approx(found["published"][f"alpha_{level}"], abs=5e-4)
    for key in ("fleiss_gwet_missing", "fleiss_kappa"):
        if key in found["published"]:
            assert fleiss_kappa(units) == pytest.approx(found["published"][key], abs=5e-4)


def test_fleiss_of_1971(published: dict[str, Any]) -> None:
    found = published["fleiss1971_6psychiatrists_15of30"]
    names = list(found["counts"])
    units = [
        [name for name, times in zip(names, counts, strict=True) for _ in range(times)]
        for counts in zip(*found["counts"].values(), strict=True)
    ]
    expected = found["computed"]["fleiss_kappa_statsmodels"]
    assert fleiss_kappa(units) == pytest.approx(expected, abs=1e-12)


def test_three_raters_of_a_shop(chorus: dict[tuple[str, str], dict[str, int]]) -> None:
    found = measure_agreement(chorus)
    assert round(found.overall.fleiss, 4) == 0.6426
    assert round(found.overall.alpha_ordinal, 4) == 0.7695
    assert found.overall.units == 3188
    assert [len(found.pairs), len(found.judges)] == [3, 3]
    assert sum(one.difference for one in found.judges) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_cohen_as_scikit_learn(grades: list[list[int | None]], weights: Any) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    both = [
        (one, other)
        for one, other in zip(grades[0], grades[1], strict=True)
        if one is not None and other is not None
    ]
    expected = metrics.cohen_kappa_score(
        [one for one, _ in both],
        [other for _, other in both],
        weights=None if weights == "none" else weights,
        labels=[0, 1, 2, 3],
    )
    found = cohen_kappa(grades[0], grades[1], weights=weights)
    assert found == pytest.approx(expected, abs=1e-12)


def test_quadratic_kappa_is_the_measure() -> None:
    first, second = [3, 2, 0, 1, 3, 0], [3, 1, 0, 1, 0, 2]
    expected = relyon.evaluate_scores(first, second, [6], ["kappa"])["kappa"]
    assert cohen_kappa(first, second, weights="quadratic") == pytest.approx(expected, abs=1e-15)


def test_fleiss_as_statsmodels(grades: list[list[int | None]]) -> None:
    from statsmodels.stats.inter_rater import fleiss_kappa as oracle

    whole = [unit for unit in units_of(grades) if len(unit) == 3]
    table = [[Counter(unit)[grade] for grade in range(4)] for unit in whole]
    assert fleiss_kappa(whole) == pytest.approx(float(oracle(table)), abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_as_krippendorff(grades: list[list[int | None]], level: Any) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    data = [[math.nan if one is None else float(one) for one in judge] for judge in grades]
    expected = krippendorff.alpha(reliability_data=data, level_of_measurement=level)
    found = krippendorff_alpha(units_of(grades), level=level)
    assert found == pytest.approx(float(expected), abs=1e-12)


def test_perfect_agreement_is_one() -> None:
    units = [[3, 3], [0, 0], [1, 1]]
    assert fleiss_kappa(units) == 1
    assert [krippendorff_alpha(units, level=level) for level in LEVELS] == [1] * 4
    for weights in ("none", "linear", "quadratic"):
        assert cohen_kappa([3, 0, 1], [3, 0, 1], weights=weights) == 1


@pytest.mark.parametrize("units", [[], [[3], [1]], [[2, 2], [2, 2]]])
def test_undefined_is_nan(units: list[list[int]]) -> None:
    assert math.isnan(fleiss_kappa(units))
    assert all(math.isnan(krippendorff_alpha(units, level=level)) for level in LEVELS)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_cohen_is_nan_without_variety_or_units(weights: Any) -> None:
    assert math.isnan(cohen_kappa([2, 2], [2, 2], weights=weights))
    assert math.isnan(cohen_kappa([2, None], [None, 1], weights=weights))


def test_a_judge_against_the_others_and_tiers() -> None:
    ratings = {
        "a": {"Ann": 3, "Bo": 2, "Cy": 2},
        "b": {"Ann": 1, "Bo": 0},
        "c": {"Cy": 0},
    }
    found = measure_agreement(ratings, tiers={"a": "head", "b": "tail", "c": "tail"})
    ann = found.judges[0]
    assert (ann.judge, ann.grades, ann.units, ann.equal, ann.difference) == ("Ann", 2, 2, 0, 1)
    assert found.judges[2].grades == 2
    assert found.judges[2].units == 1
    assert {tier: one.units for tier, one in found.tiers.items()} == {"head": 1, "tail": 1}
    assert found.overall.equal == 1 / 4
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert content["pairs"][0]["first"] == "Ann"
    assert content["tiers"]["tail"]["equal"] == 0


def test_grades_between_levels_have_a_weighted_kappa() -> None:
    found = measure_agreement({"a": {"x": 0.5, "y": 1.0}, "b": {"x": 0.0, "y": 0.0}})
    # Seen: 0.25 of two units. By chance: (0.25 + 1 + 0.25 + 0) / 2 of two.
    assert found.pairs[0].weighted_kappa == pytest.approx(1 - 0.25 / 0.75)
    assert found.pairs[0].kappa == pytest.approx(1 / 3)


ANY_GRADES = st.lists(
    st.tuples(*[st.sampled_from([-2, -1, -0.5, 0, 0.25, 1, 1.5, 4])] * 2), min_size=1, max_size=12
)


@given(pairs=ANY_GRADES)
@pytest.mark.parametrize("power", [0, 1, 2])
def test_cohen_by_its_definition(pairs: list[tuple[float, float]], power: int) -> None:
    def weight(one: float, other: float) -> float:
        return abs(one - other) ** power if one != other else 0.0

    seen = sum(weight(*pair) for pair in pairs) / len(pairs)
    chance = sum(weight(one, other) for one, _ in pairs for _, other in pairs) / len(pairs) ** 2
    first, second = zip(*pairs, strict=True)
    weights: Any = ("none", "linear", "quadratic")[power]
    found = cohen_kappa(first, second, weights=weights)
    if chance == 0:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(1 - seen / chance, abs=1e-12)
    if power == 2:
        ratings = {place: {"x": one, "y": other} for place, (one, other) in enumerate(pairs)}
        (of_pair,) = measure_agreement(ratings).pairs
        assert of_pair.weighted_kappa == pytest.approx(found, abs=1e-12, nan_ok=True)


def test_negative_grades_are_not_clamped() -> None:
    first = [2, 0, -2, 1]
    assert cohen_kappa(first, first, weights="quadratic") == 1
    assert cohen_kappa([-1, 0], [0, -1], weights="quadratic") == -1
    agreement = measure_agreement({place: {"x": g, "y": g} for place, g in enumerate(first)})
    assert agreement.pairs[0].weighted_kappa == 1
    assert [one.weighted_kappa for one in agreement.judges] == [1, 1]


UNITS = st.lists(
    st.lists(st.sampled_from([-2, -0.5, 0, 0.25, 1, 3]), min_size=1, max_size=4),
    min_size=1,
    max_size=8,
)


@given(units=UNITS)
@pytest.mark.parametrize("level", ["nominal", "interval", "ratio"])
def test_alpha_by_its_definition(units: list[list[float]], level: Any) -> None:
    if level == "ratio":
        units = [[abs(grade) for grade in unit] for unit in units]

    def squared(one: float, other: float) -> float:
        if one == other:
            return 0.0
        if level == "nominal":
            return 1.0
        return ((one - other) / (one + other if level == "ratio" else 1)) ** 2

    held = [unit for unit in units if len(unit) > 1]
    every = [grade for unit in held for grade in unit]
    found = krippendorff_alpha(units, level=level)
    if len(set(every)) < 2:
        assert math.isnan(found)
        return
    seen = sum(
        squared(one, other) / (len(unit) - 1) for unit in held for one in unit for other in unit
    ) / len(every)
    chance = sum(squared(one, other) for one in every for other in every)
    chance /= len(every) * (len(every) - 1)
    assert found == pytest.approx(1 - seen / chance, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_of_fractions_as_krippendorff(level: Any) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    data = [[0.5, 2.25, 0, 3, 1.5, math.nan], [0.5, 2, 0.25, 3, math.nan, 7], [1, 2, 0, 9.5, 1, 7]]
    units = [[g for g in unit if not math.isnan(g)] for unit in zip(*data, strict=True)]
    expected = krippendorff.alpha(reliability_data=data, level_of_measurement=level)
    assert krippendorff_alpha(units, level=level) == pytest.approx(float(expected), abs=1e-12)


def test_disagreements_the_widest_first() -> None:
    ratings = {
        "a": {"x": 1, "y": 2},
        "b": {"x": 0, "y": 3, "z": 1},
        "c": {"x": 2, "y": 2},
        "d": {"x": 3},
    }
    assert [(one.unit, one.spread) for one in find_disagreements(ratings)] == [("b", 3), ("a", 1)]
    assert [one.unit for one in find_disagreements(ratings, at_least=2)] == ["b"]


def test_bad_input() -> None:
    with pytest.raises(InputError, match="one judge has 1 units and the other 2"):
        cohen_kappa([1], [1, 2])
    with pytest.raises(
        ParameterError, match="`weights` must be one of `none`, `linear`, `quadratic`"
    ):
        cohen_kappa([1], [1], weights="cubic")  # type: ignore[arg-type]
    for weights in ("linear", "quadratic"):
        with pytest.raises(InputError, match=f"`{weights}` need grades that are numbers") as caught:
            cohen_kappa(["high"], ["low"], weights=weights)  # type: ignore[list-item]
        assert caught.value.hint == "weights='none' takes names"
    with pytest.raises(InputError, match="`nan` is not one"):
        cohen_kappa([math.nan, 1], [1, 1], weights="quadratic")
    with pytest.raises(ParameterError, match="`level`"):
        krippendorff_alpha([[1, 2]], level="cyclic")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="`-1` is below") as caught:
        krippendorff_alpha([[1, -1]], level="ratio")
    assert "interval" in caught.value.hint
    with pytest.raises(InputError, match="agreement needs grades that are numbers") as caught:
        measure_agreement({"a": {"x": "high", "y": "low"}})  # type: ignore[dict-item]
    assert "level=" not in caught.value.hint
    with pytest.raises(InputError, match="`high` is not one"):
        krippendorff_alpha([["high", "low"]], level="ordinal")
    with pytest.raises(InputError, match="no grades"):
        measure_agreement({"a": {}})
    with pytest.raises(InputError, match="`a` has no tier"):
        measure_agreement({"a": {"x": 1}}, tiers={})
    with pytest.raises(ParameterError, match="`at_least`"):
        find_disagreements({}, at_least=0)


def test_sheets_that_are_the_same_are_noted() -> None:
    grades = {
        unit: {"ann": unit % 3, "bo": unit % 3, "cy": (unit + unit // 7) % 3} for unit in range(30)
    }
    identical = {(one.first, one.second): one.identical for one in measure_agreement(grades).pairs}
    assert identical == {("ann", "bo"): True, ("ann", "cy"): False, ("bo", "cy"): False}
    few = measure_agreement({unit: grades[unit] for unit in range(5)})
    assert not any(one.identical for one in few.pairs)
    same = measure_agreement({unit: {"ann": 1, "bo": 1} for unit in range(30)})
    assert not same.pairs[0].identical
    assert same.pairs[0].to_dict()["identical"] is False


def test_two_sheets_that_are_copies_are_noted(files: Path, command: Command) -> None:
    rows = "".join(f"q{n},d{n},{n % 3}\n" for n in range(24))
    assert command("judge", "init", "copies.db", "--project", "June", "--overlap", "2").code == 0
    for judge in ("ann", "bo"):
        path = files / f"{judge}.csv"
        path.write_text("query,doc,grade\n" + rows, "utf-8")
        outcome = command(
            "judge", "import", "copies.db", path.name, "--project", "June", "--judge", judge
        )
        assert outcome.code == 0, outcome.err
    shown = command("judge", "status", "copies.db").out.replace("\n  ", " ")
    assert "ann and bo gave all of 24 items the same grades" in shown
    found = json.loads(command("judge", "status", "copies.db", "--format", "json").out)
    assert [pair["identical"] for pair in found[0]["agreement"]["pairs"]] == [True]
