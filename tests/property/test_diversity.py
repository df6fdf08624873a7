"""Measures of diversity on judgments of subtopics: kernels, definitions and brute force."""

from __future__ import annotations

import math
import random
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.data.ranking import Ranking
from relyon.measures.lookup import registry

pytestmark = pytest.mark.long

NAMES = [name for name in sorted(registry) if registry.get(name).needs_subtopics]
CUT = [name for name in NAMES if name not in {"nrbp", "nnrbp"}]
VARIANTS = [f"{name}@{k}" for name in CUT for k in (1, 2, 5, 30)] + NAMES
VARIANTS += [f"{name}(rel=2)" for name in NAMES] + [f"{name}(rel=0)" for name in NAMES]
ALPHA = ["alpha_dcg", "alpha_ndcg", "err_ia", "nerr_ia"]
VARIANTS += [f"{name}(alpha={alpha})@5" for name in ALPHA for alpha in ("0", "0.3", "1")]
VARIANTS += ["nrbp(alpha=0.2,beta=0.9)", "nnrbp(alpha=1,beta=0)", "nnrbp(alpha=0.7,beta=0.8)"]

# For each document: subtopics with grades (none: unjudged), whether it is retrieved, its score.
DOCUMENTS = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(["1", "2", "10", "x"]), st.integers(-1, 2), max_size=4),
        st.booleans(),
        st.integers(0, 3),
    ),
    max_size=10,
)


def tables(queries: list[list[Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments and a run; one query more has two subtopics, so that no table is without."""
    judgments: dict[str, Any] = {"two": {"a": {"1": 1}, "b": {"2": 1, "1": 0}}}
    run: dict[str, Any] = {"two": {"a": 1.0, "z": 1.0, "b": 0.5}}
    for number, documents in enumerate(queries):
        query = f"q{number}"
        judgments[query], run[query] = {"never": {"1": 1}}, {}
        for place, (grades, retrieved, score) in enumerate(documents):
            document = f"d{place * 7 % 15:02d}"
            if grades:
                judgments[query][document] = grades
            if retrieved or not grades:
                run[query][document] = float(score)
    return judgments, run


def definition(
    measure: relyon.Measure,
    judgments: relyon.Judgments,
    run: dict[str, Any],
    rules: relyon.Convention,
) -> dict[str, Ranking]:
    return {
        query: Ranking.build(
            judgments[query],
            list(run[query]),
            list(run[query].values()),
            rules,
            query=query,
            graded=judgments.subtopics(query),
        )
        for query in run
    }


def close(one: float, two: float) -> bool:
    return (math.isnan(one) and math.isnan(two)) or math.isclose(
        one, two, rel_tol=1e-11, abs_tol=1e-12
    )


@given(queries=st.lists(DOCUMENTS, min_size=1, max_size=3), data=st.data())
def test_kernel_equals_steps(queries: list[list[Any]], data: st.DataObject) -> None:
    measure = relyon.measure(data.draw(st.sampled_from(VARIANTS)))
    rules = relyon.Convention(
        ties=data.draw(st.sampled_from(["doc-desc", "doc-asc", "input", "worst", "best"])),
        unjudged=data.draw(st.sampled_from(["nonrelevant", "removed"])),
        negative=data.draw(st.sampled_from(["nonrelevant", "unjudged"])),
        scores=data.draw(st.sampled_from(["float64", "float32"])),
    )
    raw, run = tables(queries)
    judgments = relyon.Judgments.from_dict(raw)
    assert judgments.has_subtopics
    found = relyon.evaluate(judgments, run, [measure], convention=rules).values_by_query(measure)
    resolved = measure.resolve(rules, None, 3.0)
    for query, ranking in definition(measure, judgments, run, rules).items():
        assert close(found[query], resolved.value(ranking)), (str(measure), query, raw, run)


@given(queries=st.lists(DOCUMENTS.map(lambda one: one[:6]), min_size=1, max_size=2), data=st.data())
def test_expected_is_the_mean_over_all_orders(
    queries: list[list[Any]], data: st.DataObject
) -> None:
    measure = relyon.measure(data.draw(st.sampled_from(VARIANTS)))
    rules = relyon.Convention(ties="expected")
    raw, run = tables(queries)
    judgments = relyon.Judgments.from_dict(raw)
    found = relyon.evaluate(judgments, run, [measure], convention=rules).values_by_query(measure)
    resolved = measure.resolve(rules, None, 3.0)
    for query, ranking in definition(measure, judgments, run, rules).items():
        assert close(found[query], resolved.expected(ranking)), (str(measure), query, raw, run)


@given(queries=st.lists(DOCUMENTS, min_size=1, max_size=4), data=st.data())
def test_sources_threads_and_parts_agree(
    queries: list[list[Any]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    names = data.draw(st.lists(st.sampled_from(VARIANTS), min_size=1, max_size=6, unique=True))
    raw, run = tables(queries)
    run = {query: documents for query, documents in run.items() if documents}
    whole = relyon.evaluate(raw, run, names)
    home = tmp_path_factory.mktemp("diverse")
    judgments = relyon.Judgments.from_dict(raw)
    relyon.write_judgments(judgments, home / "q.qrels")
    relyon.write_run(relyon.Run.from_dict(run), home / "r.run")
    relyon.write_judgments(judgments, home / "q.jsonl")
    for one in (
        relyon.evaluate(home / "q.qrels", home / "r.run", names, threads=1),
        relyon.evaluate(home / "q.jsonl", relyon.Run.from_dict(run), names, threads=3),
        relyon.evaluate(judgments.to_frame(), relyon.Run.from_dict(run).to_frame(), names),
    ):
        for name in names:
            # A document without a grade is in none of the files, an empty query neither.
            mine, theirs = whole.values_by_query(name), one.values_by_query(name)
            assert {key: repr(value) for key, value in theirs.items()} == {
                key: repr(value) for key, value in mine.items()
            }
    parts = relyon.Accumulator(names)
    order = list(raw)
    random.Random(len(queries)).shuffle(order)
    for query in order:
        part = relyon.Accumulator(names)
        # Alone a query may have one subtopic: the table says so and counts the same.
        part.update({query: raw[query]}, {query: run.get(query, {})})
        parts.merge(part)
    for name in names:
        merged, expected = parts.compute()[name], whole[name]
        assert merged == expected or (math.isnan(merged) and math.isnan(expected))


@given(documents=DOCUMENTS.map(lambda one: one[:6]), alpha=st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_the_bound_is_never_passed_and_greed_is_close(documents: list[Any], alpha: float) -> None:
    """α-DCG and ERR-IA stay below 1; the greedy list has at least 1 - 1/e of the best one."""
    raw, _ = tables([documents])
    names = [f"{name}(alpha={alpha})@4" for name in ALPHA]
    best = dict.fromkeys(names, 0.0)
    judged = list(raw["q0"])
    for order in permutations(judged, min(4, len(judged))):
        run = {"q0": {document: -float(rank) for rank, document in enumerate(order)}}
        found = relyon.evaluate(raw, run, names, convention={"missing": "skip"})
        for name in names:
            best[name] = max(best[name], found[name])
    for name in names:
        if "ndcg" in name or "nerr" in name:
            assert 1 - 1e-12 <= best[name] <= 1 / (1 - 1 / math.e)
        else:
            assert best[name] <= 1 + 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_one_subtopic_is_the_same_with_and_without_a_name(name: str) -> None:
    grades = {"a": 1, "b": 0, "c": 2, "d": 1}
    run = {"q": {"c": 4.0, "x": 3.0, "a": 2.0, "b": 1.0}}
    plain = relyon.evaluate({"q": grades}, run, [name])
    named = {"q": {document: {"7": grade} for document, grade in grades.items()}}
    assert relyon.evaluate(named, run, [name])[name] == plain[name]
    named["other"] = {"a": {"1": 1}, "b": {"2": 1}}
    found = relyon.evaluate(named, run, [name]).values_by_query(name)["q"]
    assert found == pytest.approx(plain[name], rel=1e-14)
