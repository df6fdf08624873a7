"""Prediction-powered intervals, whatever the values are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from relyon.analysis.statistics import prediction_powered

VALUES = st.lists(
    st.tuples(st.floats(0, 1, width=32), st.floats(0, 1, width=32)), min_size=2, max_size=40
)


@settings(max_examples=60, deadline=None)
@given(VALUES, st.integers(2, 40), st.randoms(use_true_random=False))
def test_never_wider_and_the_order_does_not_matter(
    values: list[tuple[float, float]], labelled: int, chooser: object
) -> None:
    pairs = np.array(values)
    count = min(labelled, len(pairs))
    human, model = pairs[:count, 0], pairs[:count, 1]
    found = prediction_powered(human, model, pairs[:, 1], bounds=(0, 1))
    assert 0 <= found.weight <= 1
    if math.isnan(found.low):
        assert math.isnan(found.worth)
        return
    assert 0 <= found.low <= found.high <= 1
    width = found.classical[1] - found.classical[0]
    assert found.high - found.low <= width + 1e-9
    assert count <= found.worth <= max(found.total, count)
    if found.alone:
        assert found.estimate == found.classical_estimate
        assert found.worth == count
    order = list(range(count))
    chooser.shuffle(order)  # type: ignore[attr-defined]
    again = prediction_powered(human[order], model[order], pairs[::-1, 1], bounds=(0, 1))
    # The betting interval depends slightly on the order.
    assert again.estimate == pytest.approx(found.estimate, abs=1e-9)
    assert again.alone == found.alone


@settings(max_examples=40, deadline=None)
@given(VALUES, st.floats(0.1, 10), st.floats(-5, 5))
def test_other_units_give_the_same_interval_in_them(
    values: list[tuple[float, float]], scale: float, shift: float
) -> None:
    pairs = np.round(np.array(values), 3)
    count = max(2, len(pairs) // 2)
    moved = pairs * scale + shift
    first, second = (
        prediction_powered(one[:count, 0], one[:count, 1], one[:, 1]) for one in (pairs, moved)
    )
    assert second.alone == first.alone
    assert second.estimate == pytest.approx(first.estimate * scale + shift, abs=1e-6)
    assert second.low == pytest.approx(first.low * scale + shift, abs=1e-6, nan_ok=True)
