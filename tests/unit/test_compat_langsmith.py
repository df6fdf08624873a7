"""LangSmith's shape of evaluators, without the package."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import relyon
from relyon.compat.langsmith import relevance_evaluator, summary_evaluator


def run(found: Any, error: str | None = None) -> SimpleNamespace:
    return SimpleNamespace(outputs={"document_ids": found}, error=error)


def example(judged: Any) -> SimpleNamespace:
    return SimpleNamespace(outputs={"relevant": judged})


def test_a_run_and_its_example() -> None:
    evaluate = relevance_evaluator("RR")
    assert evaluate.__name__ == "rr"
    assert evaluate(run(["x", "a"]), example(["a"])) == {"key": "rr", "score": 0.5}
    assert evaluate({"document_ids": ["x", 7]}, {"relevant": {"7": 1}})["score"] == 0.5


def test_documents_have_ids() -> None:
    evaluate = relevance_evaluator("rr", retrieved="docs", reference="gold")
    found = [{"id": "x", "text": "…"}, SimpleNamespace(id="a")]
    assert evaluate({"docs": found}, {"gold": [{"id": "a"}]})["score"] == 0.5
    with pytest.raises(relyon.InputError, match="a document id is text"):
        evaluate({"docs": [{"text": "…"}]}, {"gold": ["a"]})


def test_a_failed_run_found_nothing() -> None:
    evaluate = relevance_evaluator("rr")
    failed = SimpleNamespace(outputs={"output": None}, error="RuntimeError('down')")
    assert evaluate(failed, example(["a"])) == {"key": "rr", "score": 0.0}
    both = summary_evaluator("rr")([run(["a"]), failed], [example(["a"]), example(["a"])])
    assert both == {"key": "rr", "score": 0.5}


def test_no_value_is_a_comment() -> None:
    found = relevance_evaluator("ndcg@10")(run(["a"]), example([]))
    assert found["score"] is None
    assert "no value" in found["comment"]


def test_a_wrong_key_is_an_error() -> None:
    with pytest.raises(relyon.InputError, match=r"under the key `document_ids`.*docs"):
        relevance_evaluator()({"docs": ["a"]}, {"relevant": ["a"]})
    with pytest.raises(relyon.InputError, match="under the key `relevant`"):
        relevance_evaluator()({"document_ids": ["a"]}, {"relevant": "a"})
    with pytest.raises(relyon.InputError, match="under the key `relevant`"):
        relevance_evaluator()({"document_ids": ["a"]}, SimpleNamespace(outputs=None))


def test_the_summary_sums_pairs() -> None:
    examples = [example({"a": 3, "b": 1}), example({"a": 3, "b": 2, "c": 1})]
    runs = [run(["b", "a"]), run(["a", "b", "c"])]
    assert summary_evaluator("pnr")(runs, examples)["score"] == 3.0
    judgments = {"1": {"a": 3, "b": 1}, "2": {"a": 3, "b": 2, "c": 1}}
    lists = {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 3.0, "b": 2.0, "c": 1.0}}
    assert relyon.evaluate(judgments, lists, "pnr")["pnr"] == 3.0
    one = relevance_evaluator("pnr")(runs[1], examples[1])
    assert one["score"] is None  # infinite: no discordant pair
    assert "inf" in one["comment"]
