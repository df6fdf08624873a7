"""The sums of the worst and the best order are those of the two rules, from any other rule."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np
import pytest

from relyon import _native
from relyon.core.rules import SortTies, Ties, tie_rule

KERNELS: list[tuple[str, dict[str, Any]]] = [
    ("ndcg", {"k": 3}),
    ("dcg", {"gain": "exp"}),
    ("ap", {}),
    ("ap", {"denominator": "retrieved", "k": 3}),
    ("rr", {"rel": 2.0}),
    ("recall", {"k": 2}),
    ("err", {"max": 3, "k": 3}),
    ("bpref", {}),
    ("infap", {}),
    ("pnr", {"score_ties": "rank"}),
    ("pnr", {}),
    ("auc", {}),
    ("num_ret", {}),
]
ORDERS: tuple[Literal["worst", "best"], ...] = ("worst", "best")


def evaluated(seed: int, ties: str, negative: str) -> _native.Batch:
    chance = np.random.default_rng(seed)
    size = int(chance.integers(1, 12))
    labels = chance.integers(-1, 4, (5, size)).astype(float)
    scores = chance.integers(0, 4, (5, size)).astype(float)
    plan = _native.Plan(
        KERNELS, _native.Rules(ties=ties, negative=negative), without_closed_form="worst"
    )
    return _native.evaluate_arrays(plan, labels, scores)


def same(one: float, other: float) -> bool:
    both_nan = math.isnan(one) and math.isnan(other)
    return both_nan or one == other or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("negative", ["nonrelevant", "unjudged"])
@pytest.mark.parametrize("ties", ["input", "doc-desc", "expected"])
def test_both_orders_follow_from_one_pass(ties: str, negative: str) -> None:
    for seed in range(60):
        batch = evaluated(seed, ties, negative)
        whole = {order: evaluated(seed, order, negative) for order in ORDERS}
        for place, kernel in enumerate(KERNELS):
            total = batch.total(place)
            low, high = (np.array(whole[order].values(place)) for order in ORDERS)
            changed = sum(not same(one, other) for one, other in zip(low, high, strict=True))
            if kernel != ("ap", {"denominator": "retrieved", "k": 3}):
                # Its best and its worst order may give the same, and another order something else.
                assert total.tie_decided == changed, (seed, kernel)
            assert total.tie_decided >= changed, (seed, kernel)
            if ties == "expected" and not total.tie_decided:
                continue
            for order in ORDERS:
                found, wanted = total.ordered(order), whole[order].total(place)
                assert same(found.mean(), wanted.mean()), (seed, kernel, order)
                assert same(found.numerator, wanted.numerator), (seed, kernel, order)
                assert same(found.denominator, wanted.denominator), (seed, kernel, order)


def test_what_has_no_closed_form_is_named() -> None:
    plan = _native.Plan(KERNELS, _native.Rules(ties="expected"), without_closed_form="worst")
    assert [KERNELS[place][0] for place in plan.in_worst_order] == ["ap", "bpref", "infap", "pnr"]
    assert _native.Plan(KERNELS, _native.Rules(ties="worst")).in_worst_order == []


def test_without_ties_expected_is_the_plain_number_to_the_last_bit() -> None:
    chance = np.random.default_rng(2)
    labels, scores = chance.integers(0, 4, (20, 30)).astype(float), chance.random((20, 30))
    kernels = [one for one in KERNELS if one[0] not in {"bpref", "infap"}]
    batches = [
        _native.evaluate_arrays(
            _native.Plan(kernels, _native.Rules(ties=ties), without_closed_form="worst"),
            labels,
            scores,
        )
        for ties in ("input", "expected")
    ]
    for place in range(len(kernels)):
        one, other = (batch.values(place) for batch in batches)
        assert np.array_equal(one, other, equal_nan=True)


def test_python_and_the_core_know_the_same_rules() -> None:
    assert tuple(_native.tie_rules()) == get_args(Ties)
    written = [one for one in get_args(SortTies) if tie_rule(one).key in {"rank", "grade"}]
    assert written == []
