"""SDCG, INSQ, INST, BPM, NERR8 to NERR11, Compat, Accuracy, and judged_only, by hand."""

from __future__ import annotations

import math
from math import log2

import pytest

import relyon
from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.data.scale import load_scale

# Of an infinite list, INSQ with T = 1 weighs rank i by (2 / (i + 1))^2; cwl_eval ends at 1000.
INSQ_WEIGHTS = [(2 / (rank + 1)) ** 2 for rank in range(1, 1001)]


@pytest.mark.parametrize(
    ("name", "grades", "value"),
    [
        ("sdcg(max=2)@2", [2, 1], (1 + 0.5 / log2(3)) / (1 + 1 / log2(3))),
        ("sdcg(max=2)@4", [2], 1 / sum(1 / log2(rank + 1) for rank in range(1, 5))),
        ("sdcg(max=1)@2", [3, 3], 1.0),
        ("sdcg(min=1,max=3)@1", [2], 0.5),
        ("sdcg(min=1,max=3)@1", [1], 0.0),
        ("sdcg(max=1)@5", [], 0.0),
        ("sdcg(max=1)", [], 0.0),
        ("insq(max=1)", [1, 0, 1], (1 + 1 / 4) / math.fsum(INSQ_WEIGHTS)),
        ("insq(max=1,depth=2)", [1, 1, 1], 1.0),
        ("inst(max=1,depth=2)", [1, 0], 1 / (1 + (1 / 2) ** 2)),
        ("inst(max=1,depth=2)", [0, 1], (4 / 9) / (1 + 4 / 9)),
        ("bpm(max=1)@20", [0, 0, 0, 0, 0, 1], 1 / 6),
        ("bpm(target=2,max=1)@10", [0, 1, 0, 0, 0, 0, 1], 2 / 7),
        ("bpm(target=2,max=1)@4", [0, 1], 1 / 4),
        ("bpm(target=2,max=1,benefit=2)@10", [0, 0, 1], 1 / 3),  # the target falls to 0
        ("bpm(target=9,max=1,cost=1)@3", [1, 1, 1, 1, 0, 1], 4 / 5),
        ("nerr8(max=2)@3", [0, 1, 2], (0.5 + 0.5) / (1 + 1 + 0.5)),
        ("nerr9(max=2)@3", [0, 1, 2], (0.25 + 1 / 6) / (1 + 1 / 2 + 1 / 6)),
        ("nerr10(p=0.5,max=1)", [0, 1], 0.5 / 1.5),
        ("nerr11(target=0.5,max=1)", [0, 1], 0.25 / 1.25),
        ("accuracy", [0, 1, None, 1, 0], 3 / 6),
        ("accuracy@2", [0, 1, None, 1, 0], 0.0),
        ("accuracy(rel=2)", [2, 1, 2], 1 / 2),
        ("compat(p=0.5)", [1, 0], 1.0),
        ("compat(p=0.5)", [0, 1], (0.5 / 2) / (1 + 0.5 / 2)),
        ("compat(p=0.5,normalize=false)", [1, 0], (1 + 0.5 / 2) / 1.5),
        ("compat(p=1)", [0, 2, 1], (0.5 + 2 / 3) / (1 + 1 + 2 / 3)),
    ],
)
def test_by_hand(name: str, grades: list[float | None], value: float) -> None:
    assert relyon.measure(name).score(grades) == pytest.approx(value, rel=1e-13, abs=1e-15)


def test_unretrieved_documents_count_in_compat() -> None:
    measure = relyon.measure("compat(p=0.5)")
    # ideal: the one of grade 2 that the run lacks, then the retrieved one
    value = (0.5 / 2) / (1 + 0.5)
    assert measure.score([1], unretrieved=[2]) == pytest.approx(value, rel=1e-13)
    assert measure.score([None, None], unretrieved=[1]) == 0.0
    assert math.isnan(measure.score([0, 0]))


def test_documents_the_run_lacks_stand_at_a_score_of_zero() -> None:
    judgments = {"q": {"a": 1, "b": 1}}
    for score, last, zero in ((2.0, 1.0, 1.0), (-2.0, 1.0, 0.25 / 1.5)):
        run = {"q": {"a": score}}
        found = relyon.evaluate(
            judgments, run, ["compat(p=0.5,normalize=false)", "compat(p=0.5,unretrieved=zero)"]
        )
        plain = relyon.evaluate(judgments, run, ["compat(p=0.5)"])["compat(p=0.5)"]
        assert plain == pytest.approx((1 + 0.5 / 2) / 1.5 * last, rel=1e-13)
        assert found["compat(p=0.5,unretrieved=zero)"] == pytest.approx(
            plain if zero == 1.0 else zero, rel=1e-13
        )


def test_no_pair_no_accuracy() -> None:
    for grades in ([], [0, 0], [1, 1], [None]):
        assert math.isnan(relyon.measure("accuracy").score(grades))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("sdcg(min=2,max=2)@3", "must be above `min`"),
        ("inst(target=0)", "`target` of `inst` must be above 0"),
        ("nerr10(p=1)", "`p` of `nerr10` must be between 0 and 1"),
        ("bpm(benefit=-1)", "`benefit` of `bpm` must be 0 or more"),
        ("bpm(median=1)", "`median` of `bpm` must be between 0 and 1"),
        ("compat(p=0)", "`p` of `compat` must be above 0"),
        ("insq(depth=0)", "`depth` of `insq` must be a whole number of 1 or more"),
        ("pnr(judged_only=true)", "`pnr` has no parameter `judged_only`"),
    ],
)
def test_impossible_parameters(name: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        relyon.measure(name)


def test_the_highest_grade_is_that_of_the_judgments_or_the_scale() -> None:
    judgments = {"q": {"a": 2, "b": 4}}
    run = {"q": {"a": 1.0}}
    assert relyon.evaluate(judgments, run, ["sdcg@1"])["sdcg@1"] == 0.5
    assert relyon.evaluate(judgments, run, ["sdcg(max=2)@1"])["sdcg(max=2)@1"] == 1.0
    scale = load_scale("search")
    assert scale.highest is not None
    found = relyon.evaluate({"q": {"a": 1}}, run, ["sdcg@1"], scale=scale)["sdcg@1"]
    assert found == pytest.approx(1 / scale.highest)


def test_sdcg_is_no_longer_dcg() -> None:
    assert relyon.measure("SDCG(max_rel=2)@10") != relyon.measure("dcg@10")
    assert str(relyon.measure("SDCG(max_rel=2,min_rel=1)@10")) == "sdcg(min=1,max=2)@10"


@pytest.mark.parametrize(
    ("written", "own"),
    [
        ("INST(T=2.0,max_rel=3)", "inst(target=2,max=3)"),
        ("BPM(T=1.0, max_rel=1)@20", "bpm(max=1)@20"),
        ("NERR10(p=0.8,max_rel=1)", "nerr10(p=0.8,max=1)"),
        ("Compat(p=0.8,normalize=False)", "compat(p=0.8,normalize=false)"),
        ("Accuracy(rel=2)@5", "accuracy(rel=2)@5"),
        ("nDCG(judged_only=True)@10", "ndcg(judged_only=true)@10"),
        ("nDCG(judged_only=False)@10", "ndcg@10"),
        ("NumRet(rel=2)", "num_rel_ret(rel=2)"),
    ],
)
def test_names_of_ir_measures(written: str, own: str) -> None:
    assert str(relyon.measure(written)) == own
    assert relyon.measure(own) == relyon.measure(written)


def test_judged_only_is_a_condensed_list_for_one_measure() -> None:
    judgments = {"q": {"a": 0, "b": 2, "c": 1}, "p": {"d": 1}}
    run = {"q": {"x": 5.0, "b": 4.0, "y": 3.0, "a": 2.0, "c": 1.0}, "p": {"z": 1.0, "d": 1.0}}
    names = ["p@2", "ndcg@2", "ap", "rr", "judged@5"]
    marked = ["p(judged_only=true)@2", "ndcg(judged_only=true)@2", "ap(judged_only=true)"]
    marked += ["rr(judged_only=true)", "judged(judged_only=true)@5"]
    for ties in ("doc-desc", "doc-asc", "expected"):
        rules = relyon.Convention(ties=ties)
        both = relyon.evaluate(judgments, run, [*names, *marked], convention=rules)
        whole = relyon.evaluate(judgments, run, names, convention=rules)
        removed = relyon.evaluate(
            judgments, run, names, convention=rules.replace(unjudged="removed")
        )
        for name, mark in zip(names, marked, strict=True):
            assert both[name] == whole[name]
            assert both.values_by_query(mark) == removed.values_by_query(name)


def test_measures_of_pairs_refuse_judged_only() -> None:
    with pytest.raises((InputError, ParameterError), match="judged_only"):
        relyon.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["tau(judged_only=true)"])
    with pytest.raises(UnknownNameError, match="nothing"):
        relyon.measure("ndcg(judged_only=true,nothing=1)")


def test_explained() -> None:
    judgments = {"q": {"a": 2, "b": 1, "c": 2}}
    run = {"q": {"b": 2.0, "x": 1.5, "a": 1.0}}
    for name, text in (
        ("sdcg(max=2)@3", "(0.5/1 + 1/2) / 2.1309 = 0.4693"),
        ("bpm(max=2,target=1.5)@10", "1.5 / 3 = 0.5"),
        ("accuracy(rel=2)", "0 / 2 = 0"),
    ):
        found = relyon.explain(judgments, run, "q", name)
        assert text in str(found)
        assert found.value == pytest.approx(relyon.evaluate(judgments, run, [name])[name])
    for name in ("inst(max=2)", "compat", "p(judged_only=true)@2"):
        found = relyon.explain(judgments, run, "q", name)
        assert found.value == pytest.approx(relyon.evaluate(judgments, run, [name])[name])
