"""Exact sums against math.fsum, in any order and any split."""

from __future__ import annotations

import math
import pickle
import random
from fractions import Fraction

import numpy as np
import pytest

from relyon import _native
from relyon.core.errors import InputError


def total_of(values: list[float], missing: int = 0) -> _native.Total:
    total = _native.Total()
    total.add(values, [2 * value for value in values], [1.0] * len(values), missing)
    return total


def wild(chance: random.Random, size: int) -> list[float]:
    """Doubles of any magnitude, whose running sums lose almost everything."""
    values = [
        math.ldexp(chance.uniform(-1, 1), chance.choice([0, -40, 60, 300, -300, 900, -1060]))
        for _ in range(size)
    ]
    return values + [-value for value in values[: size // 2]]


@pytest.mark.parametrize("seed", range(30))
def test_sums_are_correctly_rounded(seed: int) -> None:
    chance = random.Random(seed)
    values = wild(chance, chance.randint(1, 2000))
    total = total_of(values)
    assert total.mean() == math.fsum(values) / len(values)
    assert total.numerator == 2 * math.fsum(values)
    assert total.denominator == len(values)


@pytest.mark.parametrize(
    "values",
    [
        [0.1] * 10,
        [1e308, 1e308, -1e308],
        [5e-324, 5e-324, 5e-324],
        [2.0**53, 1.0, 2.0**-60],
        [2.0**53, 1.0],
        [2.0**53, 3.0],
        [-(2.0**53), -1.0, -(2.0**-1074)],
        [1.0, 2.0**-53, 2.0**-1074],
        [2.2250738585072014e-308, -5e-324],
        [-0.0, 0.0],
    ],
)
def test_sums_at_the_edges_of_rounding(values: list[float]) -> None:
    total = _native.Total()
    total.add(values, values, [1.0] * len(values), 0)
    assert total.numerator == float(sum(map(Fraction, values)))


def test_a_sum_beyond_the_largest_double_is_infinite() -> None:
    total = _native.Total()
    total.add([1e308] * 3, [1e308] * 3, [-1e308] * 3, 0)
    assert total.numerator == math.inf
    assert total.denominator == -math.inf
    total.merge(total_of([-2.5e307] * 4))
    assert total.numerator == 1e308


@pytest.mark.parametrize("seed", range(10))
def test_any_split_in_any_order_has_the_same_bits(seed: int) -> None:
    chance = random.Random(seed)
    values = wild(chance, 3000)
    whole = total_of(values).to_bytes()
    chance.shuffle(values)
    parts = []
    while values:
        size = chance.randint(1, 1500)
        parts.append(total_of(values[:size]))
        values = values[size:]
    while len(parts) > 1:
        one = parts.pop(chance.randrange(len(parts)))
        other = parts.pop(chance.randrange(len(parts)))
        if chance.random() < 0.5:
            one = _native.Total.from_bytes(pickle.loads(pickle.dumps(one.to_bytes())))
        one.merge(other)
        parts.append(one)
    assert parts[0].to_bytes() == whole


def test_a_mean_has_the_digits_of_exact_arithmetic() -> None:
    chance = random.Random(1)
    values = [chance.random() for _ in range(10_000)]
    exact = float(sum(map(Fraction, values)))
    assert total_of(values).mean() == exact / len(values)


def test_undefined_queries() -> None:
    total = total_of([0.5, math.nan, 1.0, math.nan], missing=1)
    assert (total.queries, total.undefined, total.missing) == (4, 2, 1)
    assert total.mean() == total.mean("skip") == 0.75
    assert total.mean("zero") == 0.375
    assert total.mean("one") == 0.875
    assert math.isnan(_native.Total().mean())
    assert math.isnan(total_of([math.nan]).mean())
    with pytest.raises(InputError, match="`undefined` must be one of `skip`"):
        total.mean("half")  # type: ignore[arg-type]


def test_infinite_values() -> None:
    assert total_of([1.0, math.inf]).mean() == math.inf
    total = total_of([math.inf])
    total.merge(total_of([-math.inf]))
    assert math.isnan(total.mean())


def test_ratios() -> None:
    total = _native.Total()
    assert math.isnan(total.ratio())
    total.add([math.inf], [3.0], [0.0], 0)
    assert total.ratio() == math.inf
    total.add([0.5], [1.0], [2.0], 0)
    assert total.ratio() == 2.0


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(InputError, match="differ in length"):
        _native.Total().add([1.0], [], [1.0], 0)
    with pytest.raises(InputError, match="missing"):
        _native.Total().add([1.0], [1.0], [1.0], 2)


def test_merging_with_itself_doubles() -> None:
    total = total_of([0.25, 0.5])
    total.merge(total)
    assert (total.queries, total.mean(), total.numerator) == (4, 0.375, 3.0)


def pooled(labels: list[int], scores: list[float]) -> _native.Total:
    plan = _native.Plan([("auc", {})], _native.Rules(ties="input"))
    return _native.evaluate_arrays(plan, np.array(labels), np.array(scores)).total(0)


def test_pools_merge_in_any_order() -> None:
    chance = random.Random(2)
    rows = [(int(chance.random() < 0.3), float(chance.randint(-20, 20))) for _ in range(400)]
    positive = [score for label, score in rows if label]
    negative = [score for label, score in rows if not label]
    won = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    parts = [pooled(*map(list, zip(*rows[i::7], strict=True))) for i in range(7)]
    for order in (parts, parts[::-1]):
        total = _native.Total()
        for part in order:
            total.merge(_native.Total.from_bytes(part.to_bytes()))
        assert total.auc() == won / (len(positive) * len(negative))
    assert math.isnan(_native.Total().auc())


def test_a_damaged_state_is_refused() -> None:
    state = pooled([1, 0, 1], [3.0, 2.0, 1.0]).to_bytes()
    for damaged in (b"", state[:-1], state + b"\0", b"x" + state[1:], state[:-24] + b"\xff" * 24):
        with pytest.raises(InputError, match="no state of a Total"):
            _native.Total.from_bytes(damaged)
