"""Shifts of grades between two gradings: what must hold for any grades."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

pytest.importorskip("sqlalchemy")

from relyon.analysis.statistics import Resampling
from relyon.judging.llm.audit.plan import draw_items
from relyon.judging.llm.audit.shifts import Shift, measure_shift
from relyon.judging.records import Item

GRADES = st.integers(0, 3).map(float)
PAIRS = st.lists(st.tuples(GRADES, GRADES, st.sampled_from("abcdefghij")), min_size=1, max_size=40)
DRAWS = Resampling(200)


def shift(pairs: list[tuple[float, float, str]]) -> Shift:
    return measure_shift(
        [before for before, _, _ in pairs],
        [after for _, after, _ in pairs],
        [query for _, _, query in pairs],
        (0, 3),
        resampling=DRAWS,
    )


@given(PAIRS)
def test_a_shift_depends_neither_on_order_nor_on_direction(
    pairs: list[tuple[float, float, str]],
) -> None:
    queries = {query for _, _, query in pairs}
    found = shift(pairs)
    assert repr(shift(pairs[::-1])) == repr(found)
    back = shift([(after, before, query) for before, after, query in pairs])
    assert back.mean.value == pytest.approx(-found.mean.value)
    assert back.flips.value == found.flips.value
    if not math.isnan(found.mean.low):
        assert -3 <= found.mean.low <= found.mean.value <= found.mean.high <= 3
        assert back.mean.low == pytest.approx(-found.mean.high, abs=1e-9)
        assert found.mean.low < found.mean.high
    if len(queries) > 1:
        assert 0 < found.p <= 1


@given(st.lists(st.integers(0, 6), max_size=40), st.integers(0, 50), st.integers(0, 3))
def test_a_draw_is_a_part_and_spreads_over_queries(
    queries: list[int], count: int, seed: int
) -> None:
    items = [Item(f"q{query}", f"d{n}", id=n) for n, query in enumerate(queries)]
    found = draw_items(items, count, seed)
    assert len({one.id for one in found}) == len(found) == min(count, len(items))
    several = len({one.query for one in found})
    assert several == min(count, len(set(queries)))
    assert draw_items(items[::-1], count, seed) == found
