"""Which rules gave a number: the search finds them, and claims nothing else."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import relyon
from relyon.analysis.matching import ConventionMatch, Way
from relyon.analysis.matching.effects import effects_of
from relyon.analysis.matching.measured import Measurements
from relyon.analysis.matching.ways import cut, ways
from relyon.core.errors import RelyonError
from relyon.evaluation.program import Average
from relyon.evaluation.providers import program_rules

Files = tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]


def files(seed: int = 1, queries: int = 12) -> Files:
    """Ties, unjudged and missed documents, a missing and an unjudged query, negative grades."""
    draw = np.random.default_rng(seed)
    judgments, run = {}, {}
    for number in range(queries):
        names = [f"文档{code}" for code in draw.choice(60, 30, replace=False)]
        grades = draw.choice([-1, 0, 0, 1, 2, 3], 14).tolist()
        judgments[f"q{number}"] = {**dict(zip(names, grades, strict=False)), "missed": 1}
        scores = draw.integers(0, 9, 20).tolist()
        run[f"q{number}"] = dict(zip(names[8:28], map(float, scores), strict=True))
    judgments["none"] = {"a": 0, "b": 0}
    run["none"] = {"a": 1.0, "c": 0.5}
    judgments["missing"] = {"a": 1}
    run["unjudged"] = {"a": 1.0}
    return judgments, run


def match(judgments: object, run: object, **numbers: object) -> ConventionMatch:
    """Matches numbers by measure, with `_` for `@`."""
    named = {name.replace("_", "@"): one for name, one in numbers.items()}
    return relyon.match_convention(judgments, run, named)


def by_hand(judgments: object, run: object, way: Way, name: str) -> float:
    """Returns what relyon.evaluate says of a way of counting."""
    measure = cut(relyon.measure(name), way.cutoff) or relyon.measure(name)
    average: Average | None = "micro" if way.average == "pooled" else None
    rules = way.convention.replace(**program_rules(relyon.measure(name), way.convention))
    results = relyon.evaluate(judgments, run, measure, convention=rules, average=average)
    return results[measure]


@pytest.mark.long
@pytest.mark.parametrize("name", ["ndcg@5", "ap", "p@5", "recall@5", "rr@3"])
def test_numbers_are_those_of_an_evaluation(name: str) -> None:
    judgments, run = relyon.read_judgments(files()[0]), relyon.read_run(files()[1])
    one = relyon.measure(name)
    listed, _ = ways([one], effects_of(judgments, run, None), most=1)
    table = Measurements(judgments, run, None, 1).numbers(listed, [one])[:, 0]
    compared = 0
    for way, number in list(zip(listed, table, strict=True))[::3]:
        if way.average not in ("mean", "pooled"):
            continue
        try:
            expected = by_hand(judgments, run, way, name)
        except RelyonError:
            assert math.isnan(number), str(way)
            continue
        compared += 1
        assert number == pytest.approx(expected, abs=1e-12), str(way)
    assert compared > 30


def test_values_of_queries_are_those_of_an_evaluation() -> None:
    judgments, run = relyon.read_judgments(files()[0]), relyon.read_run(files()[1])
    one = relyon.measure("ndcg@5")
    listed, _ = ways([one], effects_of(judgments, run, None), most=0)
    found = Measurements(judgments, run, None, 1)
    for way in listed:
        own = found.values(way, one)
        results = relyon.evaluate(judgments, run, one, convention=way.convention)
        known = results.values_by_query(one)
        assert {query: known[query] for query in own if not math.isnan(known[query])} == (
            pytest.approx({query: own[query] for query in own if not math.isnan(known[query])})
        )
        assert float(np.mean([*own.values()])) == pytest.approx(results[one], abs=1e-12)


def test_other_averages() -> None:
    judgments, run = files()
    kept = {query: one for query, one in judgments.items() if query in run}
    values = relyon.evaluate(kept, run, "ap", convention={"undefined": "zero"}).values_by_query(
        "ap"
    )
    counted = [0.0 if math.isnan(one) else one for one in values.values()]
    logs = math.exp(sum(math.log(max(one, 1e-5)) for one in counted) / len(counted))
    geometric = match(kept, run, ap=f"{logs:.9f}").classes
    assert "average=geometric" in {str(one.way).split(", ")[-1] for one in geometric}
    over_run = sum(counted) / (len(counted) + 1)  # the unjudged query counts 0
    ran = match(kept, run, ap=f"{over_run:.9f}").classes
    assert any("average=run" in str(one.way) for one in ran)


def changed(kind: str, judgments: Any, run: Any) -> Files:
    """Returns the files with one thing broken."""
    first, *_, last = run

    def scores(change: Any) -> Any:
        return {
            q: {n: change(one, p) for p, (n, one) in enumerate(d.items())} for q, d in run.items()
        }

    def grades(change: Any) -> Any:
        return {q: {n: change(one) for n, one in d.items()} for q, d in judgments.items()}

    if kind == "cut":
        best = {q: sorted(d.items(), key=lambda one: -one[1])[:5] for q, d in run.items()}
        return judgments, {q: dict(one) for q, one in best.items()}
    if kind in ("first_query", "last_query"):
        lost = first if kind == "first_query" else last
        return judgments, {q: d for q, d in run.items() if q != lost}
    if kind in ("shifted", "binary"):
        return grades((lambda g: g + 1) if kind == "shifted" else (lambda g: float(g >= 2))), run
    made = {
        "reversed": lambda score, place: -score,
        "rounded": lambda score, place: round(score, 1),
        "file_order": lambda score, place: -float(place),
    }
    return judgments, scores(made[kind])


@pytest.mark.long
@pytest.mark.parametrize(
    "kind",
    ["cut", "reversed", "rounded", "shifted", "first_query", "last_query", "binary", "file_order"],
)
def test_broken_inputs_are_found(kind: str) -> None:
    draw = np.random.default_rng(3)
    judgments = {
        f"q{n}": {f"d{m}": int(draw.choice([0, 0, 1, 2, 3])) for m in range(25)} for n in range(15)
    }
    run = {q: {f"d{m}": float(draw.normal()) for m in draw.permutation(25)[:20]} for q in judgments}
    numbers = relyon.evaluate(
        *changed(kind, judgments, run), ["ndcg", "ap"], convention="trec_eval"
    )
    found = relyon.match_convention(
        judgments, run, {name: f"{one:.6f}" for name, one in numbers.items()}
    )
    assert found.verdict == "none" or found.classes[0].way.tier == 2
    assert kind in {one.fault.kind for one in found.faults}
    assert found.faults_tried >= 15


def test_documents_listed_twice(tmp_path: Path) -> None:
    judgments = {f"q{n}": {"a": 3, "b": 1, "c": 0} for n in range(6)}
    path = tmp_path / "twice.run"
    rows = [
        f"q{n} Q0 {name} 0 {score} t"
        for n in range(6)
        for name, score in (("a", 9), ("b", 8), ("c", 7), ("a", n))
    ]
    path.write_text("\n".join(rows), encoding="utf-8")
    first = {q: {"a": 9, "b": 8, "c": 7} for q in judgments}
    last = {q: {"b": 8, "c": 7, "a": n} for n, q in enumerate(judgments)}
    parts = [row.split() for row in rows]
    frame = pl.DataFrame(
        {
            "query": [one[0] for one in parts],
            "document": [one[2] for one in parts],
            "score": [float(one[4]) for one in parts],
        }
    )
    for given in (str(path), frame):
        for run, faults in ((first, set()), (last, {"last_copy"})):
            values = relyon.evaluate(judgments, run, ["ndcg@5", "ap"])
            texts = {name: f"{one:.6f}" for name, one in values.items()}
            found = relyon.match_convention(judgments, given, texts)
            assert found.copies == 6
            assert {one.fault.kind for one in found.faults} >= faults
            assert bool(found.classes) != bool(faults)
            assert "6 rows" in str(found)
    path.write_text("q Q0 a 0 x t\n", encoding="utf-8")
    with pytest.raises(relyon.InputError, match=r"twice\.run:1"):
        relyon.match_convention(judgments, path, {"ap": "0.5"})


@pytest.mark.long
def test_other_judgments_are_tried() -> None:
    judgments, run = files()
    other = {
        query: {name: 3 - max(one, 0) for name, one in row.items()}
        for query, row in judgments.items()
    }
    numbers = relyon.evaluate(other, run, ["ndcg@5", "ap"])
    texts = {name: f"{one:.6f}" for name, one in numbers.items()}
    assert not relyon.match_convention(judgments, run, texts).faults
    found = relyon.match_convention(judgments, run, texts, other_judgments={"2025": other})
    assert [(one.fault.kind, one.fault.value) for one in found.faults] == [("judgments", "2025")]


def test_the_next_look_shows_values_that_differ() -> None:
    judgments, run = files(4)
    found = match(
        judgments, run, ndcg_5=round(relyon.evaluate(judgments, run, "ndcg@5")["ndcg@5"], 1)
    )
    look = found.next_look
    assert look is not None
    assert len(look.values) == len(found.classes) == look.classes
    first = found.classes[0].way
    known = relyon.evaluate(judgments, run, look.measure, convention=first.convention)
    of_query = known.values_by_query(look.measure)
    value = of_query[look.name] if look.kind == "query" else known[look.measure]
    assert look.values[0] == pytest.approx(value)
    assert look.groups > 1
    assert look.name in str(found)
    assert look.name in found.to_text(language="zh")


def test_parameters_in_a_name_are_kept() -> None:
    judgments, run = files()
    value = relyon.evaluate(judgments, run, "ndcg(gain=exp)@5")["ndcg(gain=exp)@5"]
    found = relyon.match_convention(judgments, run, {"ndcg(gain=exp)@5": f"{value:.5f}"})
    assert found.classes[0].name == "relyon"
    assert "gain" in found.without_effect


def test_programs_that_refuse_the_files_are_left_out() -> None:
    judgments, run = files()
    found = match(judgments, run, ndcg_5="0.5")
    programs = {way.program.preset for one in found.classes for way in (one.way, *one.others)}
    assert not programs & {"sklearn", "lightgbm", "ranx"} or all(
        way.changes
        for one in found.classes
        for way in (one.way, *one.others)
        if way.program.preset in {"sklearn", "lightgbm", "ranx"}
    )


@pytest.mark.parametrize(
    ("judgments", "run"),
    [
        ({"q": {"a": 1}}, {"q": {"a": 1.0}}),
        ({1: {7: 1, 8: 0}}, {1: {8: 2, 7: 2}}),
        ({"查询": {"甲": 0.5, "乙": 0.25}}, {"查询": {"乙": 1.0, "甲": 1.0}}),
        ({"q": {"a": 0}}, {"q": {"a": 1.0}}),
        ({"q": {"a": 1, "c": 0}, "p": {"a": 1}}, {"q": {"b": 1.0, "c": 0.5}}),
    ],
    ids=[
        "one document",
        "numbers as ids",
        "Chinese ids, fractions",
        "nothing relevant",
        "nothing relevant retrieved",
    ],
)
def test_small_files(judgments: Any, run: Any) -> None:
    found = relyon.match_convention(judgments, run, {"ndcg@3": "1.0000", "p@3": "0.3333"})
    assert json.loads(found.to_json())["verdict"] == found.verdict
    assert str(found)
    assert 0 <= found.accident <= 1


@pytest.mark.long
def test_every_kind_of_measure() -> None:
    judgments, run = files()
    for name in ("auc", "pnr", "gm_ap", "num_rel_ret", "first(ndcg@5)", "alpha_ndcg@5", "tau"):
        value = relyon.evaluate(judgments, run, name)[name]
        found = relyon.match_convention(judgments, run, {name: f"{value:.6f}"})
        assert found.classes[0].name == "relyon", name
    with pytest.raises(relyon.ParameterError, match="compares two runs"):
        relyon.match_convention(judgments, run, {"rbo": "0.5"})


def test_files_without_a_common_query_are_refused() -> None:
    with pytest.raises(relyon.InputError, match="no query"):
        relyon.match_convention({"q": {"a": 1}}, {"p": {"a": 1.0}}, {"ap": "0.5"})
    with pytest.raises(relyon.InputError, match="no judgments"):
        relyon.match_convention({}, {"p": {"a": 1.0}}, {"ap": "0.5"})
    with pytest.raises(relyon.ParameterError, match="no number"):
        relyon.match_convention({"q": {"a": 1}}, {"q": {"a": 1.0}}, {})
    with pytest.raises(relyon.UnknownNameError):
        relyon.match_convention({"q": {"a": 1}}, {"q": {"a": 1.0}}, {"nothing": "0.5"})


def written(folder: Path) -> list[str]:
    judgments, run = files()
    paths = [folder / "judgments.qrels", folder / "bm25.run"]
    rows = [f"{q} 0 {n} {g}" for q, row in judgments.items() for n, g in row.items()]
    paths[0].write_text("\n".join(rows) + "\n", encoding="utf-8")
    lines = [f"{q} Q0 {n} 1 {s} bm25" for q, row in run.items() for n, s in row.items()]
    paths[1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return list(map(str, paths))


@pytest.mark.parametrize("convention", ["catboost", "elasticsearch", "quepid"])
def test_options_of_a_class_give_its_number(convention: str, command: Any, tmp_path: Path) -> None:
    paths = written(tmp_path)
    rules = {"preset": convention, "negative": "nonrelevant", "ties": "doc-asc"}
    value = relyon.evaluate(paths[0], paths[1], "ndcg@6", convention=rules)["ndcg@6"]
    found = relyon.match_convention(paths[0], paths[1], {"ndcg@5": f"{value:.6f}"})
    for one in found.classes[:3]:
        assert one.options is not None
        again = command("evaluate", *paths, *one.options.split(), "--format", "json")
        printed = json.loads(again.out)["measures"]
        assert f"{next(iter(printed.values()))['value']:.6f}" == f"{value:.6f}"


def test_the_command(command: Any, tmp_path: Path) -> None:
    paths = written(tmp_path)
    value = relyon.evaluate(paths[0], paths[1], "ndcg@5", convention="elasticsearch")["ndcg@5"]
    outcome = command("conventions", "--match", f"ndcg@5={value:.6f}", *paths)
    assert outcome.code == 0
    assert "elasticsearch" in outcome.out
    asked = ["--match", f"ndcg(gain=exp)@5={100 * value:.4f}%", "--format", "json"]
    found = json.loads(command("conventions", *asked, *paths).out)
    assert found["numbers"][0]["value"] == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--match", "ndcg@5", "J", "R"], "--match"),
        (["--match", "ndcg@5=x", "J", "R"], "not a number"),
        (["--match", "ap=.5", "--match", "ap=.6", "J", "R"], "twice"),
        (["--match", "ap=.5", "J"], "run"),
        (["--match", "ap=.5", "J", "R", "R"], "one run"),
        (["--other-judgments", "J"], "--match"),
        (["ranx", "sklearn"], "describes one"),
    ],
    ids=["no number", "not a number", "twice", "no run", "two runs", "no match", "two presets"],
)
def test_what_the_command_refuses(
    arguments: list[str], said: str, command: Any, tmp_path: Path
) -> None:
    paths = dict(zip("JR", written(tmp_path), strict=True))
    outcome = command("conventions", *(paths.get(one, one) for one in arguments))
    assert outcome.code == 2
    assert said in outcome.err


@pytest.mark.long
def test_values_that_are_not_kept_are_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    judgments, run = files()
    kept = match(judgments, run, ndcg_5="0.3", ap="0.2").to_dict()
    monkeypatch.setattr("relyon.analysis.matching.measured.MOST_HELD", 0)
    assert match(judgments, run, ndcg_5="0.3", ap="0.2").to_dict() == kept


def test_each_number_by_rules_of_its_own() -> None:
    judgments, run = files()
    judgments = {
        query: {name: max(grade, 0) for name, grade in grades.items()}
        for query, grades in judgments.items()
    }
    theirs = relyon.evaluate(judgments, run, "ndcg@5", convention="lightgbm")
    own = relyon.evaluate(judgments, run, "ap")
    numbers = {"ndcg@5": f"{theirs['ndcg@5']:.6f}", "ap": f"{own['ap']:.6f}"}
    found = relyon.match_convention(judgments, run, numbers)
    assert found.verdict == "none"
    parts = {name: str(one.way) for one in found.partial for name in one.values}
    assert parts["ndcg@5"].startswith("lightgbm")
    assert parts["ap"].startswith("relyon")
    assert "No single set of rules" in found.to_text()
    listed = json.loads(found.to_json())["partial"]
    assert {"rules", "values", "accident"} <= listed[0].keys()


def test_rules_that_differ_are_only_those_that_are_needed() -> None:
    judgments, run = files()
    theirs = relyon.evaluate(judgments, run, "ndcg@5", convention="elasticsearch")
    number = f"{theirs['ndcg@5']:.6f}"
    found = relyon.match_convention(judgments, run, {"ndcg@5": number})
    assert found.own == pytest.approx(
        {"ndcg@5": relyon.evaluate(judgments, run, "ndcg@5")["ndcg@5"]}
    )
    assert found.differences
    rules = {one.rule: one.there for one in found.differences}
    assert rules["gain"] == "exp"
    again = relyon.evaluate(judgments, run, "ndcg@5", convention=rules)
    assert f"{again['ndcg@5']:.6f}" == number
    for left_out in rules:
        fewer = {name: one for name, one in rules.items() if name != left_out}
        value = relyon.evaluate(judgments, run, "ndcg@5", convention=fewer)["ndcg@5"]
        assert f"{value:.6f}" != number, left_out


def test_a_number_without_decimals_proves_nothing() -> None:
    assert match(*files(), ndcg_5="0").verdict == "doubtful"


def test_runs_of_tables_may_list_documents_twice(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("query,document,score\nq,a,3\nq,b,2\nq,c,1.5\nq,a,1\n", encoding="utf-8")
    judgments = {"q": {"a": 1, "b": 0}}
    found = relyon.match_convention(judgments, path, {"rr": "0.3333"})
    assert found.copies == 1
    assert "last_copy" in [one.fault.kind for one in found.faults]


def test_documents_of_other_ids_are_an_error() -> None:
    with pytest.raises(RelyonError, match=r"`a\.html`, the judgments have `a`"):
        match({"q": {"a": 1}}, {"q": {"a.html": 1.0}}, rr="0.5")


def test_scores_of_a_frame_that_are_no_numbers() -> None:
    frame = pl.DataFrame({"query": ["q"], "document": ["a"], "score": ["high"]})
    with pytest.raises(RelyonError, match="`high` is not a number"):
        match({"q": {"a": 1}}, frame, rr="0.5")


@pytest.mark.long
def test_a_discount_that_is_not_tried_is_not_called_found() -> None:
    """A script that counts ranks from 0 and adds 2 twice: AP and RR do not make NDCG certain."""
    folder = Path("examples/docs-search")
    judged = relyon.read_judgments(folder / "judgments.qrels")
    run = relyon.read_run(folder / "bm25.run")

    def dcg(grades: list[float]) -> float:
        return sum(grade / math.log2(rank + 2) for rank, grade in enumerate(grades[:5], 1))

    lists = run.to_dict()
    values = []
    for query, grades in judged.to_dict().items():
        ranked = sorted(lists.get(query, {}).items(), key=lambda one: -one[1])
        best = dcg(sorted(grades.values(), reverse=True))
        got = dcg([grades.get(name, 0) for name, _ in ranked])
        values.append(got / best if best else 0)
    own = relyon.evaluate(judged, run, ["ap", "rr"], convention={"ties": "input"})
    numbers = {name: f"{own[name]:.4f}" for name in ("ap", "rr")}
    numbers["ndcg@5"] = f"{sum(values) / len(values):.4f}"
    found = relyon.match_convention(judged, run, numbers)
    assert found.verdict != "found"
    if found.classes:
        assert found.accident > 0.1
