"""Checks before training: each fires where it should, and is silent where it should be."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

import relyon.ltr
from relyon.data.features import Features
from relyon.data.labelled import LabelledRows, offsets_of
from relyon.ltr.preparation.pairs import (
    label_classes,
    orderable,
    random_variance,
    signed_pairs,
    sorted_agreement,
)

LIGHTGBM = {"objective": "lambdarank", "label_gain": [0, 1, 2], "lambdarank_truncation_level": 10}


def simulated(queries: int = 60, rows: int = 10, seed: int = 0, **columns: Any) -> LabelledRows:
    """Labels 0 to 2 in random order, and features that know nothing of them."""
    random = np.random.default_rng(seed)
    count = queries * rows
    labels = np.concatenate(
        [random.permutation([0, 1, 2, *[0] * (rows - 3)]) for _ in range(queries)]
    )
    features = Features(("a", "b"), random.random((count, 2)))
    given: dict[str, Any] = {"labels": labels.astype(float), "features": features} | columns
    return LabelledRows(
        scores=None,
        groups=offsets_of([rows] * queries),
        queries=[f"q{place}" for place in range(queries)],
        **given,
    )


def kinds(rows: LabelledRows, **options: Any) -> list[str]:
    return [one.kind for one in relyon.ltr.check(rows, **options)]


def with_feature(rows: LabelledRows, values: Any, name: str = "c") -> LabelledRows:
    features = rows.known_features()
    joined = np.column_stack([features.values, values])
    return simulated(labels=rows.labels, features=Features((*features.names, name), joined))


def test_nothing_stands_out_of_good_rows() -> None:
    rows = simulated()
    found = relyon.ltr.check(
        rows, parameters=LIGHTGBM, sides={"test": simulated(seed=1).select([])}
    )
    assert (len(found), found.warnings) == (0, ())
    assert "no problems" in str(found)
    assert "没有发现问题" in found.to_text(language="zh")
    assert found.to_dict()["findings"] == []
    assert found.to_frame().height == 0


def test_queries_of_equal_labels_and_the_pairs_of_the_others() -> None:
    frame = pl.DataFrame(
        {"q": [1, 1, 2, 2, 3, 3, 3], "label": [1, 1, 0, 2, 0, 1, 1], "f": range(7)}
    )
    found = relyon.ltr.check(relyon.read_features(frame, query="q"))
    one = found["constant-labels"]
    assert (one.level, one.examples) == ("info", ("1",))
    assert one.evidence == {"count": 1, "total": 3, "share": 1 / 3, "pairs": 3}
    flat = relyon.ltr.check(relyon.read_features(frame.with_columns(label=1), query="q"))
    assert (flat["constant-labels"].level, flat["constant-labels"].evidence["pairs"]) == (
        "warning",
        0,
    )


@pytest.mark.parametrize(
    ("change", "kind"),
    [(0.5, "fractional-labels"), (-1.0, "negative-labels"), (31.0, "large-labels")],
)
def test_labels_that_engines_refuse(change: float, kind: str) -> None:
    rows = simulated()
    labels = rows.labels.copy()
    labels[3] = change
    found = relyon.ltr.check(simulated(labels=labels))
    assert found[kind].level == "warning"
    assert [one.kind for one in found] == [kind]
    labels[3] = 30
    assert kinds(simulated(labels=labels)) == []


def test_large_labels_are_allowed_where_their_gains_are_given_and_by_other_engines() -> None:
    rows = simulated(labels=simulated().labels * 20)
    assert "large-labels" in kinds(rows)
    assert "large-labels" not in kinds(rows, engine="xgboost")
    assert "large-labels" not in kinds(rows, parameters={"label_gain": list(range(41))})


def test_rows_of_a_query_that_do_not_stand_together() -> None:
    frame = pl.DataFrame({"q": [1, 2, 1], "label": [0, 1, 1], "f": [1, 2, 3]})
    found = relyon.ltr.check(relyon.read_features(frame, query="q"))
    assert found["scattered-queries"].evidence == {"count": 1}
    assert "scattered-queries" not in kinds(relyon.read_features(frame.sort("q"), query="q"))


@pytest.mark.parametrize(("sign", "key"), [(1, "rising"), (-1, "falling")])
def test_rows_in_the_order_of_labels(sign: int, key: str) -> None:
    rows = simulated()
    order = np.lexsort((sign * rows.labels, rows.qid))
    (one,) = relyon.ltr.check(simulated(labels=rows.labels[order]))
    assert (one.kind, one.level, one.key) == ("row-order", "warning", key)
    assert one.evidence["share"] == 1
    assert one.evidence["pairs"] == 60 * 17


def test_an_order_of_rows_that_is_only_chance_or_hardly_more_is_not_told() -> None:
    rows = simulated(queries=2)  # sorted, but two queries are no evidence
    order = np.lexsort((-rows.labels, rows.qid))
    assert kinds(simulated(queries=2, labels=rows.labels[order])) == []
    # 100 of 2,000 queries are sorted: sure enough, but too little to matter.
    many = simulated(queries=2000)
    order = np.lexsort((np.where(many.qid < 100, -many.labels, 0), many.qid))
    assert kinds(simulated(queries=2000, labels=many.labels[order])) == []


def test_the_alarm_about_the_order_of_rows_is_rarely_false() -> None:
    # 4,000 data sets of 30 queries in random order, many ties: alarms follow one in a thousand.
    random = np.random.default_rng(7)
    sets, queries, size = 4000, 30, 8
    labels = random.integers(0, 3, (sets * queries, size))
    offsets = np.arange(sets * queries + 1) * size
    codes = labels.ravel()
    found = signed_pairs(codes, offsets).reshape(sets, queries).sum(axis=1)
    spread = np.sqrt(random_variance(codes, offsets).reshape(sets, queries).sum(axis=1))
    z = found / spread
    assert abs(z.std() - 1) < 0.05
    assert int((abs(z) > 3.2905).sum()) <= 13  # P(more | 0.001) < 0.0001


@settings(max_examples=60)
@given(st.lists(st.lists(st.integers(0, 3), max_size=6), min_size=1, max_size=4))
def test_signed_pairs_are_those_of_two_loops(lists: list[list[int]]) -> None:
    codes = np.array([code for one in lists for code in one], dtype=np.int64)
    offsets = offsets_of(map(len, lists))
    signed = [
        sum(int(np.sign(b - a)) for place, a in enumerate(one) for b in one[place + 1 :])
        for one in lists
    ]
    pairs = [sum(a != b for place, a in enumerate(one) for b in one[place + 1 :]) for one in lists]
    assert signed_pairs(codes, offsets).tolist() == signed
    assert orderable(codes, offsets).tolist() == pairs


def test_the_variance_is_that_of_all_orders() -> None:
    from itertools import permutations

    labels = (0, 0, 1, 2, 2)
    orders = np.array(list(permutations(labels)))
    offsets = np.arange(len(orders) + 1) * 5
    found = signed_pairs(orders.ravel(), offsets)
    assert found.mean() == 0
    assert random_variance(np.array(labels), np.array([0, 5])).tolist() == [found.var()]


def test_agreement_counts_ties_as_neither() -> None:
    codes, offsets = np.array([0, 1, 2, 0]), np.array([0, 3, 4])
    assert sorted_agreement(np.array([1.0, 2, 3, 9]), codes, offsets) == 1
    assert sorted_agreement(np.array([3.0, 2, 1, 9]), codes, offsets) == -1
    assert sorted_agreement(np.array([1.0, 1, 1, 9]), codes, offsets) == 0
    assert sorted_agreement(np.array([1.0, 2, 2, 9]), codes, offsets) == pytest.approx(2 / 3)
    assert sorted_agreement(np.array([np.nan, np.nan, 3, 9]), codes, offsets) == pytest.approx(
        2 / 3
    )


def test_more_labels_than_classes_keep_their_order() -> None:
    labels = np.random.default_rng(0).random(5000)
    codes = label_classes(labels)
    assert codes.max() == 255
    assert (np.diff(codes[np.argsort(labels)]) >= 0).all()


@pytest.mark.parametrize("sparse", [False, True])
def test_a_feature_that_is_the_label(sparse: bool) -> None:
    from scipy.sparse import csr_array

    rows = with_feature(simulated(), -2 * simulated().labels, "graded")
    features = rows.known_features()
    if sparse:
        rows = simulated(
            labels=rows.labels, features=Features(features.names, csr_array(features.values))
        )
    (one,) = relyon.ltr.check(rows)
    assert (one.kind, one.level, one.key) == ("leaking-feature", "warning", "text")
    assert (one.evidence["name"], one.evidence["agreement"]) == ("graded", -1)
    assert "`graded` orders all 1,020 pairs" in one.text()


def test_a_feature_that_is_nearly_the_label_and_one_that_is_good() -> None:
    rows = simulated(queries=200)
    random = np.random.default_rng(1)
    near = rows.labels + random.normal(0, 0.2, len(rows))
    good = rows.labels + random.normal(0, 0.7, len(rows))
    found = relyon.ltr.check(
        simulated(queries=200, features=Features(("near", "good"), np.column_stack([near, good])))
    )
    (one,) = found
    assert (one.evidence["name"], one.key) == ("near", "nearly")
    agreement = one.evidence["agreement"]
    assert isinstance(agreement, float)
    assert 0.99 < agreement < 1


def test_few_pairs_prove_no_leak() -> None:
    frame = pl.DataFrame({"q": [1, 1, 1], "label": [2, 1, 0], "f": [3, 2, 1], "g": [1, 5, 2]})
    assert "leaking-feature" not in kinds(relyon.read_features(frame, query="q"))


def test_constant_features_and_missing_values() -> None:
    rows = simulated()
    values = np.column_stack([rows.known_features().values, np.full(len(rows), 7.0)])
    values = np.column_stack([values, np.full(len(rows), np.nan)])
    values[::4, 0] = np.nan
    found = relyon.ltr.check(simulated(features=Features(("a", "b", "c", "d"), values)))
    assert found["constant-feature"].examples == ("c", "d")
    assert found["missing-values"].examples == ("d", "a")
    assert found["missing-values"].evidence["share"] == pytest.approx((0.25 + 1) / 4)
    assert len(found) == 2


def test_queries_and_rows_on_two_sides() -> None:
    train, test = simulated(), simulated(seed=9)
    found = relyon.ltr.check(train, parameters=LIGHTGBM, sides={"test": test})
    assert [one.kind for one in found] == ["query-on-two-sides"]
    assert found["query-on-two-sides"].evidence == {"count": 60, "total": 60, "side": "test"}
    other = LabelledRows(
        train.labels[:10], None, offsets_of([10]), ["new"], features=train.select([4]).features
    )
    found = relyon.ltr.check(train, sides={"valid": other})
    assert found["row-on-two-sides"].evidence == {
        "count": 10,
        "total": 10,
        "side": "valid",
        "queries": 1,
    }
    assert "row-on-two-sides" not in kinds(train)


def test_a_gain_that_is_not_the_measure_s() -> None:
    rows = simulated()
    plain = {"objective": "lambdarank", "lambdarank_truncation_level": 10}
    found = relyon.ltr.check(rows, parameters=plain)["gain-differs"]
    assert (found.evidence["label"], found.evidence["top"]) == (1, 2)
    assert (found.evidence["trained"], found.evidence["reported"]) == (pytest.approx(1 / 3), 0.5)
    assert kinds(rows, parameters=plain, measure="ndcg(gain=exp)@10") == []
    assert kinds(rows, parameters={**plain, "label_gain": [0, 10, 20]}) == []
    binary = simulated(labels=(rows.labels > 0).astype(float))
    assert kinds(binary, parameters=plain) == []  # either gain is 1
    pairs = {"objective": "rank:ndcg", "lambdarank_num_pair_per_sample": 10}
    assert kinds(rows, engine="xgboost", parameters=pairs) == ["gain-differs"]
    linear = {**pairs, "ndcg_exp_gain": False}
    assert kinds(rows, engine="xgboost", parameters=linear) == []


@pytest.mark.parametrize(
    ("level", "measure", "key"),
    [
        (5, "ndcg@10", "short"),
        (30, "ndcg@10", "long"),
        (30, "ndcg", "endless"),
        (10, "ndcg@10", None),
    ],
)
def test_ranks_that_are_not_the_measure_s(level: int, measure: str, key: str | None) -> None:
    found = relyon.ltr.check(
        simulated(), measure=measure, parameters={**LIGHTGBM, "lambdarank_truncation_level": level}
    )
    assert [one.key for one in found] == ([] if key is None else [key])
    assert all(one.level == ("info" if key == "long" else "warning") for one in found)


@pytest.mark.parametrize(
    ("loss", "wanted"),
    [
        ("lambdarank(measure=ndcg@10)", []),
        ("lambdarank(measure=ap@10)", [("objective-differs", "text")]),
        ("lambdarank(measure=ndcg)", [("truncation-differs", "none")]),
        ("lambdarank(measure=ndcg(gain=exp)@10)", [("gain-differs", "text")]),
        ("ranknet", [("objective-differs", "surrogate")]),
    ],
)
def test_losses_of_relyon_are_compared_with_the_measure(
    loss: str, wanted: list[tuple[str, str]]
) -> None:
    found = relyon.ltr.check(simulated(), loss=loss)
    assert [(one.kind, one.key) for one in found] == wanted


@pytest.mark.parametrize(
    ("parameters", "fires"),
    [
        ({"eval_at": [1, 5, 10]}, True),
        ({"ndcg_eval_at": "1,5"}, True),
        ({"metric": ["ndcg", "map"], "eval_at": 10}, True),
        ({"eval_at": [1, 5], "first_metric_only": True}, False),
        ({"eval_at": [10], "metric": "ndcg"}, False),
        ({"eval_at": "10"}, False),
    ],
)
def test_several_depths_to_stop_by(parameters: dict[str, Any], fires: bool) -> None:
    assert kinds(simulated(), parameters=parameters) == (["several-eval-at"] if fires else [])


def test_every_finding_is_said_in_both_languages() -> None:
    rows = simulated(labels=simulated().labels + 0.5)
    found = relyon.ltr.check(rows, parameters={"objective": "lambdarank", "eval_at": "1,2"})
    assert found.warnings
    for one in found:
        for language in ("en", "zh"):
            assert all(
                text and "{" not in text
                for text in (one.title(language), one.text(language), one.fix(language))
            )
    assert found.to_frame("zh")["title"].to_list() == [one.title("zh") for one in found]
    assert relyon.ltr.check(rows).to_json()


def test_other_engines_are_refused() -> None:
    with pytest.raises(relyon.ParameterError, match="`engine` must be one of"):
        relyon.ltr.check(simulated(), engine="sklearn")
