"""The metric in ragas, and what ragas's own metrics return."""

from __future__ import annotations

import asyncio
import doctest
import math
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.hosts.packages import host
from tests.hosts.pages import run_examples

import relyon

ragas = host("ragas")
metrics = host("ragas.metrics", package="ragas")

from relyon.compat.ragas import RelevanceMetric, RelevanceScore  # noqa: E402


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has ragas keep its number of the user, which it makes even if it counts nothing, here."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def sample(found: list[Any], reference: list[Any], query: str | None = None) -> Any:
    return ragas.SingleTurnSample(
        user_input=query, retrieved_context_ids=found, reference_context_ids=reference
    )


def ours(measure: str, found: list[Any], reference: list[Any], **options: Any) -> float:
    metric = RelevanceMetric(measure, **options)
    return float(metric.single_turn_score(sample(found, reference)))


def theirs(kind: str, found: list[Any], reference: list[Any]) -> float:
    return float(getattr(metrics, kind)().single_turn_score(sample(found, reference)))


def test_the_documented_ndcg_is_wrong() -> None:
    """ragas#2816 promises .9307 for this list; it is 1.5 ÷ 1.6309. Neither is in ragas 0.4.3."""
    assert not any("NDCG" in name.upper() for name in dir(metrics))
    found, reference = ["doc_1", "doc_3", "doc_7", "doc_2", "doc_9"], ["doc_1", "doc_7"]
    right = (1 + 1 / math.log2(4)) / (1 + 1 / math.log2(3))
    assert ours("ndcg@5", found, reference) == pytest.approx(right)
    assert right == pytest.approx(0.9197, abs=5e-5)
    assert ours("rr", found, reference) == 1.0
    assert ours("p@5", found, reference) == pytest.approx(0.4)
    assert ours("recall@5", found, reference) == 1.0


def test_their_metrics_of_ids_do_not_see_the_order() -> None:
    found = ["x", "y", "z", "a"]
    assert theirs("IDBasedContextPrecision", found, ["a"]) == 0.25
    assert theirs("IDBasedContextPrecision", found[::-1], ["a"]) == 0.25
    assert ours("ap", found, ["a"]) == 0.25
    assert ours("ap", found[::-1], ["a"]) == 1.0


def test_their_precision_does_not_see_repeats() -> None:
    """Three copies of one relevant chunk and a wrong one: .5 there, one of four places here."""
    found = ["a", "a", "a", "x"]
    assert theirs("IDBasedContextPrecision", found, ["a"]) == 0.5
    assert ours("p@4", found, ["a"]) == 0.25


def test_nothing_found_is_0() -> None:
    """Theirs is NaN, which their mean leaves out: what finds nothing does not lower it."""
    assert math.isnan(theirs("IDBasedContextPrecision", [], ["a"]))
    assert ours("p@5", [], ["a"]) == 0.0
    assert ours("ndcg@5", [], ["a"]) == 0.0
    assert math.isnan(ours("ndcg@5", ["a"], []))


def test_a_missing_context_lowers_average_precision() -> None:
    """ragas's context precision divides by what was found; and ragas#2909: never exactly 1."""
    calculate = metrics.NonLLMContextPrecisionWithReference._calculate_average_precision
    assert calculate(None, [1]) == pytest.approx(1 - 1e-10, abs=1e-12)
    assert calculate(None, [1]) < 1.0
    assert ours("ap", ["a"], ["a"]) == 1.0
    assert ours("ap", ["a"], ["a", "b", "c"]) == pytest.approx(1 / 3)


def test_ids_are_compared_as_text() -> None:
    assert ours("rr", ["x", 7], ["7"]) == 0.5


def test_ragas_evaluates_with_it() -> None:
    samples = [
        sample(["x", "a", "a"], ["a"], "first"),
        sample([], ["a"], "second"),
        sample(["c"], [], "third"),
    ]
    dataset = ragas.EvaluationDataset(samples=samples)
    asked = [RelevanceMetric(name) for name in ("ndcg@5", "rr", "recall@5")]
    found = ragas.evaluate(dataset, metrics=asked, show_progress=False, raise_exceptions=True)
    assert found["rr"] == pytest.approx([0.5, 0.0, math.nan], nan_ok=True)
    assert found["recall@5"] == pytest.approx([1.0, 0.0, math.nan], nan_ok=True)
    means = found._repr_dict
    judgments = {"1": {"a": 1}, "2": {"a": 1}}
    wanted = relyon.evaluate(
        judgments, {"1": {"x": 3, "a": 2, "z": 1}, "2": {}}, ["ndcg@5", "rr", "recall@5"]
    )
    assert means == {name: pytest.approx(wanted[name]) for name in wanted}


def test_grades() -> None:
    metric = RelevanceMetric("ndcg@10", grades={"q": {"a": 1, "x": 3}})
    assert metric.single_turn_score(sample(["x", "a"], ["a"], "q")) == 1.0
    low = metric.single_turn_score(sample(["a", "x"], ["a"], "q"))
    wanted = relyon.evaluate({"q": {"a": 1, "x": 3}}, {"q": {"a": 2, "x": 1}}, "ndcg@10")
    assert low == wanted["ndcg@10"]
    assert asyncio.run(metric.single_turn_ascore(sample(["x", "a"], ["a"], "q"))) == 1.0
    with pytest.raises(relyon.InputError, match="no grades are known for the query 'r'"):
        metric.single_turn_score(sample(["a"], ["a"], "r"))
    dataset = ragas.EvaluationDataset(samples=[sample(["a"], ["a"])])
    with pytest.raises(ValueError, match="user_input"):
        ragas.evaluate(dataset, metrics=[metric], show_progress=False)


def test_an_experiment_of_ragas() -> None:
    ndcg = RelevanceScore("ndcg@5")
    rows = ragas.Dataset("questions", backend="inmemory")
    rows.append({"found": ["x", "a"], "reference": ["a"]})
    rows.append({"found": [], "reference": ["a"]})

    @ragas.experiment()  # type: ignore[untyped-decorator]
    async def search(row: dict[str, Any]) -> dict[str, Any]:
        score = await ndcg.ascore(row["found"], row["reference"])
        return {"found": len(row["found"]), "score": score.value, "reason": score.reason}

    done = list(asyncio.run(search.arun(rows)))  # in the order in which they end
    scores = {row["found"]: row["score"] for row in done}
    assert scores == {2: ours("ndcg@5", ["x", "a"], ["a"]), 0: 0.0}
    assert done[0]["reason"] == "ndcg(gain=linear,discount=log2,ideal=judged)@5"
    graded = RelevanceScore("dcg@5", grades={"q": {"a": 3}})
    assert (
        graded.score(retrieved_context_ids=["a"], reference_context_ids=["a"], user_input="q").value
        == 3.0
    )


def test_bad_input() -> None:
    with pytest.raises(relyon.InputError, match="the sample has no `reference_context_ids`"):
        RelevanceMetric("rr").single_turn_score(ragas.SingleTurnSample(retrieved_context_ids=["a"]))
    with pytest.raises(relyon.ParameterError, match="highest grade"):
        RelevanceMetric("err@10")
    assert RelevanceMetric("rr", name="reciprocal rank").name == "reciprocal rank"


def test_docstrings() -> None:
    found = doctest.testmod(import_module("relyon.compat.ragas"))
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize("page", ["rag-hosts.md", "zh/rag-hosts.md"])
def test_page(page: str, tmp_path: Path) -> None:
    run_examples(page, "ragas", folder=tmp_path)
