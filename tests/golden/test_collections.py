"""Public judgments and runs, against values that other programs found."""

from __future__ import annotations

import csv
import gzip
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import relyon

Engine = Callable[..., dict[str, dict[str, float]]]

PLAIN = {
    *("num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "bpref", "recip_rank", "infAP", "ndcg"),
    *("set_P", "set_recall", "set_F"),
}
CUT = ("P_", "recall_", "ndcg_cut_", "map_cut_", "success_")


def read_printed(path: Path) -> dict[str, dict[str, float]]:
    """Returns the measures we share of what trec_eval printed with all digits, by query."""
    found: dict[str, dict[str, float]] = {}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        name, query, value = line.split("\t")
        name = name.strip()
        cut = any(name.startswith(prefix) and name[len(prefix) :].isdecimal() for prefix in CUT)
        if cut or name in PLAIN:
            found.setdefault(query, {})[name] = float(value)
    return found


def check_all_digits(
    expected: dict[str, dict[str, float]], found: dict[str, dict[str, float]]
) -> None:
    """Compares every value of every query, and the summary."""
    assert set(found) == set(expected)
    for query, values in expected.items():
        for name, value in values.items():
            where = f"{query} {name}"
            assert found[query][name] == pytest.approx(value, rel=1e-12, abs=1e-12), where


@pytest.mark.long
@pytest.mark.parametrize("run", ["bm25", "bm25_t5.zs"])
def test_dl_hard_as_trec_eval(run: str, test_data: Path, engine: Engine) -> None:
    folder = test_data / "dl_hard_passage"
    expected = read_printed(folder / f"{run}.te9.0.8.all_trec.q.txt.gz")
    assert len(expected) == 51
    names = list(expected["all"])
    found = engine(folder / "qrels.passage.txt", folder / f"{run}.run.gz", names, "trec_eval")
    check_all_digits(expected, found)


PAIRS = ["pnr(label_ties=ignore)", "gauc"]


def check_pairs(qrels: Path, run: Path, expected: Path) -> None:
    """Compares pair counts, PNR and AUC of every query and their sums."""
    names = [*PAIRS, "auc"]
    results = relyon.evaluate(str(qrels), str(run), names)
    ratios = results.values_by_query("pnr(label_ties=ignore)")
    areas = results.values_by_query("gauc")
    with expected.open() as lines:
        rows = list(csv.DictReader(lines))
    *queries, summary = rows
    assert len(queries) == len(ratios)
    for row in queries:
        query = row["qid"]
        positive, negative = int(row["pairs_concordant"]), int(row["pairs_discordant"])
        if negative:
            assert ratios[query] == pytest.approx(positive / negative, rel=1e-12), query
        elif positive:
            assert ratios[query] == math.inf
        else:
            assert math.isnan(ratios[query])
        if row["sklearn_roc_auc"]:
            area = float(row["sklearn_roc_auc"])
            assert areas[query] == pytest.approx(area, rel=1e-12), query
        else:
            assert math.isnan(areas[query])
    details = results.entries["pnr(label_ties=ignore)"].details
    assert details["positive"] == int(summary["pairs_concordant"])
    assert details["negative"] == int(summary["pairs_discordant"])
    ratio = float(summary["pnr_conc_over_disc"])
    assert results["pnr(label_ties=ignore)"] == pytest.approx(ratio, rel=1e-12)
    assert results["gauc"] == pytest.approx(float(summary["sklearn_roc_auc"]), rel=1e-12)


@pytest.mark.parametrize("run", ["bm25", "bm25_t5.zs"])
def test_dl_hard_pairs(run: str, test_data: Path) -> None:
    folder = test_data / "dl_hard_passage"
    check_pairs(
        folder / "qrels.passage.txt", folder / f"{run}.run.gz", folder / f"{run}.auc_pnr.csv"
    )


def test_trec_eval_pairs(test_data: Path) -> None:
    folder = test_data / "trec_eval_test"
    inputs = folder / "v10.0-rc3"
    check_pairs(inputs / "qrels.test", inputs / "results.test", folder / "expected_auc_pnr.csv")


OPTIONS = {
    "te9.0.8.all_trec.q": {"preset": "trec_eval"},
    "te9.0.8.all_trec.l2.q": {"preset": "trec_eval", "rel": 2},
    "te10.0-rc3.all_trec.q": {"preset": "trec_eval10"},
    "te9.0.8.ndcg_expgain.q": {"preset": "trec_eval", "gain": "exp"},
}


SMALL = (
    ("ranx_fixtures", "unit/qrels.trec", "unit/run.trec", "run.trec"),
    ("ranx_fixtures", "unit/qrels.trec.gz", "unit/run.trec.gz", "run.trec"),
    ("ir_measures_tests", "cwl.qrels", "cwl.run", "cwl"),
    ("ir_measures_tests", "compat.qrels", "compat.run", "compat"),
)


@pytest.mark.parametrize(
    ("files", "options"),
    [
        (files, options)
        for files in SMALL
        for options in OPTIONS
        # the grades of `compat` go to 50, and 2^50 - 1 is no grade of trec_eval
        if (files[3], options) != ("compat", "te9.0.8.ndcg_expgain.q")
    ],
)
def test_small_collections(
    files: tuple[str, str, str, str], options: str, test_data: Path, engine: Engine
) -> None:
    folder, qrels, run, expected = files
    root = test_data / folder
    path = root / "expected" / f"{expected}.{options}.txt.gz"
    printed = read_printed(path)
    names = list(printed["all"])
    check_all_digits(printed, engine(root / qrels, root / run, names, OPTIONS[options]))


@pytest.mark.parametrize("form", ["trec", "trec.gz", "json", "parquet"])
def test_ranx_fixtures_in_every_form(form: str, test_data: Path) -> None:
    folder = test_data / "ranx_fixtures"
    judgments: Any = str(folder / "unit" / f"qrels.{form}")
    run: Any = str(folder / "unit" / f"run.{form}")
    if form == "parquet":
        columns = {"query": "q_id", "document": "doc_id"}
        judgments = relyon.read_judgments(judgments, columns=columns | {"grade": "score"})
        run = relyon.read_run(run, columns=columns | {"score": "score"})
    expected = read_printed(folder / "expected" / "run.trec.te9.0.8.all_trec.q.txt.gz")["all"]
    results = relyon.evaluate(judgments, run, list(expected), convention="trec_eval")
    for name, value in expected.items():
        assert results[name] == pytest.approx(value, rel=1e-12), name


def load(test_data: Path, name: str) -> Any:
    return json.loads((test_data / "reference_fixtures" / f"{name}.json").read_text())


def test_gdeval_values(test_data: Path, engine: Engine) -> None:
    case = load(test_data, "ir_measures_inline")["gdeval"]
    names = {
        "ndcg@20": "ndcg(gain=exp)@20",
        "ndcg@2": "ndcg(gain=exp)@2",
        "err@20": "err(max=4)@20",
        "err@2": "err(max=4)@2",
    }
    found = engine(case["qrels"], case["run"], list(names.values()), "ir_measures")
    for name, own in names.items():
        for query, value in case[name].items():
            row = found["all" if query == "mean" else query]
            assert row[own] == pytest.approx(value, abs=5.1e-6), f"{name} {query}"


def test_cwl_values(test_data: Path, engine: Engine) -> None:
    case = load(test_data, "ir_measures_inline")["cwl (files ../ir_measures_tests/cwl.*)"]
    folder = test_data / "ir_measures_tests"
    names = ["AP", "P@1", "P@5", "P@10", "P@20", "RR", "RBP(p=0.9)"]
    found = engine(folder / "cwl.qrels", folder / "cwl.run", names, "ir_measures")
    for name in names:
        for query, value in case[name].items():
            assert found[query][name] == pytest.approx(value, abs=case["tolerance"]), name


def test_pytrec_eval_values(test_data: Path, engine: Engine) -> None:
    content = load(test_data, "pytrec_eval_inline")
    for case in content["cases"]:
        found = engine(content["qrel"], {"q1": case["run_q1"]}, ["ndcg"], "pytrec_eval")
        assert found["q1"]["ndcg"] == pytest.approx(case["ndcg_q1"], rel=1e-12)


def test_elasticsearch_values(test_data: Path) -> None:
    for case in load(test_data, "elasticsearch_dcg")["cases"]:
        ranked = case["ratings_by_rank"]
        missed = list(case.get("all_ratings", []))
        for grade in ranked:
            if grade in missed:
                missed.remove(grade)
        dcg = relyon.measure("dcg(gain=exp)@10").score(ranked, missed)
        ndcg = relyon.measure("ndcg(gain=exp)@10").score(ranked, missed)
        assert dcg == pytest.approx(case["dcg"], rel=1e-12)
        assert ndcg == pytest.approx(case["ndcg"], rel=1e-12)
        assert dcg / ndcg == pytest.approx(case["idcg"], rel=1e-12)
