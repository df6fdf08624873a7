"""What must hold for every registered measure, known today or added tomorrow."""

from __future__ import annotations

import dataclasses
import math
import pickle
import random
from typing import Any, get_args

import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.core.rules import Ties
from relyon.data.ranking import Ranking
from relyon.measures.definition import Measure
from relyon.measures.index import MODULES
from relyon.measures.lookup import registry
from relyon.measures.parameters import parameters

NAMES = sorted(registry)
JUDGED = [name for name in NAMES if registry.get(name).needs == "judgments"]
#: Ways to write each parameter, so that every measure is tried with all of its options.
OPTIONS: dict[str, list[str]] = {
    "gain": [
        "linear",
        "exp",
        "{0:0,0.5:0.1,1:0.25,2:0.5,3:1}",
        "{0:0.5,2:7,other:grade}",
    ],
    "discount": ["log2", "inverse", "none"],
    "ideal": ["judged", "retrieved", "hits", "uncut"],
    "rel": ["1", "2", "0.5", "0", "-1"],
    "label_ties": ["positive", "ignore"],
    "score_ties": ["ignore", "half", "rank"],
    "unjudged": ["removed", "nonrelevant"],
    "no_relevant": ["zero", "undefined"],
    "smoothing": ["0", "1"],
    "weight": ["uniform", "rows", "positives"],
    "capped": ["false", "true"],
    "p": ["0.5", "0.95"],
    "max_fpr": ["0.1", "0.5", "1"],
    "max": ["3", "4"],
    "min": ["0", "1", "-1"],
    "target": ["0.5", "1", "2.5"],
    "depth": ["3", "1000"],
    "benefit": ["0", "0.5"],
    "cost": ["0", "1.5"],
    "median": ["0.25"],
    "normalize": ["true", "false"],
    "unretrieved": ["last", "zero"],
    "form": ["ext", "min"],
    "recall": ["0.1", "0.35", "0.5", "1"],
    "rounding": ["up", "nearest", "nine-tenths"],
    "points": ["2", "5", "11"],
    "multiple": ["0.2", "0.5", "1.6", "3"],
    "beta": ["0", "0.5", "2"],
    "tail": ["always", "unjudged"],
    "tp": ["2"],
    "fp": ["0", "-0.5"],
    "fn": ["-1"],
    "tn": ["0.25"],
    "docs": ["100"],
    "normalise": ["false", "true"],
    "b": ["1.5", "3"],
    "bq": ["2", "10"],
    "repeats": ["counted", "ignored"],
    "calls": ["1", "2"],
    "credit": ["whole", "share"],
    "items": ["results", "reads"],
}
#: Refused under ties=expected.
NO_CLOSED_FORM = {
    *("bpref", "infap", "gm_ap", "gm_bpref", "iprec", "iap", "rbp_residual", "rndcg"),
    *("ndcg_rel", "g", "bin_g", "yaap", "compat", "accuracy", "inst", "bpm"),
    *("nerr8", "nerr9", "nerr10", "nerr11"),
}
#: What takes `judged_only`: the others have a rule of their own for unjudged documents.
CONDENSED = {name for name in JUDGED if registry.get(name).convention_fields.get("unjudged") != ""}
CUTOFFS = ["", "@1", "@3", "@10", "@100"]
TIES = [one for one in get_args(Ties) if one not in {"rank", "expected"}]
NEGATIVE = ["nonrelevant", "unjudged"]


def variants(name: str) -> list[str]:
    """Every parameter at every value, one at a time, at several cutoffs."""
    kind = registry.get(name)
    known = parameters(kind)
    found = []
    for parameter in known:
        choices = OPTIONS.get(parameter, [])
        if parameter == "denominator":
            choices = (
                ["relevant", "capped", "retrieved"]
                if name in {"ap", "gm_ap"}
                else ["k", "retrieved"]
            )
        if parameter == "unjudged" and name in {
            *("cg", "dcg", "ndcg", "err", "session_dcg", "nsdcg")
        }:
            choices = ["0", "2"] if name != "err" else ["2,max=3"]
        if parameter == "form" and name in {"session_dcg", "nsdcg"}:
            choices = ["track", "original"]
        if parameter == "b" and name == "srbp":
            choices = ["0.3", "1"]
        if parameter == "beta" and name in {"nrbp", "nnrbp"}:
            choices = ["0", "0.5"]
        if name in {"rbp", "srbp"} and parameter == "gain":
            choices = ["{0:0,0.5:0.1,1:0.25,2:0.5,3:1}"]
        found += [f"{name}({parameter}={value})" for value in choices]
    found.append(name if name != "iprec" else "iprec@0")
    if name == "rbp":
        found.append("rbp(gain=linear,normalise=true)")
    if name in CONDENSED:
        found.append(f"{name}(judged_only=true)")
    if "max" in known:  # else it is taken from the judgments, which differ from part to part
        found = [
            text
            if "max=" in text
            else f"{text[:-1]},max=3)"
            if text.endswith(")")
            else f"{text}(max=3)"
            for text in found
        ]
    if kind.several and kind.at == "k":
        # without a cutoff the name stands for several measures
        return [text + cutoff for text in found for cutoff in ["@all", *CUTOFFS[1:]]]
    cutoffs = CUTOFFS if "k" in known else [""]
    return [text + cutoff for text in found for cutoff in cutoffs]


ALL_VARIANTS = [text for name in JUDGED for text in variants(name)]
# Whole-number scores, few enough to tie often; kappa compares them with grades.
LISTS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from([None, 0, 0, 1, 2, 3, 0.5, -1, -1, -2]),
        st.booleans(),
        st.integers(-1, 3),
    ),
    max_size=14,
)


def tables(queries: list[list[Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments and run of random lists: some documents unjudged, some not retrieved."""
    judgments: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for number, documents in enumerate(queries):
        query = f"q{number}"
        judgments[query], run[query] = {"never": 1.0}, {}
        for place, (score, grade, retrieved, _) in enumerate(documents):
            document = f"d{place * 7 % 15:02d}"
            if grade is not None:
                judgments[query][document] = float(grade)
            if retrieved or grade is None:
                run[query][document] = float(score)
    return judgments, run


def reference(
    measure: Measure, judgments: dict[str, Any], run: dict[str, Any], convention: relyon.Convention
) -> dict[str, float]:
    """The definition itself, query by query."""
    highest = max(grade for grades in judgments.values() for grade in grades.values())
    resolved = measure.resolve(convention, None, highest)
    values = {}
    for query, grades in judgments.items():
        listed = run.get(query, {})
        ranking = Ranking.build(
            grades, list(listed), list(listed.values()), convention, query=query
        )
        values[query] = convention.rounded(resolved.value(ranking))
    return values


def same(one: float, two: float, tolerance: float = 1e-12) -> bool:
    return (
        (math.isnan(one) and math.isnan(two))
        or math.isclose(one, two, rel_tol=tolerance, abs_tol=tolerance)
        or one == two
    )


@pytest.mark.parametrize("name", JUDGED)
@given(queries=st.lists(LISTS, min_size=1, max_size=3), data=st.data())
def test_kernel_equals_steps(name: str, queries: list[list[Any]], data: st.DataObject) -> None:
    measure = relyon.measure(data.draw(st.sampled_from(variants(name))))
    convention = relyon.Convention(
        ties=data.draw(st.sampled_from(TIES)),
        unjudged=data.draw(st.sampled_from(["nonrelevant", "removed", "ignored", 1])),
        unretrieved=data.draw(st.sampled_from(["counted", "removed"])),
        negative=data.draw(st.sampled_from(NEGATIVE)),
        no_relevant=data.draw(st.sampled_from(["zero", "undefined"])),
        decimals=data.draw(st.sampled_from([None, 2])),
    )
    judgments, run = tables(queries)
    found = relyon.evaluate(judgments, run, [measure], convention=convention)
    wanted = reference(measure, judgments, run, convention)
    exact: dict[str, float] = {}
    for query, value in found.values_by_query(measure).items():
        if not same(value, wanted[query]) and convention.decimals is not None:
            # Half a unit is rounded up or down by the last bit, in which the two may differ.
            exact = exact or reference(measure, judgments, run, convention.replace(decimals=None))
            assert abs(exact[query] * 200 % 2 - 1) < 1e-9
            assert abs(value - wanted[query]) == pytest.approx(0.01)
        else:
            assert same(value, wanted[query]), (str(measure), query, value, wanted[query])


@pytest.mark.parametrize("name", JUDGED)
@given(queries=st.lists(LISTS, min_size=1, max_size=3), data=st.data())
def test_values_stay_within_bounds(
    name: str, queries: list[list[Any]], data: st.DataObject
) -> None:
    measure = relyon.measure(data.draw(st.sampled_from(variants(name))))
    judgments, run = tables(queries)
    low, high = measure.bounds
    if name in {"ndcg", "nsdcg"} and "unjudged=2" in str(measure):
        high = math.inf  # ungraded documents are in the list and not in the ideal one
    wanted = reference(measure, judgments, run, relyon.Convention())
    for query, value in relyon.evaluate(judgments, run, [measure]).values_by_query(measure).items():
        if math.isnan(wanted[query]):
            assert math.isnan(value), query
        else:
            assert low - 1e-12 <= value <= high + 1e-12, query


@given(queries=st.lists(LISTS, min_size=2, max_size=6), data=st.data())
def test_merged_equals_whole_to_the_last_bit(queries: list[list[Any]], data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(ALL_VARIANTS), min_size=1, max_size=8, unique=True))
    judgments, run = tables(queries)
    whole = relyon.Accumulator(names)
    whole.update(judgments, run)
    parts = []
    for query in judgments:
        part = relyon.Accumulator(names)
        part.update({query: judgments[query]}, {query: run[query]})
        parts.append(pickle.loads(pickle.dumps(part)))
    random.Random(len(queries)).shuffle(parts)
    merged = parts[0]
    for part in parts[1:]:
        merged.merge(part)
    together = merged.compute().entries
    for name, entry in whole.compute().entries.items():
        assert repr(together[name]) == repr(entry), name  # NaN is not equal to itself


@given(
    queries=st.lists(LISTS, min_size=1, max_size=6),
    rules=st.sampled_from([{}, {"undefined": "zero"}, {"missing": "skip"}]),
    data=st.data(),
)
def test_parts_that_have_all_judgments_equal_the_whole_to_the_last_bit(
    queries: list[list[Any]], rules: dict[str, Any], data: st.DataObject
) -> None:
    names = data.draw(st.lists(st.sampled_from(ALL_VARIANTS), min_size=1, max_size=8, unique=True))
    judgments, run = tables(queries)
    place = st.sampled_from([0, 1, 2, None])  # None: the run lacks the query
    chosen = {query: data.draw(place) for query in run}
    run = {query: run[query] for query in run if chosen[query] is not None}
    whole = relyon.evaluate(judgments, run, names, convention=rules)
    parts = []
    for number in range(3):
        part = relyon.Accumulator(names, convention=rules, queries="once")
        part.update(judgments, {query: run[query] for query in run if chosen[query] == number})
        parts.append(pickle.loads(pickle.dumps(part)))
    merged, *others = data.draw(st.permutations(parts))
    for part in others:
        merged.merge(part)
    merged.finish(judgments)
    found = merged.compute()
    for name, entry in whole.entries.items():
        assert repr(found.entries[name]) == repr(entry), name  # NaN is not equal to itself
    assert [note.message for note in found.notes] == [note.message for note in whole.notes]


@given(queries=st.lists(LISTS, min_size=1, max_size=5), data=st.data())
def test_order_of_rows_and_threads_change_nothing(
    queries: list[list[Any]], data: st.DataObject
) -> None:
    names = data.draw(st.lists(st.sampled_from(ALL_VARIANTS), min_size=1, max_size=8, unique=True))
    judgments, run = tables(queries)
    shuffled = {
        query: dict(data.draw(st.permutations(list(run[query].items()))))
        for query in data.draw(st.permutations(list(run)))
    }
    one = relyon.evaluate(judgments, relyon.Run.from_dict(run), names, threads=1)
    two = relyon.evaluate(judgments, relyon.Run.from_dict(shuffled), names, threads=3)
    for name in one:
        assert repr(one[name]) == repr(two[name]), name
        mine, theirs = one.values_by_query(name), two.values_by_query(name)
        assert {query: repr(value) for query, value in mine.items()} == {
            query: repr(value) for query, value in theirs.items()
        }, name


@pytest.mark.parametrize("name", JUDGED)
def test_single_list_equals_batch(name: str) -> None:
    grades = [2, 0, None, 3, 1, 0]
    for text in variants(name):
        measure = relyon.measure(text)
        if name == "kappa":
            continue  # scores of a bare list are positions, not grades
        run = {"q": {f"d{place}": float(-place) for place in range(len(grades))}}
        judged = {f"d{place}": grade for place, grade in enumerate(grades) if grade is not None}
        batch = relyon.evaluate({"q": judged}, run, [measure]).column(measure)[0]
        assert same(measure.score(grades), batch), text


@pytest.mark.parametrize("name", JUDGED)
@given(documents=LISTS, data=st.data())
def test_expected_equals_the_mean_over_all_orders(
    name: str, documents: list[Any], data: st.DataObject
) -> None:
    measure = relyon.measure(data.draw(st.sampled_from(variants(name))))
    convention = relyon.Convention(ties="expected", negative=data.draw(st.sampled_from(NEGATIVE)))
    judgments, run = tables([documents[:7]])
    form = {"pnr": "score_ties=rank", "ap": "denominator=retrieved"}.get(name)
    open_ended = form is not None and form in str(measure)
    if name in NO_CLOSED_FORM or open_ended:
        with pytest.raises(relyon.InputError, match="no closed form"):
            relyon.evaluate(judgments, run, [measure], convention=convention)
        return
    found = relyon.evaluate(judgments, run, [measure], convention=convention).column(measure)[0]
    resolved = measure.resolve(convention, None, 3.0)
    listed = run["q0"]
    ranking = Ranking.build(judgments["q0"], list(listed), list(listed.values()), convention)
    wanted = resolved.expected(ranking)
    assert same(found, wanted, 1e-9), (str(measure), found, wanted)


@pytest.mark.parametrize("name", NAMES)
def test_names_round_trip(name: str) -> None:
    for text in variants(name):
        measure = relyon.measure(text)
        assert relyon.measure(str(measure)) == measure
        assert (
            relyon.measure(str(measure).upper().replace("RELEVANT", "relevant").lower()) == measure
        )
        assert pickle.loads(pickle.dumps(measure)) == measure
        resolved = measure.resolve(relyon.Convention(), None, 3.0)
        assert relyon.measure(str(resolved)) == resolved


@pytest.mark.parametrize("name", NAMES)
def test_every_measure_is_documented(name: str) -> None:
    kind = registry.get(name)
    text = kind.__doc__ or ""
    for part in ("Examples:", "References:"):
        assert part in text, f"{name} lacks {part}"
    for entry in dataclasses.fields(kind):  # type: ignore[arg-type]
        assert f"{entry.name}:" in text, f"{name} does not document {entry.name}"
    assert kind.formula


def test_the_index_of_measures_is_true() -> None:
    for family, names in MODULES.items():
        for name in names.split():
            assert registry.get(name).__module__ == f"relyon.measures.{family}"
    listed = {name for names in MODULES.values() for name in names.split()}
    own = [name for name in registry if registry.get(name).__module__.startswith("relyon.")]
    for name in own:
        assert {name, *registry.get(name).aliases} <= listed
