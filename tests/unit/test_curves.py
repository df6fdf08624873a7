"""Curves: points of sorted numbers against counting at every threshold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.core.errors import InputError
from relyon.evaluation.curves import both_curves

ROWS = st.lists(
    st.tuples(st.sampled_from([0, 1, 2]), st.sampled_from([-1.5, -0.0, 0.0, 0.25, 7.0])),
    min_size=1,
    max_size=40,
)


@given(ROWS, st.sampled_from([1.0, 2.0]))
def test_points_are_the_counts_at_every_threshold(
    rows: list[tuple[int, float]], rel: float
) -> None:
    labels, scores = map(list, zip(*rows, strict=True))
    good = np.array(labels) >= rel
    if good.all() or not good.any():
        with pytest.raises(InputError):
            both_curves(labels, scores, rel=rel)
        return
    values = np.array(scores)
    thresholds = sorted(set(scores), reverse=True)
    true = [int((good & (values >= one)).sum()) for one in thresholds]
    false = [int((~good & (values >= one)).sum()) for one in thresholds]
    roc, precision = both_curves(labels, scores, rel=rel)
    assert roc.thresholds.tolist() == [np.inf, *thresholds]
    assert roc.y.tolist() == [0.0, *(one / good.sum() for one in true)]
    assert roc.x.tolist() == [0.0, *(one / (~good).sum() for one in false)]
    assert precision.y.tolist() == [a / (a + b) for a, b in zip(true, false, strict=True)]
    weights = [1.0] * len(rows)
    for found, alone, weighted in (
        (roc, relyon.roc_curve, relyon.roc_curve(labels, scores, rel=rel, weights=weights)),
        (
            precision,
            relyon.precision_recall_curve,
            relyon.precision_recall_curve(labels, scores, rel=rel, weights=weights),
        ),
    ):
        for other in (alone(labels, scores, rel=rel), weighted):
            assert np.array_equal(found.x, other.x)
            assert np.array_equal(found.y, other.y)
            assert np.array_equal(found.thresholds, other.thresholds)
