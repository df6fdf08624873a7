"""The component in Haystack, and what Haystack's own evaluators return."""

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

haystack = host("haystack", package="haystack-ai")
evaluators = host("haystack.components.evaluators", package="haystack-ai")

from relyon.compat.haystack import RelevanceEvaluator  # noqa: E402

LOG3 = math.log2(3)

#: Lists without repeats, of which all programs say the same.
IDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8, unique=True)


def documents(*contents: str, scores: tuple[float, ...] = ()) -> list[Any]:
    return [
        haystack.Document(content=one, score=score)
        for one, score in zip(contents, scores or [None] * len(contents), strict=True)
    ]


def theirs(kind: str, judged: list[Any], found: list[Any], **options: Any) -> Any:
    evaluator = getattr(evaluators, kind)(**options)
    return evaluator.run(ground_truth_documents=[judged], retrieved_documents=[found])["score"]


def ours(measure: str, judged: list[Any], found: list[Any], **options: Any) -> Any:
    evaluator = RelevanceEvaluator(measure, **options)
    return evaluator.run(ground_truth_documents=[judged], retrieved_documents=[found])["score"]


def test_a_repeated_document_counts_once() -> None:
    """haystack#11959: NDCG was 1.63. It is mended in 3.4.1."""
    judged, found = documents("A", scores=(1.0,)), documents("A", "A")
    assert theirs("DocumentNDCGEvaluator", judged, found) == 1.0
    assert ours("ndcg@10", judged, found) == 1.0
    assert ours("ndcg", documents("A", "B"), found) == pytest.approx(1 / (1 + 1 / LOG3))


def test_a_grade_below_0_does_not_punish() -> None:
    """Their NDCG of a perfect list can be −1 and less: a harmful document has a negative gain."""
    judged, found = documents("A", "B", scores=(-1.0, 1.0)), documents("B", "A")
    assert theirs("DocumentNDCGEvaluator", judged, documents("A", "B")) == pytest.approx(-1.0)
    assert theirs("DocumentNDCGEvaluator", judged, found) == pytest.approx(1.0)
    assert ours("ndcg", judged, documents("A", "B")) == pytest.approx(1 / LOG3)
    assert ours("ndcg", judged, found) == 1.0


def test_their_ndcg_has_no_cutoff() -> None:
    """The first 10 of 20 relevant documents in a perfect order are .645 there, and NDCG@10 is 1."""
    judged = documents(*map(str, range(20)))
    found = judged[:10]
    assert theirs("DocumentNDCGEvaluator", judged, found) == pytest.approx(0.6453673484599424)
    assert ours("ndcg@10", judged, found) == 1.0
    assert ours("ndcg", judged, found) == pytest.approx(0.6453673484599424)


def test_a_query_without_relevant_documents_is_not_0() -> None:
    """Theirs counts 0, and lowers the mean of all others by what nobody can find."""
    judged, found = [documents("A"), []], [documents("A"), documents("B")]
    given = {"ground_truth_documents": judged, "retrieved_documents": found}
    assert evaluators.DocumentNDCGEvaluator().run(**given)["score"] == 0.5
    result = RelevanceEvaluator("ndcg@10").run(**given)
    assert result["score"] == 1.0
    assert result["individual_scores"][0] == 1.0
    assert math.isnan(result["individual_scores"][1])
    zero = RelevanceEvaluator("ndcg@10", convention={"undefined": "zero"})
    judged[1] = documents("C", scores=(0.0,))
    assert zero.run(**given)["score"] == 0.5


@pytest.mark.parametrize(
    ("kind", "measure", "options"),
    [
        ("DocumentNDCGEvaluator", "ndcg", {}),
        ("DocumentMRREvaluator", "rr", {}),
        ("DocumentMAPEvaluator", "ap", {}),
        ("DocumentRecallEvaluator", "recall@all", {"mode": "multi_hit"}),
    ],
)
def test_the_same_numbers_where_both_are_right(
    kind: str, measure: str, options: dict[str, Any]
) -> None:
    judged, found = documents("A", "B", "C"), documents("x", "B", "y", "A")
    assert ours(measure, judged, found) == pytest.approx(theirs(kind, judged, found, **options))


@settings(max_examples=30)
@given(IDS, IDS)
def test_the_same_numbers_of_any_list(expected: list[str], found: list[str]) -> None:
    judged, retrieved = documents(*expected), documents(*found)
    for kind, measure in (
        ("DocumentNDCGEvaluator", "ndcg"),
        ("DocumentMRREvaluator", "rr"),
        ("DocumentMAPEvaluator", "ap"),
    ):
        value = theirs(kind, judged, retrieved)
        assert ours(measure, judged, retrieved) == pytest.approx(value), kind


def test_grades_are_scores() -> None:
    judged = documents("Paris", "France", scores=(2.0, 1.0))
    found = documents("France", "Paris")
    wanted = relyon.evaluate(
        {"q": {"Paris": 2, "France": 1}}, {"q": {"France": 2, "Paris": 1}}, ["ndcg@10"]
    )
    assert ours("ndcg@10", judged, found) == wanted["ndcg@10"]
    assert theirs("DocumentNDCGEvaluator", judged, found) == pytest.approx(wanted["ndcg@10"])


def test_copies_have_the_highest_grade() -> None:
    judged = documents("A", "A", "B", scores=(1.0, 3.0, 2.0))
    assert ours("ndcg@10", judged, documents("A", "B")) == 1.0


def test_what_identifies_a_document() -> None:
    judged = [haystack.Document(content="x", meta={"file": {"id": 7}})]
    found = [
        haystack.Document(content="y", meta={"file": "none"}),
        haystack.Document(content="z", meta={"file": {"id": "7"}}),
    ]
    assert ours("rr", judged, found, document_comparison_field="meta.file.id") == 0.5
    by_id = [haystack.Document(id="d1", content="other")]
    assert ours("rr", by_id, by_id, document_comparison_field="id") == 1.0
    with pytest.raises(relyon.ParameterError, match="no field `title`"):
        RelevanceEvaluator("rr", document_comparison_field="title")


def test_a_pipeline_stores_it() -> None:
    pipeline = haystack.Pipeline()
    settings: dict[str, Any] = {"document_comparison_field": "id", "convention": {"rel": 2}}
    pipeline.add_component("relyon", RelevanceEvaluator("P@1", **settings))
    text = pipeline.dumps()
    again = haystack.Pipeline.loads(text, allowed_modules=["relyon.compat.haystack"])
    assert again.dumps() == text
    given = {
        "ground_truth_documents": [
            [haystack.Document(id="a", score=1.0), haystack.Document(id="b", score=2.0)],
            [haystack.Document(id="a", score=2.0)],
        ],
        "retrieved_documents": [[haystack.Document(id="a")], [haystack.Document(id="a")]],
    }
    found = again.run({"relyon": given})["relyon"]
    assert found == {"score": 0.5, "individual_scores": [0.0, 1.0]}


def test_a_retriever_of_theirs() -> None:
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from haystack.evaluation import EvaluationRunResult

    store = InMemoryDocumentStore()
    store.write_documents(documents("red shoes", "blue shoes", "red hats", "green tea"))
    retriever = InMemoryBM25Retriever(store)
    judged = [documents("red shoes", "blue shoes", scores=(2.0, 1.0)), documents("green tea")]
    queries = ["red shoes", "tea"]
    found = [retriever.run(query, top_k=3)["documents"] for query in queries]
    result = RelevanceEvaluator("ndcg@3").run(judged, found)
    assert result["individual_scores"] == [1.0, 1.0]
    run = EvaluationRunResult("bm25", {"query": queries}, {"ndcg@3": result})
    assert run.aggregated_report()["score"] == [1.0]


def test_bad_input() -> None:
    with pytest.raises(relyon.InputError, match="query 1: some ground-truth documents have a"):
        ours("rr", [*documents("A"), *documents("B", scores=(1.0,))], [])
    with pytest.raises(relyon.InputError, match="1 list of judged documents and 2 lists"):
        RelevanceEvaluator("rr").run([documents("A")], [[], []])
    with pytest.raises(relyon.InputError, match="no judgments"):
        RelevanceEvaluator("rr").run([], [])
    with pytest.raises(relyon.UnknownNameError, match="did you mean"):
        RelevanceEvaluator("ndgc@10")


def test_docstrings() -> None:
    found = doctest.testmod(import_module("relyon.compat.haystack"))
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize("page", ["rag-hosts.md", "zh/rag-hosts.md"])
def test_page(page: str, tmp_path: Path) -> None:
    run_examples(page, "Haystack", folder=tmp_path)
