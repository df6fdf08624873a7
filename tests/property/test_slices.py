"""Slices: the search is that of every conjunction, and order, units and names do not matter."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from hypothesis import given, settings, strategies as st

import relyon
from relyon.analysis.slices.held_out import halves
from relyon.analysis.slices.predicates import Feature, predicates
from relyon.analysis.slices.search import Space, conjunctions, score

VALUES = st.lists(
    st.sampled_from([0.0, 0.0, 0.0, -0.5, 0.5, -1.0, 1.0, 0.25]), min_size=12, max_size=30
)


@given(VALUES, st.integers(1, 7), st.integers(1, 3), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_every_conjunction_with_its_sums(
    numbers: list[float], count: int, depth: int, seed: int
) -> None:
    values = np.array(numbers)
    held = np.random.default_rng(seed).random((len(values), count)) < 0.6
    space = Space(values, held, 3)
    wanted = {}
    for size in range(1, depth + 1):
        for chosen in combinations(range(count), size):
            own = values[held[:, list(chosen)].all(axis=1)]
            if 3 <= len(own) <= len(values) - 3:
                wanted[chosen] = (len(own), own.sum(), (own**2).sum())
    found = {
        tuple(chosen.tolist()): (size, total, square)
        for level in conjunctions(space, depth)
        for chosen, size, total, square in zip(
            level.chosen, level.sizes, level.sums, level.squares, strict=True
        )
    }
    assert found.keys() == wanted.keys()
    for chosen, parts in wanted.items():
        np.testing.assert_allclose(found[chosen], parts, rtol=1e-5, atol=1e-5)


@given(VALUES, st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_the_score_is_the_smaller_t(numbers: list[float], seed: int) -> None:
    values = np.array(numbers)
    members = np.random.default_rng(seed).random(len(values)) < 0.5
    if not 3 <= members.sum() <= len(values) - 3 or not values.var():
        return
    parts = []
    for one in (values[members], values[~members]):
        within = sum((each - one.mean()) ** 2 for each in one)
        error = (within + 5 * values.var()) / (len(one) + 4) / len(one)
        parts.append((one.mean(), error))
    (own, error), (rest, other) = parts
    wanted = min(-own / math.sqrt(error), (rest - own) / math.sqrt(error + other))
    assert score(Space(values, members[:, None], 3), members) == np.float64(wanted).round(12) or (
        abs(score(Space(values, members[:, None], 3), members) - wanted) < 1e-9
    )


@given(st.lists(st.integers(0, 6), min_size=2, max_size=60), st.integers(0, 9))
@settings(max_examples=60, deadline=None)
def test_halves_do_not_cut_clusters(clusters: list[int], seed: int) -> None:
    numbers = np.array(clusters)
    first = halves(numbers, seed)
    for one in set(clusters):
        assert len(set(first[numbers == one].tolist())) == 1
    sizes = np.bincount(numbers)
    assert abs(int(first.sum()) * 2 - len(clusters)) <= sizes.max()


@given(st.lists(st.one_of(st.integers(-50, 50), st.floats(-9, 9).map(lambda x: round(x, 2)))))
@settings(max_examples=60, deadline=None)
def test_bins_of_numbers_are_ordered_and_whole(numbers: list[float]) -> None:
    ids = [f"q{place}" for place in range(len(numbers))]
    feature = Feature("n", dict(zip(ids, map(str, numbers), strict=True)))
    found = predicates(feature, ids, 1)
    ranges = [held for one, held in found if one.kind == "range"]
    if ranges:
        values = np.array(numbers, dtype=float)
        assert (np.sum(ranges, axis=0) <= 1).all()
        for first, second in combinations(ranges, 2):
            assert values[first].max() < values[second].min() or (
                values[second].max() < values[first].min()
            )


@given(st.integers(0, 5), st.permutations(range(80)))
@settings(max_examples=8, deadline=None)
def test_order_and_scale_do_not_matter(seed: int, order: list[int]) -> None:
    chance = np.random.default_rng(seed)
    inside = chance.random(80) < 0.4
    changes = {f"q{n}": float(chance.normal(-0.3 * inside[n], 0.2)) for n in range(80)}
    tiers = {f"q{n}": "tail" if inside[n] else "head" for n in range(80)}
    plain = relyon.find_slices(changes, {"tier": tiers})
    other = relyon.find_slices(
        {f"q{n}": 8 * changes[f"q{n}"] for n in order},
        {"tier": {f"q{n}": tiers[f"q{n}"] for n in order}},
    )
    for first, second in zip(plain.tested, other.tested, strict=True):
        assert first.queries == second.queries
        assert (first.p_loss, first.p_elsewhere) == (second.p_loss, second.p_elsewhere)
        assert second.difference == 8 * first.difference
