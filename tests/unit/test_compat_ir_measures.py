"""The drop-in interface of ir_measures, without ir_measures."""

from __future__ import annotations

import gzip
import io
import logging
import math
from pathlib import Path
from typing import Any

import pytest

from relyon.compat import ir_measures
from relyon.compat.ir_measures import (
    AP,
    ERR,
    INST,
    MRR,
    RBP,
    RR,
    SDCG,
    Accuracy,
    Judged,
    Metric,
    NumQ,
    NumRel,
    P,
    Qrel,
    R,
    ScoredDoc,
    SetP,
    nDCG,
)
from relyon.core.errors import InputError, ParameterError, ParseError

QRELS = [Qrel("q", "a", 1), Qrel("q", "b", 0), Qrel("q", "c", 2), Qrel("p", "x", 1)]
RUN = [ScoredDoc("q", "b", 3.0), ScoredDoc("q", "a", 2.0), ScoredDoc("q", "z", 1.0)]
RUN.append(ScoredDoc("other", "a", 1.0))


def test_queries_that_the_run_lacks_count_zero() -> None:
    assert list(ir_measures.iter_calc([P @ 2], QRELS, RUN)) == [
        Metric("q", P @ 2, 0.5),
        Metric("p", P @ 2, 0.0),
    ]
    assert ir_measures.calc_aggregate([P @ 2, NumQ, NumRel], QRELS, RUN) == {
        P @ 2: 0.25,
        NumQ: 1.0,
        NumRel: 2.0,
    }
    found = ir_measures.calc([RR, INST(max_rel=2)], QRELS, RUN)
    assert found.aggregated[RR] == 0.25
    assert len(found.per_query) == 4


@pytest.mark.parametrize("run", [[], {}, {"other": {"a": 1.0}}, {"q": {}}], ids=str)
def test_nothing_retrieved(run: Any) -> None:
    measures = [P @ 2, nDCG(dcg="exp-log2") @ 3, INST(max_rel=2), Judged @ 2, RR @ 5]
    found = ir_measures.calc_aggregate(measures, QRELS, run)
    assert found == dict.fromkeys(measures, 0.0)
    assert list(ir_measures.iter_calc([Accuracy], QRELS, run)) == []


def test_nothing_judged() -> None:
    for measure in (P @ 2, SDCG(max_rel=1) @ 5, ERR @ 3):
        assert list(ir_measures.iter_calc([measure], [], RUN)) == []
        assert math.isnan(measure.calc_aggregate({}, RUN))


def test_every_form_of_input() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    nested = {"q": {"a": 1, "b": 0, "c": 2}, "p": {"x": 1}}
    scores = {"q": {"b": 3.0, "a": 2.0, "z": 1.0}, "other": {"a": 1.0}}
    measures = [AP, nDCG @ 3, SDCG(max_rel=2) @ 3, Judged @ 2]
    wanted = ir_measures.calc_aggregate(measures, QRELS, RUN)
    forms = [
        (iter(QRELS), iter(RUN)),
        (nested, scores),
        (pandas.DataFrame(QRELS), pandas.DataFrame(RUN)),
        (pandas.DataFrame(QRELS).drop(columns="iteration"), pandas.DataFrame(RUN)),
    ]
    for qrels, run in forms:
        assert ir_measures.calc_aggregate(measures, qrels, run) == wanted


def test_an_evaluator_takes_several_runs() -> None:
    evaluator = ir_measures.evaluator([AP, Judged @ 2], iter(QRELS))
    for _ in range(2):
        assert evaluator.calc_aggregate(RUN)[AP] == 0.125
    assert (AP @ 1).evaluator(QRELS).calc_aggregate({"q": {"a": 1.0}}) == {AP @ 1: 0.25}


def test_measures_print_and_compare() -> None:
    assert str(P(rel=2) @ 5) == "P(rel=2)@5"
    assert P(rel=1) @ 5 == P @ 5
    assert {P @ 5: 1}[P(cutoff=5)] == 1
    assert MRR is RR
    assert str(nDCG(gains={2: 5, 1: 1}) @ 3) == "nDCG(gains={2:5})@3"
    assert (AP @ 3)["cutoff"] == 3
    assert (
        ir_measures.parse_measure('nDCG(dcg="exp-log2", cutoff=20)@10') == nDCG(dcg="exp-log2") @ 10
    )


@pytest.mark.parametrize(
    "text", ["P@", "P(5)", "P@5; AP", "1 + 1", "P(rel=x)@5", "", "a.b", "P(rel=2)(rel=1)"]
)
def test_texts_that_are_no_measure(text: str) -> None:
    with pytest.raises(ValueError, match="not a measure"):
        ir_measures.parse_measure(text)


def test_unknown_names() -> None:
    with pytest.raises(NameError, match="did you mean nDCG"):
        ir_measures.parse_measure("nDGC@10")
    with pytest.raises(ValueError, match="unknown measure relstring"):
        ir_measures.parse_trec_measure("relstring")
    with pytest.raises(ValueError, match="takes no parameter"):
        ir_measures.parse_trec_measure("recip_rank_5")


def test_names_of_trec_eval(caplog: pytest.LogCaptureFixture) -> None:
    cutoffs = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
    assert ir_measures.parse_trec_measure("P") == [P @ k for k in cutoffs]
    assert ir_measures.parse_trec_measure("recall.5,10") == [R @ 5, R @ 10]
    assert ir_measures.parse_trec_measure("set_relative_P") == [SetP(relative=True)]
    caplog.set_level(logging.WARNING)
    assert {AP, RR, NumQ, P @ 5} <= set(ir_measures.parse_trec_measure("official"))
    assert "left out gm_map" in caplog.text


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (P, "lacks the parameter `cutoff`"),
        (SDCG @ 5, "lacks the parameter `max_rel`"),
        (AP(cut=5), "no parameter `cut`"),
        (AP(rel=1.5), "cannot be `1.5`"),
        (nDCG(dcg="ln"), "cannot be `'ln'`"),
        (RBP, "unsupported measures: RBP"),
        (ERR, "needs a cutoff"),
    ],
    ids=str,
)
def test_impossible_measures(measure: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ir_measures.calc_aggregate([measure], QRELS, RUN)


def test_impossible_input() -> None:
    with pytest.raises(InputError, match="unknown qrels format: iterable not a namedtuple"):
        ir_measures.calc_aggregate([AP], [("q", "a", 1)], RUN)
    with pytest.raises(InputError, match="unknown run format: unexpected format"):
        ir_measures.calc_aggregate([AP], QRELS, 5)
    with pytest.raises(TypeError, match="query ids must be text"):
        ir_measures.calc_aggregate([AP], {1: {"a": 1}}, RUN)


def test_files(tmp_path: Path) -> None:
    text = "q 0 a 1\n\nq s b -1\n"
    (tmp_path / "a.qrels").write_text(text)
    with gzip.open(tmp_path / "a.qrels.gz", "wt") as file:
        file.write(text)
    wanted = [Qrel("q", "a", 1), Qrel("q", "b", -1, "s")]
    for source in (text, str(tmp_path / "a.qrels"), tmp_path / "a.qrels.gz", io.StringIO(text)):
        assert list(ir_measures.read_trec_qrels(source)) == wanted
    assert list(ir_measures.read_trec_run("q Q0 a 1 2.5 t\n")) == [ScoredDoc("q", "a", 2.5)]
    with pytest.raises(ParseError, match=r"text:1: expected 6 columns"):
        list(ir_measures.read_trec_run("q a 1\n"))
    (tmp_path / "bad.qrels").write_text("q 0 a 1\nq 0 b x\n")
    with pytest.raises(ParseError, match=r"bad.qrels:2: not a whole number: `x`"):
        list(ir_measures.read_trec_qrels(tmp_path / "bad.qrels"))


def test_one_provider_and_parameters_it_does_not_take(caplog: pytest.LogCaptureFixture) -> None:
    assert not ir_measures.compat.supports(AP)
    with pytest.raises(ParameterError, match="unsupported measure AP"):
        ir_measures.compat.calc_aggregate([AP], QRELS, RUN)
    found = list(ir_measures.gdeval.iter_calc([nDCG @ 5], QRELS, RUN))
    assert found[0] == Metric("q", nDCG @ 5, 0.17377)
    ir_measures.ranx.calc_aggregate([SetP @ 5], QRELS, RUN)
    assert "SetP@5: ranx ignores cutoff" in caplog.text


def test_own_measures() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    first = ir_measures.define_byquery(lambda qrels, run: float(run.iloc[0]["score"]), "First")
    found = ir_measures.calc_aggregate([first @ 1, AP], QRELS, RUN[:3])
    assert found == {first @ 1: 1.5, AP: 0.125}
    assert str(first @ 1) == "First@1"


def test_old_names_warn() -> None:
    with pytest.warns(DeprecationWarning, match="parse_trec_measure"):
        assert ir_measures.convert_trec_name("map") == [AP]
    with (
        pytest.warns(DeprecationWarning, match="evaluator"),
        ir_measures.calc_ctxt([AP], QRELS) as calc,
    ):
        assert len(list(calc(RUN))) == 2
