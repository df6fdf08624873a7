"""`Relevance`, where torchmetrics is not needed."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import relyon
from relyon.core.errors import InputError, UnknownNameError

torch = pytest.importorskip("torch")
torch.set_num_threads(1)


@pytest.fixture(scope="module")
def metric_class() -> Iterator[Any]:
    """The class as it is without torchmetrics, whether that is installed or not."""
    names = ["torchmetrics", "relyon.ltr.torch.states", "relyon.ltr.torch.relevance"]
    before = {name: sys.modules.pop(name, None) for name in names}
    sys.modules["torchmetrics"] = None  # type: ignore[assignment]
    from relyon.ltr.torch.relevance import Relevance

    yield Relevance
    for name, module in before.items():
        sys.modules.pop(name, None)
        if module is not None:
            sys.modules[name] = module


def rows(seed: int = 2, count: int = 60) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    scores, grades = np.round(rng.normal(size=count), 1), rng.integers(0, 3, count)
    return torch.tensor(scores), torch.tensor(grades), torch.tensor(rng.integers(0, 7, count))


def test_batches_equal_the_whole(metric_class: Any) -> None:
    scores, grades, queries = rows()
    names = ["ndcg@5", "ap", "pnr"]
    wanted = relyon.evaluate_scores(grades.numpy(), scores.numpy(), queries.numpy(), names)
    metric = metric_class(names)
    for part in np.array_split(np.random.default_rng(0).permutation(60), 7):
        metric.update(scores[part], grades[part], queries[part])
    assert {name: float(value) for name, value in metric.compute().items()} == dict(wanted)
    one, two = metric_class(names), metric_class(names)
    one.update(scores[:31], grades[:31], queries[:31])
    two.update(scores[31:], grades[31:], queries[31:])
    one.merge_state(two)
    assert {name: float(value) for name, value in one.compute().items()} == dict(wanted)
    assert copy.deepcopy(one).compute() == one.compute()
    one.reset()
    value = one(scores, grades, queries)
    assert {name: float(number) for name, number in value.items()} == dict(wanted)
    one.reset()
    with pytest.raises(InputError, match="has no rows"):
        one.compute()


def test_order_of_rows_counts_with_ties_of_input_only(metric_class: Any) -> None:
    scores, grades = torch.zeros(3), torch.tensor([0, 1, 0])
    queries = torch.zeros(3, dtype=torch.long)
    metric = metric_class("rr", convention={"ties": "input"})
    metric.update(scores, grades, queries)
    assert float(metric.compute()) == 0.5
    metric = metric_class("rr")
    metric.update(scores, grades, queries)
    assert float(metric.compute()) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)


def test_rows_that_were_not_retrieved_and_ignored_ones(metric_class: Any) -> None:
    scores = torch.tensor([2.0, 1.0, -torch.inf, 9.0, -torch.inf])
    grades = torch.tensor([0, 3, 2, -100, 1])
    queries = torch.tensor([4, 4, 4, 4, 5])
    metric = metric_class(["ndcg@10", "recall@10"], ignore_index=-100)
    metric.update(scores, grades, queries)
    judged = {"4": {"a": 0, "b": 3, "c": 2}, "5": {"a": 1}}
    wanted = relyon.evaluate(judged, {"4": {"a": 2.0, "b": 1.0}}, ["ndcg@10", "recall@10"])
    assert {name: float(value) for name, value in metric.compute().items()} == dict(wanted)
    assert metric.results().values_by_query("ndcg@10")["5"] == 0.0


def test_lower_values_may_be_better(metric_class: Any) -> None:
    assert metric_class("ndcg@10").higher_is_better is True
    assert metric_class("rbp_residual").higher_is_better is False
    assert metric_class(["ndcg@10", "rbp_residual"]).higher_is_better is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (([1.0, 2.0], [1], [0, 0]), "`target` and scores differ in shape"),
        (([1.0], [1], [0, 0]), "`indexes` and scores differ in shape"),
        (([1.0, 2.0], [1, 0], [0.0, 0.0]), "`indexes` must be whole numbers"),
        (([1.0, float("nan")], [1, 0], [0, 0]), "`preds` contains NaN"),
        (([1.0, float("inf")], [1, 0], [0, 0]), "`preds` contains NaN or"),
    ],
)
def test_errors(metric_class: Any, given: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        metric_class().update(*map(torch.tensor, given))


def test_unknown_measure(metric_class: Any) -> None:
    with pytest.raises(UnknownNameError):
        metric_class("nngc@10")
