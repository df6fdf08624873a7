"""Pairs to grade next, on any runs: probabilities are proper, and all grades give the value."""

from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import given, strategies as st

import relyon

IDS = st.sampled_from(["1", "2", "a", "文档", "d 1", "é", "ß", "10"])
LISTS = st.dictionaries(IDS, st.integers(-2, 2).map(float), min_size=1, max_size=8)
RUNS = st.dictionaries(st.sampled_from(["q", "7", "查询"]), LISTS, min_size=1, max_size=3)
GRADES = st.dictionaries(
    st.sampled_from(["q", "7", "查询", "x"]), st.dictionaries(IDS, st.sampled_from([-1, 0, 0.5, 2]))
)


@pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")
@given(RUNS, RUNS, GRADES, GRADES, st.sampled_from(["dcg@3", "cg@2", "p@3", "rbp"]), st.data())
def test_batches_of_any_runs_end_at_the_complete_value(
    old, new, judged, truth, measure, data
) -> None:
    judged = {query: grades for query, grades in judged.items() if grades}
    frames: list[pl.DataFrame] = []
    while True:
        budget = data.draw(st.integers(1, 9))
        found = relyon.next_pairs(
            judged, old, new, None if frames else measure, budget=budget, drawn=frames or None
        )
        if not found.drawn:
            break
        assert [one.left for one in found.drawn] == [
            found.left - place for place in range(len(found.drawn))
        ]
        chance = [one.probability for one in found.drawn]
        assert all(0 < one <= 1 for one in chance)
        assert found.drawn[-1].left > 1 or chance[-1] == 1
        frame = found.to_frame()
        rows = frame.select("query", "document").rows()
        grades = [str(truth.get(query, {}).get(one, 0)) for query, one in rows]
        frames.append(frame.with_columns(grade=pl.Series(grades)))
        estimate = relyon.estimate_pairs(judged, old, new, drawn=frames)
        assert math.isfinite(estimate.value)
        mean = math.fsum(estimate.values.values()) / estimate.queries
        assert estimate.value == pytest.approx(mean, abs=1e-9)
    # What was judged counts as judged; all other pairs have their true grades.
    merged = {
        query: {
            one: judged.get(query, {}).get(one, truth.get(query, {}).get(one, 0))
            for one in {**old.get(query, {}), **new.get(query, {}), **judged.get(query, {})}
        }
        for query in {**old, **new, **judged}
    }
    (contrast,) = relyon.compare(merged, old, new, [measure]).contrasts
    assert found.estimate.value == pytest.approx(contrast.difference, abs=1e-9)
    assert found.estimate.complete
