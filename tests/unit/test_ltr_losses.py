"""Losses: names, what is refused, and what holds of every one of them."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import relyon.ltr
from relyon.core.errors import InputError, ParameterError, UnknownNameError

RNG = np.random.default_rng(7)
LABELS = np.array([2, 0, 1, 0, 2, 1, 0, 0, 3, 1]) / 4  # probabilities, too
SCORES = RNG.normal(size=10)

EVERY = [relyon.ltr.loss(name) for name in relyon.ltr.losses]
POINTWISE = {"squared_error", "logistic", "cross_entropy", "ordinal"}
RANKED = [one for one in EVERY if one.name not in POINTWISE]

every = pytest.mark.parametrize("loss", EVERY, ids=str)
ranked = pytest.mark.parametrize("loss", RANKED, ids=str)


@every
def test_a_loss_is_its_name(loss: Any) -> None:
    assert relyon.ltr.loss(str(loss)) == loss
    assert relyon.ltr.loss(loss) is loss
    for alias in loss.aliases:
        assert relyon.ltr.loss(alias) == loss


def test_parameters_are_part_of_the_name() -> None:
    loss = relyon.ltr.loss("RankNet( sigma = 0.5 )")
    assert str(loss) == "ranknet(sigma=0.5)"
    assert relyon.ltr.loss(str(loss)) == loss


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("ranknett", UnknownNameError, "unknown loss: `ranknett`"),
        ("ranknet(sigam=1)", UnknownNameError, "has no parameter `sigam`"),
        ("ranknet(sigma=0)", ParameterError, "must be above 0"),
        ("ranknet(sigma=nan)", ParameterError, "finite number"),
        ("ranknet(sigma)", ParameterError, "not a list of parameters"),
        ("ranknet@5", ParameterError, "not a loss name"),
        ("", ParameterError, "not a loss name"),
        (3, ParameterError, "not a loss name"),
    ],
)
def test_names_that_are_none(name: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        relyon.ltr.loss(name)


@every
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused_with_their_row(loss: Any, bad: float) -> None:
    labels, scores, weights = LABELS.copy(), SCORES.copy(), np.ones(10)
    for numbers, what in ((labels, "labels"), (scores, "scores"), (weights, "weights")):
        kept, numbers[3] = numbers[3], bad
        with pytest.raises(InputError, match=f"{what}, row 3: not"):
            loss.evaluate(labels, scores, [0, 2, 10], weights=weights)
        numbers[3] = kept


def test_input_that_does_not_fit_is_refused() -> None:
    loss = relyon.ltr.loss("ranknet")
    with pytest.raises(InputError, match="differ in shape"):
        loss.evaluate([1, 0], [1.0])
    with pytest.raises(InputError, match="offsets must rise"):
        loss.evaluate([1, 0], [1.0, 2.0], [0, 1])
    with pytest.raises(InputError, match="weights, row 1: below 0"):
        loss.evaluate([1, 0], [1.0, 2.0], weights=[1, -1])
    with pytest.raises(InputError, match="differ in length"):
        loss.evaluate([1, 0], [1.0, 2.0], weights=[1])
    with pytest.raises(ParameterError, match="seed"):
        loss.evaluate([1, 0], [1.0, 2.0], seed=-1)
    with pytest.raises(ParameterError, match="threads"):
        loss.evaluate([1, 0], [1.0, 2.0], threads=-1)


def test_ranknet_by_hand() -> None:
    loss = relyon.ltr.loss("ranknet(sigma=2)")
    found = loss.evaluate([1, 0, 0], [0.5, 0.5, -1.5], weights=[3, 5, 7])
    values = 3 * (np.log(2) + np.log1p(np.exp(-4)))
    share = 1 / (1 + np.exp(4))
    assert found.values == pytest.approx([values], rel=1e-15)
    assert found.gradient == pytest.approx([-3 - 6 * share, 3, 6 * share], rel=1e-15)
    bend = 12 * share * (1 - share)
    assert found.hessian == pytest.approx([3 + bend, 3, bend], rel=1e-15)


def test_a_pair_misordered_by_eight_and_by_a_million_is_still_pulled() -> None:
    for gap in (8.0, 50.0, 1e6, 1e300):
        found = relyon.ltr.loss("ranknet").evaluate([0, 1], [gap, 0.0])
        assert found.values == pytest.approx([gap], rel=1e-3)
        assert found.gradient == pytest.approx([1.0, -1.0], rel=1e-3)


@every
def test_threads_and_neighbours_do_not_change_a_bit(loss: Any) -> None:
    sizes = RNG.integers(0, 60, 80)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    labels = RNG.integers(0, 4, offsets[-1]) / 4
    scores = RNG.normal(size=offsets[-1])
    one = loss.evaluate(labels, scores, offsets, threads=1)
    many = loss.evaluate(labels, scores, offsets, threads=7)
    assert (one.values == many.values).all()
    assert (one.gradient == many.gradient).all()
    assert (one.hessian == many.hessian).all()
    none = loss.evaluate(labels, scores, offsets, hessian=False)
    assert none.hessian is None
    assert (none.gradient == one.gradient).all()
    assert not one.values[sizes == 0].any()


@ranked
def test_lists_without_order_are_nothing(loss: Any) -> None:
    for labels in ([1.0], [0, 0, 0], [2, 2, 2], []):
        found = loss.evaluate(labels, np.arange(float(len(labels))))
        assert not found.values.any()
        assert not found.gradient.any()
        assert not found.hessian.any()


@ranked
def test_a_gradient_adds_up_to_nothing(loss: Any) -> None:
    found = loss.evaluate(LABELS, SCORES)
    assert found.gradient.any()
    assert found.gradient.sum() == pytest.approx(0, abs=1e-12)
    assert (found.hessian >= 0).all()


DIGEST = """
import hashlib
import numpy as np
import relyon.ltr
rng, digest = np.random.default_rng(0), hashlib.sha256()
labels, scores = rng.integers(0, 5, (20, 37)) / 4, rng.normal(size=(20, 37)) * 3
for name in relyon.ltr.losses:
    found = relyon.ltr.loss(name).evaluate(labels, scores)
    for numbers in (found.values, found.gradient, found.hessian):
        digest.update(numbers.tobytes())
print(digest.hexdigest())
"""


@pytest.mark.long
def test_every_instruction_set_gives_the_same_bits() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env=os.environ | {"RELYON_SIMD": simd},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for simd in ("scalar", "avx2", "avx512")
    }
    assert len(digests) == 1
