"""relyon.compat.ir_measures against ir_measures: the same calls, the same numbers."""

from __future__ import annotations

import logging
import pickle
import random
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import relyon
from relyon.compat import ir_measures as ours
from relyon.measures import registry

Make = Callable[..., Any]
Table = dict[str, dict[str, Any]]

NAMES = [
    *("AP", "AP(rel=2)", "AP@5", "Bpref", "Bpref(rel=2)", "infAP", "nDCG", "nDCG@5", "NumQ"),
    *("nDCG(gains={1:2})@5", "nDCG(judged_only=True)@10", "P(judged_only=True)@5"),
    *("AP(judged_only=True)", "RR(judged_only=True)", "Rprec(judged_only=True)"),
    *("Success(judged_only=True)@3", "SetP(judged_only=True)", "SetAP(judged_only=True)"),
    *("NumRel", "NumRelRet", "NumRet", "NumRet(rel=2)", "P@5", "P(rel=2)@5", "R@10", "RR"),
    *("RR@3", "RR(rel=2)@10", "Rprec", "SetAP", "SetF", "SetF(beta=0.5)", "SetP", "SetR"),
    *("Success@3", "Judged", "Judged@5", "Compat", "Compat(p=0.8)", "Compat(normalize=False)"),
    *("Accuracy@10", "Accuracy(rel=2)", "RBP(rel=1)", "RBP(p=0.99,rel=2)"),
    *("SDCG(max_rel=3)@10", "SDCG(min_rel=1,max_rel=2)@50", "BPM(max_rel=3)@10"),
    *("BPM(T=2.5,max_rel=3)@20", "INST(max_rel=3)", "INST(T=2.0,max_rel=2)", "INSQ(max_rel=3)"),
    *("INSQ(T=0.5,max_rel=3)", "NERR8(max_rel=3)@10", "NERR9(max_rel=3)@10"),
    *(
        "NERR10(max_rel=3)",
        "NERR10(p=0.5,max_rel=2)",
        "NERR11(max_rel=3)",
        "NERR11(T=2.0,max_rel=4)",
    ),
]


@pytest.fixture(scope="module")
def theirs(peer: Callable[[str], ModuleType]) -> ModuleType:
    peer("cwl.cwl_eval")
    module = peer("ir_measures")
    for name in ("ir_measures", "ir_measures.cwl_eval"):
        logging.getLogger(name).setLevel("ERROR")
    return module


def by_query(
    program: ModuleType, names: list[str], judgments: Table, run: Table
) -> dict[Any, float]:
    """Returns values by measure and query; one call a measure: nDCG reads another's gains."""
    found = {}
    for name in names:
        measure = program.parse_measure(name)
        for one in program.iter_calc([measure], judgments, run):
            found[name, one.query_id] = one.value
        found[name, "all"] = program.calc_aggregate([measure], judgments, run)[measure]
    return found


def compare(theirs: ModuleType, names: list[str], judgments: Table, run: Table) -> None:
    """Fails with the measure and query that differ."""
    wanted = by_query(theirs, names, judgments, run)
    found = by_query(ours, names, judgments, run)
    assert found.keys() == wanted.keys()
    for key, value in wanted.items():
        assert found[key] == pytest.approx(float(value), rel=1e-12, abs=1e-12, nan_ok=True), key


@pytest.mark.long
@pytest.mark.parametrize(
    "kind",
    [{}, {"ties": True}, {"edges": True}, {"lowest": -2}, {"ties": True, "edges": True}],
    ids=str,
)
def test_values(kind: dict[str, Any], theirs: ModuleType, inputs: Make) -> None:
    data = inputs(15, queries=12, **kind)
    names = NAMES
    if "ties" in kind:
        # equal scores of equal grades: in the ideal list we follow the run, they the judgments
        names = [name for name in names if not name.startswith("Compat")]
    if "edges" in kind:  # it divides by zero where only relevant documents were retrieved
        names = [name for name in names if not name.startswith("Accuracy")]
    compare(theirs, names, data.judgments, data.run)


def test_compat_with_ties_follows_the_order_of_the_judgments_there(theirs: ModuleType) -> None:
    run = {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}
    assert by_query(theirs, ["Compat"], {"q": {"b": 1, "a": 1}}, run)["Compat", "q"] < 1
    for judgments in ({"q": {"b": 1, "a": 1}}, {"q": {"a": 1, "b": 1}}):
        assert by_query(ours, ["Compat"], judgments, run)["Compat", "q"] == 1.0


def test_the_dynamic_bejeweled_player_model(theirs: ModuleType) -> None:
    """cwl_eval has it, but its `hc` moves the target and not the number of ranks: it is 0 here."""
    import numpy as np
    from cwl.ruler.measures.cwl_bpm import BPMDCWLMetric
    from cwl.ruler.ranking import Ranking

    generator = random.Random(3)
    for _ in range(200):
        gains = [generator.choice([0.0, 0.25, 0.5, 1.0]) for _ in range(generator.randint(1, 12))]
        target, k = generator.choice([0.5, 1.0, 2.5]), generator.randint(1, 15)
        benefit, median = generator.choice([0.5, 1.0]), generator.choice([0.25, 0.5])
        peer = BPMDCWLMetric(target, k, benefit, 0.0, median)
        wanted = peer.measure(Ranking("q", np.array(gains), np.ones(len(gains))))
        name = f"bpm(target={target},max=1,benefit={benefit},median={median})@{k}"
        assert relyon.measure(name).score(gains) == pytest.approx(wanted, rel=1e-12), (gains, name)


def test_compat_with_negative_scores(theirs: ModuleType, inputs: Make) -> None:
    data = inputs(16)
    run = {
        query: {name: -abs(score) - 1.0 for name, score in documents.items()}
        for query, documents in data.run.items()
    }
    compare(theirs, ["Compat", "Compat(p=0.5)"], data.judgments, run)


def test_accuracy_divides_by_zero_there(theirs: ModuleType) -> None:
    judgments, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    with pytest.raises(ZeroDivisionError):
        list(theirs.iter_calc([theirs.Accuracy], judgments, run))
    assert list(ours.iter_calc([ours.parse_measure("Accuracy")], judgments, run)) == []


def test_gdeval(theirs: ModuleType, inputs: Make) -> None:
    import shutil

    if shutil.which("perl") is None:
        pytest.skip("gdeval.pl needs perl")
    data = inputs(17, edges=True, ties=True, lowest=-1, highest=4, queries=15)
    judgments = {query.lstrip("q"): row for query, row in data.judgments.items()}
    run = {query.lstrip("q"): row for query, row in data.run.items() if query != "unjudged"}
    names = ["nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@20", "ERR@5", "ERR@20"]
    wanted = by_query(theirs, names, judgments, run)
    found = by_query(ours, names, judgments, run)
    assert found.keys() == wanted.keys()
    for key, value in wanted.items():  # they print five decimals; a half may fall on either side
        assert found[key] == pytest.approx(value, abs=1.01e-5), key
    assert sum(found[key] == wanted[key] for key in wanted) > 0.99 * len(wanted)


def test_every_name_of_the_parser(theirs: ModuleType) -> None:
    measures = theirs.measures.registry
    assert set(ours.measures.registry) == set(measures)
    for name, measure in measures.items():
        own = ours.measures.registry[name]
        assert str(own) == str(measure)
        assert own.SUPPORTED_PARAMS.keys() == measure.SUPPORTED_PARAMS.keys()
        assert own.AT_PARAM == measure.AT_PARAM
        assert type(own.aggregator()).__name__ == type(measure.aggregator()).__name__
        for key, info in measure.SUPPORTED_PARAMS.items():
            mine = own.SUPPORTED_PARAMS[key]
            assert (mine.dtype, mine.required) == (info.dtype, info.required), (name, key)
            if isinstance(info.default, int | float | str):
                assert mine.default == info.default, (name, key)
            else:
                assert mine.default is ours.measures.ABSENT
    missing = {name for name in theirs.__all__ if not hasattr(ours, name)}
    assert missing == {"lazylibs", "__version__"}


@pytest.mark.parametrize(
    "name", [*NAMES, "IPrec@0.2", "IPrec(rel=2,recall=0.4)", "MAP@3", "α_nDCG@5"]
)
def test_names_print_as_they_do_there(name: str, theirs: ModuleType) -> None:
    measure = ours.parse_measure(name)
    assert str(measure) == str(theirs.parse_measure(name))
    assert ours.parse_measure(str(measure)) == measure
    assert hash(ours.parse_measure(str(measure))) == hash(measure)
    assert pickle.loads(pickle.dumps(measure)) == measure


def test_the_same_provider_computes_a_measure(theirs: ModuleType) -> None:
    peers = {one.NAME: one for one in theirs.DefaultPipeline.providers}
    for name in [*NAMES, "ERR@20", "ERR", "RBP", "RBP(p=0.5)", "nDCG(dcg='exp-log2')"]:
        wanted = [key for key, one in peers.items() if one.supports(theirs.parse_measure(name))]
        own = [
            one.NAME
            for one in ours.DefaultPipeline.providers
            if one.supports(ours.parse_measure(name))
        ]
        assert own[:1] == wanted[:1], name


SCRIPT = """\
import {module}
from {place} import AP, ERR, INST, Judged, P, RR, SDCG, nDCG

judgments = ir_measures.read_trec_qrels({qrels!r})
run = list(ir_measures.read_trec_run({run!r}))
measures = [nDCG@10, AP, P(rel=2)@5, RR@10, Judged@10, ERR@20, INST(max_rel=3), SDCG(max_rel=3)@5]
judgments = list(judgments)
for measure, value in sorted(ir_measures.calc_aggregate(measures, judgments, run).items(), key=str):
    print(measure, f"{{value:.10f}}")
evaluator = ir_measures.evaluator(measures, judgments)
for metric in sorted(evaluator.iter_calc(run), key=lambda one: (one.query_id, str(one.measure))):
    print(metric.query_id, metric.measure, f"{{metric.value:.10f}}")
print(ir_measures.parse_measure("P(rel=2)@5") == P(rel=2)@5)
print(ir_measures.parse_trec_measure("map_cut_5"))
import pandas
frames = pandas.DataFrame(judgments), pandas.DataFrame(run)
print(ir_measures.calc_aggregate([AP@10], *frames), (AP@10).calc_aggregate(*frames))
print(len(ir_measures.calc([AP, nDCG], *frames).per_query))
"""


@pytest.mark.long
def test_a_notebook_changes_one_word(theirs: ModuleType, tmp_path: Any) -> None:
    generator = random.Random(5)
    documents = [f"d{number}" for number in range(40)]
    qrels, run = "", ""
    for query in range(6):
        for document in generator.sample(documents, 20):
            qrels += f"{query} 0 {document} {generator.randint(0, 3)}\n"
        for rank, document in enumerate(generator.sample(documents, 25)):
            run += f"{query} Q0 {document} {rank} {30 - rank} tag\n"
    (tmp_path / "a.qrels").write_text(qrels)
    (tmp_path / "a.run").write_text(run)
    paths = {"qrels": str(tmp_path / "a.qrels"), "run": str(tmp_path / "a.run")}

    def printed(script: str) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout

    before = printed(SCRIPT.format(module="ir_measures", place="ir_measures", **paths))
    own = SCRIPT.replace("import {module}", "from relyon.compat import ir_measures")
    after = printed(own.format(place="relyon.compat.ir_measures", **paths))
    assert before.count("\n") > 50
    assert after == before


DIVERSE = ["ERR_IA@5", "nERR_IA(rel=2)@10", "alpha_DCG@5", "alpha_nDCG(alpha=0.25)@10", "NRBP"]
DIVERSE += ["nNRBP(alpha=0.25,beta=0.75)", "AP_IA", "AP_IA(rel=2)", "P_IA@5", "StRecall@3"]


def test_diversity(theirs: ModuleType, peer: Callable[[str], ModuleType]) -> None:
    peer("pyndeval")
    if "err_ia" not in registry:
        pytest.skip("relyon has no measures of diversity yet")
    generator = random.Random(11)
    documents = [f"d{number:02d}" for number in range(30)]
    qrels = [
        ours.Qrel(query, document, generator.randint(0, 2), str(subtopic))
        for query in ("q1", "q2", "q3")
        for subtopic in range(1, 5)
        for document in generator.sample(documents, 10)
    ]
    run = [
        ours.ScoredDoc(query, document, float(generator.randint(0, 6)))
        for query in ("q1", "q2")
        for document in generator.sample(documents, 20)
    ]
    for name in DIVERSE:
        wanted, found = (
            {
                one.query_id: one.value
                for one in program.iter_calc([program.parse_measure(name)], qrels, run)
            }
            for program in (theirs, ours)
        )
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9), name
