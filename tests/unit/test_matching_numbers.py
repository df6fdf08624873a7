"""Numbers as programs print them, what matches them, and how likely an accident is."""

from __future__ import annotations

import math

import numpy as np
import pytest

import relyon
from relyon.analysis.matching import parse_number
from relyon.analysis.matching.chance import accident, accident_of_any, steps
from relyon.core.errors import RelyonError


@pytest.mark.parametrize(
    ("given", "value", "half"),
    [
        ("0.5034", 0.5034, 5e-5),
        ("0.50", 0.5, 5e-3),
        (0.5, 0.5, 0.05),
        ("50.3%", 0.503, 5e-4),
        ("50.3％", 0.503, 5e-4),
        (" .31 ", 0.31, 5e-3),
        ("5.0e-1", 0.5, 5e-3),
        (1, 1.0, 0.5),
        (0.123456789012, 0.123456789012, 5e-7),
    ],
)
def test_a_printed_number(given: object, value: float, half: float) -> None:
    found = parse_number("ndcg@10", given)
    assert (found.value, found.half) == pytest.approx((value, half))


@pytest.mark.parametrize("given", ["", "x", "nan", "inf", True, None, "1,234", "50.34"])
def test_what_is_not_a_number(given: object) -> None:
    with pytest.raises(relyon.ParameterError, match="ndcg@10"):
        parse_number("ndcg@10", given)


def test_both_ends_match_and_nothing_beyond() -> None:
    one = parse_number("ap", "0.5034")
    assert one.matches(0.50335)
    assert one.matches(0.50345)
    assert not one.matches(0.503451)
    assert one.cut_off(0.50349)
    assert not one.cut_off(0.5035)
    assert not one.matches(math.nan)


@pytest.mark.parametrize(("text", "value"), [("0,2855", 0.2855), ("28,55%", 0.2855), (",5", 0.5)])
def test_a_decimal_comma(text: str, value: float) -> None:
    assert parse_number("ndcg@5", text).value == pytest.approx(value)


def test_a_comma_of_thousands_is_refused() -> None:
    with pytest.raises(RelyonError):
        parse_number("dcg", "1,234")


def test_accidents_grow_with_what_is_tried_and_shrink_with_measures() -> None:
    dense, sparse = np.linspace(0.4, 0.6, 2001)[:, None], np.linspace(0.4, 0.6, 21)[:, None]
    one = [accident(rows, [0.50341], [5e-5]) for rows in (sparse, dense)]
    assert one[0] < 0.05 < one[1]
    both = accident(np.hstack([dense, dense]), [0.50341, 0.51], [5e-5] * 2)
    assert both < one[1]
    assert accident(np.empty((0, 1)), [0.5], [5e-5]) == 0
    assert steps([0.1, 0.3], 50) == pytest.approx(0.002)
    assert steps([], 5) == steps([0.1], 0) == 0


def test_a_rule_that_one_measure_reads_is_decided_by_its_number_alone() -> None:
    """AP is right under any gain, and does not make a chance match of NDCG certain."""
    ndcg = np.linspace(0.4, 0.6, 401)
    rows = np.column_stack([ndcg, np.where(ndcg < 0.55, 0.3, 0.2)])
    halves = [5e-5, 5e-5]
    alone = accident(rows[:, :1], [0.5034], halves[:1])
    assert accident(rows, [0.5034, 0.3], halves) < 0.01 < alone
    assert accident_of_any(rows, [0.5034, 0.3], halves) == pytest.approx(alone, rel=0.2)
    assert accident_of_any(rows[:, :1], [0.5034], halves[:1]) == alone
