"""Rules of single measures, and rules that some programs alone have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relyon
from relyon.core.rules import parse_measure_rules, parse_rel, show_rel
from relyon.data.convention import load_convention
from relyon.evaluation.side_by_side import SideBySide

JUDGMENTS = {"a": {"x": 2, "y": 1}, "b": {"x": 0}}
RUN = {"a": {"y": 2.0, "x": 1.0}, "b": {"x": 1.0}}


def messages(results: relyon.Results) -> list[str]:
    return [note.message for note in results.notes]


@pytest.mark.parametrize(("rule", "expected"), [("zero", 0.5), ("one", 1.0), ("skip", 1.0)])
def test_gauc_counts_queries_of_one_class_with_their_weight(rule: str, expected: float) -> None:
    labels, scores, groups = [1, 0, 0, 0], [4, 3, 2, 1], ["a", "a", "b", "b"]
    rules = {"undefined": rule}
    results = relyon.evaluate_scores(labels, scores, groups, ["gauc"], convention=rules)
    assert results["gauc"] == expected
    assert results.entries["gauc"].queries == (1 if rule == "skip" else 2)
    # Query b weighs 3 rows of 5, and has no positive to weigh it by.
    labels, scores, groups = [1, 0, 0, 0, 0], [4, 3, 3, 2, 1], ["a", "a", "b", "b", "b"]
    names = ["gauc(weight=rows)", "gauc(weight=positives)"]
    results = relyon.evaluate_scores(labels, scores, groups, names, convention=rules)
    assert results[names[0]] == {"zero": 2 / 5, "one": 1.0, "skip": 1.0}[rule]
    assert results[names[1]] == 1.0
    [told] = [text for text in messages(results) if "left out" in text]
    assert told.endswith(names[1])


def test_weighted_gauc_is_compared_with_its_weights() -> None:
    judgments = {"a": {"x": 1, "y": 0}, "b": {"x": 1, "y": 0, "z": 0, "v": 0}}
    run = {"a": {"x": 2.0, "y": 1.0}, "b": {"x": 0.0, "y": 1.0, "z": 2.0, "v": 3.0}}
    name = "gauc(weight=rows)"
    results = relyon.evaluate(judgments, run, name)
    compared = relyon.compare(judgments, run, run, name, names=["one", "two"])
    assert results[name] == pytest.approx(1 / 3)
    assert compared.contrasts[0].baseline_mean == pytest.approx(results[name])


@pytest.mark.parametrize("name", ["recall@5", "rprec"])
def test_a_micro_average_leaves_queries_without_a_value_out(name: str) -> None:
    results = relyon.evaluate(
        {"a": {"x": 1}, "b": {"y": 0}},
        {"a": {"x": 1.0}, "b": {"y": 1.0}},
        name,
        average="micro",
        convention={"undefined": "one"},
    )
    assert results[name] == 1.0
    assert messages(results) == [f"1 query without a value left out: {name}"]


def test_undefined_as_an_error_names_measure_and_queries() -> None:
    judgments = {f"q{number}": {"x": int(number == 0)} for number in range(6)}
    run = {query: {"x": 1.0} for query in judgments}
    with pytest.raises(relyon.InputError) as caught:
        relyon.evaluate(judgments, run, ["p@1", "ndcg"], convention={"undefined": "error"})
    assert "`ndcg` has no value for 5 queries: `q1`, `q2`, `q3`, …" in str(caught.value)
    assert "--set ndcg.undefined=one" in caught.value.hint
    rules = {"undefined": "error", "ndcg.undefined": "zero"}
    assert relyon.evaluate(judgments, run, "ndcg", convention=rules)["ndcg"] == 1 / 6
    parts = relyon.Accumulator("ndcg", convention={"undefined": "error"})
    parts.update(judgments, run)
    with pytest.raises(relyon.InputError, match="`ndcg` has no value for 5 queries"):
        parts.compute()


def test_rules_of_single_measures() -> None:
    rules = {"undefined": "zero", "measures": {"NDCG": {"undefined": "one"}, "rbp": {"p": 0.5}}}
    results = relyon.evaluate(
        JUDGMENTS, RUN, ["recall@all", "ndcg", "rbp", "rbp(p=0.8)"], convention=rules
    )
    assert results["recall@all"] == 0.5
    ndcg = relyon.evaluate(JUDGMENTS, RUN, "ndcg")["ndcg"]
    assert results["ndcg"] == pytest.approx((ndcg + 1) / 2)
    # What a name says wins.
    assert results["rbp"] == pytest.approx(0.75 / 2)
    assert results["rbp(p=0.8)"] == pytest.approx((0.2 + 0.16) / 2)
    assert results.entries["rbp"].definition == "rbp(p=0.5,rel=1)"


def test_aliases_name_their_measure() -> None:
    rules = {"mrr.undefined": "one"}
    assert relyon.evaluate(JUDGMENTS, RUN, "rr", convention=rules)["rr"] == 1.0
    assert relyon.evaluate(JUDGMENTS, RUN, "rr", convention=rules).entries["rr"].queries == 2


def test_rules_of_single_measures_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text('preset = "ir_measures"\n[measures.ndcg]\nundefined = "one"\n', "utf-8")
    rules = load_convention(path)
    assert rules.to_dict()["measures"] == {"err": {"max": 4}, "ndcg": {"undefined": "one"}}
    assert relyon.Convention(**json.loads(json.dumps(rules.to_dict()))) == rules
    assert rules.replace(**{"err.max": "3"}).shown()["err.max"] == "3"
    assert hash(rules) == hash(load_convention(path))


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"measures": {"ndgc": {"undefined": "one"}}}, "did you mean `ndcg`"),
        ({"ndcg.undefind": "one"}, "did you mean `undefined`"),
        ({"ndcg.undefined": "two"}, "`ndcg.undefined` of a convention must be one of"),
        ({"ndcg.k": 3}, "ndcg@10"),
        ({"recall.capped": "true"}, r"recall\(capped=true\)"),
        ({"rbp.p": "much"}, "must be a number"),
        ({"measures": "rbp"}, "must map names to parameters"),
        ({"measures": {"rbp": 0.9}}, "must be parameters and their values"),
        ({"unjudged": -1}, "must be 0 or more"),
        ({"unjudged": "gone"}, "`unjudged`"),
        ({"decimals": "two"}, "whole number from 0 to 15"),
        ({"rel": "nan"}, "`positive`"),
    ],
)
def test_impossible_rules_are_refused(rules: dict[str, Any], message: str) -> None:
    with pytest.raises((relyon.ParameterError, relyon.UnknownNameError), match=message):
        relyon.evaluate(JUDGMENTS, RUN, "rbp", convention=rules)


def test_thresholds_are_read_and_written() -> None:
    assert parse_rel(None) is None
    assert show_rel(parse_rel("Positive")) == "positive"
    assert str(relyon.measure("p(rel=positive)@3")) == "p(rel=positive)@3"
    assert relyon.measure("p(rel=positive)").score([1e-300, 0]) == 0.5
    assert parse_measure_rules({"ndcg": {"gain": {1: 2}}}) == (
        ("ndcg", (("gain", ((1.0, 2.0),)),)),
    )


def test_presets_hold_parameters_of_measures() -> None:
    judgments, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}
    err = relyon.evaluate(judgments, run, "err", convention="ir_measures").entries["err"]
    assert err.definition == "err(max=4)"
    assert err.value == 1 / 16
    for name, value in (("trec_eval10", 0.1), ("trec_eval", 0.2)):
        assert relyon.evaluate(judgments, run, "rbp", convention=name)["rbp"] == pytest.approx(
            value
        )
    pnr = relyon.evaluate(judgments, run, ["pnr"], convention="paddle").entries["pnr"]
    assert pnr.definition == "pnr(label_ties=ignore,score_ties=rank)"


def test_grades_that_do_not_reach_the_threshold_are_told() -> None:
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    low = {"q": {"a": 0.4, "b": 0.0, "c": 0.9}}
    told = messages(relyon.evaluate(low, run, ["p@3", "ndcg", "p(rel=0.5)@3"]))
    assert "no grade reaches rel=1 (the highest is 0.9): nothing is relevant for p@3" in told[0]
    assert "--set rel=positive" in told[0]
    mixed = {"q": {"a": 0.4, "b": 0.0, "c": 2.0}}
    told = messages(relyon.evaluate(mixed, run, ["p@3"]))
    assert "1 grade lies between 0 and rel=1 and counts as not relevant for p@3" in told[0]
    quiet: list[dict[str, Any]] = [{"rel": 0.5}, {"rel": "positive"}]
    for rules in quiet:
        assert messages(relyon.evaluate(low, run, ["p@3"], convention=rules)) == []
    assert messages(relyon.evaluate(low, run, ["ndcg", "p(rel=0.5)@3"])) == []
    assert messages(relyon.evaluate({"q": {"a": 2, "b": 1}}, run, ["p@3"])) == []
    scored = relyon.evaluate_scores(np.array([0.1, 0.61, 0.2]), [3.0, 2.0, 1.0], measures="auc")
    assert "no grade reaches rel=1 (the highest is 0.61)" in messages(scored)[0]


def test_judged_documents_outside_the_run() -> None:
    judgments = {"q": {"a": 1, "b": 1, "c": 0}}
    run = {"q": {"a": 1.0, "c": 2.0}}
    rules = {"unretrieved": "removed"}
    assert relyon.evaluate(judgments, run, "ap")["ap"] == 0.25
    assert relyon.evaluate(judgments, run, "ap", convention=rules)["ap"] == 0.5
    found = relyon.explain(judgments, run, "q", "ap", convention=rules)
    assert found.value == 0.5


def test_ignored_documents_do_not_let_others_move_up() -> None:
    judgments = {"q": {"a": 1, "d": 0, "e": 1, "f": 1}}
    run = {"q": dict(zip("abcdef", [6.0, 5, 4, 3, 2, 1], strict=True))}
    rules = {"unjudged": "ignored", "p_denominator": "retrieved"}
    assert relyon.evaluate(judgments, run, "p@3", convention=rules)["p@3"] == 1.0
    assert relyon.evaluate(judgments, run, "p@4", convention=rules)["p@4"] == 0.5
    removed = rules | {"unjudged": "removed"}
    assert relyon.evaluate(judgments, run, "p@3", convention=removed)["p@3"] == 2 / 3
    with pytest.raises(relyon.InputError, match="no closed form under ties=expected"):
        relyon.evaluate(judgments, run, "p@3", convention=rules | {"ties": "expected"})


def test_explanations_follow_the_rules() -> None:
    judgments, run = {"q": {"a": 3, "c": 0, "d": 1}}, {"q": {"a": 4.0, "b": 3, "c": 2, "d": 1}}
    rules = {"unjudged": 2, "decimals": 2}
    found = relyon.explain(judgments, run, "q", "err(max=3)", convention=rules)
    assert [step.grade for step in found.steps] == [3, None, 0, 1]
    assert found.value == 0.9
    told = relyon.explain(judgments, run, "q", "err", against={"err.max": 4}).against
    assert told is not None
    assert [(share.rule, share.there) for share in told.shares] == [("measures", "err.max=4")]


def test_ranx_sorts_long_lists_with_equal_scores_in_its_own_order() -> None:
    run = {"q": {"a": 1.0, "b": 1.0}}
    notes = relyon.evaluate({"q": {"a": 1}}, run, "rr", convention="ranx").notes
    [note] = [one for one in notes if one.kind == "unstable-ties"]
    assert "1 query has judged documents with equal scores" in note.message
    assert not relyon.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "rr", convention="ranx").notes


def test_trec_lines_say_which_p() -> None:
    judgments, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    names = ["rbp", "rbp(p=0.5)", "rbp(rel=2)@5"]
    for convention, expected in (
        ("relyon", ["rbp_p=0.8", "rbp_p=0.5", "rbp(p=0.8,rel=2)@5"]),
        ("trec_eval10", ["rbp", "rbp_p=0.5", "rbp(rel=2)@5"]),
    ):
        found = relyon.evaluate(judgments, run, names, convention=convention)
        text = SideBySide([found]).to_trec()
        assert [line.split("\t")[0].strip() for line in text.splitlines()] == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("und", ["undefined="]),
        ("undefined=e", ["undefined=error"]),
        ("rbp.", ["rbp.undefined=", "rbp.p=", "rbp.rel=", "rbp.gain="]),
        ("ndcg.undefined=o", ["ndcg.undefined=one"]),
    ],
)
def test_rules_are_completed(
    typed: str, expected: list[str], process, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMP_WORDS", "relyon evaluate --set ")
    monkeypatch.setenv("COMP_WORD", typed)
    monkeypatch.setenv("_RELYON_COMPLETE", "zsh_complete")
    assert process().out.splitlines()[1::3] == expected


@pytest.mark.parametrize("name", ["p@all", "recall@all", "f1", "rprec", "success@all", "pnr"])
def test_measures_say_whether_undefined_queries_have_a_share_in_the_sums(name: str) -> None:
    measure = relyon.measure(name)
    results = relyon.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, name, average="micro")
    if results.entries[name].undefined:
        _, [below] = results.parts(name)
        assert (below != 0) == measure.sums_undefined


def test_measures_that_ir_measures_takes_from_other_programs_are_named() -> None:
    judgments, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    measures = ["rr", "rr@10", "judged@5", "ndcg(gain=exp)@3", "ndcg@3", "err"]
    found = relyon.evaluate(judgments, run, measures, convention="ir_measures").notes
    notes = [one for one in found if one.kind == "other-program"]
    named = [["rr@10"], ["judged@5"], ["ndcg(gain=exp)@3"]]
    assert [one.values["measures"] for one in notes] == named
    assert "takes rr@10 from another program, with ties=doc-asc" in notes[0].message
    assert notes[0].level == "warning"
    rules = {"preset": "ir_measures", "ties": "doc-asc", "scores": "float64"}
    exact = relyon.evaluate(judgments, run, "rr@10", convention=rules)
    assert exact["rr@10"] == 1.0
    assert not [one for one in exact.notes if one.kind == "other-program"]
