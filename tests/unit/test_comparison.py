"""relyon.compare: pairing, verdicts, notes, errors."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.analysis import statistics
from relyon.core.errors import InputError, ParameterError, ParseError, UnknownNameError
from relyon.io.per_query_values import read_values

Lists = dict[str, dict[str, float]]

JUDGMENTS: Lists = {f"q{n:02}": {"good": 1, "bad": 0} for n in range(20)}
GOOD: Lists = {query: {"good": 2.0, "bad": 1.0} for query in JUDGMENTS}
BAD: Lists = {query: {"good": 1.0, "bad": 2.0} for query in JUDGMENTS}


def test_identical_runs_differ_in_nothing() -> None:
    comparison = relyon.compare(JUDGMENTS, GOOD, GOOD, ["ndcg@10", "rr"], names=["a", "b"])
    for one in comparison.contrasts:
        assert one.difference == 0
        assert set(one.p_values.values()) == {1.0}
        assert math.isnan(one.interval[0])
        assert math.isnan(one.detectable)
        assert (one.changed, one.no_interval) == (0, "unchanged")
        assert (one.wins, one.ties, one.losses) == (0, 20, 0)
        assert (one.effect_size, one.queries_needed) == (0.0, 0)
        assert one.verdict == "undecided"
    assert comparison.regressions() == ()


def test_a_constant_difference_is_certain() -> None:
    one = relyon.compare(JUDGMENTS, BAD, GOOD, "rr", names=["bad", "good"]).contrasts[0]
    assert one.difference == 0.5
    assert one.verdict == "better"
    assert one.p_values["permutation"] == pytest.approx(2 / 2**20, abs=3e-4)
    assert all(0 < p < 0.001 for p in one.p_values.values())
    assert math.isinf(one.effect_size)


def test_only_the_test_that_decides_is_computed_until_another_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    for name in statistics.tests:
        kind = type(statistics.tests.get(name))

        def result(*_: object, name: str = name) -> statistics.TestResult:
            asked.append(name)
            return statistics.TestResult(0.0, 0.5)

        monkeypatch.setattr(kind, "result", result)

    def drawn(rows: Sequence[object], *_: object) -> list[statistics.TestResult]:
        asked.append("bootstrap")
        return [statistics.TestResult(0.0, 0.5) for _ in rows]

    monkeypatch.setattr(statistics, "bootstrap_results", drawn)
    comparison = relyon.compare(JUDGMENTS, BAD, GOOD, ["rr", "p@1"], test="sign")
    assert str(comparison)
    assert comparison.to_markdown()
    assert asked == ["sign", "sign"]
    values = comparison.contrasts[0].p_values
    assert (values["t"], values["t"]) == (0.5, 0.5)
    assert asked == ["sign", "sign", "t"]
    assert "nothing" not in values
    assert pickle.loads(pickle.dumps(values)) == dict(values)
    assert sorted(asked) == ["bootstrap", "permutation", "sign", "sign", "t", "wilcoxon"]


def test_numbers_are_those_of_evaluate_where_all_queries_pair() -> None:
    mixed = {**GOOD, "q01": BAD["q01"], "q02": BAD["q02"]}
    names = ["ndcg", "p@1", "recall@1", "pnr(smoothing=1)", "num_rel_ret"]
    comparison = relyon.compare(JUDGMENTS, mixed, BAD, names, names=["mixed", "bad"])
    for run, results in (("baseline_mean", mixed), ("candidate_mean", BAD)):
        values = relyon.evaluate(JUDGMENTS, results, names)
        for one in comparison.contrasts:
            assert getattr(one, run) == pytest.approx(values[one.measure], rel=1e-12)
            parts = comparison.parts_of_difference("bad", one.measure)
            assert parts.mean() == pytest.approx(one.difference, abs=1e-12)


def test_a_missing_query_counts_as_the_convention_says() -> None:
    short = {query: GOOD[query] for query in list(GOOD)[:15]}
    zero = relyon.compare(JUDGMENTS, GOOD, short, "rr", names=["all", "short"]).contrasts[0]
    assert (zero.queries, zero.left_out, zero.difference) == (20, 0, -0.25)
    rules = {"missing": "skip"}
    skipped = relyon.compare(JUDGMENTS, GOOD, short, "rr", names=["all", "short"], convention=rules)
    assert (skipped.contrasts[0].queries, skipped.contrasts[0].left_out) == (15, 5)
    assert "unpaired-queries" in {note.kind for note in skipped.notes}


def test_an_infinite_value_is_left_out_and_said() -> None:
    comparison = relyon.compare(JUDGMENTS, BAD, GOOD, "pnr", names=["bad", "good"], average="macro")
    one = comparison.contrasts[0]
    assert (one.queries, one.left_out) == (0, 20)
    assert math.isnan(one.p)
    assert one.verdict == "undecided"
    note = next(note for note in comparison.notes if note.kind == "infinite-values")
    assert note.count == 20
    json.dumps(comparison.to_dict(), allow_nan=False)


def test_a_ratio_of_sums_is_compared_as_one() -> None:
    rng = np.random.default_rng(1)
    judgments = {f"q{n}": {f"d{d}": int(rng.integers(3)) for d in range(8)} for n in range(40)}
    old = {q: {d: float(rng.normal()) for d in found} for q, found in judgments.items()}
    new = {
        q: {d: grade + float(rng.normal()) for d, grade in found.items()}
        for q, found in judgments.items()
    }
    one = relyon.compare(judgments, old, new, "pnr", names=["old", "new"]).contrasts[0]
    ratios = [relyon.evaluate(judgments, run, "pnr")["pnr"] for run in (old, new)]
    assert one.average == "micro"
    assert one.difference == pytest.approx(ratios[1] - ratios[0], rel=1e-12)
    assert one.verdict == "better"
    # Swapping whole queries between the runs, written down plainly.
    parts = [np.array(relyon.evaluate(judgments, run, "pnr").parts("pnr")) for run in (old, new)]
    at_least = 0
    for signs in rng.integers(2, size=(4_000, 40)).astype(bool):
        first = np.where(signs, parts[0], parts[1]).sum(axis=1)
        second = np.where(signs, parts[1], parts[0]).sum(axis=1)
        distance = abs(second[0] / second[1] - first[0] / first[1])
        at_least += distance >= abs(one.difference) * (1 - 1e-9)
    assert one.p_values["permutation"] == pytest.approx((at_least + 1) / 4_001, abs=0.01)


def test_pooled_auc_is_compared_as_it_is_evaluated() -> None:
    comparison = relyon.compare(JUDGMENTS, BAD, GOOD, "auc", names=["bad", "good"])
    assert comparison.contrasts[0].average == "micro"
    assert "pooled-measures" not in {note.kind for note in comparison.notes}


def test_more_than_two_runs() -> None:
    mixed = {q: (GOOD if n % 3 else BAD)[q] for n, q in enumerate(JUDGMENTS)}
    comparison = relyon.compare(
        JUDGMENTS, BAD, [mixed, GOOD], ["rr", "ndcg"], names=["bad", "mixed", "good"], test="tukey"
    )
    assert [(one.first, one.second) for one in comparison.pairs[:3]] == [
        ("bad", "mixed"),
        ("bad", "good"),
        ("mixed", "good"),
    ]
    assert [one.candidate for one in comparison.contrasts] == ["mixed"] * 2 + ["good"] * 2
    for one in comparison.contrasts:
        pair = next(
            p for p in comparison.pairs if (p.second, p.measure) == (one.candidate, one.measure)
        )
        assert one.p == pair.p
        assert one.difference == pytest.approx(pair.difference)


def test_results_of_scores_can_be_compared() -> None:
    labels = [1, 0] * 30
    results = [
        relyon.evaluate_scores(labels, scores, [2] * 30, ["gauc", "ndcg@1"], name=name)
        for name, scores in (("old", [1, 2] * 30), ("new", [2, 1] * 29 + [1, 2]))
    ]
    one = relyon.compare_results(results).contrast("new", "gauc")
    assert (one.wins, one.ties, one.losses) == (29, 1, 0)


def test_looking_up() -> None:
    comparison = relyon.compare(JUDGMENTS, BAD, GOOD, "MRR@10", names=["bad", "good"])
    assert comparison.contrast("good", "rr@10") is comparison.contrasts[0]
    assert list(comparison.deltas("good", "rr@10")) == sorted(JUDGMENTS)
    assert comparison.run("good").queries == list(JUDGMENTS)
    for wrong in (("god", "rr@10"), ("good", "ndcg")):
        with pytest.raises(UnknownNameError):
            comparison.contrast(*wrong)
    with pytest.raises(UnknownNameError):
        comparison.run("god")


WRONG: dict[str, Any] = {
    "test": "z",
    "interval": "normal",
    "correction": "bonferroni",
    "alpha": 0,
    "confidence": 1.0,
    "resamples": 0,
    "seed": -1,
    "threads": True,
}


@pytest.mark.parametrize("name", WRONG)
def test_impossible_settings_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match=f"`{name}`"):
        relyon.compare(JUDGMENTS, BAD, GOOD, "rr", **{name: WRONG[name]})


def test_impossible_runs_are_refused() -> None:
    with pytest.raises(ParameterError, match="two runs have the name `a`"):
        relyon.compare(JUDGMENTS, BAD, GOOD, "rr", names=["a", "a"])
    with pytest.raises(ParameterError, match="2 runs but 1 names"):
        relyon.compare(JUDGMENTS, BAD, GOOD, "rr", names=["a"])
    with pytest.raises(ParameterError, match="two or more runs are needed"):
        relyon.compare(JUDGMENTS, BAD, [], "rr")
    with pytest.raises(ParameterError, match="three or more"):
        relyon.compare(JUDGMENTS, BAD, GOOD, "rr", test="tukey")
    with pytest.raises(ParameterError, match="judgments are needed"):
        relyon.compare(relyon.Run.from_dict(GOOD), BAD, GOOD, "rbo")
    one = relyon.evaluate(JUDGMENTS, BAD, "rr", name="a")
    two = relyon.evaluate(JUDGMENTS, BAD, "ndcg", name="b")
    with pytest.raises(ParameterError, match="same measures"):
        relyon.compare_results([one, two])
    three = relyon.evaluate(JUDGMENTS, BAD, "rr", name="c", convention="trec_eval")
    with pytest.raises(ParameterError, match="same convention"):
        relyon.compare_results([one, three])
    with pytest.raises(ParameterError, match="only values"):
        relyon.compare_values({"a": {"m": {"q": 1}}, "b": {"m": {"q": 2}}}).run("a")


def test_unnamed_runs_get_numbers() -> None:
    assert relyon.compare(JUDGMENTS, BAD, [GOOD, GOOD], "rr").runs == ("run 1", "run 2", "run 3")


VALUES = {
    "wide.csv": "query_id,ndcg@5,custom\nq1,0.5,1\nq2,,2\n",
    "long.csv": "run,query,measure,value\nx,q1,ndcg@5,0.5\nx,q2,ndcg@5,\nx,q1,custom,1\n"
    "x,q2,custom,2\n",
    "trec.txt": "ndcg@5                \tq1\t0.5\ncustom\tq1\t1\ncustom\tq2\t2\n"
    "ndcg@5\tq2\tnan\nrunid\tall\tx\nndcg@5\tall\t0.5\n",
}


@pytest.mark.parametrize("name", VALUES)
def test_values_are_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(VALUES[name], "utf-8")
    found = read_values(path)
    assert found["custom"] == {"q1": 1.0, "q2": 2.0}
    assert found["ndcg@5"]["q1"] == 0.5
    assert math.isnan(found["ndcg@5"]["q2"])


def test_a_measure_of_another_program_needs_no_name_of_ours(tmp_path: Path) -> None:
    for name, add in (("a", 0.0), ("b", 0.25)):
        lines = "".join(f"q{n},{n / 20 + add}\n" for n in range(10))
        (tmp_path / f"{name}.csv").write_text(f"query,house_score\n{lines}", "utf-8")
    one = relyon.compare_values({n: tmp_path / f"{n}.csv" for n in "ab"}).contrasts[0]
    assert one.measure == "house_score"
    assert one.difference == pytest.approx(0.25)


BROKEN = {
    "word": ("query,x\nq1,high\n", 2, "not a number"),
    "columns": ("query,x\nq1,1,2\n", 2, "expected 2 columns, got 3"),
    "twice": ("query,x\nq1,1\nq1,2\n", 3, "two values"),
    "no query": ("name,x\nq1,1\n", 1, "no column of queries"),
    "trec": ("map q1\n", 1, "expected 3 columns"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_of_values_names_its_line(name: str, tmp_path: Path) -> None:
    text, line, message = BROKEN[name]
    path = tmp_path / "values.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(ParseError, match=message) as caught:
        read_values(path)
    assert caught.value.line == line


def test_values_without_anything_in_common_are_refused() -> None:
    with pytest.raises(InputError, match="no measure in common"):
        relyon.compare_values({"a": {"m": {"q": 1}}, "b": {"n": {"q": 2}}})
    with pytest.raises(InputError, match="no query in common"):
        relyon.compare_values({"a": {"m": {"q": 1}}, "b": {"m": {"p": 2}}})


finite = st.floats(-10, 10).map(lambda value: round(value, 6))


@given(st.lists(st.tuples(finite, finite), min_size=2, max_size=30))
def test_swapping_the_runs_only_turns_signs(pairs: list[tuple[float, float]]) -> None:
    old = {"m": {f"q{n}": pair[0] for n, pair in enumerate(pairs)}}
    new = {"m": {f"q{n}": pair[1] for n, pair in enumerate(pairs)}}
    one = relyon.compare_values({"old": old, "new": new}, resamples=500).contrasts[0]
    two = relyon.compare_values({"new": new, "old": old}, resamples=500).contrasts[0]
    assert one.difference == -two.difference
    assert one.interval == pytest.approx((-two.interval[1], -two.interval[0]), nan_ok=True)
    assert (one.wins, one.losses) == (two.losses, two.wins)
    for name, p in one.p_values.items():
        assert 0 < p <= 1
        assert p == pytest.approx(two.p_values[name])


def test_a_ratio_that_rests_on_one_query_has_no_interval() -> None:
    """Without that query no pair is inverted: the jackknife's pseudo-values are infinite."""
    right, wrong = {"a": 3.0, "b": 2.0, "c": 1.0}, {"a": 1.0, "b": 2.0, "c": 0.5}
    judgments = {f"q{number}": {"a": 2, "b": 1, "c": 0} for number in range(5)}
    baseline = dict.fromkeys(judgments, wrong)
    candidate = dict.fromkeys(judgments, right) | {"q0": wrong}
    contrast = relyon.compare(judgments, baseline, candidate, "pnr").contrasts[0]
    assert (contrast.baseline_mean, contrast.candidate_mean) == (2.0, 14.0)
    assert math.isnan(contrast.p_values["t"])
    assert math.isnan(contrast.interval[0])
    # Four queries differ: the observed swaps and their opposites are 2 of 16 patterns.
    assert contrast.p_values["permutation"] == pytest.approx(2 / 16, abs=0.01)
    perfect = relyon.compare(judgments, baseline, dict.fromkeys(judgments, right), "pnr")
    assert perfect.contrasts[0].difference == math.inf
    assert perfect.contrasts[0].p_values["permutation"] == pytest.approx(2 / 32, abs=0.01)


def described_comparison(**settings: Any) -> relyon.Comparison:
    judgments = {f"q{n}": {"good": 1, "bad": 0} for n in range(20)}
    old = {query: {"good": 1.0, "bad": 2.0} for query in judgments}
    new = {query: {"good": 2.0, "bad": 1.0, "new": 0.5} for query in judgments} | {"q0": old["q0"]}
    measures = ["judged@10", "rr", "ap", "num_ret"]
    return relyon.compare(judgments, old, new, measures, names=["old", "new"], **settings)


def test_what_tells_of_the_data_is_shown_and_not_tested() -> None:
    """How much was judged is no hypothesis: it raises no other p-value by being corrected for."""
    comparison = described_comparison()
    judgments, old, new = comparison.judgments, comparison.run("old"), comparison.run("new")
    alone = relyon.compare(judgments, old, new, ["rr", "ap"], names=["old", "new"])
    for name in ("rr", "ap"):
        assert comparison.contrast("new", name) == replace(
            alone.contrast("new", name),
            p_values=comparison.contrast("new", name).p_values,
            statistics=comparison.contrast("new", name).statistics,
        )
    assert comparison.tested == ("rr", "ap")
    assert comparison.corrected == 2
    assert comparison.focus == "rr"
    one: Any = comparison.contrast("new", "judged@10").to_dict()
    assert one["verdict"] == "described"
    assert "describes the data" in one["untested"]
    assert one["difference"] == pytest.approx((19 * 2 / 3 + 1) / 20 - 1)
    for name in ("p", "p_adjusted", "effect_size", "detectable"):
        assert one[name] is None
    assert one["interval"] == [None, None]
    assert set(one["p_values"].values()) == {None}
    assert comparison.contrast("new", "rr").to_dict()["untested"] is None
    assert comparison.regressions("judged@10") == ()


def test_every_form_shows_what_is_not_tested_without_p() -> None:
    comparison = described_comparison()
    shown = str(comparison)
    row = next(line for line in shown.splitlines() if line.startswith("judged@10"))
    assert row.split() == ["judged@10", "1.0000", "0.6833", "-0.3167"]
    assert "over 2 comparisons" in shown
    said = " ".join(shown.split())
    assert "Not tested, since they describe the data, not quality: judged@10, num_ret" in said
    assert "gained most on rr" in shown
    assert "**59.0000**" not in comparison.to_markdown()
    frame = comparison.to_frame()
    assert frame["p"].null_count() == 2
    only = relyon.compare(
        comparison.judgments, comparison.run("old"), comparison.run("new"), "num_ret"
    )
    assert only.corrected == 0
    assert "Bold" not in only.to_markdown()
    assert "+19" in str(only)


def test_tukey_leaves_out_what_tells_of_the_data() -> None:
    comparison = described_comparison()
    runs = [comparison.run(name) for name in ("old", "new")]
    three = relyon.compare(
        comparison.judgments,
        runs[0],
        [runs[1], runs[0]],
        ["rr", "judged@10"],
        names=["a", "b", "c"],
        test="tukey",
        resamples=99,
    )
    assert {pair.measure for pair in three.pairs} == {"rr"}
    assert three.contrast("b", "judged@10").verdict == "described"
    assert three.contrast("b", "rr").verdict == "better"


def test_an_ideal_list_is_quality_only_where_it_is_made_of_what_was_returned() -> None:
    assert relyon.measure("idcg@10").describes == "data"
    assert relyon.measure("idcg(ideal=retrieved)@10").describes == "quality"


@pytest.mark.parametrize(("queries", "verdict"), [(2, "undecided"), (5, "undecided"), (6, "worse")])
def test_fewer_than_six_queries_are_never_significant(queries: int, verdict: str) -> None:
    judgments = {f"q{n}": {"a": 1, "b": 0} for n in range(queries)}
    old = {query: {"a": 2.0, "b": 1.0} for query in judgments}
    new = {query: {"a": 1.0, "b": 2.0} for query in judgments}
    found = relyon.compare(judgments, old, new, "rr", names=["old", "new"])
    contrast = found.contrast("new", "rr")
    assert contrast.p == 2 / 2**queries
    assert math.isnan(contrast.interval[0])
    assert contrast.no_interval == "equal-changes"
    assert contrast.verdict == verdict
    assert bool(found.regressions()) == (verdict == "worse")
    said = [note.text() for note in found.notes if note.kind == "few-queries"]
    assert len(said) == (queries < 6)
    if queries == 5:
        assert said == [
            "5 queries: too few to call a difference significant; a sign-flip test of 5 queries"
            " reaches p = 0.0625 at best"
        ]


def test_a_table_without_superscripts_explains_none() -> None:
    judged = {f"q{place}": {"a": 1, "b": 0} for place in range(4)}
    up = {query: {"a": 2.0, "b": 1.0} for query in judged}
    down = up | {"q0": {"a": 1.0, "b": 2.0}}
    found = relyon.compare(judged, up, down, "rr", names=["old_v1.run", "new.run"])
    page = found.to_latex()
    assert "uperscript" not in page
    assert r"Bold: the best. No difference is statistically significant (paired t test, p" in page
    assert r"\begin{tabular}{lr}" in page
    assert "\nold\\_v1.run & \\textbf{1.0000} \\\\" in page
    assert "上标" not in found.to_latex(language="zh")
    decided, table = found.to_markdown().split("\n\n")[:2]
    assert decided.startswith("decision: cannot tell - fewer than six queries")
    assert table.startswith("| run | rr |")
    many = {f"q{place}": {"a": 1, "b": 0} for place in range(20)}
    first, second = ({query: {"a": high, "b": 1.5} for query in many} for high in (1.0, 2.0))
    second["q0"] = first["q0"]
    clear = relyon.compare(many, first, second, "rr", names=["old.run", "new.run"]).to_latex()
    assert "Superscripts: significantly better than that run" in clear
    assert r"b & new.run & \textbf{0.9750}\textsuperscript{a}" in clear
