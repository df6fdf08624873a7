"""Agreement between judges: published values, the field's libraries, and where there is none."""

from __future__ import annotations

import csv
import json
import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import relkit
from relkit.errors import InputError, ParameterError
from relkit.judging.agreement import (
    cohen_kappa,
    find_disagreements,
    fleiss_kappa,
    krippendorff_alpha,
    measure_agreement,
)

LEVELS = ("nominal", "ordinal", "interval")


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
    expected = relkit.evaluate_scores(first, second, [6], ["kappa"])["kappa"]
    assert cohen_kappa(first, second, weights="quadratic") == expected


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
    assert [krippendorff_alpha(units, level=level) for level in LEVELS] == [1, 1, 1]
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


def test_grades_between_levels_have_no_weighted_kappa() -> None:
    found = measure_agreement({"a": {"x": 0.5, "y": 1.0}, "b": {"x": 0.0, "y": 0.0}})
    assert math.isnan(found.pairs[0].weighted_kappa)
    assert found.pairs[0].kappa == pytest.approx(1 / 3)
    assert found.to_dict()["pairs"][0]["weighted_kappa"] is None


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
    with pytest.raises(InputError, match=r"0\.5 is not one"):
        cohen_kappa([0.5, 1], [1, 1], weights="quadratic")
    with pytest.raises(ParameterError, match="`level`"):
        krippendorff_alpha([[1, 2]], level="ratio")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="`high` is none"):
        krippendorff_alpha([["high", "low"]], level="ordinal")
    with pytest.raises(InputError, match="no grades"):
        measure_agreement({"a": {}})
    with pytest.raises(InputError, match="`a` has no tier"):
        measure_agreement({"a": {"x": 1}}, tiers={})
    with pytest.raises(ParameterError, match="`at_least`"):
        find_disagreements({}, at_least=0)
