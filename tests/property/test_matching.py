"""Whatever known program gave a number, it is among those found."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings, strategies as st

import relyon
from relyon.core.errors import RelyonError
from relyon.data.convention import presets

NAMES = [f"d{number}" for number in range(8)]
GRADES = st.dictionaries(st.sampled_from(NAMES), st.integers(-1, 3), min_size=1)
SCORES = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 4).map(float), min_size=1)
QUERIES = ["q1", "q2", "q3"]


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(
    st.fixed_dictionaries(dict.fromkeys(QUERIES, GRADES)),
    st.fixed_dictionaries({"q1": SCORES}, optional=dict.fromkeys(["q2", "q3", "q4"], SCORES)),
    st.sampled_from(sorted(presets)),
    st.sampled_from(["ndcg@3", "ap", "p@2"]),
)
def test_the_program_is_among_those_found(
    judgments: dict[str, dict[str, int]],
    run: dict[str, dict[str, float]],
    program: str,
    measure: str,
) -> None:
    try:
        value = relyon.evaluate(judgments, run, measure, convention=program)[measure]
    except RelyonError:
        return
    assume(not math.isnan(value))
    # Files without a common document are refused: they are of different collections.
    assume(any(judgments[query].keys() & run.get(query, {}).keys() for query in judgments))
    found = relyon.match_convention(judgments, run, {measure: f"{value:.6f}"})
    ways = [way for one in found.classes for way in (one.way, *one.others)]
    assert program in {way.program.preset for way in ways if not way.changes}
    for one in found.classes:
        assert one.values[measure] == pytest.approx(value, abs=1e-6)
    assert 0 <= found.accident <= 1
