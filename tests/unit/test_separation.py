"""All pairs of systems at once: against the definition by brute force, and at the corners."""

from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np
import pytest

from relyon.analysis.statistics import Resampling
from relyon.analysis.statistics.separation import MOST_UNITS, Part, Separation, separation
from relyon.analysis.statistics.separation.draws import counts
from relyon.analysis.statistics.separation.pairs import LEAST_ERROR

Pair = tuple[int, int]


def of(values: np.ndarray, *, resamples: int = 300, seed: int = 0) -> Separation:
    return separation([Part(values, np.ones(values.shape[1]))], Resampling(resamples, seed))


def rejected(
    observed: dict[Pair, float], drawn: list[dict[Pair, float]], alpha: float, more: int
) -> set[Pair]:
    """Returns the ordered pairs rejected at a level, step by step, as Romano and Wolf define it."""
    left = dict(observed)
    found: set[Pair] = set()
    while left:
        maxima = [max(one[pair] for pair in left) for one in drawn]
        new = {
            pair
            for pair, value in left.items()
            if value > 0
            and (sum(one >= value - 1e-9 for one in maxima) + more) / (len(drawn) + more) <= alpha
        }
        if not new:
            return found
        found |= new
        left = {pair: value for pair, value in left.items() if pair not in new}
    return found


def flips(values: np.ndarray) -> tuple[dict[Pair, float], list[dict[Pair, float]]]:
    pairs = list(permutations(range(len(values)), 2))
    apart = {pair: (values[pair[0]] - values[pair[1]]).tolist() for pair in pairs}
    norm = {pair: math.sqrt(math.fsum(x * x for x in one)) for pair, one in apart.items()}

    def statistic(signs: tuple[int, ...]) -> dict[Pair, float]:
        return {
            pair: math.fsum(s * x for s, x in zip(signs, one, strict=True)) / norm[pair]
            if norm[pair]
            else 0.0
            for pair, one in apart.items()
        }

    every = list(product((1, -1), repeat=values.shape[1]))
    return statistic(every[0]), [statistic(one) for one in every]


def boots(
    values: np.ndarray, draws: Resampling
) -> tuple[dict[Pair, float], list[dict[Pair, float]]]:
    n = values.shape[1]
    pairs = list(permutations(range(len(values)), 2))
    apart = {pair: values[pair[0]] - values[pair[1]] for pair in pairs}
    few = {pair for pair, one in apart.items() if np.count_nonzero(one) < 6}
    observed = {
        pair: 0.0 if pair in few else float(one.mean() / (one.std(ddof=1) / math.sqrt(n)))
        for pair, one in apart.items()
    }
    found = []
    for (drawn,) in counts([Part(values, np.ones(n))], draws):
        for times in drawn.astype(int):
            again = {pair: np.repeat(one, times) for pair, one in apart.items()}
            found.append(
                {
                    pair: 0.0
                    if pair in few
                    else (float(one.mean()) - float(apart[pair].mean()))
                    / math.sqrt(max(one.var(ddof=1) / n, LEAST_ERROR * apart[pair].var(ddof=1) / n))
                    for pair, one in again.items()
                }
            )
    return observed, found


@pytest.mark.parametrize("case", ["spread", "ties", "twins"])
@pytest.mark.long
def test_the_definition_by_brute_force(case: str) -> None:
    draw = np.random.default_rng(5)
    values = draw.normal(size=(4, 8)) + np.array([[0.0], [0.3], [1.5], [2.5]])
    if case == "ties":
        values = np.round(values)
    if case == "twins":
        values[1] = values[0]
    draws = Resampling(200, 3)
    found = separation([Part(values, np.ones(8))], draws)
    flipped, booted = flips(values), boots(values, draws)
    for alpha in (0.02, 0.05, 0.1, 0.3, 0.6):
        both = rejected(*flipped, alpha, 0) & rejected(*booted, alpha, 1)
        better, _ = found.apart(alpha + 1e-12)
        assert {(int(two), int(one)) for one, two in np.argwhere(better)} == both


def test_equal_seeds_give_equal_numbers_and_scale_does_not_matter() -> None:
    values = np.random.default_rng(0).normal(size=(5, 30))
    one, two = of(values), of(4 * values)
    assert (one.p == two.p).all()
    assert (one.own_p == two.own_p).all()
    assert (one.p == of(values).p).all()
    assert (one.p == one.p.T).all()
    assert (one.own_p <= one.p).all()


@pytest.mark.parametrize("n", [1, 2, 5, 6, 40])
def test_identical_systems_are_never_separated(n: int) -> None:
    row = np.random.default_rng(1).normal(size=n)
    found = of(np.array([row, row, row]))
    assert (found.p == 1).all()
    assert (found.best_p == 1).all()
    assert [one.tolist() for one in found.ranks(0.5)] == [[1, 1, 1], [3, 3, 3]]


def test_a_constant_difference_needs_six_units() -> None:
    for n, first in ((5, 1), (6, 2), (40, 2)):
        row = np.random.default_rng(1).normal(size=n)
        assert of(np.array([row, row + 0.25])).ranks(0.05)[0].tolist() == [first, 1]


def test_a_pair_that_differs_in_few_units_neither_counts_nor_hides_others() -> None:
    draw = np.random.default_rng(2)
    base = draw.normal(size=40)
    good = base + 1 + draw.normal(size=40) / 4
    nearly = base.copy()
    nearly[:5] += 10
    found = of(np.array([base, nearly, good]), resamples=999)
    assert found.p[0, 1] == 1
    assert found.p[0, 2] <= 0.05


def test_clusters_are_the_units() -> None:
    """Forty queries in five clusters separate nothing, however clear the difference."""
    draw = np.random.default_rng(3)
    values = draw.normal(size=(2, 5)) * 0.01 + np.array([[0.0], [1.0]])
    found = separation([Part(8 * values, np.full(5, 8.0))])
    assert found.units == 5
    assert found.p[0, 1] > 0.05
    assert found.values.tolist() == pytest.approx(values.mean(axis=1).tolist())


def test_fixed_tasks_ignore_what_differs_between_tasks_and_sampled_do_not() -> None:
    """One system is better on one task and worse on others: on average it is a bit better."""
    draw = np.random.default_rng(4)
    shifts = (3.8, -0.8, -0.8, -0.8, -0.2, 0.5)
    values = [np.array([draw.normal(size=60), draw.normal(size=60) + shift]) for shift in shifts]
    fixed = separation([Part(one, np.ones(60), 1 / len(values)) for one in values])
    sampled = of(np.array([one.mean(axis=1) for one in values]).T)
    assert fixed.p[0, 1] <= 0.05
    assert sampled.p[0, 1] > 0.5
    assert fixed.values.tolist() == pytest.approx(sampled.values.tolist())


def test_parts_need_six_units() -> None:
    part = Part(np.arange(10.0).reshape(2, 5), np.ones(5), 0.5)
    with pytest.raises(ValueError, match="fewer than six"):
        separation([part, part])


@pytest.mark.long
def test_many_units_are_added_up_in_batches() -> None:
    draw = np.random.default_rng(6)
    values = draw.normal(size=(3, MOST_UNITS + 501)) + np.array([[0.0], [0.0], [0.2]])
    found = of(values)
    assert found.units == 500
    assert found.values.tolist() == pytest.approx(values.mean(axis=1).tolist())
    assert found.errors.tolist() == pytest.approx(
        (values.std(axis=1, ddof=1) / math.sqrt(values.shape[1])).tolist(), rel=0.1
    )
    assert [one.tolist() for one in found.ranks(0.05)] == [[2, 2, 1], [3, 3, 1]]


@pytest.mark.long
def test_it_agrees_with_tukey_on_independent_normal_values() -> None:
    """The largest difference of all has Tukey's p, if values of systems do not correlate."""
    scipy = pytest.importorskip("scipy.stats")
    draw = np.random.default_rng(8)
    for shift in (0.0, 0.3):
        values = draw.normal(size=(4, 150)) + np.array([[0.0], [0.0], [0.0], [shift]])
        expected = scipy.tukey_hsd(*values).pvalue
        found = of(values, resamples=2000)
        largest = np.unravel_index(np.argmin(expected), expected.shape)
        assert found.p[largest] == pytest.approx(expected[largest], abs=0.05)
