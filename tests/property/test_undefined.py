"""What a query without a value counts is one number, however it is asked for."""

from __future__ import annotations

import math
from typing import Any, get_args

import pytest
from hypothesis import given, strategies as st
from tests.values import whole_list

import relyon
from relyon.analysis.comparison.pairing import Sample, pair
from relyon.evaluation import Average
from relyon.evaluation.side_by_side import SideBySide
from relyon.measures.definition import Measure
from relyon.measures.lookup import registry
from relyon.measures.parameters import parameters

NAMES = sorted(name for name in registry if registry.get(name).needs == "judgments")
#: Counted or refused for what has no place in these inputs: kappa's scores must be grades.
EXTRA = ["gauc(weight=rows)", "gauc(weight=positives)", "p(no_relevant=undefined)@2"]
#: The highest grade is taken from the judgments, which differ from part to part.
SCALED = {name for name in NAMES if "max" in parameters(registry.get(name))}
MEASURES = [
    f"{name}(max=3)" if name in SCALED else whole_list(name) for name in NAMES if name != "kappa"
] + EXTRA
RULES = ["skip", "zero", "one"]
QUERIES = st.lists(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=6),
    min_size=2,
    max_size=4,
)


def collection(queries: list[list[Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments and a run that holds what is judged, in the order of the rows."""
    judgments: dict[str, Any] = {}
    run: dict[str, Any] = {}
    for number, rows in enumerate(queries):
        names = [f"d{place}" for place in range(len(rows))]
        judgments[f"q{number}"] = {name: row[0] for name, row in zip(names, rows, strict=True)}
        run[f"q{number}"] = {name: float(row[1]) for name, row in zip(names, rows, strict=True)}
    return judgments, run


def same(one: float, two: float) -> bool:
    return one == two or (math.isnan(one) and math.isnan(two)) or math.isclose(one, two)


def mean(measure: Measure, results: relyon.Results, name: str, rule: str) -> float:
    """The mean that the rule prescribes, from values and weights query by query."""
    instead = {"skip": math.nan, "zero": 0.0, "one": 1.0}[rule]
    values = [instead if math.isnan(v) else v for v in results.column(name)]
    weights = [1.0] * len(values)
    if measure.combine == "ratio":
        weights = list(results.parts(name)[1])
    pairs = [(v, w) for v, w in zip(values, weights, strict=True) if not math.isnan(v)]
    total = sum(weight for _, weight in pairs)
    if measure.combine == "geometric" and pairs:
        return math.exp(sum(math.log(max(value, 1e-5)) for value, _ in pairs) / len(pairs))
    return sum(value * weight for value, weight in pairs) / total if total else math.nan


@pytest.mark.parametrize("name", MEASURES)
@given(queries=QUERIES, rule=st.sampled_from(RULES), data=st.data())
def test_every_way_counts_the_same(
    name: str, queries: list[list[Any]], rule: str, data: st.DataObject
) -> None:
    measure = relyon.measure(name)
    key = str(measure)
    average = data.draw(st.sampled_from([None, *get_args(Average)]))
    rules = {"ties": "input", "undefined": rule}
    judgments, run = collection(queries)
    results = relyon.evaluate(judgments, run, name, convention=rules, average=average)
    entry, value = results.entries[key], results[key]

    rows = [row for rows in queries for row in rows]
    ids = [f"q{number}" for number, rows in enumerate(queries) for _ in rows]
    labels, scores = [row[0] for row in rows], [row[1] for row in rows]
    scored = relyon.evaluate_scores(labels, scores, ids, name, convention=rules, average=average)
    assert same(scored[key], value)
    assert scored.entries[key].queries == entry.queries

    parts = relyon.Accumulator(name, convention=rules, average=average)
    for query, listed in run.items():
        parts.update({query: judgments[query]}, {query: listed})
    assert same(parts.compute()[key], value)
    assert parts.compute().entries[key].queries == entry.queries

    if entry.average in {"macro", "geometric"}:
        assert same(mean(measure, results, key, rule), value)
        told = {note.message for note in results.notes if note.kind == "undefined-queries"}
        words = {"zero": "counted as 0", "one": "counted as 1", "skip": "left out"}[rule]
        if entry.undefined and measure.combine != "ratio":
            assert any(words in message for message in told)
        text = SideBySide([results]).to_trec(per_query=True, digits=17)
        lines = [line.split("\t") for line in text.splitlines()]
        printed = [float(line[2]) for line in lines if line[1] != "all"]
        if measure.combine not in {"ratio", "geometric"} and printed:
            assert same(sum(printed) / len(printed), value)
    else:
        # A ratio of sums does not depend on the rule, and no note says that it does.
        usual = relyon.evaluate(judgments, run, name, convention={"ties": "input"}, average=average)
        assert same(usual[key], value)
        assert not any("counted as" in note.message for note in results.notes)

    if measure.combine == "pooled" and entry.average == "micro":
        return  # a comparison has the mean over queries in its place
    sample = Sample.of(results, key)
    compared = pair(key, sample, sample).baseline_value
    if math.isfinite(value) and all(map(math.isfinite, results.parts(key)[0])):
        assert same(compared, value)


@pytest.mark.parametrize("name", MEASURES)
@given(queries=QUERIES)
def test_error_refuses_what_the_others_count(name: str, queries: list[list[Any]]) -> None:
    judgments, run = collection(queries)
    results = relyon.evaluate(judgments, run, name, convention={"ties": "input"})
    [entry] = results.entries.values()
    key = str(relyon.measure(name))
    undefined = [query for query, v in results.values_by_query(name).items() if math.isnan(v)]
    rules = {"ties": "input", f"{relyon.measure(name).name}.undefined": "error"}
    if not undefined or entry.average not in {"macro", "geometric"}:
        again = relyon.evaluate(judgments, run, name, convention=rules)
        assert same(again[key], results[key])
        return
    with pytest.raises(relyon.InputError) as caught:
        relyon.evaluate(judgments, run, name, convention=rules)
    plural = "query" if len(undefined) == 1 else "queries"
    assert f"`{key}` has no value for {len(undefined)} {plural}: `{undefined[0]}`" in str(
        caught.value
    )
