"""Two runs on one query: moves, what each cost, and that the costs add up."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, strategies as st
from tests.values import whole_list

import relyon
from relyon.core.document.terminal import width
from relyon.measures.lookup import registry
from relyon.measures.parameters import parameters

JUDGMENTS = {"q": {"a": 3, "b": 2, "c": 1, "d": 0, "e": 3}}
OLD = {"q": {"b": 5, "x": 4, "a": 3, "d": 2, "c": 1}}
NEW = {"q": {"a": 5, "d": 4, "b": 3, "e": 2, "y": 1}}
NAMES = [whole_list(name) for name in sorted(registry) if registry.get(name).needs == "judgments"]
#: Measures of tasks that have no value here: the first call finds something, and neither reads nor
#: tokens are recorded.
OF_TASKS = {"recovery", "gain_per_read", "gain_per_ktoken"}
SHARED = [
    name
    for name in NAMES
    if registry.get(name.partition("@")[0]).is_additive and name not in OF_TASKS
]
SECOND = math.log2(3)

LISTS = st.lists(
    st.tuples(st.sampled_from("abcdefghij"), st.integers(0, 4)),
    max_size=10,
    unique_by=lambda row: row[0],
)
GRADES = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, 3), min_size=1)


def change(measure: str, **settings) -> relyon.Change:
    return relyon.explain_change(JUDGMENTS, OLD, NEW, "q", measure, **settings)


def test_moves_and_what_they_cost() -> None:
    found = change("dcg@3")
    assert [(one.document, one.before, one.after) for one in found.moves] == [
        ("a", 3, 1),
        ("b", 1, 3),
    ]
    assert [one.change for one in found.moves] == [3 - 3 / 2, 2 / 2 - 2]
    assert found.difference == pytest.approx(0.5, rel=1e-15)
    assert found.moved == 7
    assert "7 documents moved, 5 of them without effect." in str(found)


def test_a_document_that_enters_and_one_that_drops_out() -> None:
    moves = {one.document: one for one in change("dcg").moves}
    assert (moves["e"].before, moves["e"].after) == (None, 4)
    assert moves["e"].change == pytest.approx(3 / math.log2(5))
    assert (moves["c"].before, moves["c"].after) == (5, None)
    assert moves["c"].change == pytest.approx(-1 / math.log2(6))
    assert "not retrieved" in str(change("dcg"))


def test_a_document_can_gain_without_a_move() -> None:
    old, new = {"q": {"x": 3, "a": 2}}, {"q": {"b": 3, "a": 2}}
    found = relyon.explain_change(JUDGMENTS, old, new, "q", "ap")
    shares = {one.document: (one.before, one.after, one.change) for one in found.moves}
    assert shares["a"][:2] == (2, 2)
    assert shares["a"][2] == pytest.approx((1 - 1 / 2) / 4)
    assert shares["b"][:2] == (None, 1)
    assert shares["b"][2] == pytest.approx(1 / 4)


CUT = [
    name.removesuffix("@all")
    for name in SHARED
    if "k" in parameters(registry.get(name.partition("@")[0]))
]


@pytest.mark.parametrize("measure", [*SHARED, *(f"{name}@{k}" for name in CUT for k in (2, 4))])
def test_changes_add_up(measure: str) -> None:
    found = change(measure)
    values = [relyon.evaluate(JUDGMENTS, run, measure)[measure] for run in (OLD, NEW)]
    assert found.additive
    assert found.difference == pytest.approx(values[1] - values[0], abs=1e-12)
    assert math.fsum(one.change for one in found.moves) == pytest.approx(
        found.difference, abs=1e-12
    )
    sizes = [abs(one.change) for one in found.moves]
    assert sizes == sorted(sizes, reverse=True)
    assert all(sizes)


@given(grades=GRADES, old=LISTS, new=LISTS, measure=st.sampled_from(SHARED))
def test_changes_add_up_for_any_lists(grades, old, new, measure) -> None:
    runs = {"q": dict(old)}, {"q": dict(new)}
    found = relyon.explain_change({"q": grades}, *runs, "q", measure)
    if found.before.undefined or found.after.undefined:
        assert not found.additive
        assert math.isnan(found.difference)
    else:
        assert found.additive
        assert math.fsum(one.change for one in found.moves) == pytest.approx(
            found.difference, abs=1e-9
        )


@pytest.mark.parametrize("measure", ["pnr", "concordance"])
def test_pairs_give_no_document_a_share(measure: str) -> None:
    found = change(measure)
    assert not found.additive
    assert all(math.isnan(one.change) for one in found.moves)
    first = found.moves[0]  # the one that moved the furthest
    assert (first.document, first.before, first.after) == ("a", 3, 1)
    assert {one.document for one in found.moves} == {"a", "b", "c", "d", "e"}
    assert f"{measure} cannot be attributed to single documents" in str(found).replace("\n  ", " ")
    assert "B - A" not in str(found)


def test_a_value_that_is_left_out() -> None:
    found = relyon.explain_change(
        {"q": {"a": 1, "b": 0}}, {"q": {}}, {"q": {"a": 2, "b": 1}}, "q", "auc"
    )
    assert math.isnan(found.difference)
    assert "undefined (no retrieved document is positive) → 1.0000" in str(found)
    assert "a list without a value has no shares" in found.to_markdown()
    assert found.to_dict()["difference"] is None


def test_what_the_convention_counts_instead() -> None:
    found = relyon.explain_change(
        {"q": {"a": 1, "b": 0}},
        {"q": {}},
        {"q": {"a": 2, "b": 1}},
        "q",
        "auc",
        convention={"undefined": "zero"},
    )
    assert found.difference == 1.0
    assert "a list without a value has no shares" in found.to_markdown()


def test_the_same_list_twice() -> None:
    found = relyon.explain_change(JUDGMENTS, OLD, OLD, "q", "ndcg@10")
    assert (found.difference, found.moves, found.moved) == (0.0, (), 0)
    assert "Both runs return the same list." in str(found)


def test_ranks_beyond_the_end_count_in_mean_precision() -> None:
    found = relyon.explain_change(
        JUDGMENTS, {"q": {"a": 1}}, {"q": {"b": 2, "a": 1}}, "q", "meanp@4"
    )
    assert found.additive
    assert math.fsum(one.change for one in found.moves) == pytest.approx(found.difference)
    assert "(end of the list)" in str(found)


def test_limits_names_and_forms() -> None:
    found = change("dcg", limit=2, names=("old", "new"))
    text = str(found)
    rest = math.fsum(one.change for one in found.moves[2:])
    assert f"… and {len(found.moves) - 2} more: {rest:+.4f}" in text
    assert "A = old, B = new" in text
    assert max(map(width, text.splitlines())) <= 80
    assert (
        "| document | grade | rank in A | rank in B | A adds | B adds | B - A |"
        in found.to_markdown()
    )
    assert "<td>not retrieved</td>" in found._repr_html_()
    plain = json.loads(json.dumps(found.to_dict()))
    assert len(plain["moves"]) == len(found.moves)
    assert plain["before"]["value"] == found.before.value
    assert plain["names"] == ["old", "new"]


def test_two_runs_against_a_third() -> None:
    reference = relyon.Run.from_dict(OLD)
    found = relyon.explain_change(reference, NEW, OLD, "q", "overlap@2")
    assert found.after.value == 1.0
    assert not found.additive


def test_wrong_arguments() -> None:
    with pytest.raises(relyon.UnknownNameError, match="no query `z`"):
        relyon.explain_change(JUDGMENTS, OLD, NEW, "z")
    with pytest.raises(relyon.ParameterError, match="two runs need two names"):
        change("dcg", names=["one"])
    tied = {"q": {"a": 2, "b": 2, "c": 1}}
    with pytest.raises(relyon.ParameterError, match="ties=expected"):
        relyon.explain_change(JUDGMENTS, OLD, tied, "q", "dcg", convention="sklearn")


def test_the_mean_over_orders_is_the_order_where_no_scores_are_equal() -> None:
    assert change("dcg", convention="sklearn").additive


def test_a_query_of_the_second_run_only_is_known() -> None:
    found = relyon.explain_change({"p": {"a": 1}}, {"p": {"a": 1}}, {"q": {"a": 1}}, "q", "dcg")
    assert found.difference == 0.0
