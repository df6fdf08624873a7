"""Several grades as one."""

from __future__ import annotations

import pytest

from relyon.core.errors import InputError, ParameterError
from relyon.data.aggregation import aggregate, describe_rule
from relyon.data.scale import INTEGERS, SEARCH


def test_majority_says_when_it_was_none() -> None:
    found = aggregate([3, 1, 3], rule="majority")
    assert (found.value, found.judges, found.agreeing, found.tied) == (3, 3, 2, False)
    found = aggregate({"Ann": 3, "Bo": 0}, rule="majority")
    assert (found.value, found.agreeing, found.tied) == (0, 1, True)


def test_median_is_a_grade_of_the_scale() -> None:
    assert aggregate([3, 0]).value == 0
    assert aggregate([3, 2, 0, 3]).value == 2


def test_mean_gain_takes_the_gains_of_the_scale() -> None:
    assert aggregate([3, 1], rule="mean_gain", scale=SEARCH).value == pytest.approx((1 + 0.3) / 2)
    assert aggregate([3, 1], rule="mean_gain", scale=INTEGERS).value == 2
    assert aggregate([3, -1], rule="mean_gain").value == 1.5


def test_bad_input() -> None:
    with pytest.raises(InputError, match="no grade"):
        aggregate([])
    with pytest.raises(ParameterError, match="must be one of `majority`, `median`, `mean_gain`"):
        aggregate([1], rule="mean")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="`rule`"):
        describe_rule("mean")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"`2\.5`"):
        aggregate([2.5], rule="mean_gain", scale=SEARCH)


def test_a_rule_is_described() -> None:
    assert describe_rule("median") == "median: the middle grade, the lower one of two"
