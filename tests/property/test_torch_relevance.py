"""Rows of a metric of PyTorch: however they are split, the bits are those of the whole."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import relyon

torch = pytest.importorskip("torch")

from relyon.ltr.torch import Relevance  # noqa: E402

MEASURES = ["ndcg@3", "ap", "rr", "recall@2", "pnr"]

#: Few different scores, so that most are tied; a score of -inf was judged and not retrieved.
ROWS = st.lists(
    st.tuples(
        st.sampled_from([-1.5, 0.0, 0.1, 0.25, 1e-9, 3.0]),
        st.integers(0, 3),
        st.sampled_from([0, 1, 7, 2**40]),
    ),
    min_size=1,
    max_size=30,
)


def bits(values: dict[str, Any]) -> dict[str, str]:
    return {name: float(value).hex() for name, value in values.items()}


@given(rows=ROWS, data=st.data())
def test_splits_and_orders_change_no_bit(rows: list[Any], data: st.DataObject) -> None:
    scores, grades, queries = (np.array(column) for column in zip(*rows, strict=True))
    wanted = relyon.evaluate_scores(grades, scores, queries, MEASURES)
    order = np.array(data.draw(st.permutations(range(len(rows)))))
    ends = data.draw(st.lists(st.integers(0, len(rows)), max_size=4).map(sorted))
    parts = np.split(order, ends)
    metrics = [Relevance(MEASURES), Relevance(MEASURES)]
    for number, part in enumerate(parts):
        given_part = (torch.tensor(one[part]) for one in (scores, grades, queries))
        metrics[number % 2].update(*given_part)
    metrics[0].merge_state(metrics[1])
    once = Relevance(MEASURES)
    once.update(*(torch.tensor(one) for one in (scores, grades, queries)))
    assert bits(metrics[0].compute()) == bits(once.compute())
    for name, value in once.compute().items():
        same = math.isnan(wanted[name]) and math.isnan(value)
        assert same or float(value) == pytest.approx(wanted[name], rel=1e-14, abs=0)


@given(rows=ROWS, lost=st.lists(st.booleans(), min_size=30, max_size=30))
def test_lost_rows_are_judgments_without_results(rows: list[Any], lost: list[bool]) -> None:
    names = ["ndcg@3", "recall@2", "ap"]
    metric = Relevance(names)
    judged: dict[int, dict[int, int]] = {}
    run: dict[int, dict[int, float]] = {}
    for number, (score, grade, query) in enumerate(rows):
        judged.setdefault(query, {})[number] = grade
        if not lost[number]:
            run.setdefault(query, {})[number] = score
    scores = [-math.inf if lost[number] else row[0] for number, row in enumerate(rows)]
    metric.update(
        torch.tensor(scores, dtype=torch.float64),
        torch.tensor([row[1] for row in rows]),
        torch.tensor([row[2] for row in rows]),
    )
    wanted = relyon.evaluate(judged, run, names, convention={"ties": "expected"})
    for name, value in metric.compute().items():
        same = math.isnan(wanted[name]) and math.isnan(value)
        assert same or float(value) == pytest.approx(wanted[name], rel=1e-14, abs=0)
