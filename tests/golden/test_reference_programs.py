"""Our presets against what the programs themselves said about the same inputs.

The files of tests/golden/data were written by make_golden.py; their `provenance` names versions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from relyon.compat import ir_measures, pytrec_eval, ranx

Golden = Callable[[str], Any]
Engine = Callable[..., dict[str, dict[str, float]]]

CASES = ("plain", "ties", "float32_ties", "negative_grades", "binary", "edges")
PROGRAM_OPTIONS: dict[str, dict[str, Any]] = {
    "-c": {"missing": "zero"},
    "-l2": {"rel": 2},
    "-J": {"unjudged": "removed"},
}
PRESETS = {"trec_eval_9": "trec_eval", "trec_eval_10": "trec_eval10"}
SPELLED = {"unj_3": "judged@3", "unj_50": "judged@50"}


def compare(
    found: dict[str, float], expected: dict[str, float], where: str, tolerance: float
) -> None:
    """Fails with the name of the first measure that differs."""
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=tolerance, abs=tolerance), f"{where}, {name}"


def unjudged_share(judged: float, retrieved: float, k: int) -> float:
    """Returns trec_eval's unj: unjudged documents of the first k, divided by k."""
    return (1 - judged) * min(retrieved, k) / k


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("program", ["trec_eval_9", "trec_eval_10"])
def test_trec_eval(program: str, case: str, golden: Golden, engine: Engine) -> None:
    inputs = golden("inputs")["cases"][case]
    checked = 0
    for entry in golden(program)["expected"]:
        if entry["case"] != case:
            continue
        convention: dict[str, Any] = {"preset": PRESETS[program]}
        for option in entry["arguments"]:
            convention |= PROGRAM_OPTIONS[option]
        expected = {query: dict(values) for query, values in entry["values"].items()}
        expected["all"].pop("num_q", None)
        names = list(next(iter(expected.values())))
        spelled = [SPELLED.get(name, name) for name in names]
        found = engine(inputs["judgments"], inputs["run"], spelled, convention)
        if program == "trec_eval_9" and "-c" in entry["arguments"]:
            found = {query: found[query] for query in expected}  # 9 prints no missing query
        assert set(found) == set(expected)
        for query, values in expected.items():
            row = dict(zip(names, (found[query][name] for name in spelled), strict=True))
            for name in [name for name in names if name.startswith("unj_")]:
                if query == "all":
                    values.pop(name)  # a mean of shares with other divisors
                else:
                    row[name] = unjudged_share(row[name], row["num_ret"], int(name[4:]))
                    if not row["num_ret"]:
                        values.pop(name)  # trec_eval counts documents that are not there
            compare(row, values, f"{case} {entry['arguments']} {query}", 1e-12)
            checked += len(values)
    assert checked > 100


def fact(golden: Golden, program: str, name: str) -> dict[str, Any]:
    """Returns one small case of trec_eval."""
    found: dict[str, Any]
    [found] = [
        entry
        for entry in golden("trec_eval_facts")["expected"]
        if (entry["program"], entry["name"]) == (program, name)
    ]
    return found


@pytest.mark.parametrize(("program", "value"), [("trec_eval_9", 0.5), ("trec_eval_10", 1.0)])
def test_trec_eval_9_compares_float32(
    program: str, value: float, golden: Golden, engine: Engine
) -> None:
    case = fact(golden, program, "float32")
    assert case["values"]["all"]["recip_rank"] == value
    found = engine(case["judgments"], case["run"], ["rr"], PRESETS[program])
    assert found["all"]["rr"] == value


def test_trec_eval_10_stops_at_a_missing_query(golden: Golden, engine: Engine) -> None:
    assert fact(golden, "trec_eval_10", "missing query")["exit_code"] == 4
    case = fact(golden, "trec_eval_9", "missing query")
    assert case["exit_code"] == 0
    found = engine(case["judgments"], case["run"], ["map", "num_rel"], "trec_eval")
    assert found["all"] == {name: case["values"]["all"][name] for name in ("map", "num_rel")}


@pytest.mark.parametrize("program", PRESETS)
def test_trec_eval_cuts_fractions_of_grades(program: str, golden: Golden, engine: Engine) -> None:
    case = fact(golden, program, "fractions of grades")
    whole = {
        query: {name: int(grade) for name, grade in grades.items()}
        for query, grades in case["judgments"].items()
    }
    names = ["map", "num_rel", "ndcg"]
    found = engine(whole, case["run"], names, PRESETS[program])["all"]
    assert found["map"] == case["values"]["all"]["map"]
    assert found["num_rel"] == case["values"]["all"]["num_rel"] == 1
    kept = engine(case["judgments"], case["run"], names, PRESETS[program])["all"]
    assert kept["ndcg"] > found["ndcg"]  # relyon keeps the gain of 0.5


@pytest.mark.parametrize("program", PRESETS)
def test_trec_eval_loses_gains_below_one(program: str, golden: Golden, engine: Engine) -> None:
    case = fact(golden, program, "fractions of gains")
    assert case["values"]["all"] == {"ndcg_1=0.2,2=0.9": 0.0}
    name = "ndcg(gain={0:0,1:0.2,2:0.9})"
    found = engine(case["judgments"], case["run"], [name], PRESETS[program])["all"]
    half = math.log2(3)
    assert found[name] == pytest.approx((0.2 + 0.9 / half) / (0.9 + 0.2 / half), rel=1e-12)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("level", [1, 2])
def test_pytrec_eval(level: int, case: str, golden: Golden, engine: Engine) -> None:
    inputs = golden("inputs")["cases"][case]
    [entry] = [
        entry
        for entry in golden("pytrec_eval")["expected"]
        if (entry["case"], entry["relevance_level"]) == (case, level)
    ]
    names = list(next(iter(entry["values"].values())))
    convention = {"preset": "pytrec_eval", "rel": level}
    found = engine(inputs["judgments"], inputs["run"], names, convention)
    assert set(found) - {"all"} == set(entry["values"])
    for query, values in entry["values"].items():
        compare(found[query], values, f"{case} {query}", 1e-12)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("level", [1, 2])
def test_pytrec_eval_drop_in(level: int, case: str, golden: Golden) -> None:
    inputs = golden("inputs")["cases"][case]
    [entry] = [
        entry
        for entry in golden("pytrec_eval")["expected"]
        if (entry["case"], entry["relevance_level"]) == (case, level)
    ]
    measures = set(next(iter(entry["values"].values())))
    evaluator = pytrec_eval.RelevanceEvaluator(inputs["judgments"], measures, level)
    found = evaluator.evaluate(inputs["run"])
    assert list(found) == list(entry["values"])
    for query, values in entry["values"].items():
        assert list(found[query]) == list(values)
        compare(found[query], values, f"{case} {query}", 1e-12)


# In ir_measures a grade that the map of gains does not name is its own gain; ours must name all.
IR_MEASURES_SPELLED = {"nDCG(gains={2:3,3:7})@5": "nDCG(gains={0:0,1:1,2:3,3:7})@5"}

# ir_measures asks another provider for these: documents of equal score come in ascending order,
# scores are float64, and a negative grade counts as judged
OTHER_PROVIDERS = ("RR@3", "Judged@3", "Judged@50")


@pytest.mark.parametrize("case", CASES)
def test_ir_measures(case: str, golden: Golden, engine: Engine) -> None:
    inputs = golden("inputs")["cases"][case]
    [entry] = [entry for entry in golden("ir_measures")["expected"] if entry["case"] == case]
    names = list(entry["values"]["all"])
    own = [IR_MEASURES_SPELLED.get(name, name) for name in names if name not in OTHER_PROVIDERS]
    found = engine(inputs["judgments"], inputs["run"], own, "ir_measures")
    for values in found.values():
        for theirs, ours in IR_MEASURES_SPELLED.items():
            values[theirs] = values.pop(ours)
    other = {
        "preset": "ir_measures",
        "ties": "doc-asc",
        "scores": "float64",
        "negative": "nonrelevant",
    }
    others = engine(inputs["judgments"], inputs["run"], list(OTHER_PROVIDERS), other)
    assert set(found) == set(others) == set(entry["values"])
    for query, values in entry["values"].items():
        compare(found[query] | others[query], values, f"{case} {query}", 1e-12)


@pytest.mark.parametrize("case", ["plain", "negative_grades", "binary", "edges"])
def test_ir_measures_providers(case: str, golden: Golden) -> None:
    inputs = golden("inputs")["cases"][case]
    [entry] = [
        entry for entry in golden("ir_measures_providers")["expected"] if entry["case"] == case
    ]
    names = list(dict.fromkeys(name for values in entry["values"].values() for name in values))
    assert len(names) > 20
    for name in names:
        measure = ir_measures.parse_measure(name)
        rows = ir_measures.iter_calc([measure], inputs["judgments"], inputs["run"])
        found = {one.query_id: {name: one.value} for one in rows}
        wanted = {query: row[name] for query, row in entry["values"].items() if name in row}
        assert set(found) == set(wanted), name
        for query, value in wanted.items():
            compare(found[query], {name: value}, f"{case} {query}", 1e-12)


@pytest.mark.parametrize("case", CASES)
def test_gdeval(case: str, golden: Golden, engine: Engine) -> None:
    inputs = golden("inputs")["cases"][case]
    [entry] = [entry for entry in golden("gdeval")["expected"] if entry["case"] == case]
    names = list(next(iter(entry["values"].values())))
    spelled = [name.replace("ERR@", "err(max=4)@") for name in names]
    convention = {"preset": "ir_measures", "scores": "float64"}
    found = engine(inputs["judgments"], inputs["run"], spelled, convention)
    assert set(found) - {"all"} == set(entry["values"])
    for query, values in entry["values"].items():
        row = dict(zip(names, (found[query][name] for name in spelled), strict=True))
        for name, value in values.items():
            assert row[name] == pytest.approx(value, abs=5.1e-6), f"{case} {query} {name}"


def ranx_name(name: str) -> str:
    """Returns our name of a measure of ranx."""
    base, _, level = name.partition("-l")
    measure, _, cutoff = base.partition("@")
    if measure.startswith("rbp."):
        measure = f"rbp(p=0.{measure[4:]}"
        measure += f",rel={level})" if level else ")"
    else:
        measure = measure.replace("r-precision", "rprec").replace("hits", "num_rel_ret")
        if level:
            measure += f"(rel={level})"
    return f"{measure}@{cutoff}" if cutoff else measure


@pytest.mark.parametrize("case", ["plain", "negative_grades", "binary", "edges"])
def test_ranx(case: str, golden: Golden, engine: Engine) -> None:
    inputs = golden("inputs")["cases"][case]
    [entry] = [entry for entry in golden("ranx")["expected"] if entry["case"] == case]
    names = [
        name
        for name in next(iter(entry["values"].values()))
        # grades below the level have no gain there; graded gains in rbp
        if name != "ndcg@5-l2" and (case == "binary" or not name.startswith("rbp"))
    ]
    names = [name for name in names if case != "binary" or "-l2" not in name]
    if case == "edges":  # a query without relevant documents ends bpref for those after it
        names = [name for name in names if not name.startswith("bpref")]
    convention = {"preset": "ranx", "missing": "zero"}
    spelled = [ranx_name(name) for name in names]
    found = engine(inputs["judgments"], inputs["run"], spelled, convention)
    for query, values in entry["values"].items():
        for name, own in zip(names, spelled, strict=True):
            if values[name] is None:
                assert name.startswith("bpref")  # 0/0: no judged document is not relevant
                continue
            where = f"{case} {query} {name}"
            assert found[query][own] == pytest.approx(values[name], rel=1e-12), where


@pytest.mark.parametrize("case", ["plain", "negative_grades", "binary", "edges"])
def test_ranx_drop_in(case: str, golden: Golden) -> None:
    inputs = golden("inputs")["cases"][case]
    [entry] = [entry for entry in golden("ranx")["expected"] if entry["case"] == case]
    names = [
        name
        for name in next(iter(entry["values"].values()))
        # a query without relevant documents ends bpref for those after it
        if not (name.startswith("bpref") and (case == "edges" or name == "bpref-l2"))
    ]
    qrels, run = ranx.Qrels(inputs["judgments"]), ranx.Run(inputs["run"])
    found = ranx.evaluate(qrels, run, names, return_mean=False, make_comparable=True)
    for place, query in enumerate(sorted(entry["values"])):
        for name in names:
            value = entry["values"][query][name]
            expected = math.nan if value is None else value
            assert found[name][place] == pytest.approx(expected, rel=1e-12, nan_ok=True), name


def as_queries(lists: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Names the documents of labelled scores by their place."""
    judgments, run = {}, {}
    for number, row in enumerate(lists):
        names = [f"d{place:03d}" for place in range(len(row["labels"]))]
        judgments[str(number)] = dict(zip(names, row["labels"], strict=True))
        run[str(number)] = dict(zip(names, row["scores"], strict=True))
    return judgments, run


LISTS = ("graded", "graded_ties", "binary", "binary_ties")


def check_lists(
    program: str,
    case: str,
    translate: Callable[[str], str | None],
    convention: Any,
    golden: Golden,
    engine: Engine,
    *,
    tolerance: float = 1e-12,
) -> None:
    """Compares every value of one file whose name `translate` knows."""
    judgments, run = as_queries(golden("lists")["cases"][case])
    [entry] = [entry for entry in golden(program)["expected"] if entry["case"] == case]
    names = {name: translate(name) for name in entry["values"][0]}
    spelled = [own for own in names.values() if own is not None]
    assert spelled
    found = engine(judgments, run, spelled, convention)
    for number, values in enumerate(entry["values"]):
        for name, own in names.items():
            if own is not None and values[name] is not None:
                where = f"{program} {case} query {number} {name}"
                assert found[str(number)][own] == pytest.approx(values[name], rel=tolerance), where


@pytest.mark.parametrize("case", ["graded", "binary"])
def test_sklearn(case: str, golden: Golden, engine: Engine) -> None:
    check_lists("sklearn", case, lambda name: name, "sklearn", golden, engine)


@pytest.mark.parametrize("case", ["graded_ties", "binary_ties"])
def test_sklearn_averages_over_ties(case: str, golden: Golden) -> None:
    import relyon

    expected = next(entry for entry in golden("sklearn")["expected"] if entry["case"] == case)
    judgments, run = as_queries(golden("lists")["cases"][case])
    names = [name for name in expected["values"][0] if case == "binary_ties" or name != "auc"]
    results = relyon.evaluate(judgments, run, names, convention="sklearn")
    for query, row in results.rows():
        for name, value in zip(names, row, strict=True):
            theirs = expected["values"][int(query)][name]
            if theirs is not None:
                filled = 0.0 if math.isnan(value) else value
                assert filled == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("case", LISTS)
def test_lightgbm(case: str, golden: Golden, engine: Engine) -> None:
    check_lists("lightgbm", case, lambda name: name, "lightgbm", golden, engine)


def xgboost_name(name: str) -> str | None:
    """Returns our name of a measure of XGBoost, none for the `-` suffix."""
    return None if name.endswith("-") else name.replace("pre@", "p@")


@pytest.mark.parametrize("case", LISTS)
def test_xgboost(case: str, golden: Golden, engine: Engine) -> None:
    # XGBoost multiplies by discounts of less precision
    check_lists("xgboost", case, xgboost_name, "xgboost", golden, engine, tolerance=1e-7)


@pytest.mark.parametrize("case", LISTS)
def test_xgboost_minus_suffix(case: str, golden: Golden, engine: Engine) -> None:
    def translate(name: str) -> str | None:
        return name[:-1] if name.endswith("-") else None

    convention = {"preset": "xgboost", "undefined": "zero"}
    check_lists("xgboost", case, translate, convention, golden, engine, tolerance=1e-7)


CATBOOST = {
    "NDCG": "ndcg",
    "NDCG:top=3": "ndcg@3",
    "NDCG:type=Exp": "ndcg(gain=exp)",
    "NDCG:denominator=Position": "ndcg(discount=inverse)",
    "RecallAt:top=3": "recall@3",
    "DCG": "dcg",
    "MAP": "ap",
    "MAP:top=3": "ap@3",
    "MRR": "rr",
    "MRR:top=3": "rr@3",
    "PrecisionAt:top=3": "p@3",
    "PrecisionAt:top=50": "p@50",
}


@pytest.mark.parametrize("case", LISTS)
def test_catboost(case: str, golden: Golden, engine: Engine) -> None:
    # without a relevant document NDCG and recall count 1 there, the others 0
    check_lists("catboost", case, CATBOOST.get, "catboost", golden, engine)
