"""AUROC and curves of questions without an answer are those of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from relyon.analysis.abstention import Answers
from relyon.analysis.abstention.curves import answer_curve

metrics = pytest.importorskip("sklearn.metrics")


def drawn(seed: int, digits: int) -> Answers:
    """Returns answers of 60 queries, with ties if there are few digits."""
    draw = np.random.default_rng(seed)
    yes = np.arange(60) < 37
    scores = np.round(draw.normal(yes * 1.0, 1.0), digits)
    right = np.where(yes, draw.random(60) < 0.7, 0.0).astype(float)
    return Answers("s", tuple(map(str, range(60))), yes, scores, right)


@pytest.mark.parametrize("digits", [0, 1, 6])
@pytest.mark.parametrize("seed", range(3))
def test_area_and_curve(seed: int, digits: int) -> None:
    one = drawn(seed, digits)
    assert one.area.value == pytest.approx(
        metrics.roc_auc_score(one.answerable, one.scores), abs=1e-14
    )
    fpr, tpr, thresholds = metrics.roc_curve(one.answerable, one.scores, drop_intermediate=False)
    curve = answer_curve(one, 0.3)
    assert curve.false_answers == pytest.approx(fpr)
    assert curve.coverage == pytest.approx(tpr)
    assert curve.thresholds == pytest.approx(thresholds)


@pytest.mark.parametrize("base", [0.05, 0.3])
@pytest.mark.parametrize("digits", [0, 6])
def test_risk_is_one_minus_weighted_precision(digits: int, base: float) -> None:
    """A right answer as a positive, with the weights of the base rate."""
    one = drawn(4, digits)
    weights = np.where(one.answerable, (1 - base) / 37, base / 23)
    precision, _, thresholds = metrics.precision_recall_curve(
        one.right, one.scores, sample_weight=weights
    )
    curve = answer_curve(one, base)
    assert curve.thresholds[1:][::-1] == pytest.approx(thresholds)
    assert 1 - curve.risk[1:][::-1] == pytest.approx(precision[:-1])


@pytest.mark.parametrize("missing", [1, 5])
def test_queries_without_an_answer_are_below_all_others(missing: int) -> None:
    one = drawn(7, 1)
    lowest = one.scores.min() - 1
    one.scores[:missing] = -np.inf
    shown = np.where(np.isinf(one.scores), lowest, one.scores)
    assert one.area.value == pytest.approx(metrics.roc_auc_score(one.answerable, shown))
