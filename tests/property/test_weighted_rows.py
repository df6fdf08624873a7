"""Rows that weigh differently: kernels are the steps, merged parts the whole, 1 each no weight."""

from __future__ import annotations

import math
import pickle
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.data.ranking import Ranking
from relyon.measures.lookup import registry
from relyon.measures.parameters import parameters

NAMES = sorted(name for name in registry if registry.get(name).weighted)
OPTIONS = {
    "rel": ["1", "2", "0", "-1"],
    "label_ties": ["positive", "ignore"],
    "score_ties": ["ignore", "half", "rank"],
    "unjudged": ["removed", "nonrelevant"],
    "smoothing": ["0", "1"],
    "weight": ["uniform", "rows", "positives"],
    "max_fpr": ["0.1", "0.5", "1"],
}
VARIANTS = [
    text
    for name in NAMES
    for text in [
        name,
        *(
            f"{name}({parameter}={value})"
            for parameter in parameters(registry.get(name))
            for value in OPTIONS[parameter]
        ),
    ]
]
ROWS = st.lists(
    st.tuples(
        st.sampled_from([0, 0, 1, 2, -1, -2, 0.5]),
        st.integers(0, 3),
        st.sampled_from([0.0, 1.0, 0.5, 2.0, 0.1, 1e6]),
    ),
    min_size=1,
    max_size=12,
)
QUERIES = st.lists(ROWS, min_size=1, max_size=4)
Given = list[list[tuple[float, float, float]]]


def arrays(queries: Given) -> tuple[Any, Any, Any, Any]:
    """Labels, scores, query ids and weights."""
    rows = np.array([row for query in queries for row in query], dtype=np.float64)
    ids = np.repeat(np.arange(len(queries)), [len(query) for query in queries])
    return rows[:, 0], rows[:, 1], ids, rows[:, 2]


def same(one: float, two: float, tolerance: float = 1e-12) -> bool:
    if math.isnan(one) or math.isnan(two):
        return math.isnan(one) and math.isnan(two)
    return one == two or math.isclose(one, two, rel_tol=tolerance, abs_tol=tolerance)


def test_the_measures_of_pairs_and_classes_take_weights() -> None:
    assert NAMES == ["auc", "average_precision", "concordance", "gauc", "pnr"]


@pytest.mark.long
@given(queries=QUERIES, data=st.data())
def test_kernel_equals_steps(queries: Given, data: st.DataObject) -> None:
    convention = relyon.Convention(
        ties=data.draw(st.sampled_from(["input", "input-desc", "worst", "best"])),
        negative=data.draw(st.sampled_from(["nonrelevant", "unjudged"])),
        unjudged=data.draw(st.sampled_from(["nonrelevant", "removed"])),
        scores=data.draw(st.sampled_from(["float64", "float32"])),
    )
    labels, scores, ids, weights = arrays(queries)
    found = relyon.evaluate_scores(
        labels, scores, ids, VARIANTS, weights=weights, convention=convention
    )
    for place, query in enumerate(queries):
        names = [f"{number:02d}" for number in range(len(query))]
        ranking = Ranking.build(
            dict(zip(names, (row[0] for row in query), strict=True)),
            names,
            [row[1] for row in query],
            convention,
            weights=[row[2] for row in query],
        )
        for text in VARIANTS:
            measure = relyon.measure(text).resolve(convention)
            numerators, denominators = found.parts(relyon.measure(text))
            assert same(found.column(text)[place], measure.value(ranking)), (text, query)
            if measure.combine != "pooled" and not math.isnan(measure.value(ranking)):
                wanted = measure.parts(ranking)
                assert same(numerators[place], wanted[0], 1e-9), text
                assert same(denominators[place], wanted[1], 1e-9), text


@pytest.mark.long
@given(queries=QUERIES)
def test_a_weight_of_1_is_none(queries: Given) -> None:
    labels, scores, ids, weights = arrays(queries)
    plain = relyon.evaluate_scores(labels, scores, ids, VARIANTS)
    heavy = relyon.evaluate_scores(labels, scores, ids, VARIANTS, weights=np.ones_like(weights))
    for text in VARIANTS:
        assert same(plain[text], heavy[text]), text
        assert all(map(same, plain.column(text), heavy.column(text))), text


@given(queries=QUERIES, factor=st.integers(2, 3))
def test_a_whole_weight_is_that_many_rows(queries: Given, factor: int) -> None:
    """For two classes; a document repeated makes pairs with itself, so not for PNR."""
    labels, scores, ids, _ = arrays(queries)
    weights = np.where(np.arange(len(labels)) % 2, 1, factor)
    names = [text for text in VARIANTS if text.startswith(("auc", "gauc", "average_precision"))]
    heavy = relyon.evaluate_scores(labels, scores, ids, names, weights=weights)
    many = relyon.evaluate_scores(
        np.repeat(labels, weights), np.repeat(scores, weights), np.repeat(ids, weights), names
    )
    for text in names:
        assert same(heavy[text], many[text]), text


@pytest.mark.long
@given(queries=st.lists(ROWS, min_size=2, max_size=5), data=st.data())
def test_merged_equals_whole_to_the_last_bit(queries: Given, data: st.DataObject) -> None:
    whole = relyon.Accumulator(VARIANTS)
    labels, scores, ids, weights = arrays(queries)
    whole.update_scores(labels, scores, ids, weights)
    parts = []
    for query in data.draw(st.permutations(queries)):
        part = relyon.Accumulator(VARIANTS)
        labels, scores, ids, weights = arrays([query])
        part.update_scores(labels, scores, ids, weights)
        parts.append(pickle.loads(pickle.dumps(part)))
    for part in parts[1:]:
        parts[0].merge(part)
    for name, entry in whole.compute().entries.items():
        other = parts[0].compute().entries[name]
        assert other == entry or (math.isnan(other.value) and math.isnan(entry.value)), name


def test_parts_with_and_without_weights_are_merged() -> None:
    whole = relyon.Accumulator(["auc", "average_precision"])
    whole.update_scores([1, 0, 1], [3, 2, 1], weights=[1, 1, 1])
    whole.update_scores([0, 1], [4, 0.5])
    plain = relyon.evaluate_scores([1, 0, 1, 0, 1], [3, 2, 1, 4, 0.5], [3, 2], list(whole._totals))
    assert dict(whole.compute()) == pytest.approx(dict(plain))


@pytest.mark.parametrize("form", ["pnr", "pnr(label_ties=ignore)", "pnr(score_ties=half)"])
def test_a_pair_weighs_the_product_of_its_rows(form: str) -> None:
    generator = np.random.default_rng(5)
    rows = [
        (int(label), int(score), float(weight))
        for label, score, weight in zip(
            generator.integers(-1, 3, 30),
            generator.integers(0, 6, 30),
            generator.random(30),
            strict=True,
        )
    ]
    positive = negative = 0.0
    for (label, score, weight), (other, than, much) in combinations(rows, 2):
        if label == other and "label_ties=ignore" in form:
            continue
        if score == than:
            half = weight * much / 2 * ("half" in form)
            positive, negative = positive + half, negative + half
        elif label == other or (label > other) == (score > than):
            positive += weight * much
        else:
            negative += weight * much
    labels, scores, weights = zip(*rows, strict=True)
    found = relyon.evaluate_scores(labels, scores, measures=[form], weights=weights)
    assert found[form] == pytest.approx(positive / negative, rel=1e-12)
    assert found.entries[form].details["negative"] == pytest.approx(negative, rel=1e-12)


def test_what_is_absent_weighs_exactly_0() -> None:
    """No rounding is left over that would make PNR large and finite."""
    weights = np.random.default_rng(2).random(400) * 10.0 ** np.arange(400).clip(0, 30)
    labels = np.arange(400)[::-1]
    found = relyon.evaluate_scores(labels, labels, measures=["pnr"], weights=weights)
    assert found["pnr"] == math.inf
    found = relyon.evaluate_scores(labels, -labels, measures=["pnr"], weights=weights)
    assert found["pnr"] == 0.0


def test_rows_of_weight_0_are_not_there() -> None:
    labels, scores = [1, 0, 1, 0, 2], [1, 5, 3, 2, 3]
    found = relyon.evaluate_scores(labels, scores, measures=VARIANTS, weights=[1, 0, 1, 1, 1])
    without = relyon.evaluate_scores([1, 1, 0, 2], [1, 3, 2, 3], measures=VARIANTS)
    for text in VARIANTS:
        assert same(found[text], without[text]), text
    nothing = relyon.evaluate_scores(labels, scores, measures=VARIANTS, weights=[0, 0, 0, 0, 0])
    assert all(math.isnan(value) for text, value in nothing.items() if "smoothing=1" not in text)
