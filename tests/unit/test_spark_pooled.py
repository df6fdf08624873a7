"""The area under a curve of rows that are counted range by range, without Spark."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.spark.pooled import area_of, joined_pairs, range_pairs

SCORES = st.sampled_from([-2.0, -0.0, 0.0, 0.5, 1e-300, 3.0])
ROWS = st.lists(st.tuples(st.booleans(), SCORES), min_size=1, max_size=60)


@given(ROWS, st.lists(SCORES, max_size=4, unique=True), st.integers(1, 4))
def test_any_ranges_give_the_area_of_one_machine(
    rows: list[tuple[bool, float]], edges: list[float], parts: int
) -> None:
    cuts = [-math.inf, *sorted({edge + 0.0 for edge in edges}), math.inf]
    ranges = []
    for low, high in pairwise(cuts):
        classes = [
            [score for positive, score in rows if positive is wanted and low <= score < high]
            for wanted in (True, False)
        ]
        ranges.append(
            range_pairs(*([np.array(one[part::parts]) for part in range(parts)] for one in classes))
        )
    labels, scores = [int(positive) for positive, _ in rows], [score for _, score in rows]
    expected = relyon.evaluate_scores(labels, scores, measures="auc")["auc"]
    found = area_of(joined_pairs(ranges))
    assert found == expected or (math.isnan(found) and math.isnan(expected))


def test_pairs_are_counted_beyond_what_a_machine_word_holds() -> None:
    huge = 10**11
    pairs = joined_pairs([joined_pairs([]), range_pairs([], []), *_halves(huge)])
    assert pairs.twice_won == 2 * huge * huge
    assert area_of(pairs) == pytest.approx(1.0, abs=1e-15)


def _halves(rows: int) -> list:
    from relyon.spark.pooled import RangePairs

    return [RangePairs(0, rows, 0), RangePairs(rows, 0, 0)]


def test_a_total_takes_an_area_that_was_counted_elsewhere() -> None:
    part = relyon.Accumulator(["auc", "auc(max_fpr=0.5)"])
    part.update_scores([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    total = part._totals["auc"]
    total.set_area(0.25)
    assert part.compute()["auc"] == 0.25
    total.drop_scores()
    assert part.compute()["auc"] == 0.25
