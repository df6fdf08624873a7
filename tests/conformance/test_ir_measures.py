"""The preset `ir_measures` against ir_measures."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import relyon

Make = Callable[..., Any]
Evaluate = Callable[..., dict[str, dict[str, float]]]

NAMES = ["nDCG@10", "nDCG", "AP", "AP(rel=2)", "AP@5", "RR", "P@5", "P(rel=2)@5", "R@10", "Rprec"]
NAMES += ["Bpref", "infAP", "Success@3", "SetP", "SetR", "SetF", "RR(rel=2)", "Bpref(rel=2)"]
OTHER = ["RR@3", "RR(rel=2)@10", "Judged@5", "Judged@100", "Judged"]


@pytest.fixture(scope="module")
def theirs(peer: Callable[[str], ModuleType]) -> ModuleType:
    return peer("ir_measures")


def evaluate(
    theirs: ModuleType, names: list[str], judgments: Any, run: Any
) -> dict[str, dict[str, float]]:
    """Returns ir_measures' values by query; `all` holds its means."""
    measures = [theirs.parse_measure(name) for name in names]
    found: dict[str, dict[str, float]] = {}
    for one in theirs.iter_calc(measures, judgments, run):
        found.setdefault(one.query_id, {})[str(one.measure)] = one.value
    means = theirs.calc_aggregate(measures, judgments, run)
    found["all"] = {str(measure): value for measure, value in means.items()}
    return found


def check(
    found: dict[str, dict[str, float]], expected: dict[str, dict[str, float]], names: list[str]
) -> None:
    assert set(found) == set(expected)
    for query, row in expected.items():
        for name in names:
            assert found[query][name] == pytest.approx(row[name], rel=1e-12, abs=1e-12), query


@pytest.mark.parametrize(
    "kind",
    [{}, {"ties": True}, {"lowest": -2}, {"edges": True}, {"ties": True, "edges": True}],
    ids=str,
)
def test_preset(kind: dict[str, Any], theirs: ModuleType, inputs: Make, values: Evaluate) -> None:
    data = inputs(5, **kind)
    expected = evaluate(theirs, NAMES, data.judgments, data.run)
    check(values(data.judgments, data.run, NAMES, "ir_measures"), expected, NAMES)


@pytest.mark.parametrize("kind", [{}, {"ties": True}, {"edges": True}, {"lowest": -2}], ids=str)
def test_other_providers_order_ties_the_other_way(
    kind: dict[str, Any], theirs: ModuleType, inputs: Make, values: Evaluate
) -> None:
    data = inputs(6, **kind)
    expected = evaluate(theirs, OTHER, data.judgments, data.run)
    rules = {
        "preset": "ir_measures",
        "ties": "doc-asc",
        "scores": "float64",
        "negative": "nonrelevant",
    }
    check(values(data.judgments, data.run, OTHER, rules), expected, OTHER)


def test_one_measure_two_tie_rules(theirs: ModuleType) -> None:
    judgments, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    found = evaluate(theirs, ["RR", "RR@10"], judgments, run)["q"]
    assert found == {"RR": 0.5, "RR@10": 1.0}
    own = relyon.evaluate(judgments, run, ["rr", "rr@10"], convention="ir_measures")
    assert list(own.values()) == [0.5, 0.5]
    [note] = [one for one in own.notes if one.kind == "other-program"]
    assert note.values == {"measures": ["rr@10"], "rules": ["ties=doc-asc", "scores=float64"]}
    rules = {"preset": "ir_measures", "ties": "doc-asc", "scores": "float64"}
    assert relyon.evaluate(judgments, run, ["rr@10"], convention=rules)["rr@10"] == 1.0


def test_judged_divides_by_what_was_retrieved(theirs: ModuleType) -> None:
    judgments, run = {"q": {"a": 1, "b": -1}}, {"q": {"b": 3.0, "a": 2.0, "x": 1.0}}
    assert evaluate(theirs, ["Judged@5"], judgments, run)["q"] == {"Judged@5": pytest.approx(2 / 3)}
    rules = {"preset": "ir_measures", "negative": "nonrelevant"}
    assert relyon.evaluate(judgments, run, ["judged@5"], convention=rules)[
        "judged@5"
    ] == pytest.approx(2 / 3)


def test_gains_that_are_not_named_stay_as_they_are(theirs: ModuleType) -> None:
    judgments, run = {"q": {"a": 3, "b": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    found = evaluate(theirs, ["nDCG(gains={3:7})@5"], judgments, run)["all"]
    own = relyon.evaluate(judgments, run, ["ndcg(gain={0:0,1:1,3:7})@5"])
    assert list(own.values()) == pytest.approx(list(found.values()))


def test_gains_of_one_ndcg_reach_another_there(theirs: ModuleType) -> None:
    judgments, run = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"c": 3.0, "b": 2.0, "a": 1.0}}
    plain, mapped = (theirs.parse_measure(name) for name in ("nDCG", "nDCG(gains={1:10,2:1})@5"))
    provider = theirs.providers.registry["pytrec_eval"]
    alone = provider.calc_aggregate([plain], judgments, run)[plain]
    after = provider.calc_aggregate([mapped, plain], judgments, run)[plain]
    assert relyon.evaluate(judgments, run, ["ndcg"])["ndcg"] == pytest.approx(alone)
    assert after != pytest.approx(alone)
    names = ["ndcg(gain={1:10,2:1,3:3})@5", "ndcg"]
    assert relyon.evaluate(judgments, run, names)["ndcg"] == pytest.approx(alone)


def test_missing_queries_have_no_relevant_documents_there(theirs: ModuleType) -> None:
    judgments, run = {"q": {"a": 1}, "p": {"b": 1}}, {"q": {"a": 1.0}}
    assert evaluate(theirs, ["NumRel"], judgments, run)["all"] == {"NumRel": 1}
    assert relyon.evaluate(judgments, run, ["num_rel"], convention="ir_measures")["num_rel"] == 2


def test_gdeval(theirs: ModuleType, inputs: Make, values: Evaluate) -> None:
    import shutil

    if shutil.which("perl") is None:
        pytest.skip("gdeval.pl needs perl")
    data = inputs(7, edges=True, lowest=-1, highest=4, queries=20)
    judgments = {query.lstrip("q"): row for query, row in data.judgments.items()}
    run = {query.lstrip("q"): row for query, row in data.run.items() if query != "unjudged"}
    names = ["nDCG(dcg='exp-log2')@5", "ERR@5", "ERR@20"]
    spelled = ["ndcg(gain=exp)@5", "err(max=4)@5", "err(max=4)@20"]
    expected = evaluate(theirs, names, judgments, run)
    found = values(judgments, run, spelled, {"preset": "ir_measures", "scores": "float64"})
    assert set(found) == set(expected)
    for query in set(expected) - {"all"}:  # gdeval prints five decimals
        for name, own in zip(names, spelled, strict=True):
            assert found[query][own] == pytest.approx(expected[query][name], abs=5.1e-6)
