"""What LambdaRank says a swap changes, against the measure itself before and after."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, strategies as st

import relyon
import relyon.ltr

MEASURES = [
    "ndcg",
    "ndcg@3",
    "ndcg(gain=exp)@4",
    "ndcg(gain=exp,discount=inverse)@5",
    "ndcg(discount=none)@3",
    "ndcg(ideal=uncut)@2",
    "ndcg(gain={0:0,1:0.3,2:1,3:1,4:5})@3",
    "dcg",
    "dcg(gain=exp)@3",
    "cg@2",
    "ap",
    "ap@3",
    "ap(rel=2)",
    "ap(denominator=capped)@2",
    "ap(denominator=retrieved)@3",
    "rr",
    "rr@2",
    "err(max=4)",
    "err(max=4)@3",
    "rbp",
    "rbp(p=0.5)@3",
    "rbp(p=0.7,gain=linear,normalise=true)",
    "p@3",
    "p(denominator=retrieved)@20",
    "recall@2",
    "recall(capped=true)@2",
    "success@2",
]
PAIRS = ["auc", "gauc", "gauc(weight=rows)", "gauc(weight=positives)", "pnr", "concordance"]
LABELS = st.lists(st.integers(-1, 4), min_size=1, max_size=9)


@pytest.mark.parametrize("name", MEASURES)
@given(labels=LABELS)
def test_a_swap_changes_what_the_measure_says(name: str, labels: list[int]) -> None:
    measure = relyon.measure(name)
    if "gain={" in name:
        labels = [max(label, 0) for label in labels]
    changes = relyon.ltr.LambdaRank(name).swaps(labels)
    before = measure.score(labels)
    for i in range(len(labels)):
        for j in range(len(labels)):
            other = list(labels)
            other[i], other[j] = other[j], other[i]
            after = measure.score(other)
            expected = 0.0 if math.isnan(before) else abs(after - before)
            assert changes[i, j] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", PAIRS)
@given(labels=LABELS)
def test_a_pair_counts_the_same_wherever_it_stands(name: str, labels: list[int]) -> None:
    changes = relyon.ltr.LambdaRank(name).swaps(labels)
    positives = sum(label >= 1 for label in labels)
    negatives = len(labels) - positives
    weight = {"rows": len(labels), "positives": positives}.get(name[12:-1], 1)
    for i, one in enumerate(labels):
        for j, other in enumerate(labels):
            if name in {"pnr", "concordance"}:
                expected = float(one != other)
            else:
                opposite = (one >= 1) != (other >= 1)
                expected = weight / (positives * negatives) if opposite else 0.0
            assert changes[i, j] == pytest.approx(expected, rel=1e-12)


@given(labels=LABELS)
def test_a_pair_of_neighbours_changes_auc_by_what_it_counts(labels: list[int]) -> None:
    changes = relyon.ltr.LambdaRank("gauc").swaps(labels)
    before = relyon.measure("gauc").score(labels)
    for i in range(len(labels) - 1):
        other = [*labels[:i], labels[i + 1], labels[i], *labels[i + 2 :]]
        expected = 0.0 if math.isnan(before) else abs(relyon.measure("gauc").score(other) - before)
        assert changes[i, i + 1] == pytest.approx(expected, abs=1e-12)


def slow(
    labels: list[float],
    scores: list[float],
    changes: np.ndarray,
    sigma: float,
    truncation: int,
    normalize: bool,
    weights: list[float] | None = None,
) -> tuple[np.ndarray, np.ndarray, float]:
    """λ, Hessian and value as the class says them. `changes` by rank, `weights` of pairs."""
    order = sorted(range(len(scores)), key=lambda row: -scores[row])
    gradient, hessian = np.zeros(len(scores)), np.zeros(len(scores))
    value = total = 0.0
    for i, first in enumerate(order):
        for j, second in enumerate(order[i + 1 :], i + 1):
            if labels[first] == labels[second] or i >= truncation:
                continue
            high, low = (first, second) if labels[first] > labels[second] else (second, first)
            delta = changes[i, j]
            distance = scores[high] - scores[low]
            if normalize and scores[order[0]] != scores[order[-1]]:
                delta /= 0.01 + abs(distance)
            rho = 1 / (1 + math.exp(sigma * distance))
            total += 2 * sigma * rho * delta
            delta *= 1.0 if weights is None else weights[high]
            gradient[high] -= sigma * rho * delta
            gradient[low] += sigma * rho * delta
            hessian[[high, low]] += sigma**2 * rho * (1 - rho) * delta
            value += delta * math.log1p(math.exp(-sigma * distance))
    factor = math.log2(1 + total) / total if normalize and total > 0 else 1.0
    return gradient * factor, hessian * factor, value * factor


@pytest.mark.parametrize("name", ["ndcg(gain=exp)@3", "ap", "err(max=4)", "pnr", "recall@2"])
@given(
    rows=st.lists(st.tuples(st.integers(0, 4), st.integers(-20, 20)), min_size=1, max_size=20),
    sigma=st.sampled_from([0.5, 1.0, 3.0]),
    truncation=st.sampled_from([None, 1, 4]),
    normalize=st.booleans(),
)
def test_lambdas_are_those_of_the_formulas(
    name: str,
    rows: list[tuple[int, int]],
    sigma: float,
    truncation: int | None,
    normalize: bool,
) -> None:
    labels = [float(label) for label, _ in rows]
    scores = [score / 4 for _, score in rows]
    loss = relyon.ltr.LambdaRank(name, sigma, truncation, normalize)
    order = sorted(range(len(scores)), key=lambda row: -scores[row])
    changes = loss.swaps([labels[row] for row in order])
    expected = slow(labels, scores, changes, sigma, truncation or len(rows), normalize)
    found = loss.evaluate(labels, scores)
    np.testing.assert_allclose(found.gradient, expected[0], rtol=1e-9, atol=1e-13)
    assert found.hessian is not None
    np.testing.assert_allclose(found.hessian, expected[1], rtol=1e-9, atol=1e-13)
    assert found.values[0] == pytest.approx(expected[2], rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("weighting", ["rows", "pairs"])
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 4), st.integers(-20, 20), st.integers(0, 6)),
        min_size=1,
        max_size=20,
    ),
    normalize=st.booleans(),
)
def test_weights_are_of_rows_or_of_pairs(
    weighting: Literal["rows", "pairs"], rows: list[tuple[int, int, int]], normalize: bool
) -> None:
    labels = [float(label) for label, _, _ in rows]
    scores, weights = [score / 4 for _, score, _ in rows], [weight / 2 for _, _, weight in rows]
    loss = relyon.ltr.LambdaRank("ndcg", normalize=normalize, weighting=weighting)
    order = sorted(range(len(scores)), key=lambda row: -scores[row])
    changes = loss.swaps([labels[row] for row in order])
    pairs = weights if weighting == "pairs" else None
    gradient, hessian, value = slow(labels, scores, changes, 1.0, len(rows), normalize, pairs)
    found = loss.evaluate(labels, scores, weights=weights)
    own = np.ones(len(rows)) if weighting == "pairs" else np.array(weights)
    np.testing.assert_allclose(found.gradient, gradient * own, rtol=1e-9, atol=1e-13)
    assert found.hessian is not None
    np.testing.assert_allclose(found.hessian, hessian * own, rtol=1e-9, atol=1e-13)
    if weighting == "pairs":
        assert found.values[0] == pytest.approx(value, rel=1e-9, abs=1e-13)
        assert found.gradient.sum() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", ["ndcg@3", "ap", "rr", "err(max=4)", "rbp", "gauc"])
def test_the_gradient_is_that_of_the_value_with_weights_held(name: str) -> None:
    random = np.random.default_rng(6)
    labels, scores = random.integers(0, 5, 9).astype(float), random.normal(size=9)
    loss = relyon.ltr.LambdaRank(name, sigma=1.5, normalize=False)
    order = np.argsort(-scores)
    weights = np.empty((9, 9))
    weights[np.ix_(order, order)] = loss.swaps(labels[order])

    def value(scores: np.ndarray) -> float:
        distances = scores[:, None] - scores[None, :]
        better = labels[:, None] > labels[None, :]
        return float((weights * better * np.log1p(np.exp(-1.5 * distances))).sum())

    found = loss.evaluate(labels, scores)
    assert found.hessian is not None
    assert found.values[0] == pytest.approx(value(scores), rel=1e-12)
    for row in range(9):
        step = np.zeros(9)
        step[row] = 1e-4
        low, here, high = value(scores - step), value(scores), value(scores + step)
        assert found.gradient[row] == pytest.approx((high - low) / 2e-4, abs=1e-7)
        assert found.hessian[row] == pytest.approx((high - 2 * here + low) / 1e-8, abs=1e-5)
