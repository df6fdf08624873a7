"""Losses against formulas, plain PyTorch and finite differences; what broke other libraries."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.unit.slow_losses import REFERENCES, slow

import relyon.ltr
from relyon.core.errors import InputError

VARIANTS = [
    *REFERENCES,
    "ranknet(sigma=0.7)",
    "logistic(rel=3)",
    "ordinal(levels=6,step=2)",
    "softrank(sigma=0.4,k=2)",
    "softrank(gain=linear,discount=inverse)",
    "approx_ndcg(temperature=1.5,gain=linear,discount=inverse)",
    "neural_ndcg(temperature=0.6,rounds=3,tolerance=0,k=2)",
    "neural_ndcg(rounds=1,gain=linear,discount=inverse)",
    "ndcg_loss1(sigma=2,gain=linear)",
    "ndcg_loss2(discount=inverse)",
    "ndcg_loss2pp(mu=3,sigma=0.5)",
]
#: The Hessian of these is the diagonal of the second derivative.
EXACT = {name for name in REFERENCES if name not in {"softrank", "approx_ndcg", "neural_ndcg"}}
POINTWISE = {"squared_error", "logistic", "cross_entropy", "ordinal"}
NDCG = ["softrank", "approx_ndcg", "neural_ndcg"]

variants = pytest.mark.parametrize("name", VARIANTS)


def named(name: str) -> Any:
    return relyon.ltr.loss(name)


def fixed(name: str) -> Any:
    """Returns a loss that makes the same number of rounds, however near two lists are."""
    loss = named(name)
    return dataclasses.replace(loss, tolerance=0.0) if loss.name == "neural_ndcg" else loss


@st.composite
def lists(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Labels from 0 to 4, all different, and scores that are not equal to one another."""
    size = draw(st.integers(2, 6))
    labels = draw(st.permutations([0.0, 0.5, 1.0, 2.0, 3.0, 4.0]))[:size]
    places = draw(st.permutations(range(size)))
    jumps = draw(st.lists(st.floats(0.05, 2.0), min_size=size, max_size=size))
    return np.array(labels), np.cumsum(jumps)[list(places)] - 2.0


def suited(loss: Any, labels: np.ndarray) -> np.ndarray:
    return labels / 4 if loss.name == "cross_entropy" else labels


@variants
@settings(max_examples=15, deadline=None)
@given(lists())
def test_value_is_the_formula(name: str, given_list: tuple[np.ndarray, np.ndarray]) -> None:
    loss = fixed(name)
    labels, scores = suited(loss, given_list[0]), given_list[1]
    (value,) = loss.evaluate(labels, scores).values
    assert value == pytest.approx(
        slow(loss, labels.tolist(), scores.tolist()), rel=1e-11, abs=1e-12
    )


@variants
@settings(max_examples=15, deadline=None)
@given(lists())
def test_gradient_is_the_finite_difference(
    name: str, given_list: tuple[np.ndarray, np.ndarray]
) -> None:
    loss = fixed(name)
    labels, scores = suited(loss, given_list[0]), given_list[1]
    found = loss.evaluate(labels, scores)
    size, step = len(labels), 1e-5
    moved = np.concatenate([scores + step * np.eye(size), scores - step * np.eye(size)])
    values = loss.evaluate(np.tile(labels, (2 * size, 1)), moved)
    slopes = (values.values[:size] - values.values[size:]) / (2 * step)
    assert found.gradient == pytest.approx(slopes, rel=1e-5, abs=1e-7)
    if loss.name in EXACT:
        gradients = values.gradient.reshape(2, size, size)
        bends = np.diagonal(gradients[0] - gradients[1]) / (2 * step)
        assert found.hessian == pytest.approx(bends, rel=1e-4, abs=1e-7)
    else:
        assert (found.hessian >= np.abs(found.gradient) * 1e-9).all()


@pytest.mark.long
@variants
def test_derivatives_are_those_of_pytorch(name: str) -> None:
    pytest.importorskip("torch")
    from tests.unit.torch_losses import derivatives

    loss = fixed(name)
    rng = np.random.default_rng(5)
    for size in (2, 9, 17):
        labels = suited(loss, rng.permutation(size) * 4 / size)
        scores = rng.normal(size=size) * 2
        found = loss.evaluate(labels, scores)
        value, gradient, bend = derivatives(loss, labels, scores)
        assert found.values == pytest.approx([value], rel=1e-11)
        assert found.gradient == pytest.approx(gradient, rel=1e-10, abs=1e-12)
        if loss.name in EXACT:
            assert found.hessian == pytest.approx(bend, rel=1e-9, abs=1e-12)


@variants
def test_the_order_of_documents_does_not_matter(name: str) -> None:
    loss = named(name)
    rng = np.random.default_rng(6)
    labels, scores = suited(loss, rng.permutation(40) / 10), rng.normal(size=40)
    weights, order = rng.uniform(0.5, 2, 40), rng.permutation(40)
    one = loss.evaluate(labels, scores, weights=weights)
    other = loss.evaluate(labels[order], scores[order], weights=weights[order])
    assert other.values == pytest.approx(one.values, rel=1e-12)
    assert other.gradient == pytest.approx(one.gradient[order], rel=1e-9, abs=1e-12)
    assert other.hessian == pytest.approx(one.hessian[order], rel=1e-9, abs=1e-12)


@variants
def test_a_list_weighs_as_all_its_rows_do(name: str) -> None:
    loss = named(name)
    rng = np.random.default_rng(7)
    labels, scores = suited(loss, rng.permutation(20) / 5), rng.normal(size=20)
    one = loss.evaluate(labels, scores)
    three = loss.evaluate(labels, scores, weights=np.full(20, 3.0))
    assert three.values == pytest.approx(3 * one.values, rel=1e-12)
    assert three.gradient == pytest.approx(3 * one.gradient, rel=1e-10, abs=1e-13)
    assert three.hessian == pytest.approx(3 * one.hessian, rel=1e-10, abs=1e-13)


@variants
def test_weights_have_their_derivatives(name: str) -> None:
    loss = fixed(name)
    rng = np.random.default_rng(8)
    labels, scores = suited(loss, rng.permutation(7) / 2), rng.normal(size=7)
    weights = rng.uniform(0, 2, 7)
    found = loss.evaluate(labels, scores, weights=weights)
    step = 1e-5 * np.eye(7)
    values = [
        loss.evaluate(
            np.tile(labels, (7, 1)), scores + way, weights=np.tile(weights, (7, 1))
        ).values
        for way in (step, -step)
    ]
    assert found.gradient == pytest.approx((values[0] - values[1]) / 2e-5, rel=1e-5, abs=1e-7)


@variants
def test_any_scores_have_finite_derivatives(name: str) -> None:
    loss = named(name)
    labels = suited(loss, np.array([0, 4, 2, 1, 0, 3.0]))
    for scores in (
        np.zeros(6),
        np.full(6, 1e6),
        np.array([1e6, -1e6, 0, 1e6, -1e6, 3]),
        np.array([1e6, -1e6, 700, 710, -745, 1e-300]),
    ):
        found = loss.evaluate(labels, scores)
        assert np.isfinite(found.values).all()
        assert np.isfinite(found.gradient).all()
        assert np.isfinite(found.hessian).all()
        assert (found.hessian >= 0).all()


@variants
def test_bits_do_not_depend_on_the_width_of_a_list(name: str) -> None:
    loss = named(name)
    rng = np.random.default_rng(9)
    for size in range(2, 19):
        labels, scores = suited(loss, rng.integers(0, 5, size) * 1.0), rng.normal(size=size)
        labels[0], labels[1] = 0, suited(loss, np.array([4.0]))[0]
        one = loss.evaluate(labels, scores)
        two = loss.evaluate(np.tile(labels, 2), np.tile(scores, 2), [0, size, 2 * size], seed=0)
        if loss.name != "listmle":  # drawn anew for each list
            assert two.values.tolist() == one.values.tolist() * 2
            assert two.gradient.tolist() == one.gradient.tolist() * 2


@pytest.mark.parametrize("loss", ["ranknet", "ndcg_loss2", "ndcg_loss2pp", "listnet", "listmle"])
@pytest.mark.parametrize("gap", [8.0, 100.0, 1e6])
def test_a_pair_in_the_wrong_order_is_pulled_however_far(loss: str, gap: float) -> None:
    # A clamped sigmoid, or log(softmax + epsilon), has gradient 0 here.
    found = named(loss).evaluate([0, 1], [gap, 0.0])
    assert found.gradient[0] > 0.1
    assert found.gradient[1] < -0.1
    assert found.values[0] > gap * 0.1


def test_listnet_far_apart_is_linear() -> None:
    found = named("softmax").evaluate([0, 1], [1e6, 0.0])
    assert found.values.tolist() == [1e6]
    assert found.gradient.tolist() == [1, -1]


@pytest.mark.parametrize("name", ["listmle", "ndcg_loss1", "ndcg_loss2", "ndcg_loss2pp"])
def test_ties_say_nothing_of_an_input_that_is_sorted_by_label(name: str) -> None:
    loss = named(name)
    if name == "listmle":
        labels, scores = np.array([1.0, 1, 0, 0]), np.array([3.0, 2, 1, 0])
    else:
        labels, scores = np.array([4.0, 3, 1, 0]), np.zeros(4)
    values = [
        [loss.evaluate(labels[::way], scores[::way], seed=seed).values[0] for seed in range(400)]
        for way in (1, -1)
    ]
    assert len(set(np.round(values[0], 9))) > 1 or name == "ndcg_loss1"
    spread = np.std(values) * math.sqrt(2 / 400)
    assert abs(np.mean(values[0]) - np.mean(values[1])) < 4 * spread + 1e-12
    (first, again) = (loss.evaluate(labels, scores, seed=3) for _ in range(2))
    assert first.gradient.tolist() == again.gradient.tolist()


def test_draws_differ_from_list_to_list() -> None:
    loss = named("listmle")
    found = loss.evaluate(
        np.tile([1.0, 1, 0, 0], 50), np.tile([3.0, 2, 1, 0], 50), range(0, 201, 4)
    )
    assert len(set(np.round(found.values, 9))) == 4


def test_listmle_averages_over_all_orders_of_ties() -> None:
    loss = named("listmle")
    scores = [1.0, -0.5, 0.3]
    orders = [slow(loss, labels, scores) for labels in ([3, 2, 1], [2, 3, 1])]
    values = [loss.evaluate([1, 1, 0], scores, seed=seed).values[0] for seed in range(300)]
    assert sorted(set(np.round(values, 12))) == pytest.approx(sorted(orders), rel=1e-11)
    share = np.mean(np.isclose(values, orders[0]))
    assert abs(share - 0.5) < 4 * math.sqrt(0.25 / 300)


def test_listmle_is_the_same_near_and_far() -> None:
    # Differences above 300 go another way.
    loss = named("listmle")
    labels, scores = [3.0, 2, 1, 0], np.array([0.3, 2.0, -1.0, 0.5])
    near = loss.evaluate([*labels, -1], [*scores, -290.0])
    far = loss.evaluate([*labels, -1], [*scores, -310.0])
    assert far.values == pytest.approx(near.values, rel=1e-14)
    assert far.gradient == pytest.approx(near.gradient, rel=1e-13)
    assert far.hessian == pytest.approx(near.hessian, rel=1e-12, abs=1e-100)


def test_listmle_takes_weights_of_nothing() -> None:
    loss = named("listmle")
    for far in (0.0, 1000.0):
        found = loss.evaluate([2, 1, 0], [far, 1.0, 0.5], weights=[0, 0, 1])
        assert found.values.tolist() == [0]
        assert not found.gradient.any()


@pytest.mark.parametrize("name", ["ndcg_loss1", "ndcg_loss2", "ndcg_loss2pp", *NDCG, "softmax"])
def test_lists_without_gain_are_nothing(name: str) -> None:
    for labels in ([0, 0, 0], [-1, 0, -2], [0.0], [-3.0, -3.0]):
        found = named(name).evaluate(labels, np.arange(float(len(labels))))
        assert not found.values.any()
        assert not found.gradient.any()
        assert not found.hessian.any()


@pytest.mark.parametrize("name", ["ranknet", "listnet", "listmle"])
def test_labels_below_zero_have_an_order(name: str) -> None:
    loss = named(name)
    scores = [0.3, -0.1, 0.7]
    below = loss.evaluate([-1, -3, -2], scores)
    above = loss.evaluate([2, 0, 1], scores)
    assert below.values == pytest.approx(above.values, rel=1e-14)
    assert below.values[0] > 0


@pytest.mark.parametrize("name", NDCG)
def test_at_low_temperature_it_is_ndcg(name: str) -> None:
    field = "sigma" if name == "softrank" else "temperature"
    rng = np.random.default_rng(10)
    labels, scores = rng.integers(0, 5, 12) * 1.0, rng.permutation(12) * 1.0
    for gain in ("exp", "linear"):
        for discount in ("log2", "inverse"):
            rest = f"gain={gain},discount={discount}"
            loss = named(f"{name}({field}=0.01,{rest})")
            measure = relyon.measure(f"ndcg({rest})")
            ranked = labels[np.argsort(-scores)].tolist()
            assert 1 - loss.evaluate(labels, scores).values[0] == pytest.approx(
                measure.score(ranked), abs=1e-9
            )
            if name != "approx_ndcg":
                short = named(f"{name}({field}=0.01,k=5,{rest})")
                assert 1 - short.evaluate(labels, scores).values[0] == pytest.approx(
                    measure.with_cutoff(5).score(ranked), abs=1e-9
                )


def test_a_map_of_gains_is_that_of_the_measures() -> None:
    loss = named("softrank(sigma=0.01,gain={0:0,1:1,2:10})")
    assert named(str(loss)) == loss
    value = 1 - loss.evaluate([1, 2, 0], [3.0, 2.0, 1.0]).values[0]
    assert value == pytest.approx(relyon.measure("ndcg(gain={0:0,1:1,2:10})").score([1, 2, 0]))
    with pytest.raises(InputError, match="no entry for the grade 3"):
        loss.evaluate([3, 0], [1.0, 2.0])


def test_gains_that_overflow_are_refused() -> None:
    with pytest.raises(InputError, match="row 2 on are not finite"):
        named("approx_ndcg").evaluate([0, 1, 2000, 0], np.zeros(4), [0, 2, 4])
    with pytest.raises(InputError, match="not a finite number"):
        named("squared_error").evaluate([0, 1e300], [1e300, 0])


@pytest.mark.parametrize("name", ["softrank", "neural_ndcg"])
def test_lists_that_are_too_long_are_refused(name: str) -> None:
    labels = np.arange(8) % 2
    with pytest.raises(InputError, match=r"row 2 on has 6 rows, and `.*` takes at most 5"):
        named(f"{name}(cap=5)").evaluate(labels, np.zeros(8), [0, 2, 8])
    assert named(f"{name}(cap=6)").evaluate(labels, np.zeros(8), [0, 2, 8]).values.all()


def test_labels_that_do_not_suit_are_refused() -> None:
    with pytest.raises(InputError, match="row 1: 2 is not from 0 to 1"):
        named("cross_entropy").evaluate([1, 2], [0.0, 0.0])
    with pytest.raises(InputError, match="row 1: 5 is not at most 4"):
        named("ordinal").evaluate([4, 5], [0.0, 0.0])


def test_neural_ndcg_stops_where_columns_are_even() -> None:
    rng = np.random.default_rng(11)
    labels, scores = rng.integers(0, 3, 30), rng.normal(size=30)
    loose, tight = (
        named(f"neural_ndcg(tolerance={one},rounds=400)").evaluate(labels, scores)
        for one in (1e-3, 1e-12)
    )
    assert loose.values == pytest.approx(tight.values, abs=1e-3)
    assert loose.values != tight.values


def test_softrank_is_not_the_discount_of_the_expected_rank() -> None:
    labels, scores, sigma = [1, 0, 1, 2], [1.0, 0.75, 0.5, 0.25], 1.0
    exact = 1 - named("softrank(sigma=1)").evaluate(labels, scores).values[0]
    plugged = best = 0.0
    for j, (label, best_label) in enumerate(zip(labels, [2, 1, 1, 0], strict=True)):
        beaten = [(1 + math.erf((s - scores[j]) / (2 * sigma))) / 2 for s in scores]
        plugged += (2**label - 1) / math.log2(2 + sum(beaten) - beaten[j])
        best += (2**best_label - 1) / math.log2(2 + j)
    assert exact == pytest.approx(0.696, abs=5e-4)
    assert plugged / best == pytest.approx(0.648, abs=5e-4)
