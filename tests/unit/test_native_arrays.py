"""Labelled scores in arrays: layouts, bad input, threads, long lists."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from relyon import _native
from relyon.core.errors import InputError

KERNELS: list[tuple[str, dict[str, Any]]] = [
    ("ndcg", {"k": 10}),
    ("ndcg", {"ideal": "retrieved", "gain": "exp"}),
    ("ap", {}),
    ("recall", {"k": 5}),
    ("rr", {"k": 10}),
    ("pnr", {}),
    ("pnr", {"score_ties": "half", "label_ties": "ignore"}),
    ("gauc", {"weight": "rows"}),
    ("auc", {}),
    ("tau", {}),
    ("bpref", {}),
]


def grid(seed: int, queries: int = 700, size: int = 23) -> tuple[NDArray[Any], NDArray[Any]]:
    random = np.random.default_rng(seed)
    labels = random.integers(0, 5, (queries, size))
    labels[random.random(queries) < 0.1] = 0
    return labels, np.round(labels * 0.3 + random.normal(size=(queries, size)), 1)


def columns(batch: _native.Batch, kernels: int = len(KERNELS)) -> bytes:
    return b"".join(array.tobytes() for i in range(kernels) for array in batch.arrays(i))


def evaluate(
    labels: NDArray[Any], scores: NDArray[Any], offsets: Any = None, threads: int = 1, **rules: str
) -> bytes:
    plan = _native.Plan(KERNELS, _native.Rules(ties=rules.pop("ties", "input"), **rules))  # type: ignore[arg-type]
    return columns(_native.evaluate_arrays(plan, labels, scores, offsets, threads))


def test_threads_change_no_bit() -> None:
    labels, scores = grid(1)
    for ties in ("input", "doc-desc", "best", "worst"):
        results = {evaluate(labels, scores, threads=count, ties=ties) for count in (1, 2, 5, 0)}
        assert len(results) == 1


def test_totals_do_not_depend_on_threads() -> None:
    labels, scores = grid(2)
    plan = _native.Plan(KERNELS, _native.Rules(ties="input"))
    batches = [_native.evaluate_arrays(plan, labels, scores, None, threads) for threads in (1, 3)]
    for i in range(len(KERNELS)):
        one, other = (batch.total(i) for batch in batches)
        assert (one.tie_sensitive, one.undefined, one.mean()) == (
            other.tie_sensitive,
            other.undefined,
            other.mean(),
        )
    assert batches[0].total(0).tie_sensitive > 0
    assert batches[0].total(8).auc() == batches[1].total(8).auc()


def test_dictionaries_and_arrays_agree() -> None:
    labels, scores = grid(3, queries=80)
    for size in (1, 2, 7, 23):
        for ties in ("input", "best", "worst"):
            plan = _native.Plan(KERNELS, _native.Rules(ties=ties))
            judged = {f"{q}": {f"{d}": int(labels[q, d]) for d in range(size)} for q in range(80)}
            run = {f"{q}": {f"{d}": float(scores[q, d]) for d in range(size)} for q in range(80)}
            table = _native.JudgmentTable.from_dict(judged)
            held = columns(_native.evaluate_dict(table, plan, run))
            assert held == evaluate(labels[:, :size], scores[:, :size], ties=ties)


@pytest.mark.parametrize("size", [40, 250, 700, 3000])
def test_orders_of_long_lists(size: int) -> None:
    random = np.random.default_rng(size)
    labels = random.integers(0, 4, size)
    plan = _native.Plan([("dcg", {}), ("pnr", {"score_ties": "rank"})], _native.Rules(ties="input"))
    close = random.normal(size=size)
    close[1::2] = close[::2] + 1e-13  # equal as float32, not as float64
    for scores in (random.normal(size=size), np.round(random.normal(size=size), 1), close):
        order = np.argsort(-scores, kind="stable")
        ranked = labels[order]
        total = 0.0
        for rank, label in enumerate(ranked.tolist(), 1):
            total += label / math.log2(rank + 1)
        above = ranked[:, None] >= ranked[None, :]
        positive = int(np.triu(above, 1).sum())
        batch = _native.evaluate_arrays(plan, labels, scores)
        assert batch.values(0) == [total]
        assert [array[0] for array in batch.arrays(1)[1:]] == [
            positive,
            size * (size - 1) // 2 - positive,
        ]


def test_equal_scores_take_the_order_of_rows() -> None:
    labels = np.array([[1, 0, 1]])
    for ties, wanted in (("input", 1.0), ("doc-asc", 1.0), ("doc-desc", 1.0), ("worst", 0.5)):
        plan = _native.Plan([("rr", {})], _native.Rules(ties=ties))
        assert _native.evaluate_arrays(plan, labels, np.zeros((1, 3))).values(0) == [wanted]
    plan = _native.Plan([("rr", {})], _native.Rules(ties="doc-desc"))
    assert _native.evaluate_arrays(plan, labels[:, :2], np.array([[-0.0, 0.0]])).values(0) == [0.5]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"])
def test_any_type_of_numbers(dtype: str) -> None:
    labels, scores = grid(4, queries=50)
    whole = np.round(scores * 10 + 60)
    wanted = evaluate(labels.astype("f8"), whole)
    assert evaluate(labels.astype(dtype), whole) == wanted
    assert evaluate(labels, whole.astype(dtype)) == wanted


def test_booleans_are_grades() -> None:
    labels, scores = grid(5, queries=50)
    assert evaluate(labels > 2, scores) == evaluate((labels > 2).astype(int), scores)


def test_layouts_that_are_not_contiguous() -> None:
    labels, scores = grid(6, queries=50)
    wanted = evaluate(labels, scores)
    assert evaluate(np.asfortranarray(labels), np.asfortranarray(scores)) == wanted
    assert (
        evaluate(np.repeat(labels, 2, axis=1)[:, ::2], np.repeat(scores, 3, axis=0)[::3]) == wanted
    )
    assert evaluate(labels[::-1][::-1], scores[:, ::-1][:, ::-1]) == wanted
    assert (
        evaluate(labels.ravel()[::-1][::-1], scores.ravel(), np.arange(0, 50 * 23 + 1, 23))
        == wanted
    )


def test_callers_arrays_are_left_as_they_are() -> None:
    labels, scores = grid(7, queries=20)
    kept = labels.copy(), scores.copy()
    labels.flags.writeable = scores.flags.writeable = False
    evaluate(labels, scores)
    assert (labels == kept[0]).all()
    assert (scores == kept[1]).all()


def test_offsets_may_leave_queries_empty() -> None:
    plan = _native.Plan([("num_ret", {}), ("judged", {})])
    batch = _native.evaluate_arrays(plan, np.ones(3), np.ones(3), np.array([0, 0, 2, 2, 3]))
    assert batch.values(0) == [0, 2, 0, 1]
    assert math.isnan(batch.values(1)[0])
    assert (batch.rows, batch.matched, batch.missing, batch.queries) == (3, 3, 0, [])
    nothing = _native.evaluate_arrays(plan, np.ones((0, 4)), np.ones((0, 4)))
    assert nothing.values(0) == []


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_numbers_that_are_not_finite_are_named(bad: float, dtype: str) -> None:
    labels, scores = (array.astype(dtype) for array in grid(8))
    for threads in (1, 3):
        for row in (0, 5000, 16_099):
            broken = scores.copy()
            broken.ravel()[row:] = bad
            with pytest.raises(InputError, match=rf"scores, row {row}: not"):
                evaluate(labels, broken, threads=threads)
            broken = labels.copy()
            broken.ravel()[row] = bad
            with pytest.raises(InputError, match=rf"labels, row {row}: not"):
                evaluate(broken, scores, threads=threads)
            with pytest.raises(InputError, match=rf"labels, row {row}: not"):
                _native.pooled_auc(broken.ravel(), scores.ravel(), 1.0, threads)


@pytest.mark.parametrize(
    ("labels", "scores", "offsets", "message"),
    [
        (np.ones(3), np.ones(4), None, "differ in shape: 3 and 4"),
        (np.ones((2, 3)), np.ones(6), None, "differ in shape"),
        (np.ones((2, 3)), np.ones((2, 3)), np.array([0, 6]), "take no offsets"),
        (np.ones((1, 1, 1)), np.ones((1, 1, 1)), None, "one or two dimensions, not 3"),
        (np.ones(3), np.ones(3), np.array([0, 2]), "from 0 to the number of rows, 3"),
        (np.ones(3), np.ones(3), np.array([1, 3]), "from 0 to the number of rows"),
        (np.ones(3), np.ones(3), np.array([0, 2, 1, 3]), "must rise"),
        (np.ones(3), np.ones(3), np.array([], dtype=np.int64), "must rise"),
        (np.ones(3), np.ones(3, dtype="c16"), None, "scores are neither"),
        (np.ones(3, dtype="f2"), np.ones(3), None, "labels are neither"),
    ],
)
def test_arrays_that_do_not_fit(
    labels: NDArray[Any], scores: NDArray[Any], offsets: Any, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        evaluate(labels, scores, offsets)
    assert message in str(caught.value)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "int64"])
@pytest.mark.parametrize("least", [-2, 0, 3])
@pytest.mark.parametrize("size", [7, 240, 2000])
def test_facts_about_labels(dtype: str, least: int, size: int) -> None:
    random = np.random.default_rng(size + least)
    for scale in (1, 1 if "int" in dtype else 4):
        labels = (random.integers(least, 10, (6, size)) / scale).astype(dtype)
        labels[0] = np.clip(labels[0], 0, 3).round()
        for name in ("ndcg", "auc"):
            plan = _native.Plan([(name, {})], _native.Rules(ties="input"))
            for threads in (1, 2):
                batch = _native.evaluate_arrays(plan, labels, labels * 0.5, None, threads)
                between = int(((labels > 0) & (labels < 1)).sum())
                below = int((labels < 0).sum())
                assert batch.label_facts == (labels.max(), between, below, labels.min())


def test_facts_about_labels_of_very_many_rows_and_of_none() -> None:
    labels = np.arange(200_000) % 9 / 4 - 0.5
    kernels: list[tuple[str, dict[str, Any]]] = [("auc", {"rel": 1.0}), ("auc", {"rel": 1.5})]
    plan = _native.Plan(kernels, _native.Rules(ties="input"))
    batch = _native.evaluate_arrays(plan, labels, np.cos(labels), None, 2)
    between = int(((labels > 0) & (labels < 1)).sum())
    assert batch.label_facts == (1.5, between, int((labels < 0).sum()), -0.5)
    nothing = _native.evaluate_arrays(plan, labels[:0], labels[:0], np.array([0, 0]), 1)
    assert all(math.isnan(nothing.label_facts[place]) for place in (0, 3))
    assert nothing.label_facts[1:3] == (0, 0)


ORDERED = """
import hashlib, numpy as np
from relyon import _native
random = np.random.default_rng(8)
found = hashlib.sha256()
for size in (1, 7, 16, 33, 48, 49, 64, 100, 129, 383, 384, 385):
    labels = random.integers(0, 5, (30, size)).astype(float)
    plain = random.normal(size=labels.shape)
    lists = [plain, plain.round(1), plain.round(), np.exp(60 * plain), plain * 5e-324, 0 * plain]
    lists += [1 + np.round(plain * 20) * 2.0**-52, plain.clip(-2, 2) * 8e307]
    for scores in [*lists, np.where(random.random(labels.shape) < 0.02, 1e9, plain)]:
        kernels = [(name, {}) for name in ("dcg", "ndcg", "ap", "pnr", "tau", "auc")]
        kernels[1] = ("ndcg", {"k": 10})
        for ties in ("input", "worst"):
            plan = _native.Plan(kernels, _native.Rules(ties=ties))
            batch = _native.evaluate_arrays(plan, labels, scores)
            for place in range(len(kernels)):
                found.update(batch.arrays(place)[0].tobytes())
print(_native.simd(), found.hexdigest())
"""


def test_instruction_sets_order_alike() -> None:
    said = {}
    for lanes in ("scalar", "avx2", ""):
        done = subprocess.run(
            [sys.executable, "-c", ORDERED],
            env={**os.environ, "RELYON_SIMD": lanes},
            capture_output=True,
            text=True,
            check=True,
        )
        name, found = done.stdout.split()
        said[name] = found
    assert len(set(said.values())) == 1
    assert platform.machine() not in ("x86_64", "AMD64") or "sse2" in said or os.name == "nt"


@pytest.mark.parametrize("shape", ["plain", "rounded", "skewed", "tiny", "huge", "nearly", "far"])
@pytest.mark.parametrize("size", [5, 48, 49, 100, 257, 384])
def test_order_is_that_of_the_scores(shape: str, size: int) -> None:
    random = np.random.default_rng(size)
    plain = random.normal(size=(40, size))
    scores = {
        "plain": plain,
        "rounded": plain.round(1),
        "skewed": np.exp(60 * plain),
        "tiny": plain * 5e-324,
        "huge": plain.clip(-2, 2) * 8e307,
        "nearly": 1 + np.round(plain * 20) * 2.0**-52,
        "far": np.where(
            np.arange(size) < 2, [[-1e12, 1e12] * (size // 2) + [0] * (size % 2)], plain
        ),
    }[shape]
    labels = random.integers(0, 5, scores.shape).astype(float)
    order = np.argsort(-scores, axis=1, kind="stable")
    discounts = np.log2(np.arange(size) + 2)
    gains = np.take_along_axis(labels, order, 1) / discounts
    plan = _native.Plan([("dcg", {})], _native.Rules(ties="input"))
    found = np.array(_native.evaluate_arrays(plan, labels, scores).values(0))
    wanted = np.add.accumulate(gains, axis=1)[:, -1]
    assert found.tolist() == wanted.tolist()


def test_results_outlive_their_batch() -> None:
    labels, scores = grid(9)
    batch = _native.evaluate_arrays(_native.Plan(KERNELS), labels, scores)
    values = batch.arrays(0)[0]
    kept = values.copy()
    del batch
    assert np.array_equal(values, kept, equal_nan=True)
    with pytest.raises(IndexError):
        _native.evaluate_arrays(_native.Plan([]), labels, scores).values(0)


def slow_auc(labels: NDArray[Any], scores: NDArray[Any], threshold: float) -> float:
    positive, negative = scores[labels >= threshold], scores[labels < threshold]
    below = np.searchsorted(np.sort(negative), positive, "left").sum()
    up_to = np.searchsorted(np.sort(negative), positive, "right").sum()
    return float((int(below) + int(up_to)) / 2 / (len(positive) * len(negative)))


@pytest.mark.parametrize("share", [0.001, 0.05, 0.5, 0.97])
@pytest.mark.parametrize(
    "shape", ["normal", "float32", "ties", "constant", "wide", "signs", "one far", "whole"]
)
def test_pooled_auc(share: float, shape: str) -> None:
    random = np.random.default_rng(11)
    size = 60_000
    labels = (random.random(size) < share).astype(np.int8)
    normal = random.normal(size=size) + labels
    scores = {
        "normal": normal,
        "float32": normal.astype(np.float32).astype(np.float64),
        "ties": np.round(normal, 1),
        "constant": np.full(size, 0.25),
        "wide": np.exp(normal * 100),
        "signs": np.where(random.random(size) < 0.5, -0.0, 0.0) + (normal > 1),
        "one far": np.where(np.arange(size) == 7, 1e300, normal),
        "whole": np.round(normal * 3).astype(np.int64),
    }[shape]
    wanted = slow_auc(labels, scores, 1)
    for threads in (1, 2, 5):
        assert _native.pooled_auc(labels, scores, 1.0, threads) == wanted
    plan = _native.Plan([("auc", {})], _native.Rules(ties="input"))
    groups = np.array([0, 1, 500, size])
    assert _native.evaluate_arrays(plan, labels, scores, groups).total(0).auc() == wanted


def test_pooled_auc_of_one_class() -> None:
    assert math.isnan(_native.pooled_auc(np.ones(3), np.ones(3), 1.0))
    assert math.isnan(_native.pooled_auc(np.zeros(0), np.zeros(0), 1.0))
    with pytest.raises(InputError, match="differ in length: 2 and 3"):
        _native.pooled_auc(np.ones(2), np.ones(3), 1.0)


def test_a_million_documents_in_one_query() -> None:
    """Counts of a permutation that are known in closed form; pair by pair it would take hours."""
    size = 1_000_000
    scores = np.arange(size, dtype=np.float64)
    blocks = 1000
    # Within each block the order is reversed: all other pairs are right.
    labels = (np.arange(size) // blocks * blocks + (blocks - 1 - np.arange(size) % blocks)).astype(
        np.int64
    )
    negative = size // blocks * (blocks * (blocks - 1) // 2)
    shuffle = np.random.default_rng(0).permutation(size)
    plan = _native.Plan([("pnr", {}), ("tau", {})], _native.Rules(ties="input"))
    batch = _native.evaluate_arrays(plan, labels[shuffle], scores[shuffle])
    pairs = size * (size - 1) // 2
    assert [array[0] for array in batch.arrays(0)[1:]] == [pairs - negative, negative]
    assert batch.values(1)[0] == pytest.approx(1 - 2 * negative / pairs, abs=1e-12)


def test_few_grades_over_a_million_documents() -> None:
    size = 1_000_000
    random = np.random.default_rng(1)
    labels = random.integers(0, 5, size)
    scores = random.integers(0, 3, size).astype(np.float64)
    plan = _native.Plan([("pnr", {"label_ties": "ignore"})], _native.Rules(ties="input"))
    table = np.array(
        [[int(((labels == y) & (scores == s)).sum()) for y in range(5)] for s in range(3)]
    )
    positive = negative = 0
    for high in range(3):
        for low in range(high):
            for one in range(5):
                positive += int(table[high, one]) * int(table[low, :one].sum())
                negative += int(table[high, one]) * int(table[low, one + 1 :].sum())
    batch = _native.evaluate_arrays(plan, labels, scores)
    assert [array[0] for array in batch.arrays(0)[1:]] == [positive, negative]


def test_groups_that_are_contiguous_keep_their_order() -> None:
    for ids in ([1, 1, 2, 5, 5], [9, 9, 2, 5], [7], []):
        offsets, order = _native.group_offsets(np.array(ids, dtype=np.int64))
        assert order is None
        starts = [i for i in range(len(ids)) if i == 0 or ids[i] != ids[i - 1]]
        assert offsets.tolist() == [*starts, len(ids)]


def test_scattered_groups_are_brought_together() -> None:
    ids = np.random.default_rng(2).integers(-5, 40, 1000)
    offsets, order = _native.group_offsets(ids)
    assert order is not None
    first_seen = list(dict.fromkeys(ids.tolist()))
    wanted = [row for one in first_seen for row in range(1000) if ids[row] == one]
    assert order.tolist() == wanted
    assert ids[order][offsets[:-1]].tolist() == first_seen
    assert offsets[-1] == 1000
