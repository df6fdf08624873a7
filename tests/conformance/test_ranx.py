"""The preset `ranx`, and the drop-in interface, against ranx."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.programs import needs_compiled_ranx

import relyon
from relyon.compat import ranx as ours

Make = Callable[..., Any]
Evaluate = Callable[..., dict[str, dict[str, float]]]

pytestmark = pytest.mark.filterwarnings("ignore")  # Numba and pandas warn inside ranx

METRICS = ["hits", "hits@5", "hit_rate", "hit_rate@1", "precision", "precision@5", "precision@1000"]
METRICS += ["recall", "recall@10", "f1", "f1@10", "r-precision", "mrr", "mrr@3", "map", "map@100"]
METRICS += ["dcg", "dcg@5", "dcg_burges@10", "ndcg", "ndcg@10", "ndcg_burges", "ndcg_burges@10"]
METRICS += ["rbp.95", "rbp.8", "ndcg@10-l2", "dcg_burges-l2", "map-l2", "precision@5-l3"]
METRICS += ["rbp.8-l2", "hits-l2", "f1@5-l2", "mrr-l3"]


@pytest.fixture(scope="module")
def theirs(peer: Callable[[str], ModuleType]) -> ModuleType:
    return peer("ranx")


def comparable(data: Any) -> Any:
    """Leaves the queries that both sides hold, each with a document: ranx takes no others."""
    data.run = {query: row for query, row in data.run.items() if query in data.judgments}
    data.judgments = {query: row for query, row in data.judgments.items() if query in data.run}
    return data


@pytest.mark.parametrize("kind", [{}, {"lowest": -2}, {"edges": True}], ids=str)
def test_drop_in(kind: dict[str, Any], theirs: ModuleType, inputs: Make) -> None:
    data = comparable(inputs(21, **kind))
    expected = theirs.evaluate(
        theirs.Qrels(data.judgments), theirs.Run(data.run), METRICS, return_mean=False
    )
    found = ours.evaluate(
        ours.Qrels(data.judgments), ours.Run(data.run), METRICS, return_mean=False
    )
    assert list(found) == list(expected)
    for name in METRICS:
        assert isinstance(found[name], np.ndarray)
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12, err_msg=name)
    means = theirs.evaluate(theirs.Qrels(data.judgments), theirs.Run(data.run), METRICS)
    assert ours.evaluate(data.judgments, data.run, METRICS) == pytest.approx(means, rel=1e-12)


def test_bpref(theirs: ModuleType, inputs: Make) -> None:
    data = comparable(inputs(22))
    data.judgments["q5"] = dict.fromkeys(data.judgments["q5"], 1)
    data.run["q5"] |= dict.fromkeys(list(data.judgments["q5"])[:1], 1.0)
    expected = theirs.evaluate(
        theirs.Qrels(data.judgments), theirs.Run(data.run), ["bpref", "map"], return_mean=False
    )
    found = ours.evaluate(
        ours.Qrels(data.judgments), ours.Run(data.run), ["bpref", "map"], return_mean=False
    )
    np.testing.assert_allclose(found["bpref"], expected["bpref"], rtol=1e-12)
    assert math.isnan(found["bpref"][ours.Qrels(data.judgments).keys().index("q5")])  # 0/0
    own = relyon.evaluate(data.judgments, data.run, ["bpref"], convention="ranx")
    assert own.values_by_query("bpref")["q5"] > 0  # each retrieved one is preferred, as trec_eval


@needs_compiled_ranx
def test_bpref_of_later_queries_is_lost_there(theirs: ModuleType) -> None:
    judgments = {f"q{number}": {"a": 1, "b": 0} for number in range(4)}
    judgments["q1"] = {"a": 0, "b": 0}
    run = {query: {"a": 2.0, "b": 1.0} for query in judgments}
    metrics = ["bpref", "map"]
    expected = theirs.evaluate(theirs.Qrels(judgments), theirs.Run(run), metrics, return_mean=False)
    found = ours.evaluate(ours.Qrels(judgments), ours.Run(run), metrics, return_mean=False)
    assert list(expected["bpref"]) == [1.0, 0.0, 0.0, 0.0]
    assert list(found["bpref"]) == [1.0, 0.0, 1.0, 1.0]


def test_preset(theirs: ModuleType, inputs: Make, values: Evaluate) -> None:
    data = comparable(inputs(23, edges=True))
    names = ["ndcg@10", "ndcg_burges@10", "map@100", "mrr@3", "precision@5", "recall@10", "f1@5"]
    expected = theirs.evaluate(
        theirs.Qrels(data.judgments), theirs.Run(data.run), names, return_mean=False
    )
    found = values(data.judgments, data.run, names, "ranx")
    for place, query in enumerate(sorted(data.judgments)):
        for name in names:
            assert found[query][name] == pytest.approx(expected[name][place], rel=1e-12)


@needs_compiled_ranx
def test_ties_are_unstable_there(theirs: ModuleType) -> None:
    documents = [f"d{place}" for place in range(40)]
    run = {"q": dict.fromkeys(documents, 1.0)}
    places = [
        round(1 / theirs.evaluate(theirs.Qrels({"q": {name: 1}}), theirs.Run(run), "mrr"))
        for name in documents
    ]
    assert sorted(places) == list(range(1, 41))
    assert places not in (list(range(1, 41)), list(range(40, 0, -1)))  # neither order
    own = [round(1 / ours.evaluate({"q": {name: 1}}, run, "mrr")) for name in documents]
    assert own == list(range(1, 41))  # the order in which they are given


def test_dicts_are_matched_by_position_there(theirs: ModuleType) -> None:
    judgments = {"q": {"a": 1}, "p": {"b": 1}}
    run = {"p": {"b": 1.0}, "q": {"a": 1.0}}
    assert theirs.evaluate(judgments, run, "mrr") == 0.0
    assert ours.evaluate(judgments, run, "mrr") == 1.0


def test_qrels_cut_fractions_of_grades(theirs: ModuleType) -> None:
    judgments, run = {"q": {"a": 2.9, "b": 1.0}}, {"q": {"b": 2.0, "a": 1.0}}
    for module in (theirs, ours):
        cut = module.evaluate(module.Qrels(judgments), module.Run(run), "dcg")
        assert cut == pytest.approx(1 + 2 / np.log2(3))
        assert module.evaluate(judgments, run, "dcg") == pytest.approx(1 + 2.9 / np.log2(3))


def test_missing_queries(theirs: ModuleType) -> None:
    judgments = {"q": {"a": 1}, "p": {"a": 1}}
    run = {"q": {"a": 1.0}, "other": {"a": 1.0}}
    with pytest.raises(AssertionError):
        theirs.evaluate(theirs.Qrels(judgments), theirs.Run(run), "map")
    with pytest.raises(ValueError, match="make_comparable"):
        ours.evaluate(ours.Qrels(judgments), ours.Run(run), "map")
    names = ["map", "ndcg@3", "precision", "precision@2", "hits"]
    answers = [
        module.evaluate(module.Qrels(judgments), module.Run(run), names, make_comparable=True)
        for module in (theirs, ours)
    ]
    assert answers[1] == pytest.approx(answers[0])


@pytest.mark.parametrize("metrics", ["ndcg@10", ["ndcg@10"], ["ndcg@10", "map"]], ids=str)
@pytest.mark.parametrize("mean", [True, False])
@pytest.mark.parametrize("std", [True, False])
def test_return_types(
    metrics: Any, mean: bool, std: bool, theirs: ModuleType, inputs: Make
) -> None:
    data = comparable(inputs(24))

    def shape(answer: Any) -> Any:
        if isinstance(answer, dict):
            return {name: shape(value) for name, value in answer.items()}
        return type(answer)

    answers = [
        module.evaluate(
            module.Qrels(data.judgments),
            module.Run(data.run),
            metrics,
            return_mean=mean,
            return_std=std,
        )
        for module in (theirs, ours)
    ]
    assert shape(answers[0]) == shape(answers[1])


@pytest.mark.long
def test_results_are_kept_in_the_run(theirs: ModuleType, inputs: Make) -> None:
    data = comparable(inputs(25))
    runs = []
    for module in (theirs, ours):
        run = module.Run(data.run, name="mine")
        module.evaluate(module.Qrels(data.judgments), run, ["ndcg@10", "map"], return_std=True)
        runs.append(run)
    assert runs[1].mean_scores == pytest.approx(runs[0].mean_scores)
    assert runs[1].std_scores == pytest.approx(runs[0].std_scores)
    assert list(runs[1].scores["map"]) == list(runs[0].scores["map"])
    for name in ("map", "ndcg@10"):
        assert runs[1].scores[name] == pytest.approx(runs[0].scores[name])


def test_tables(theirs: ModuleType, inputs: Make) -> None:
    data = comparable(inputs(26))
    for kind, content in (("Qrels", data.judgments), ("Run", data.run)):
        there, here = getattr(theirs, kind)(content), getattr(ours, kind)(content)
        assert here.to_dict() == dict(there.to_dict())
        assert list(here.keys()) == list(there.keys())
        assert here.size == there.size == len(here)
        frame = here.to_dataframe()
        assert list(frame.columns) == list(there.to_dataframe().columns)
        assert getattr(ours, kind).from_df(frame).to_dict() == here.to_dict()
