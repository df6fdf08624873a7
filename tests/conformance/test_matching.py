"""`relyon.match_convention` on what other programs print: the right class every time."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.conformance.conftest import make_inputs
from tests.conformance.test_boosting import lightgbm_values, xgboost_values

import relyon
from relyon.analysis.matching import ConventionMatch

Peer = Callable[[str], ModuleType]
Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]
Files = tuple[Grades, Scores]

DATA = Path(__file__).parents[3] / "shared" / "data"
FOUND = {"found", "doubtful"}

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.long]


def real(judgments: str, run: str) -> Files:
    """Returns real files as dicts, or skips."""
    if not DATA.is_dir():
        pytest.skip("the collections of ../shared/data are not here")
    read = relyon.read_judgments(DATA / judgments).to_dict()
    grades = {query: {name: int(one) for name, one in row.items()} for query, row in read.items()}
    return grades, relyon.read_run(DATA / run).to_dict()


def dl_hard() -> Files:
    return real("dl_hard_passage/qrels.passage.txt", "dl_hard_passage/bm25.run.gz")


def dl_hard_t5() -> Files:
    return real("dl_hard_passage/qrels.passage.txt", "dl_hard_passage/bm25_t5.zs.run.gz")


def ranx_unit() -> Files:
    return real("ranx_fixtures/unit/qrels.trec", "ranx_fixtures/unit/run.trec")


def made(**settings: Any) -> Files:
    one = make_inputs(41, **settings)
    return one.judgments, one.run


def graded() -> Files:
    return made(highest=3)


def tied() -> Files:
    return made(highest=3, ties=True)


def edges() -> Files:
    return made(highest=3, edges=True)


def negative() -> Files:
    return made(lowest=-2, highest=3)


def lists(files: Files) -> Iterator[tuple[list[int], list[float]]]:
    """Returns labels and scores of every judged query's list; what is unjudged is 0."""
    grades, run = files
    for query, scores in run.items():
        if query in grades:
            yield [grades[query].get(name, 0) for name in scores], [*scores.values()]


def rows(files: Files) -> tuple[list[int], list[float], list[int]]:
    both = list(lists(files))
    labels = [one for label, _ in both for one in label]
    return labels, [one for _, score in both for one in score], [len(one) for one, _ in both]


def sklearn(peer: Peer, files: Files) -> dict[str, float]:
    score = peer("sklearn.metrics").ndcg_score
    values = [score([label], [scores], k=10) for label, scores in lists(files) if len(label) > 1]
    return {"ndcg@10": float(np.mean(values))}


def pytrec_eval(peer: Peer, files: Files) -> dict[str, float]:
    names = {"map": "ap", "ndcg_cut_10": "ndcg@10", "recip_rank": "rr", "P_10": "p@10"}
    grades, run = files
    found = peer("pytrec_eval").RelevanceEvaluator(grades, {*names, "ndcg_cut"}).evaluate(run)
    return {
        own: float(np.mean([one[name] for one in found.values()])) for name, own in names.items()
    }


def ir_measures(peer: Peer, files: Files) -> dict[str, float]:
    module = peer("ir_measures")
    grades, run = files
    asked = [module.nDCG @ 10, module.AP, module.RR]
    found = module.calc_aggregate(asked, grades, run)
    return {name: found[one] for name, one in zip(("ndcg@10", "ap", "rr"), asked, strict=True)}


def ranx(peer: Peer, files: Files) -> dict[str, float]:
    module = peer("ranx")
    grades, run = files
    known = {query: one for query, one in run.items() if query in grades}
    names = {"ndcg@10": "ndcg@10", "map": "ap", "mrr": "rr"}
    qrels = {query: {**grades[query]} for query in known}
    found = module.evaluate(module.Qrels(qrels), module.Run(known), list(names))
    return {names[name]: float(value) for name, value in found.items()}


def lightgbm(peer: Peer, files: Files) -> dict[str, float]:
    return {"ndcg@10": lightgbm_values(peer("lightgbm"), *rows(files))["ndcg@10"]}


def xgboost(peer: Peer, files: Files) -> dict[str, float]:
    return xgboost_values(peer("xgboost"), *rows(files), ["ndcg@10"])


def catboost(peer: Peer, files: Files) -> dict[str, float]:
    labels, scores, groups = rows(files)
    ids = np.repeat(np.arange(len(groups)), groups)
    utils = peer("catboost.utils")
    return {"ndcg@10": utils.eval_metric(labels, scores, "NDCG:top=10", group_id=ids)[0]}


#: Programs, and what their lists may not contain.
PROGRAMS: dict[str, tuple[Callable[[Peer, Files], dict[str, float]], set[str]]] = {
    "sklearn": (sklearn, {"negative", "edges"}),  # it refuses lists of one document
    "pytrec_eval": (pytrec_eval, set()),
    "ir_measures": (ir_measures, set()),
    "ranx": (ranx, {"tied", "edges"}),  # its order of ties is its own; it refuses missing queries
    "lightgbm": (lightgbm, {"negative"}),
    "xgboost": (xgboost, {"negative"}),
    "catboost": (catboost, {"negative"}),
}
COLLECTIONS = {
    one.__name__: one for one in (graded, tied, edges, negative, dl_hard, dl_hard_t5, ranx_unit)
}
#: On the large collections a few programs are enough in quick runs.
QUICK = {("sklearn", "dl_hard"), ("pytrec_eval", "dl_hard"), ("lightgbm", "dl_hard_t5")}


def pairs(quick: set[tuple[str, str]]) -> list[Any]:
    """Returns programs and collections; on large ones those that are not quick are slow."""
    return [
        pytest.param(
            program,
            name,
            marks=[pytest.mark.slow] if "dl" in name and (program, name) not in quick else [],
        )
        for program, (_, without) in PROGRAMS.items()
        for name in COLLECTIONS
        if name not in without
    ]


def known(found: ConventionMatch) -> set[str]:
    """Returns the programs that give the numbers without a change."""
    ways = [way for one in found.classes for way in (one.way, *one.others)]
    return {way.program.preset for way in ways if not way.changes}


def matched(files: Files, numbers: dict[str, float], moved: float = 0.0) -> ConventionMatch:
    texts = {name: f"{value + moved:.4f}" for name, value in numbers.items()}
    return relyon.match_convention(*files, texts)


@pytest.mark.parametrize(("program", "name"), pairs(QUICK))
def test_what_a_program_prints_is_its_own(program: str, name: str, peer: Peer) -> None:
    files = COLLECTIONS[name]()
    numbers = PROGRAMS[program][0](peer, files)
    for measure, value in numbers.items():
        found = matched(files, {measure: value})
        assert found.verdict in FOUND, (measure, value)
        assert program in known(found), (measure, value, known(found))
        assert found.classes[0].way.tier == 0
    both = matched(files, numbers)
    assert program in known(both)


@pytest.mark.parametrize(("program", "name"), pairs(set()))
def test_what_no_rule_gives_is_not_claimed(program: str, name: str, peer: Peer) -> None:
    files = COLLECTIONS[name]()
    numbers = PROGRAMS[program][0](peer, files)
    moved = -0.003 if max(numbers.values()) > 0.997 else 0.003
    found = matched(files, {"ndcg@10": numbers["ndcg@10"]}, moved)
    assert found.verdict != "found"
    assert not known(found)
    if len(numbers) > 1:
        assert matched(files, numbers, moved).verdict != "found"


def test_torchmetrics_from_its_recorded_values() -> None:
    """It needs PyTorch: what it printed is in tests/golden."""
    path = Path(__file__).parents[1] / "golden" / "data" / "torchmetrics.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    grades: Grades = {}
    run: Scores = {}
    for place, one in enumerate(content["queries"]):
        names = [f"d{number}" for number in range(len(one["labels"]))]
        grades[f"q{place}"] = dict(zip(names, one["labels"], strict=True))
        run[f"q{place}"] = dict(zip(names, one["scores"], strict=True))
    for measure in ("ap", "ap@5", "rr", "p@5", "recall@5"):
        value = content["expected"]["neg"].get(measure)
        if value is not None:
            assert "torchmetrics" in known(matched((grades, run), {measure: value})), measure


def test_negative_grades_are_refused_by_a_program_that_refuses_them() -> None:
    files = negative()
    value = relyon.evaluate(*files, "ndcg@10")["ndcg@10"]
    assert not known(matched(files, {"ndcg@10": value})) & {"sklearn", "lightgbm", "xgboost"}


def test_random_files_under_any_program() -> None:
    """Whatever rules relyon evaluates by, they are among those found."""
    generator = random.Random(7)
    for seed in range(6):
        one = make_inputs(seed, ties=bool(seed % 2), edges=seed > 2)
        program = generator.choice(
            ["sklearn", "trec_eval", "lightgbm", "catboost", "elasticsearch"]
        )
        value = relyon.evaluate(one.judgments, one.run, "ndcg@5", convention=program)["ndcg@5"]
        assert program in known(matched((one.judgments, one.run), {"ndcg@5": value})), program
