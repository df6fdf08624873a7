"""The metric in LlamaIndex, and what LlamaIndex's own metrics return."""

from __future__ import annotations

import doctest
import math
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from tests.hosts.packages import host
from tests.hosts.pages import run_examples

import relyon

metrics = host("llama_index.core.evaluation.retrieval.metrics", package="llama-index-core")
evaluation = host("llama_index.core.evaluation", package="llama-index-core")
schema = host("llama_index.core.schema", package="llama-index-core")
retrievers = host("llama_index.core.retrievers", package="llama-index-core")

from relyon.compat.llama_index import RelevanceMetric, register  # noqa: E402

LOG3 = math.log2(3)

#: Lists without repeats, of which all programs say the same.
IDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8, unique=True)


class Lists(retrievers.BaseRetriever):  # type: ignore[name-defined,misc]
    """A retriever of fixed lists."""

    def __init__(self, lists: dict[str, list[str]]) -> None:
        super().__init__()
        self.lists = lists

    def _retrieve(self, query_bundle: Any) -> list[Any]:
        return [
            schema.NodeWithScore(node=schema.TextNode(id_=one, text=one), score=0.5)
            for one in self.lists[query_bundle.query_str]
        ]


def theirs(kind: str, expected: list[str], found: list[str], **options: Any) -> Any:
    metric = getattr(metrics, kind)(**options)
    return metric.compute(expected_ids=expected, retrieved_ids=found).score


def ours(measure: str, expected: list[str], found: list[str], **options: Any) -> Any:
    metric = RelevanceMetric(measure=measure, **options)
    return metric.compute(expected_ids=expected, retrieved_ids=found).score


def test_a_repeated_node_counts_once() -> None:
    """llama_index#22683, open in 0.14.25: fusion retrievers return a node twice."""
    expected, found = ["id1"], ["id1", "id1"]
    assert theirs("NDCG", expected, found) == pytest.approx(1 + 1 / LOG3)
    assert theirs("AveragePrecision", expected, found) == 2.0
    assert theirs("HitRate", expected, found, use_granular_hit_rate=True) == 2.0
    assert theirs("MRR", expected, found, use_granular_mrr=True) == 0.75
    assert ours("ndcg@10", expected, found) == 1.0
    assert ours("ap", expected, found) == 1.0
    assert ours("recall@10", expected, found) == 1.0
    assert ours("rr", expected, found) == 1.0


def test_half_of_what_was_expected_is_not_all_of_it() -> None:
    """Below 1 nobody sees it: one of two nodes, twice, is 1 in theirs."""
    expected, found = ["id1", "id2"], ["id1", "id1"]
    assert theirs("NDCG", expected, found) == 1.0
    assert theirs("AveragePrecision", expected, found) == 1.0
    assert ours("ndcg@10", expected, found) == pytest.approx(1 / (1 + 1 / LOG3))
    assert ours("ap", expected, found) == 0.5


def test_a_repeated_expected_id_counts_once() -> None:
    """llama_index#22683: their ideal list is of the list, their gains of the set."""
    assert theirs("NDCG", ["a", "a"], ["a"]) == pytest.approx(1 / (1 + 1 / LOG3))
    assert ours("ndcg@10", ["a", "a"], ["a"]) == 1.0


def test_nothing_found_is_0() -> None:
    """Theirs raises an error, which ends the evaluation of all queries."""
    with pytest.raises(ValueError, match="must be provided"):
        theirs("NDCG", ["a"], [])
    assert ours("ndcg@10", ["a"], []) == 0.0
    assert math.isnan(ours("ndcg@10", [], ["a"]))


def test_the_mode_of_their_ndcg_changes_nothing() -> None:
    """`exponential` is without effect, for their labels are 0 and 1; ours are graded."""
    linear, exponential = (
        theirs("NDCG", ["a", "b"], ["b", "x", "a"], mode=mode) for mode in ("linear", "exponential")
    )
    assert linear == exponential
    grades = {"q": {"a": 3.0, "b": 1.0}}
    found = [
        RelevanceMetric(measure=name, grades=grades).compute("q", ["a", "b"], ["b", "x", "a"]).score
        for name in ("ndcg@10", "ndcg(gain=exp)@10")
    ]
    run = {"q": {"b": 3, "x": 2, "a": 1}}
    wanted = relyon.evaluate(grades, run, ["ndcg@10", "ndcg(gain=exp)@10"])
    assert found == list(wanted.values())
    assert found[0] > found[1]


@pytest.mark.parametrize(
    ("kind", "measure"),
    [
        ("NDCG", "ndcg"),
        ("AveragePrecision", "ap"),
        ("MRR", "rr"),
        ("HitRate", "success@all"),
        ("Precision", "p@4"),
        ("Recall", "recall@all"),
    ],
)
def test_the_same_numbers_where_both_are_right(kind: str, measure: str) -> None:
    expected, found = ["a", "b", "c"], ["x", "b", "y", "a"]
    assert ours(measure, expected, found) == pytest.approx(theirs(kind, expected, found))


@settings(max_examples=30)
@given(IDS, IDS)
def test_the_same_numbers_of_any_list(expected: list[str], found: list[str]) -> None:
    for kind, measure in (("NDCG", "ndcg"), ("AveragePrecision", "ap"), ("MRR", "rr")):
        value = theirs(kind, expected, found)
        assert ours(measure, expected, found) == pytest.approx(value), kind


def test_the_evaluator_takes_names_and_metrics() -> None:
    assert register("NDCG@10", "recall@5") == ["ndcg@10", "recall@5"]
    assert register("ndcg@10") == ["ndcg@10"]  # again, as in a notebook
    retriever = Lists({"q": ["a", "x", "a"]})
    evaluator = evaluation.RetrieverEvaluator.from_metric_names(
        ["ndcg@10", "mrr", "recall@5"], retriever=retriever
    )
    found = evaluator.evaluate("q", ["a", "b"]).metric_vals_dict
    assert found == {
        "ndcg@10": pytest.approx(1 / (1 + 1 / LOG3)),
        "mrr": 1.0,
        "recall@5": 0.5,
    }
    metric = RelevanceMetric(measure="rr", grades={"q": {"x": 2, "a": 0}})
    evaluator = evaluation.RetrieverEvaluator(metrics=[metric], retriever=retriever)
    result = evaluator.evaluate("q", ["x"])
    assert result.metric_vals_dict == {"rr": 0.5}
    assert result.metric_dict["rr"].metadata == {"measure": "rr(rel=1)"}


def test_the_mean_of_queries_is_that_of_evaluate() -> None:
    queries = {"first": ["a"], "second": ["b"], "third": ["b"]}
    retriever = Lists({"first": ["a"], "second": ["a", "b"], "third": []})
    metric = RelevanceMetric(measure="rr")
    evaluator = evaluation.RetrieverEvaluator(metrics=[metric], retriever=retriever)
    values = [evaluator.evaluate(*one).metric_vals_dict["rr"] for one in queries.items()]
    assert values == [1.0, 0.5, 0.0]
    run = {"first": {"a": 1}, "second": {"a": 2, "b": 1}, "third": {}}
    judgments = {query: dict.fromkeys(ids, 1) for query, ids in queries.items()}
    assert relyon.evaluate(judgments, run, "rr")["rr"] == sum(values) / 3


def test_bad_input() -> None:
    with pytest.raises(relyon.ParameterError, match="LlamaIndex has a metric `ndcg` of its own"):
        register("ndcg")
    with pytest.raises(relyon.UnknownNameError, match="did you mean"):
        RelevanceMetric(measure="ndgc@10")
    with pytest.raises(relyon.ParameterError, match="highest grade"):
        RelevanceMetric(measure="err@10")
    metric = RelevanceMetric(measure="rr", grades={"q": {"a": 1}})
    with pytest.raises(relyon.InputError, match="no grades are known for the query 'r'"):
        metric.compute("r", ["a"], ["a"])
    with pytest.raises(relyon.InputError, match="the expected document `b` has no grade"):
        metric.compute("q", ["b"], ["a"])


def test_docstrings() -> None:
    found = doctest.testmod(import_module("relyon.compat.llama_index"))
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize("page", ["rag-hosts.md", "zh/rag-hosts.md"])
def test_page(page: str, tmp_path: Path) -> None:
    run_examples(page, "LlamaIndex", folder=tmp_path)
