"""Why another program counts another value: contributions of rules, which add up."""

from __future__ import annotations

import json
import math
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.values import whole_list

import relyon
from relyon.analysis.explanation import Discrepancy
from relyon.data.convention import load_convention
from relyon.data.ranking import Ranking
from relyon.evaluation.providers import program_rules
from relyon.measures.lookup import registry

GRADES = {"a": 3, "b": 2, "c": 1, "d": 0, "e": 3}
SCORES = {"b": 3.0, "a": 2.0, "x": 2.0, "d": 2.0, "c": 1.0}
#: Measures of tasks that have no value here: see test_measures_of_tasks_without_a_value_say_why.
OF_TASKS = {"recovery", "gain_per_read", "gain_per_ktoken"}
NAMES = [
    whole_list(name)
    for name in sorted(registry)
    if registry.get(name).needs == "judgments" and name not in OF_TASKS
]
COUNTED = {"zero": 0.0, "one": 1.0, "skip": math.nan}
SECOND = math.log2(3)


def against(preset, measure="ndcg@10", grades=GRADES, scores=SCORES, **settings):
    return discrepancy({"q": grades}, {"q": scores}, "q", measure, against=preset, **settings)


def discrepancy(*arguments: Any, **settings: Any) -> Discrepancy:
    """What `relyon.explain` says of another program."""
    found = relyon.explain(*arguments, **settings).against
    assert found is not None
    return found


def counted(grades, scores, measure, convention) -> float:
    """What the query counts, as an evaluation says."""
    rules = load_convention(convention)
    if scores is None and rules.missing == "skip":
        return math.nan
    run = {"q": scores} if scores is not None else {"other": {"a": 1}}
    judgments = {"q": grades} if scores is not None else {"q": grades, "other": {"a": 1}}
    if rules.ties == "expected":  # the readable definition, averaged over every order
        one = relyon.measure(measure).resolve(rules, highest=3.0)
        held = rules.replace(ties="input")
        value = one.expected(Ranking.build(grades, list(scores), list(scores.values()), held))
    else:
        results = relyon.evaluate(judgments, run, measure, convention=rules)
        value = results.values_by_query(measure)["q"]
    return COUNTED[rules.undefined] if math.isnan(value) else value


def test_one_rule_is_the_whole_difference() -> None:
    found = against("sklearn", grades={"a": 3, "b": 2, "c": 1}, scores={"b": 2, "a": 1})
    value = (2 + 3 / SECOND) / (3 + 2 / SECOND + 1 / 2)
    other = (2 + 3 / SECOND) / (3 + 2 / SECOND)
    assert found.here.value == pytest.approx(value, rel=1e-15)
    assert found.there.value == pytest.approx(other, rel=1e-15)
    (share,) = found.shares
    assert (share.rule, share.here, share.there) == ("unretrieved", "counted", "removed")
    assert share.contribution == pytest.approx(other - value, rel=1e-12)
    assert {one.rule for one in found.idle} == {"ties", "undefined", "negative", "missing"}


def test_two_rules_share_the_difference_evenly_over_their_orders() -> None:
    found = against({"gain": "exp", "ideal": "retrieved"}, scores={"b": 2, "a": 1})

    def ndcg(gain, ideal):
        best = sorted((gain(grade) for grade in ideal), reverse=True)
        total = sum(value / math.log2(rank + 1) for rank, value in enumerate(best, 1))
        return (gain(2) + gain(3) / SECOND) / total

    def exp(grade):
        return 2**grade - 1

    every, held = GRADES.values(), [2, 3]
    start, end = ndcg(float, every), ndcg(exp, held)
    first = (ndcg(exp, every) - start + end - ndcg(float, held)) / 2
    shares = {one.rule: one.contribution for one in found.shares}
    assert shares["gain"] == pytest.approx(first, rel=1e-12)
    assert shares["ideal"] == pytest.approx(end - start - first, rel=1e-12)


@pytest.mark.parametrize("preset", list(relyon.presets))
@pytest.mark.parametrize("name", NAMES)
def test_contributions_add_up(name: str, preset: str) -> None:
    found = against(preset, name)
    rules = load_convention(preset)
    own = program_rules(relyon.measure(name), rules)
    there = counted(GRADES, SCORES, name, rules.replace(**own))
    assert found.here.value == counted(GRADES, SCORES, name, "relyon")
    assert found.there.value == pytest.approx(there, nan_ok=True)
    assert math.fsum(one.contribution for one in found.shares) == pytest.approx(
        there - found.here.value, abs=1e-12
    )
    sizes = [abs(one.contribution) for one in found.shares]
    assert sizes == sorted(sizes, reverse=True)


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from([None, -1, 0, 1, 2, 3])), max_size=6
    ),
    missed=st.integers(0, 3),
    measure=st.sampled_from(
        ["ndcg@3", "dcg", "ap@2", "p@4", "recall@all", "pnr", "auc", "bpref", "rr"]
    ),
    presets=st.permutations(list(relyon.presets)),
)
def test_contributions_add_up_for_any_list(rows, missed, measure, presets) -> None:
    here, there = presets[:2] if presets[0] != "sklearn" else (presets[1], presets[0])
    names = [f"d{place}" for place in range(len(rows))]
    scores = {name: float(row[0]) for name, row in zip(names, rows, strict=True)}
    grades = {name: row[1] for name, row in zip(names, rows, strict=True) if row[1] is not None}
    grades["missed"] = missed
    if min(grades.values()) < 0 and load_convention(here).negative == "error":
        with pytest.raises(relyon.InputError, match="negative grade"):
            against(there, measure, grades, scores or {"d0": 1.0}, convention=here)
        return
    found = against(there, measure, grades, scores or {"d0": 1.0}, convention=here)
    if math.isnan(found.difference):
        assert all(math.isnan(one.contribution) for one in found.shares)
        assert found.here.same(found.there) or found.shares
        return
    assert math.fsum(one.contribution for one in found.shares) == pytest.approx(
        found.there.value - found.here.value, abs=1e-9
    )


def test_contributions_are_means_over_all_orders() -> None:
    changes = {
        "ties": "best",
        "gain": "exp",
        "ideal": "retrieved",
        "discount": "inverse",
        "unjudged": "removed",
    }
    found = against(changes, "ndcg@3")
    totals = dict.fromkeys(changes, 0.0)
    orders = list(permutations(changes))
    for order in orders:
        rules, value = {}, counted(GRADES, SCORES, "ndcg@3", {})
        for rule in order:
            rules[rule] = changes[rule]
            after = counted(GRADES, SCORES, "ndcg@3", rules)
            totals[rule] += after - value
            value = after
    assert {one.rule: one.contribution for one in found.shares} == {
        rule: pytest.approx(total / len(orders), abs=1e-12) for rule, total in totals.items()
    }


def test_ties_are_averaged_over() -> None:
    found = against({"ties": "expected"}, "rr", {"a": 1}, {"b": 1.0, "a": 1.0})
    assert found.there.value == pytest.approx((1 + 1 / 2) / 2)
    assert [(one.rule, one.contribution) for one in found.shares] == [("ties", 0.25)]


def test_a_query_without_a_value_is_told_in_words() -> None:
    found = against("sklearn", grades={"a": 0}, scores={"a": 1})
    assert math.isnan(found.difference)
    assert str(found.here) == "left out: the ideal DCG is 0"
    assert str(found.there) == "0.0000 (instead of no value: the ideal DCG is 0)"
    assert [one.rule for one in found.shares] == ["undefined"]
    assert str(found).splitlines()[:3] == [
        "Against sklearn: ndcg@10 is left out here (the ideal DCG is 0), 0.0000 there",
        "  (instead of no value: the ideal DCG is 0)",
        "decided by undefined (skip → zero)",
    ]
    found = against("lightgbm", grades={"a": 0}, scores={"a": 1}, convention={"undefined": "zero"})
    assert (found.difference, found.shares[0].rule) == (1.0, "undefined")


@pytest.mark.parametrize(
    ("preset", "reason"),
    [
        ("trec_eval", "left out: the run lacks the query"),
        ("ranx", "refused: the run lacks the query"),
    ],
)
def test_a_query_that_the_run_lacks(preset: str, reason: str) -> None:
    judgments = {"q": {"a": 1}, "p": {"a": 1}}
    found = discrepancy(judgments, {"p": {"a": 1}}, "q", "ndcg", against=preset)
    assert found.here.value == 0.0
    assert str(found.there) == reason
    assert f"{reason.partition(':')[0]} there (the run lacks the query)" in found.title
    assert [one.rule for one in found.shares] == ["missing"]


def test_a_query_that_is_not_judged() -> None:
    judgments = {"p": {"a": 1}}
    found = discrepancy(judgments, {"q": {"a": 1}}, "q", "dcg", against="sklearn")
    assert found.here.same(found.there)
    assert "not judged" in str(found)
    assert found.shares == ()


def test_what_the_other_program_refuses() -> None:
    found = against("sklearn", grades={"a": 1, "b": -1}, scores={"a": 1, "b": 0})
    assert str(found.there).startswith("refused: query `q`, document `b`: negative grade -1")
    assert "negative" in [one.rule for one in found.shares]


def test_an_order_in_between_without_a_value() -> None:
    found = against({"ideal": "retrieved", "undefined": "zero"}, grades={"a": 3}, scores={"b": 1})
    assert (found.here.value, found.there.value) == (0.0, 0.0)
    assert math.fsum(one.contribution for one in found.shares) == 0.0


def test_an_infinite_value_cannot_be_split() -> None:
    found = against(
        {"unjudged": "removed", "ties": "best"}, "pnr", {"a": 1, "b": 0}, {"a": 1.0, "b": 0.5}
    )
    assert found.here.value == math.inf
    assert found.shares == ()
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["here"] == {"value": None, "reason": "", "text": "inf"}


def test_the_program_itself_prints_that_value() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    grades = {"a": 3, "b": 2, "c": 1, "d": 0, "e": 1}
    scores = {"b": 2.0, "a": 1.0, "e": 1.0, "d": 1.0, "c": 0.5}
    found = against("sklearn", "ndcg@3", grades, scores)
    real = metrics.ndcg_score(
        [[grades[name] for name in scores]], [list(scores.values())], k=3, ignore_ties=False
    )
    assert found.there.value == pytest.approx(real, rel=1e-12)
    assert found.shares


def test_a_reference_run_can_be_explained_too() -> None:
    reference = relyon.Run.from_dict({"q": {"a": 2, "b": 1}})
    run = {"q": {"b": 1.0, "a": 1.0}}
    found = discrepancy(reference, run, "q", "overlap@1", against={"ties": "doc-asc"})
    assert (found.here.value, found.there.value) == (0.0, 1.0)
    assert [one.rule for one in found.shares] == ["ties"]


def test_text_and_data() -> None:
    found = relyon.explain({"q": GRADES}, {"q": SCORES}, "q", "ndcg@3", against="lightgbm")
    text = str(found)
    assert "Against lightgbm: ndcg@3 is" in text
    assert "all rules together: " in text
    assert "| rule | relyon | lightgbm | adds |" in found.to_markdown()
    plain = json.loads(json.dumps(found.to_dict()))["against"]
    assert plain["convention"] == "lightgbm"
    assert sum(rule["contribution"] for rule in plain["rules"]) == pytest.approx(
        plain["difference"]
    )
    assert "lightgbm" in found._repr_html_()


@pytest.mark.parametrize(
    ("name", "value", "rules"),
    [
        ("rr@10", 1.0, {"ties": "doc-asc", "scores": "float64"}),
        ("rr", 0.5, {}),
        ("judged@2", 0.5, {"ties": "doc-asc", "scores": "float64", "negative": "nonrelevant"}),
    ],
)
def test_measures_that_ir_measures_takes_from_another_program_follow_it(
    name: str, value: float, rules: dict[str, str]
) -> None:
    """The numbers are ir_measures' own: tests/conformance holds them against it."""
    found = against("ir_measures", name, {"a": 1}, {"a": 5.0, "b": 5.0})
    assert found.there.value == value
    assert found.there_name == "ir_measures"
    assert found.program_rules == rules == found.to_dict()["program_rules"]
    assert ("takes " + name in str(found)) == bool(rules)
    assert all(f"{rule}={text}" in str(found) for rule, text in rules.items())
    own = against({"preset": "ir_measures", "ties": "input"}, name, {"a": 1}, {"a": 5.0, "b": 5.0})
    assert not own.program_rules


def test_the_rules_of_the_other_program_share_the_difference() -> None:
    found = against("ir_measures", "rr@10", {"a": 1}, {"a": 5.0, "b": 5.0})
    assert [(one.rule, one.there, one.contribution) for one in found.shares] == [
        ("ties", "doc-asc", 0.5)
    ]
