"""The presets of trec_eval's family, and the drop-in interface, against pytrec_eval-terrier."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import relyon
from relyon.compat import pytrec_eval as ours

Peer = Callable[[str], ModuleType]
Make = Callable[..., Any]
Evaluate = Callable[..., dict[str, dict[str, float]]]

MEASURES = {
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "gm_bpref"),
    *("recip_rank", "infAP", "ndcg", "P.1,5,10,1000", "recall_5,100", "ndcg_cut.3,10", "map_cut_7"),
    *("success.1,2", "set_P", "set_recall", "set_map", "set_F"),
    *("iprec_at_recall", "11pt_avg", "Rprec_mult.0.2,0.35,1.0,5.0", "relative_P", "utility"),
    *("set_relative_P", "num_nonrel_judged_ret", "G", "binG", "Rndcg", "ndcg_rel"),
    *("runid", "relstring"),
}
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "ties": {"ties": True},
    "negative": {"lowest": -2},
    "edges": {"edges": True},
    "all": {"ties": True, "lowest": -1, "edges": True},
}


@pytest.fixture(scope="module")
def theirs(peer: Peer) -> ModuleType:
    return peer("pytrec_eval")


def check(found: dict[str, dict[str, float]], expected: dict[str, dict[str, float]]) -> None:
    """Compares every number, and the order of queries and measures."""
    assert list(found) == list(expected)
    for query, values in expected.items():
        assert list(found[query]) == list(values)
        for name, value in values.items():
            # trec_eval divides 0 by 0 where nothing was retrieved
            wanted = 0.0 if math.isnan(value) else value
            assert found[query][name] == pytest.approx(wanted, rel=1e-12, abs=1e-12), (query, name)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("judged_only", [False, True])
def test_drop_in(
    kind: str, level: int, judged_only: bool, theirs: ModuleType, inputs: Make
) -> None:
    data = inputs(level, **KINDS[kind])
    before = copy.deepcopy(data)
    arguments = (data.judgments, MEASURES, level, judged_only)
    found = ours.RelevanceEvaluator(*arguments).evaluate(data.run)
    check(found, theirs.RelevanceEvaluator(*arguments).evaluate(data.run))
    assert data == before


@pytest.mark.parametrize("kind", KINDS)
def test_preset(kind: str, theirs: ModuleType, inputs: Make, values: Evaluate) -> None:
    data = inputs(11, **KINDS[kind])
    names = ["map", "ndcg", "ndcg_cut_10", "recip_rank", "P_5", "recall_10", "bpref", "infAP"]
    expected = theirs.RelevanceEvaluator(data.judgments, set(names)).evaluate(data.run)
    found = values(data.judgments, data.run, names, "pytrec_eval")
    for query, row in expected.items():
        assert found[query] == pytest.approx(row, rel=1e-12, abs=1e-12)
    for name in names:
        mean = ours.compute_aggregated_measure(name, [row[name] for row in expected.values()])
        assert found["all"][name] == pytest.approx(mean, rel=1e-12)


def test_scores_are_float32(theirs: ModuleType) -> None:
    judgments, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.00000001, "b": 1.0}}
    assert theirs.RelevanceEvaluator(judgments, {"recip_rank"}).evaluate(run)["q"] == {
        "recip_rank": 0.5
    }
    assert ours.RelevanceEvaluator(judgments, {"recip_rank"}).evaluate(run)["q"] == {
        "recip_rank": 0.5
    }
    assert relyon.evaluate(judgments, run, ["rr"])["rr"] == 1.0


def test_ties_by_document_descending_in_bytes(theirs: ModuleType) -> None:
    judgments, run = {"q": {"é": 1, "z": 0}}, {"q": {"é": 1.0, "z": 1.0}}
    for module in (theirs, ours):
        evaluator = module.RelevanceEvaluator(judgments, {"recip_rank"})
        assert evaluator.evaluate(run) == {"q": {"recip_rank": 1.0}}


def test_negative_grades_were_pooled_and_not_judged(theirs: ModuleType) -> None:
    judgments = {"q": {"a": 1, "b": -1, "c": 0, "d": 1, "e": -2}}
    run = {"q": {"b": 5.0, "c": 4.0, "x": 3.5, "a": 3.0, "e": 2.5, "d": 2.0}}
    expected = theirs.RelevanceEvaluator(judgments, {"infAP", "bpref"}).evaluate(run)
    assert expected["q"]["infAP"] == pytest.approx(0.375002499950001)
    check(ours.RelevanceEvaluator(judgments, {"infAP", "bpref"}).evaluate(run), expected)


@pytest.mark.parametrize("run", ["bm25", "bm25_t5.zs"])
def test_real_run(run: str, theirs: ModuleType, test_data: Path) -> None:
    folder = test_data / "dl_hard_passage"
    graded = relyon.read_judgments(str(folder / "qrels.passage.txt")).to_dict()
    judgments = {q: {d: int(g) for d, g in row.items()} for q, row in graded.items()}
    scores = relyon.read_run(str(folder / f"{run}.run.gz")).to_dict()
    expected = theirs.RelevanceEvaluator(judgments, MEASURES).evaluate(scores)
    found = ours.RelevanceEvaluator(judgments, MEASURES).evaluate(scores)
    assert len(found) == 50
    check(found, expected)


def outcome(call: Callable[[], Any]) -> Any:
    """Returns a call's result, or the kind of its error."""
    try:
        return call()
    except (TypeError, ValueError) as error:
        return TypeError if isinstance(error, TypeError) else ValueError


JUDGED = {"q": {"a": 1, "b": 0}}
RETRIEVED = {"q": {"a": 1.0, "x": 2.0}}


@pytest.mark.parametrize(
    ("judgments", "run"),
    [
        (JUDGED, {"q": {"a": 1}}),
        (JUDGED, {"q": {"a": np.float64(1)}}),
        (JUDGED, {"q": {"a": np.float32(1)}}),
        (JUDGED, {1: {"a": 1.0}}),
        (JUDGED, {"q": {1: 1.0}}),
        (JUDGED, {"q": {"a": "x"}}),
        (JUDGED, {"q": {"b": 2.0, "a": "x"}}),
        (JUDGED, {"q": {"b": 2.0, "a": None}}),
        (JUDGED, ["q"]),
        (JUDGED, {"q": ["a"]}),
        (JUDGED, {}),
        (JUDGED, {"q": {}}),
        (JUDGED, {"other": {"a": 1.0}}),
        ({"q": {}}, RETRIEVED),
        ({}, RETRIEVED),
        ({"q": {"a": True}}, RETRIEVED),
        ({"q": {"a": 1.0}}, RETRIEVED),
        ({"q": {"a": np.int64(1)}}, RETRIEVED),
        ({1: {"a": 1}}, RETRIEVED),
        ({"q": {1: 1}}, RETRIEVED),
        ({"q": ["a"]}, RETRIEVED),
    ],
    ids=repr,
)
def test_types_are_taken_and_refused_alike(judgments: Any, run: Any, theirs: ModuleType) -> None:
    def call(module: ModuleType) -> Any:
        return module.RelevanceEvaluator(judgments, {"map", "P_5", "num_ret"}).evaluate(run)

    assert outcome(lambda: call(ours)) == outcome(lambda: call(theirs))


@pytest.mark.parametrize(
    "measures",
    ["map", {"foo"}, {"P_x"}, {"P_5", "P.7,3"}, {"P"}, {"success"}, ["map", "map"], {"set_F.0.5"}],
    # A set has no order of its own: its ids would differ between processes.
    ids=lambda names: names if isinstance(names, str) else " ".join(sorted(names)),
)
def test_measure_names(measures: Any, theirs: ModuleType) -> None:
    def call(module: ModuleType) -> Any:
        return module.RelevanceEvaluator(JUDGED, measures).evaluate(RETRIEVED)

    assert outcome(lambda: call(ours)) == outcome(lambda: call(theirs))


def test_levels(theirs: ModuleType) -> None:
    for level in (0, "x"):
        for module in (ours, theirs):
            with pytest.raises(TypeError):
                module.RelevanceEvaluator(JUDGED, {"map"}, level)


def test_nan_is_taken_there(theirs: ModuleType) -> None:
    run = {"q": {"b": float("nan"), "a": 1.0}}
    assert set(theirs.RelevanceEvaluator(JUDGED, {"map"}).evaluate(run)["q"]) == {"map"}
    with pytest.raises(ValueError, match="nan"):
        ours.RelevanceEvaluator(JUDGED, {"map"}).evaluate(run)


def test_readers(theirs: ModuleType) -> None:
    qrels = ["q1 0 d1 2\n", "q1 0 d2 -1\n", "q2\t0\td1\t0"]
    run = ["q1 Q0 d1 1 2.5 mine\n", "q2 Q0 d1 1 -1e3 mine"]
    assert ours.parse_qrel(qrels) == theirs.parse_qrel(qrels)
    assert ours.parse_run(run) == theirs.parse_run(run)


@pytest.mark.parametrize("name", ["map", "num_ret", "gm_map"])
def test_aggregation(name: str, theirs: ModuleType) -> None:
    numbers = [0.1, 0.7, 0.35]
    expected = theirs.compute_aggregated_measure(name, numbers)
    assert ours.compute_aggregated_measure(name, numbers) == pytest.approx(expected, rel=1e-15)
