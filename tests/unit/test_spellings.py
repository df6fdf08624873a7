"""Names as other programs write them, and names that stand for several measures."""

from __future__ import annotations

import pytest

import relyon
from relyon.cli.option_values import split_measures
from relyon.measures import measures


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("rbp.95", ["rbp(p=0.95)"]),
        ("rbp.5", ["rbp(p=0.5)"]),
        ("P_5,10", ["p@5", "p@10"]),
        ("ndcg_cut_5,10", ["ndcg@5", "ndcg@10"]),
        ("success", ["success@1", "success@5", "success@10"]),
        ("set_recall", ["recall@all"]),
        ("ndcg.1=3,2=9", ["ndcg(gain={1:3,2:9,other:grade})"]),
        ("utility.2,-1,0,-0.5", ["utility(tp=2,tn=-0.5)"]),
        ("set_F.4", ["f_beta(beta=2)"]),
        ("iprec_at_recall..10,.20", ["iprec@0.1", "iprec@0.2"]),
        ("Rprec_mult_0.20", ["rprec(multiple=0.2)"]),
        ("gm_map", ["gm_ap"]),
    ],
)
def test_spellings(name: str, own: list[str]) -> None:
    assert list(map(str, measures(split_measures([name])))) == own


@pytest.mark.parametrize("name", ["P", "recall", "ndcg_cut", "map_cut", "relative_P"])
def test_bare_names_stand_for_nine_cutoffs(name: str) -> None:
    assert len(measures(name)) == 9
    with pytest.raises(relyon.ParameterError, match="means 9 measures"):
        relyon.measure(name)


def test_grades_that_a_map_does_not_name_are_their_own_gain() -> None:
    judgments, run = {"q": {"a": 1, "b": 2, "c": 3}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    found = relyon.evaluate(judgments, run, ["cg(gain={1:5,other:grade})"])
    assert found["cg(gain={1:5,other:grade})"] == 5 + 2 + 3


def test_texts_are_no_measures() -> None:
    with pytest.raises(relyon.ParameterError, match="is text, not a measure"):
        relyon.measure("relstring")
