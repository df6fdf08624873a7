"""Properties of leaderboards: bounds, order, groups, and what must not matter."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

import relyon
from relyon.analysis.leaderboard import Board, maximal_groups
from relyon.analysis.leaderboard.groups import letters
from relyon.analysis.statistics import Resampling
from relyon.analysis.statistics.separation import Part, separation

pytestmark = pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")

grades = st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0, 1e6])
tables = st.tuples(st.integers(2, 5), st.integers(1, 9)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=grades)
)


def board(values: np.ndarray, names: list[str] | None = None) -> Board:
    rows = {
        name: {"gain": {f"q{n}": one for n, one in enumerate(row.tolist())}}
        for name, row in zip(names or map(str, range(len(values))), values, strict=True)
    }
    return relyon.leaderboard_values(rows, resamples=100)["gain"]


@settings(max_examples=40, deadline=None)
@given(tables)
def test_ranks_are_within_their_intervals_and_groups_are_maximal(values: np.ndarray) -> None:
    found = board(values)
    count = len(values)
    for one in found.standings:
        assert 1 <= one.ranks[0] <= one.rank <= one.ranks[1] <= count
        assert one.ranks[0] <= one.own_ranks[0] <= one.rank
        assert one.own_ranks[1] <= one.ranks[1]
        assert one.ranks == (1 + len(one.better), count - len(one.worse))
        assert all(one.run in found[other].worse for other in one.better)
    assert found.standings[0].may_be_best
    assert all(one.may_be_best for one in found.standings if one.rank == 1)
    together = {frozenset(pair) for group in found.groups for pair in combinations(group, 2)}
    for first, second in combinations(found.standings, 2):
        inseparable = second.run not in first.worse
        assert (frozenset((first.run, second.run)) in together) == inseparable
    sets = [set(group) for group in found.groups]
    assert not any(one < other for one in sets for other in sets)


@settings(max_examples=25, deadline=None)
@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_runs_does_not_matter(values: np.ndarray, random: object) -> None:
    names = [str(place) for place in range(len(values))]
    order = list(range(len(values)))
    random.shuffle(order)  # type: ignore[attr-defined]
    one, two = board(values, names), board(values[order], [names[place] for place in order])
    assert one.runs == two.runs
    assert [s.ranks for s in one.standings] == [s.ranks for s in two.standings]
    assert [s.may_be_best for s in one.standings] == [s.may_be_best for s in two.standings]


@settings(max_examples=25, deadline=None)
@given(tables, st.sampled_from([0.5, 4.0]))
def test_the_unit_does_not_matter(values: np.ndarray, unit: float) -> None:
    draws, sizes = Resampling(100), np.ones(values.shape[1])
    one = separation([Part(values, sizes)], draws)
    two = separation([Part(unit * values, sizes)], draws)
    assert (one.p == two.p).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 8), st.data())
def test_two_share_a_letter_exactly_if_they_are_not_separated(
    count: int, data: st.DataObject
) -> None:
    pairs = list(combinations(range(count), 2))
    apart = data.draw(st.sets(st.sampled_from(pairs)))
    groups = maximal_groups(count, sorted(apart))
    assert groups is not None
    named = letters(groups, count)
    for first, second in pairs:
        assert bool(set(named[first]) & set(named[second])) == ((first, second) not in apart)
