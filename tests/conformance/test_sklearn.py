"""The preset `sklearn`, AUC, average precision and curves against scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any, Literal

import numpy as np
import pytest

import relyon

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
    results = relyon.evaluate_scores(labels, scores, measures=names, convention="sklearn")
    expected = metrics.ndcg_score(labels, scores, k=k), metrics.dcg_score(labels, scores, k=k)
    assert list(results.values()) == pytest.approx(expected, rel=1e-12)
    assert results.entries[names[0]].undefined == 1


def test_gains_are_grades_of_any_size(metrics: ModuleType) -> None:
    labels, scores = [[0.2, 0.9, 0.0, 2.5]], [[0.5, 0.2, 0.7, 0.2]]
    results = relyon.evaluate_scores(labels, scores, measures=["ndcg@3"], convention="sklearn")
    assert results["ndcg@3"] == pytest.approx(metrics.ndcg_score(labels, scores, k=3), rel=1e-12)


def test_scores_keep_64_bits(metrics: ModuleType) -> None:
    labels, scores = [[0, 1]], [[1.0, 1.00000001]]
    assert metrics.ndcg_score(labels, scores) == 1.0
    results = relyon.evaluate_scores(labels, scores, measures=["ndcg"], convention="sklearn")
    assert results["ndcg"] == 1.0


def test_single_documents_are_refused_there(metrics: ModuleType) -> None:
    with pytest.raises(ValueError, match="more than 1 document"):
        metrics.ndcg_score([[1]], [[0.5]])
    results = relyon.evaluate_scores([[1]], [[0.5]], measures=["ndcg"], convention="sklearn")
    assert results["ndcg"] == 1.0


def test_negative_grades_are_refused(metrics: ModuleType) -> None:
    with pytest.raises(ValueError, match="negative"):
        metrics.ndcg_score([[-1, 2]], [[0.5, 0.2]])
    with pytest.raises(ValueError, match="negative"):
        relyon.evaluate_scores([[-1, 2]], [[0.5, 0.2]], measures=["ndcg"], convention="sklearn")


@pytest.mark.parametrize("levels", [2, 20, 1_000_000])
def test_auc(levels: int, metrics: ModuleType) -> None:
    generator = np.random.default_rng(4)
    labels = generator.integers(0, 2, 5000)
    scores = generator.integers(0, levels, 5000) / 16
    results = relyon.evaluate_scores(labels, scores, measures=["auc"])
    assert results["auc"] == pytest.approx(metrics.roc_auc_score(labels, scores), rel=1e-12)


@pytest.mark.long
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
    results = relyon.evaluate_scores(labels, scores, groups, names)
    assert results["gauc"] == pytest.approx(np.mean(areas), rel=1e-12)
    expected = np.average(areas, weights=rows)
    assert results["gauc(weight=rows)"] == pytest.approx(expected, rel=1e-12)
    assert results.entries["gauc"].queries == len(areas)


def test_average_precision_has_no_order_inside_ties(metrics: ModuleType) -> None:
    # scikit-learn puts tied documents at one threshold; ours is the mean over their orders
    labels, scores = [1, 0, 1], [0.5, 0.5, 0.2]
    assert metrics.average_precision_score(labels, scores) == pytest.approx(7 / 12)
    results = relyon.evaluate_scores(labels, scores, measures=["ap"], convention="sklearn")
    assert results["ap"] == pytest.approx((5 / 6 + 7 / 12) / 2)
    distinct = [0.5, 0.4, 0.2]
    results = relyon.evaluate_scores(labels, distinct, measures=["ap"], convention="sklearn")
    assert results["ap"] == pytest.approx(metrics.average_precision_score(labels, distinct))


@pytest.mark.parametrize("levels", [2, 6, 1_000_000])
@pytest.mark.parametrize("weighted", ["weighted", "unweighted"])
def test_average_precision_and_partial_auc(levels: int, weighted: str, metrics: ModuleType) -> None:
    generator = np.random.default_rng(7)
    for size in (2, 5, 40, 3000):
        for end in (0.01, 0.1, 0.5, 0.9):
            labels = generator.integers(0, 2, size)
            labels[:2] = [0, 1]
            scores = generator.integers(0, levels, size) / 4
            weights = generator.choice([0.0, 0.5, 1.0, 2.7], size)
            weights[:2] = 1.5
            heavy = weights if weighted == "weighted" else None
            names = ["average_precision", "auc", f"auc(max_fpr={end})", f"gauc(max_fpr={end})"]
            results = relyon.evaluate_scores(labels, scores, measures=names, weights=heavy)
            start = metrics.roc_auc_score(labels, scores, sample_weight=heavy, max_fpr=end)
            expected = [
                metrics.average_precision_score(labels, scores, sample_weight=heavy),
                metrics.roc_auc_score(labels, scores, sample_weight=heavy),
                *(start, start),
            ]
            assert list(results.values()) == pytest.approx(expected, rel=1e-12)


def test_weighted_groups_are_pooled(metrics: ModuleType) -> None:
    generator = np.random.default_rng(8)
    labels, scores = generator.integers(0, 2, 900), generator.integers(0, 30, 900)
    groups, weights = np.sort(generator.integers(0, 60, 900)), generator.random(900)
    names = ["auc", "average_precision", "gauc(weight=rows)"]
    results = relyon.evaluate_scores(labels, scores, groups, names, weights=weights)
    area = metrics.roc_auc_score(labels, scores, sample_weight=weights)
    assert results["auc"] == pytest.approx(area, rel=1e-12)
    precision = metrics.average_precision_score(labels, scores, sample_weight=weights)
    assert results["average_precision"] == pytest.approx(precision, rel=1e-12)
    areas, heavy = [], []
    for group in np.unique(groups):
        inside = groups == group
        if 0 < labels[inside].sum() < inside.sum():
            weight = weights[inside]
            areas.append(
                metrics.roc_auc_score(labels[inside], scores[inside], sample_weight=weight)
            )
            heavy.append(weight.sum())
    expected = np.average(areas, weights=heavy)
    assert results["gauc(weight=rows)"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("weighted", ["weighted", "unweighted"])
def test_curves(weighted: str, metrics: ModuleType) -> None:
    generator = np.random.default_rng(9)
    for size in (2, 3, 30, 500):
        labels, scores = generator.integers(0, 2, size), generator.integers(0, size, size)
        labels[:2] = [0, 1]
        heavy = generator.choice([0.25, 1.0, 3.0], size) if weighted == "weighted" else None
        kinds: dict[Literal["all", "corners"], bool] = {"all": False, "corners": True}
        for points, drop in kinds.items():
            curve = relyon.roc_curve(labels, scores, weights=heavy, points=points)
            x, y, thresholds = metrics.roc_curve(
                labels, scores, sample_weight=heavy, drop_intermediate=drop
            )
            assert curve.x == pytest.approx(x, abs=1e-12)
            assert curve.y == pytest.approx(y, abs=1e-12)
            assert curve.thresholds.tolist() == thresholds.tolist()
        curve = relyon.precision_recall_curve(labels, scores, weights=heavy)
        precision, recall, _ = metrics.precision_recall_curve(labels, scores, sample_weight=heavy)
        # there it starts at the lowest threshold and ends in (0, 1)
        assert curve.x[::-1] == pytest.approx(recall[:-1], abs=1e-12)
        assert curve.y[::-1] == pytest.approx(precision[:-1], abs=1e-12)


@pytest.mark.parametrize("k", [None, 3, 10])
def test_ignored_ties_come_in_reversed_order(k: int | None, metrics: ModuleType) -> None:
    cut = "" if k is None else f"@{k}"
    names = [f"ndcg{cut}", f"dcg{cut}"]
    rules = {"preset": "sklearn", "ties": "input-desc"}
    generator = np.random.default_rng(10)
    labels = generator.integers(0, 4, (400, 14))
    labels[:, 0] = 1
    scores = generator.integers(0, 3, labels.shape).astype(np.float64)
    scores[:20] = 1.0
    # NumPy's own sort need not keep the order of equal scores, depending on the machine
    stable = (np.argsort(scores) == np.argsort(scores, kind="stable")).all(axis=1)
    labels, scores = labels[stable], scores[stable]
    assert len(scores) >= 20
    results = relyon.evaluate_scores(labels, scores, measures=names, convention=rules)
    expected = [
        metrics.ndcg_score(labels, scores, k=k, ignore_ties=True),
        metrics.dcg_score(labels, scores, k=k, ignore_ties=True),
    ]
    assert list(results.values()) == pytest.approx(expected, rel=1e-12)


def test_five_grades_with_equal_scores(metrics: ModuleType) -> None:
    labels, scores = [[0, 1, 2, 3, 4]], [[1.0] * 5]
    assert metrics.ndcg_score(labels, scores, ignore_ties=True) == 1.0
    rules = {"preset": "sklearn", "ties": "input-desc"}
    assert relyon.evaluate_scores(labels, scores, measures="ndcg", convention=rules)["ndcg"] == 1.0
