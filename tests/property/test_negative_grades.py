"""Measures of order use grades below 0 as they are, wherever labels and scores come from."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, strategies as st

import relyon

Rows = list[tuple[float, float]]

# Grades of TREC's Web Track run from -2 (spam) to 4, those of TREC-COVID from -1 to 2.
GRADES = {"web": [-2, 0, 1, 2, 3, 4], "covid": [-1, 0, 1, 2], "below": [-3, -2, -1]}
NAMES = [
    *("pnr", "pnr(label_ties=ignore)", "pnr(score_ties=half)", "concordance(label_ties=ignore)"),
    *("concordance", "auc(rel=0)", "auc(rel=-1)", "gauc(rel=0)", "gauc(rel=1)"),
    *("tau", "spearman", "kappa"),
]
QUERY = st.sampled_from(sorted(GRADES)).flatmap(
    lambda name: st.lists(
        st.tuples(st.sampled_from(GRADES[name]), st.integers(-2, 4)), min_size=1, max_size=12
    )
)


def order(one: float, two: float) -> int:
    return (one > two) - (one < two)


def pair_sides(rows: Rows, equal_labels: bool, half: bool) -> tuple[float, float]:
    """Positive and negative pairs, by looking at every pair."""
    positive = negative = 0.0
    for (label, score), (other, than) in combinations(rows, 2):
        if label == other and not equal_labels:
            continue
        if score == than:
            positive, negative = positive + half / 2, negative + half / 2
        elif label == other or order(label, other) == order(score, than):
            positive += 1
        else:
            negative += 1
    return positive, negative


def area(rows: Rows, rel: float) -> float:
    pairs = [
        (order(score, than) + 1) / 2
        for label, score in rows
        for other, than in rows
        if label >= rel > other
    ]
    return math.fsum(pairs) / len(pairs) if pairs else math.nan


def correlation(ones: list[float], twos: list[float]) -> float:
    size = len(ones)
    one, two = math.fsum(ones) / size, math.fsum(twos) / size
    above = math.fsum((x - one) * (y - two) for x, y in zip(ones, twos, strict=True))
    spread = [math.fsum((x - mean) ** 2 for x in xs) for xs, mean in ((ones, one), (twos, two))]
    return above / math.sqrt(math.prod(spread)) if math.prod(spread) else math.nan


def brute_force(name: str, rows: Rows) -> float:
    labels, scores = [row[0] for row in rows], [row[1] for row in rows]
    kind = name.split("(", maxsplit=1)[0]
    if kind in {"pnr", "concordance"}:
        positive, negative = pair_sides(rows, "label_ties=ignore" not in name, "half" in name)
        if not positive + negative:
            return math.nan
        if kind == "concordance":
            return positive / (positive + negative)
        return positive / negative if negative else math.inf
    if kind in {"auc", "gauc"}:
        return area(rows, float(name.split("=")[1].rstrip(")")))
    if kind == "tau":
        pairs = list(combinations(rows, 2))
        ones = [float(order(a[0], b[0])) for a, b in pairs]
        twos = [float(order(a[1], b[1])) for a, b in pairs]
        norm = math.sqrt(sum(map(abs, ones)) * sum(map(abs, twos)))
        return sum(x * y for x, y in zip(ones, twos, strict=True)) / norm if norm else math.nan
    if kind == "spearman":
        return correlation(
            *(
                [sum(x < value for x in xs) + sum(x == value for x in xs) / 2 for value in xs]
                for xs in (labels, scores)
            )
        )
    seen = sum((label - score) ** 2 for label, score in rows)
    chance = sum((label - score) ** 2 for label in labels for score in scores) / len(rows)
    return 1 - seen / chance if chance else math.nan


def same(found: float, wanted: float) -> bool:
    if math.isnan(wanted):
        return math.isnan(found)
    return found == wanted or math.isclose(found, wanted, rel_tol=1e-12, abs_tol=1e-12)


def sources(queries: list[Rows], folder: Path) -> dict[str, relyon.Results]:
    """The same labels and scores as dictionaries, files, frames and arrays."""
    rows = [
        (f"q{number}", f"d{place}", float(label), float(score))
        for number, query in enumerate(queries)
        for place, (label, score) in enumerate(query)
    ]
    judged: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for query, document, label, score in rows:
        judged.setdefault(query, {})[document] = label
        run.setdefault(query, {})[document] = score
    frame = pl.DataFrame(rows, schema=["query", "document", "grade", "score"], orient="row")
    (folder / "a.qrels").write_text("".join(f"{q} 0 {d} {label:g}\n" for q, d, label, _ in rows))
    (folder / "a.run").write_text("".join(f"{q} Q0 {d} 1 {score:g} x\n" for q, d, _, score in rows))
    held = relyon.read_run(folder / "a.run")
    return {
        "dictionaries": relyon.evaluate(judged, run, NAMES),
        "text": relyon.evaluate(folder / "a.qrels", folder / "a.run", NAMES),
        "run": relyon.evaluate(judged, held, NAMES),
        "frames": relyon.evaluate(
            frame.select("query", "document", "grade"),
            frame.select("query", "document", "score"),
            NAMES,
        ),
        "arrays": relyon.evaluate_scores(
            frame["grade"].to_numpy(), frame["score"].to_numpy(), [row[0] for row in rows], NAMES
        ),
    }


@pytest.mark.long
@given(queries=st.lists(QUERY, min_size=1, max_size=3))
def test_every_source_uses_grades_as_they_are(
    queries: list[Rows], tmp_path_factory: pytest.TempPathFactory
) -> None:
    for source, results in sources(queries, tmp_path_factory.mktemp("rows")).items():
        for name in NAMES:
            for query, found in zip(queries, results.column(name), strict=True):
                wanted = brute_force(name, query)
                assert same(found, wanted), (source, name, query, found, wanted)


@given(queries=st.lists(QUERY, min_size=1, max_size=3))
def test_every_measure_alone_finds_the_same(queries: list[Rows]) -> None:
    """A plan of one measure may look at fewer documents than one of several."""
    judged = {f"q{n}": {f"d{i}": row[0] for i, row in enumerate(q)} for n, q in enumerate(queries)}
    run = {f"q{n}": {f"d{i}": row[1] for i, row in enumerate(q)} for n, q in enumerate(queries)}
    for name in NAMES:
        for query, found in zip(
            queries, relyon.evaluate(judged, run, [name]).column(name), strict=True
        ):
            assert same(found, brute_force(name, query)), (name, query, found)


@given(query=QUERY)
def test_they_are_unjudged_where_the_convention_says_so(query: Rows) -> None:
    judged = {"q": {f"d{place}": label for place, (label, _) in enumerate(query)} | {"other": 1}}
    run = {"q": {f"d{place}": score for place, (_, score) in enumerate(query)}}
    rules = {"negative": "unjudged"}
    results = relyon.evaluate(judged, run, NAMES, convention=rules)
    kept = [row for row in query if row[0] >= 0]
    for name in NAMES:
        wanted = brute_force(name, kept) if kept else math.nan
        assert same(results.column(name)[0], wanted), (name, kept)
    zeros = [(max(label, 0), score) for label, score in query]
    nonrelevant = relyon.evaluate(judged, run, ["pnr(unjudged=nonrelevant)"], convention=rules)
    assert same(nonrelevant["pnr(unjudged=nonrelevant)"], brute_force("pnr", zeros))


def test_a_reversed_order_is_not_a_perfect_one() -> None:
    results = relyon.evaluate_scores([0, -1, -2], [0.1, 0.2, 0.3], measures=["pnr", "tau", "ndcg"])
    assert results["pnr"] == 0
    assert results["tau"] == -1
    note = next(str(note) for note in results.notes if note.kind == "negative-grades")
    assert note == (
        "2 grades below 0 count as judged and not relevant in ndcg, and are used as they are in"
        " pnr, tau"
    )


@pytest.mark.parametrize(
    ("measures", "negative", "wanted"),
    [
        (["ndcg", "ap"], "nonrelevant", "1 grade below 0 counts as judged and not relevant"),
        (["pnr"], "nonrelevant", "1 grade below 0 is used as it is in pnr"),
        (["pnr", "ap"], "unjudged", "1 grade below 0 counts as unjudged"),
    ],
)
def test_the_note_says_what_becomes_of_them(
    measures: list[str], negative: Any, wanted: str
) -> None:
    results = relyon.evaluate(
        {"q": {"a": -1, "b": 2}},
        {"q": {"a": 1.0, "b": 2.0}},
        measures,
        convention={"negative": negative},
    )
    assert wanted in [str(note) for note in results.notes]


def test_quadratic_kappa_of_two_judges() -> None:
    from relyon.judging.coefficients import cohen_kappa

    assert cohen_kappa([2, 0, -2, 1], [2, 0, -2, 1], weights="quadratic") == 1.0


def test_a_relevance_threshold_below_0_makes_no_negative_grade_relevant() -> None:
    judged, run = {"q": {"a": -1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}
    results = relyon.evaluate(judged, run, ["p(rel=-1)@2", "rbp(rel=-1,p=0.5)", "auc(rel=-1)"])
    assert results["p(rel=-1)@2"] == 0.5
    assert results["rbp(rel=-1,p=0.5)"] == 0.25
    assert math.isnan(results["auc(rel=-1)"])


def test_explanations_show_the_pairs_of_negative_grades() -> None:
    judged, run = {"q": {"a": -2, "b": -1}}, {"q": {"a": 2.0, "b": 1.0}}
    found = relyon.explain(judged, run, "q", "pnr")
    assert (found.value, found.inverted) == (0.0, 1)
    assert (found.inversions[0].above.document, found.inversions[0].cost) == ("a", 1.0)
