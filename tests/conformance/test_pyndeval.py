"""Measures of diversity against NIST's ndeval, as pyndeval compiles it, and through ir_measures."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import relyon

Peer = Callable[[str], ModuleType]

CUTOFFS = (1, 2, 3, 5, 10, 20)
CUT = {
    "ERR-IA": "err_ia",
    "nERR-IA": "nerr_ia",
    "alpha-DCG": "alpha_dcg",
    "alpha-nDCG": "alpha_ndcg",
    "P-IA": "p_ia",
    "strec": "strecall",
}
WHOLE = {"NRBP": "nrbp", "nNRBP": "nnrbp", "MAP-IA": "ap_ia"}
#: pyndeval sorts by score, then by rising id; ndeval by the rank column, with -traditional by
#: score, then by falling id. Neither knows an undefined value, and both leave out missing queries.
RULES = {"ties": "doc-asc", "undefined": "zero", "missing": "skip"}


def make_inputs(
    seed: int, *, queries: int = 30, ties: bool = False, graded: bool = False, subtopics: int = 6
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Random judgments of subtopics and a run, with topics that one of the two lacks."""
    generator = random.Random(seed)
    judgments: dict[str, Any] = {}
    run: dict[str, Any] = {}
    for number in range(queries):
        pool = [f"d{code}" for code in generator.sample(range(200), 60)]
        grades = range(-2, 4) if graded else (0, 0, 1)
        count = generator.randint(1, subtopics)
        judgments[str(number)] = {
            document: {
                str(subtopic): generator.choice(grades)
                for subtopic in sorted(
                    generator.sample(range(1, count + 1), generator.randint(1, count))
                )
            }
            for document in generator.sample(pool, generator.randint(1, 45))
        }
        run[str(number)] = {
            document: float(generator.randint(0, 5)) if ties else generator.random()
            for document in generator.sample(pool, generator.randint(1, 50))
        }
    judgments["0"] = {document: {"1": 0, "2": 0} for document in judgments["0"]}
    run["1"] = {"unknown": 1.0}
    del run["2"]
    run["unjudged"] = {"d1": 1.0}
    return judgments, run


def ndeval(
    program: ModuleType,
    judgments: dict[str, Any],
    run: dict[str, Any],
    alpha: float,
    beta: float,
    rel: int,
) -> dict[str, dict[str, float]]:
    names = [f"{name}@{k}" for name in CUT for k in CUTOFFS] + list(WHOLE)
    rows = [
        program.SubtopicQrel(query, subtopic, document, grade)
        for query, documents in judgments.items()
        for document, grades in documents.items()
        for subtopic, grade in sorted(grades.items())
    ]
    # Subtopics are numbered as they come: the numbers decide in which order gains are added.
    rows.sort(key=lambda row: int(row.subtopic_id))
    evaluator = program.RelevanceEvaluator(rows, names, relevance_level=rel, alpha=alpha, beta=beta)
    found: dict[str, dict[str, float]] = evaluator.evaluate(
        [
            program.ScoredDoc(query, document, score)
            for query, documents in run.items()
            for document, score in documents.items()
        ]
    )
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("alpha", "beta", "rel", "options"),
    [
        (0.5, 0.5, 1, {}),
        (0.5, 0.5, 1, {"ties": True, "graded": True}),
        (0.3, 0.9, 2, {"graded": True}),
        (0.0, 0.0, 1, {"ties": True}),
        (1.0, 0.7, 1, {"graded": True, "subtopics": 12}),
        (0.9, 0.2, 3, {"graded": True, "subtopics": 1}),
    ],
)
def test_every_value_is_ndevals(
    seed: int, alpha: float, beta: float, rel: int, options: dict[str, Any], peer: Peer
) -> None:
    judgments, run = make_inputs(seed, **options)
    theirs = ndeval(peer("pyndeval"), judgments, run, alpha, beta, rel)
    novelty = f"(alpha={alpha},rel={rel})"
    names: dict[str, str] = {}
    for peer_name, name in CUT.items():
        arguments = f"(rel={rel})" if name in {"p_ia", "strecall"} else novelty
        names |= {f"{peer_name}@{k}": f"{name}{arguments}@{k}" for k in CUTOFFS}
    for peer_name, name in WHOLE.items():
        given = f"(rel={rel})" if name == "ap_ia" else f"(alpha={alpha},beta={beta},rel={rel})"
        names[peer_name] = f"{name}{given}"
    found = relyon.evaluate(judgments, run, list(names.values()), convention=RULES)
    checked = 0
    for query, values in theirs.items():
        subtopics = {
            subtopic
            for grades in judgments[query].values()
            for subtopic, grade in grades.items()
            if grade >= rel
        }
        for peer_name, name in names.items():
            own = found.values_by_query(name)[query]
            value = values[peer_name]
            if not subtopics:
                # Nothing is relevant: 0 there, but 0/0 in nNRBP.
                assert math.isnan(own)
                assert value == 0 or (peer_name == "nNRBP" and math.isnan(value))
                continue
            if peer_name in {"ERR-IA@1", "alpha-DCG@1"}:
                # ndeval divides by the bound from rank 2 on.
                value /= len(subtopics)
            assert own == pytest.approx(value, rel=1e-12, abs=1e-14), (query, peer_name)
            checked += 1
    assert checked > 300


def test_means_are_those_of_ir_measures(peer: Peer) -> None:
    """ir_measures hands its judgments to pyndeval, and averages over all judged queries."""
    peer("pyndeval")
    theirs = peer("ir_measures")
    judgments, run = make_inputs(3, graded=True)
    names = "alpha_nDCG@10 α_nDCG(alpha=0.3)@5 alpha_DCG@20 ERR_IA@10 nERR_IA(rel=2)@20 NRBP"
    names += " nNRBP(alpha=0.2,beta=0.7,rel=2) AP_IA(rel=2) P_IA@5 StRecall(rel=2)@10"
    # Without relevant documents nNRBP is NaN there.
    judgments.pop("0")
    judgments = {
        query: documents
        for query, documents in judgments.items()
        if any(grade >= 2 for grades in documents.values() for grade in grades.values())
    }
    rows = [
        theirs.Qrel(query, document, grade, subtopic)
        for query, documents in judgments.items()
        for document, grades in documents.items()
        for subtopic, grade in grades.items()
    ]
    rows.sort(key=lambda row: int(row.iteration))
    scored = [
        theirs.ScoredDoc(query, document, score)
        for query, documents in run.items()
        for document, score in documents.items()
        if query in judgments
    ]
    found = relyon.evaluate(
        judgments, run, names.split(), convention={"undefined": "zero", "ties": "doc-asc"}
    )
    for name in names.split():
        # One call a measure: in one call ir_measures 0.4.3 goes through the run once, and measures
        # with another alpha, beta or rel than the first ones come out as 0.
        measure = theirs.parse_measure(name)
        value = theirs.pyndeval.calc_aggregate([measure], rows, scored)[measure]
        assert found[str(relyon.measure(name))] == pytest.approx(value, rel=1e-12), name
