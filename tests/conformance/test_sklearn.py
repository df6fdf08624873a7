"""The preset `sklearn`, AUC and the correlations against scikit-learn and SciPy."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import relkit

Make = Callable[..., Any]


@pytest.fixture(scope="module")
def metrics(peer: Callable[[str], ModuleType]) -> ModuleType:
    return peer("sklearn.metrics")


@pytest.mark.parametrize("levels", [3, 10, 100_000], ids=lambda levels: f"{levels}-scores")
@pytest.mark.parametrize("k", [None, 1, 5, 10, 50])
def test_ndcg_and_dcg_average_over_ties(levels: int, k: int | None, metrics: ModuleType) -> None:
    generator = np.random.default_rng(3)
    labels = generator.integers(0, 4, (60, 25))
    labels[3] = 0
    scores = generator.integers(0, levels, labels.shape) / 8
    cut = "" if k is None else f"@{k}"
    names = [f"ndcg{cut}", f"dcg{cut}"]
    results = relkit.evaluate_scores(labels, scores, measures=names, convention="sklearn")
    expected = metrics.ndcg_score(labels, scores, k=k), metrics.dcg_score(labels, scores, k=k)
    assert list(results.values()) == pytest.approx(expected, rel=1e-12)
    assert results.entries[names[0]].undefined == 1


def test_gains_are_grades_of_any_size(metrics: ModuleType) -> None:
    labels, scores = [[0.2, 0.9, 0.0, 2.5]], [[0.5, 0.2, 0.7, 0.2]]
    results = relkit.evaluate_scores(labels, scores, measures=["ndcg@3"], convention="sklearn")
    assert results["ndcg@3"] == pytest.approx(metrics.ndcg_score(labels, scores, k=3), rel=1e-12)


def test_scores_keep_64_bits(metrics: ModuleType) -> None:
    labels, scores = [[0, 1]], [[1.0, 1.00000001]]
    assert metrics.ndcg_score(labels, scores) == 1.0
    results = relkit.evaluate_scores(labels, scores, measures=["ndcg"], convention="sklearn")
    assert results["ndcg"] == 1.0


def test_single_documents_are_refused_there(metrics: ModuleType) -> None:
    with pytest.raises(ValueError, match="more than 1 document"):
        metrics.ndcg_score([[1]], [[0.5]])
    results = relkit.evaluate_scores([[1]], [[0.5]], measures=["ndcg"], convention="sklearn")
    assert results["ndcg"] == 1.0


def test_negative_grades_are_refused(metrics: ModuleType) -> None:
    with pytest.raises(ValueError, match="negative"):
        metrics.ndcg_score([[-1, 2]], [[0.5, 0.2]])
    with pytest.raises(ValueError, match="negative"):
        relkit.evaluate_scores([[-1, 2]], [[0.5, 0.2]], measures=["ndcg"], convention="sklearn")


@pytest.mark.parametrize("levels", [2, 20, 1_000_000])
def test_auc(levels: int, metrics: ModuleType) -> None:
    generator = np.random.default_rng(4)
    labels = generator.integers(0, 2, 5000)
    scores = generator.integers(0, levels, 5000) / 16
    results = relkit.evaluate_scores(labels, scores, measures=["auc"])
    assert results["auc"] == pytest.approx(metrics.roc_auc_score(labels, scores), rel=1e-12)


def test_gauc_is_the_mean_of_groups(metrics: ModuleType) -> None:
    generator = np.random.default_rng(5)
    labels = generator.integers(0, 2, 1200)
    scores = generator.integers(0, 9, 1200) / 4
    groups = np.sort(generator.integers(0, 300, 1200))
    areas, rows = [], []
    for group in np.unique(groups):
        inside = groups == group
        if 0 < labels[inside].sum() < inside.sum():
            areas.append(metrics.roc_auc_score(labels[inside], scores[inside]))
            rows.append(inside.sum())
    names = ["gauc", "gauc(weight=rows)"]
    results = relkit.evaluate_scores(labels, scores, groups, names)
    assert results["gauc"] == pytest.approx(np.mean(areas), rel=1e-12)
    expected = np.average(areas, weights=rows)
    assert results["gauc(weight=rows)"] == pytest.approx(expected, rel=1e-12)
    assert results.entries["gauc"].queries == len(areas)


def test_average_precision_has_no_order_inside_ties(metrics: ModuleType) -> None:
    # scikit-learn puts tied documents at one threshold; ours is the mean over their orders
    labels, scores = [1, 0, 1], [0.5, 0.5, 0.2]
    assert metrics.average_precision_score(labels, scores) == pytest.approx(7 / 12)
    results = relkit.evaluate_scores(labels, scores, measures=["ap"], convention="sklearn")
    assert results["ap"] == pytest.approx((5 / 6 + 7 / 12) / 2)
    distinct = [0.5, 0.4, 0.2]
    results = relkit.evaluate_scores(labels, distinct, measures=["ap"], convention="sklearn")
    assert results["ap"] == pytest.approx(metrics.average_precision_score(labels, distinct))
