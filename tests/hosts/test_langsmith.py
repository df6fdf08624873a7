"""The evaluators in LangSmith's runner, which has no network here."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock
from uuid import uuid4

import pytest
from tests.hosts.packages import host
from tests.hosts.pages import run_examples

import relyon
from relyon.compat.langsmith import relevance_evaluator, summary_evaluator

langsmith = host("langsmith")
schemas = host("langsmith.schemas", package="langsmith")

JUDGED: dict[str, Any] = {"shoes": {"a": 3, "b": 2}, "hats": ["b"], "tea": [], "down": ["z"]}
FOUND: dict[str, Any] = {
    "shoes": ["b", "a", "a"],
    "hats": [{"id": "x", "text": "…"}, {"id": "b", "text": "…"}],
    "tea": ["x"],
}


def client() -> Any:
    """Returns a client that sends nothing: any request would raise."""
    session = MagicMock()
    session.request.side_effect = AssertionError("a request was sent")
    return langsmith.Client(api_key="none", session=session, auto_batch_tracing=False, info={})


def examples(judged: dict[str, Any]) -> list[Any]:
    return [
        schemas.Example(
            id=uuid4(),
            inputs={"query": query},
            outputs={"relevant": one},
            dataset_id=uuid4(),
            created_at=datetime.datetime.now(datetime.UTC),
        )
        for query, one in judged.items()
    ]


def search(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"document_ids": FOUND[inputs["query"]]}


def test_the_runner_takes_both() -> None:
    found = langsmith.evaluate(
        search,
        data=examples(JUDGED),
        evaluators=[relevance_evaluator("ndcg@10"), relevance_evaluator("rr")],
        summary_evaluators=[summary_evaluator("ndcg@10"), summary_evaluator("rr")],
        upload_results=False,
        client=client(),
    )
    rows = {
        row["example"].inputs["query"]: {
            one.key: one for one in row["evaluation_results"]["results"]
        }
        for row in found
    }
    judgments = {"shoes": {"a": 3, "b": 2}, "hats": {"b": 1}, "down": {"z": 1}}
    run = {"shoes": {"b": 3, "a": 2, "repeat": 1}, "hats": {"x": 2, "b": 1}, "down": {}}
    wanted = relyon.evaluate(judgments, run, ["ndcg@10", "rr"])
    for name in wanted:
        for query, value in wanted.values_by_query(name).items():
            assert rows[query][name].score == value
        assert rows["tea"][name].score is None
        assert "no value" in rows["tea"][name].comment
    summary = {one.key: one.score for one in found._summary_results["results"]}
    assert summary == {name: pytest.approx(value) for name, value in wanted.items()}


def test_a_wrong_key_is_shown_by_the_runner() -> None:
    found = langsmith.evaluate(
        search,
        data=examples({"shoes": ["a"]}),
        evaluators=[relevance_evaluator("rr", retrieved="ids")],
        upload_results=False,
        client=client(),
    )
    (one,) = next(iter(found))["evaluation_results"]["results"]
    assert one.score is None
    assert "no documents are under the key `ids`" in one.comment


@pytest.mark.parametrize("page", ["rag-hosts.md", "zh/rag-hosts.md"])
def test_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("langsmith.run_trees.get_cached_client", lambda **_: client())
    names = {"examples": examples({"shoes": ["a"], "tea": ["x"]}), "search": search}
    run_examples(page, "LangSmith", names, folder=tmp_path)
