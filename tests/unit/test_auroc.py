"""The area below a ROC curve: by its definition, at its ends, and paired."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from tests.unit.test_abstention import drawn

from relyon import ParameterError
from relyon.analysis.abstention import Answers
from relyon.analysis.abstention.curves import risk_area
from relyon.analysis.statistics.auroc import area, area_difference


@pytest.mark.parametrize("seed", range(4))
def test_the_area_counts_pairs(seed: int) -> None:
    one = drawn(seed, 13, 9)
    yes, no = one.scores[:13], one.scores[13:]
    pairs = [1.0 if x > y else 0.5 if x == y else 0.0 for x, y in product(yes, no)]
    assert one.area.value == pytest.approx(np.mean(pairs), abs=1e-15)
    assert one.area.above.mean() == pytest.approx(one.area.below.mean())


def test_delong_by_its_definition() -> None:
    """Hand-written structural components of two systems, and their covariance."""
    one, two = drawn(1, 12, 10), drawn(2, 12, 10)

    def components(found: Answers) -> tuple[np.ndarray, np.ndarray]:
        yes, no = found.scores[:12], found.scores[12:]
        psi = (yes[:, None] > no[None, :]) + 0.5 * (yes[:, None] == no[None, :])
        return psi.mean(axis=1), psi.mean(axis=0)

    above, below = zip(components(one), components(two), strict=True)
    covariance = np.cov(np.array(above)) / 12 + np.cov(np.array(below)) / 10
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert one.area.error == pytest.approx(math.sqrt(covariance[0, 0]))
    found = area_difference(one.area, two.area)
    assert found.error == pytest.approx(math.sqrt(variance))
    assert found.value == two.area.value - one.area.value
    assert area_difference(two.area, one.area).p == pytest.approx(found.p)


def test_areas_at_the_ends_have_intervals_with_a_width() -> None:
    perfect = area(np.arange(10.0) + 100, np.arange(10.0))
    low, high = perfect.interval()
    assert (perfect.value, high) == (1.0, 1.0)
    assert 0.6 < low < 0.9
    worst = area(np.arange(10.0), np.arange(10.0) + 100)
    assert worst.interval() == pytest.approx((0.0, 1 - low))
    same = area_difference(perfect, perfect)
    assert same.p == 1.0
    assert all(map(math.isnan, same.interval()))
    assert all(map(math.isnan, area(np.array([1.0]), np.array([0.0, 2.0])).interval()))
    with pytest.raises(ParameterError, match="one of both is missing"):
        area(np.array([]), np.array([1.0]))


def test_only_the_order_of_scores_matters() -> None:
    one = drawn(3, 20, 20)
    other = Answers("t", one.queries, one.answerable, np.exp(one.scores), one.right)
    assert other.area.interval() == one.area.interval()
    assert risk_area(other, 0.2) == risk_area(one, 0.2)
