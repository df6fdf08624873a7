"""What came of training: held-out values, segments, places, contributions, the card."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.trained import FEATURES, rows_of, training_of

import relyon
from relyon import InputError, ParameterError
from relyon.core.language import Language
from relyon.data.convention import load_convention
from relyon.ltr.rankers.fingerprints import data_fingerprint
from relyon.ltr.training.card import different_numbers
from relyon.ltr.training.contributions import (
    Contributions,
    linear_contributions,
    tree_contributions,
)
from relyon.ltr.training.curve import CurvePoint, mean_curve, thinned
from relyon.ltr.training.held_out import held_out
from relyon.ltr.training.importance import contribution_importance, permutation_importance
from relyon.ltr.training.placement import label_placements, places_of
from relyon.ltr.training.segments import relevant_counts, segment_table, sizes_of
from relyon.measures.fingerprint import measure_fingerprint

NAN = float("nan")


def test_a_mean_and_a_paired_difference_are_those_of_scipy() -> None:
    from scipy import stats

    own, before = [0.9, 0.4, 0.7, NAN, 0.5], [0.5, 0.5, 0.6, 0.1, NAN]
    found = held_out(own, before)
    assert (found.queries, found.paired, found.better, found.worse) == (4, 3, 2, 1)
    assert found.value == pytest.approx(0.625)
    assert found.baseline == pytest.approx((0.5 + 0.5 + 0.6) / 3)
    test = stats.ttest_rel([0.9, 0.4, 0.7], [0.5, 0.5, 0.6])
    assert found.p == pytest.approx(test.pvalue)
    assert found.difference_interval == pytest.approx(tuple(test.confidence_interval()))
    one = stats.ttest_1samp([0.9, 0.4, 0.7, 0.5], 0)
    assert found.interval == pytest.approx(tuple(one.confidence_interval()))


@pytest.mark.parametrize("values", [[], [NAN], [0.5]])
def test_too_few_queries_have_no_interval(values: list[float]) -> None:
    found = held_out(values, values)
    assert all(map(math.isnan, found.interval))
    assert math.isnan(found.p)
    assert found.tone == "few"
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_few_equal_differences_are_not_called_significant() -> None:
    """Two queries that differ alike say little, however equal their differences are."""
    two = held_out([1.0, 0.9], [0.5, 0.4])
    assert two.tone == "few"
    assert held_out([0.5] * 5, [0.4] * 5).tone == "few"
    assert held_out([0.5] * 6, [0.4] * 6).tone == "better"


def test_segments_are_counted_in_order_and_corrected() -> None:
    names = ["tail", "head", "tail", "head", "odd"]
    own, before = [0.5, 0.9, 0.7, 0.8, NAN], [0.4, 0.5, 0.5, 0.3, 0.1]
    table = segment_table(names, own, before, order=["head", "tail"])
    assert [(one.name, one.queries, one.found.queries) for one in table] == [
        ("head", 2, 2),
        ("tail", 2, 2),
        ("odd", 1, 0),
    ]
    alone = [held_out([0.9, 0.8], [0.5, 0.3]).p, held_out([0.5, 0.7], [0.4, 0.5]).p]
    # Holm for two known p-values: the smaller one twice, the larger one at least as much.
    low, high = sorted(alone)
    assert sorted(one.found.p for one in table[:2]) == pytest.approx([2 * low, max(2 * low, high)])
    with pytest.raises(InputError, match="there are 1 segments for 2 queries"):
        segment_table(["a"], [0.5, 0.5])


def test_queries_are_counted_by_their_relevant_documents() -> None:
    rows = rows_of(queries=3, size=4)
    labels = np.array([0, 0, 0, 0, 1, 2, 0, 3, 1, 0, 0, 0], dtype=float)
    assert relevant_counts(replace(rows, labels=labels)) == [0, 3, 1]
    # Of labels below 1, such as click rates, those above 0 count.
    assert relevant_counts(replace(rows, labels=labels / 4)) == [0, 3, 1]
    assert sizes_of([0, 1, 2, 4, 5, 9, 10])[0] == ["0", "1", "2-4", "2-4", "5-9", "5-9", "10+"]


def test_places_by_hand() -> None:
    scores = np.array([3.0, 1.0, 1.0, 5.0, -2.0, -2.0])
    found = places_of(scores, np.array([0, 3, 4, 6]))
    assert found.tolist()[:3] == [1.0, 0.25, 0.25]
    assert math.isnan(found[3])
    assert found.tolist()[4:] == [0.5, 0.5]
    assert places_of(np.array([]), np.array([0])).tolist() == []


@given(
    st.lists(st.lists(st.integers(-9, 9), max_size=6), max_size=6),
    st.floats(0.1, 10),
)
@settings(max_examples=60, deadline=None)
def test_places_depend_on_the_order_alone(lists: list[list[int]], slope: float) -> None:
    scores = np.array([one for row in lists for one in row], dtype=np.float64)
    offsets = np.cumsum([0, *map(len, lists)])
    found = places_of(scores, offsets)
    assert np.array_equal(found, places_of(np.arctan(slope * scores), offsets), equal_nan=True)
    for start, end in pairwise(offsets):
        own = scores[start:end]
        for place in range(start, end):
            lower, equal = (own < scores[place]).sum(), (own == scores[place]).sum() - 1
            if end - start > 1:
                assert found[place] == pytest.approx((lower + equal / 2) / (end - start - 1))
            else:
                assert math.isnan(found[place])


def test_a_perfect_ranker_places_labels_apart() -> None:
    rows = rows_of()
    found = label_placements(rows, np.asarray(rows.labels))
    assert [one.label for one in found] == [0.0, 1.0, 2.0, 3.0]
    assert [one.place for one in found] == sorted(one.place for one in found)
    assert sum(one.rows for one in found) == len(rows)
    equal = label_placements(rows, np.zeros(len(rows)))
    assert [one.place for one in equal] == [0.5] * 4
    many = replace(rows, labels=np.arange(len(rows), dtype=float))
    assert label_placements(many, np.zeros(len(rows))) == ()


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost", "catboost"])
def test_contributions_of_trees_add_up_to_the_score(engine: str) -> None:
    random = np.random.default_rng(3)
    values = random.normal(size=(200, 3))
    values[::7, 1] = np.nan
    labels = (values[:, 0] > 0).astype(float) + (random.normal(size=200) > 1)
    if engine == "lightgbm":
        library = pytest.importorskip("lightgbm")
        settings = {"objective": "regression", "verbosity": -1, "num_threads": 1}
        booster = library.train(settings, library.Dataset(values, labels), 5)
        scores, tolerance = booster.predict(values, raw_score=True), 1e-12
    elif engine == "xgboost":
        library = pytest.importorskip("xgboost")
        matrix = library.DMatrix(values, labels, nthread=1)
        booster = library.train({"nthread": 1, "max_depth": 3}, matrix, 5)
        scores, tolerance = booster.predict(matrix, output_margin=True), 1e-5
    else:
        library = pytest.importorskip("catboost")
        booster = library.CatBoost(
            {"iterations": 5, "depth": 3, "thread_count": 1, "allow_writing_files": False}
        )
        booster.fit(values, labels, verbose=False)
        scores, tolerance = booster.predict(values), 1e-9
    found = tree_contributions(engine, booster, values)
    assert found.values.shape == (200, 3)
    assert found.scores == pytest.approx(np.asarray(scores), abs=tolerance)
    assert np.abs(found.values[:, 0]).mean() > np.abs(found.values[:, 2]).mean()


@pytest.mark.parametrize("loss", ["RMSE", "LambdaMart:metric=NDCG"])
def test_contributions_of_catboosts_leaf_wise_trees_are_shapley_values(
    loss: str, tmp_path: Path
) -> None:
    """Against the definition: all orders of the features, by the trees and their leaves' rows."""
    library = pytest.importorskip("catboost")
    random = np.random.default_rng(0)
    values = random.normal(size=(200, 3)).astype(np.float32)
    labels = np.clip(np.round(values[:, 0] + values[:, 1] * values[:, 2]), 0, 3)
    settings = {"grow_policy": "Lossguide", "max_leaves": 7, "iterations": 3, "thread_count": 1}
    quiet = {"bootstrap_type": "No", "logging_level": "Silent", "allow_writing_files": False}
    pool = library.Pool(values, labels, group_id=np.arange(200) // 10)
    booster = library.train(pool, {"loss_function": loss, **settings, **quiet})
    booster.save_model(tmp_path / "model.json", format="json")
    trees = json.loads((tmp_path / "model.json").read_text("utf-8"))["trees"]

    def weight(node: Any) -> float:
        if "value" in node:
            return float(node["weight"])
        return weight(node["left"]) + weight(node["right"])

    def expected(node: Any, row: Any, known: frozenset[int]) -> float:
        if "value" in node:
            return float(node["value"])
        place, sides = node["split"]["float_feature_index"], (node["left"], node["right"])
        if place in known:
            return expected(sides[int(row[place] > node["split"]["border"])], row, known)
        shares = [weight(side) for side in sides]
        both = [expected(side, row, known) for side in sides]
        return (shares[0] * both[0] + shares[1] * both[1]) / sum(shares)

    found = tree_contributions("catboost", booster, values)
    for at in range(5):
        wanted = np.zeros(3)
        for order in itertools.permutations(range(3)):
            for place, feature in enumerate(order):
                before = frozenset(order[:place])
                wanted[feature] += sum(
                    expected(tree, values[at], before | {feature})
                    - expected(tree, values[at], before)
                    for tree in trees
                )
        assert found.values[at] == pytest.approx(wanted / 6, abs=1e-12)


def test_an_engine_without_trees_is_refused() -> None:
    booster: Any = None
    with pytest.raises(ParameterError, match="lightgbm"):
        tree_contributions("tensorflow", booster, np.zeros((1, 1)))


def test_contributions_of_a_linear_ranker_are_exact() -> None:
    random = np.random.default_rng(5)
    values, weights = random.normal(size=(9, 4)), np.array([1.0, -2.0, 0.0, 0.5])
    found = linear_contributions(weights, values.mean(axis=0), values, 0.25)
    assert found.scores == pytest.approx(values @ weights + 0.25, abs=1e-12)
    assert found.values.mean(axis=0) == pytest.approx([0, 0, 0, 0], abs=1e-12)
    with pytest.raises(ParameterError, match="one weight and one centre per feature"):
        linear_contributions(weights[:3], values.mean(axis=0), values)


def test_what_is_the_same_for_a_whole_query_orders_nothing() -> None:
    rows = rows_of()
    assert rows.features is not None
    values = np.asarray(rows.features.values)
    parts = linear_contributions(np.array([1, 0.5, 0.01, 3]), values.mean(axis=0), values)
    found = contribution_importance(parts, rows.groups, FEATURES)
    assert [one.feature for one in found] == list(FEATURES)
    assert found[-1].value == pytest.approx(0, abs=1e-12)
    assert found[-1].overall > found[0].overall
    assert math.fsum(one.share for one in found) == pytest.approx(1)
    nothing = Contributions(np.zeros((4, 1)), 1.0)
    (one,) = contribution_importance(nothing, np.array([0, 0, 4]), ["x"])
    assert math.isnan(one.share)


def test_an_unused_feature_can_be_exchanged() -> None:
    rows = rows_of()
    assert rows.features is not None
    values = np.asarray(rows.features.values)

    def measured(features: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[float]:
        return relyon.evaluate_scores(rows, features[:, 0], measures="ndcg@10").column("ndcg@10")

    first, *others = permutation_importance(values, FEATURES, measured, seed=2)
    assert first.feature == "bm25"
    assert first.interval[0] > 0
    assert [(one.value, one.interval) for one in others] == [(0.0, (0.0, 0.0))] * 3


def test_fingerprints_tell_rules_apart_and_names_not() -> None:
    rules = load_convention("relyon")
    ndcg = relyon.measure("ndcg@10")
    known = {
        measure_fingerprint(ndcg, rules),
        measure_fingerprint(relyon.measure("ndcg@5"), rules),
        measure_fingerprint(ndcg, rules.replace(ties="expected")),
        measure_fingerprint(relyon.measure("ndcg(gain=exp)@10"), rules),
    }
    assert len(known) == 4
    rows = rows_of()
    assert rows.features is not None
    double = np.asarray(rows.features.values, dtype=np.float64)
    same = replace(rows, features=replace(rows.features, values=double), source="other.csv")
    assert data_fingerprint(rows) == data_fingerprint(same)
    other = double.copy()
    other[0, 0] += 1e-9
    assert data_fingerprint(rows) != data_fingerprint(
        replace(rows, features=replace(rows.features, values=other))
    )


def test_numbers_of_other_rules_or_queries_are_not_compared_in_silence() -> None:
    card = training_of().card
    assert different_numbers(card, card) == ()
    (other,) = different_numbers(card, replace(card, fingerprint="0" * 16))
    assert other.kind == "other-measure"
    assert "0" * 16 in other.text()
    assert "0" * 16 in other.text("zh")
    (queries,) = different_numbers(card, replace(card, split="test.txt"))
    assert queries.kind == "other-queries"


def test_curves_of_folds_have_a_mean_where_all_have_a_value() -> None:
    long = [CurvePoint(at, 1.0, 0.5) for at in (1, 2, 3)]
    assert mean_curve([]) == ()
    assert mean_curve([long, long[:2]]) == tuple(long[:2])
    assert thinned(long, 12) == long
    points = [CurvePoint(at, 1, 1) for at in range(1, 50)]
    assert [one.iteration for one in thinned(points, 3)] == [1, 25, 49]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_training_has_every_form(language: Language) -> None:
    training = training_of()
    text = training.to_text(columns=80, language=language)
    assert "nan" not in text.lower()
    assert "None" not in text
    for wanted in ("ndcg@10", "bm25", "2-4", "lambdamart", "pointwise"):
        assert wanted in text
    told = json.loads(training.to_json())
    assert told["card"]["held_out"]["queries"] == 40
    assert len(told["per_query"]) == 40
    assert set(told["per_query"]["q00"]) == {"value", "baseline"}
    frame = training.to_frame()
    assert frame.columns == ["query", "ndcg@10", "baseline", "difference"]
    assert frame["difference"].to_list() == pytest.approx(
        [one - two for one, two in zip(training.values, training.baseline, strict=True)]
    )
    card = training.card
    assert card.to_frame().filter(fact="fingerprint")["value"].to_list() == [card.fingerprint]
    assert card.fingerprint in card.to_markdown(language=language)


def test_a_training_without_baseline_compares_nothing() -> None:
    whole = training_of()
    card = replace(whole.card, found=held_out(whole.values), baseline="")
    training = training_of(card=card, baseline=(), importance=(), curve=(), segments=())
    text = training.to_text()
    assert "no baseline was trained" in text
    assert "difference" not in text
    assert training.differences() == []
    assert training.to_frame().columns == ["query", "ndcg@10"]
    with pytest.raises(InputError, match="held-out run was not stored"):
        training.run  # noqa: B018
