"""Labels against human grades: what is compared, by which numbers, and what is said of it."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

import relyon
from relyon.core.document.terminal import width
from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.labels import ModelComparison, compare_models, make_labels, read_clicks
from relyon.labels.human_grades import _reversals, pool_of

COLUMNS = ["session", "query", "doc", "position", "clicked"]
DOCS = ("a", "b", "c")
#: What people say, and how often each document is clicked of 20 times at any position.
GRADES = {"tv": {"a": 2, "b": 1, "c": 0}, "sofa": {"a": 0, "b": 1, "c": 0}}
CLICKS = {"tv": {"a": 15, "b": 5, "c": 10}, "sofa": {"a": 2, "b": 12, "c": 2}}


def log(queries: Any = ("tv", "sofa"), sessions: int = 20) -> pl.DataFrame:
    """Sessions of which every part has the same clicks: none is left to chance."""
    rows = [
        (f"{query} {number}", query, doc, place, number % 20 < CLICKS[query][doc])
        for query in queries
        for number in range(sessions)
        for place, doc in enumerate(DOCS, 1)
    ]
    return pl.DataFrame(rows, COLUMNS, orient="row")


def labels_of(frame: pl.DataFrame, model: str, parts: int = 5) -> dict[str, dict[str, float]]:
    """The labels of the sessions that `compare_models` fits on, found in another way."""
    from relyon.labels import Fold

    fitted = relyon.labels.models.get(model)().fit(
        read_clicks(frame, fold=Fold(0, parts, inside=False))
    )
    found: dict[str, dict[str, float]] = {}
    for query, doc, label in fitted.relevance().select("query", "document", "relevance").rows():
        found.setdefault(query, {})[doc] = label
    return found


@pytest.fixture(scope="module")
def found() -> ModelComparison:
    return compare_models(log(), ["dctr", "pbm", "gctr"], judgments=GRADES)


def test_numbers_are_those_of_an_evaluation_of_the_labels(found: ModelComparison) -> None:
    people = found.people
    assert people is not None
    for model in ("dctr", "pbm"):
        results = relyon.evaluate(GRADES, labels_of(log(), model), people.measures)
        for measure in people.measures:
            assert people[model, measure].value == results[measure]
            values = [v for v in results.values_by_query(measure).values() if not math.isnan(v)]
            assert people[model, measure].queries == len(values)


def test_a_worked_example(found: ModelComparison) -> None:
    # DCTR orders tv a, c, b and sofa b, then a and c alike: c stands before a, its id is higher.
    people = found.people
    assert people is not None
    tv = (2 + 1 / 2) / (2 + 1 / math.log2(3))
    assert people["dctr", "ndcg@10"].value == pytest.approx((tv + 1) / 2)
    # tv: a and b over c: one of two pairs; sofa: b over both.
    assert people["dctr", "gauc"].value == pytest.approx((0.5 + 1) / 2)
    # tv: of three pairs one is reversed; sofa: 2 of 2 pairs, of 2 untied in either.
    assert people["dctr", "tau"].value == pytest.approx((1 / 3 + 1) / 2)


def test_differences_are_those_of_a_comparison(found: ModelComparison) -> None:
    people = found.people
    assert people is not None
    runs = [labels_of(log(), model) for model in ("dctr", "pbm", "gctr")]
    compared = relyon.compare(
        GRADES,
        runs[0],
        runs[1:],
        people.measures,
        names=["dctr", "pbm", "gctr"],
        convention={"ties": "expected"},
    )
    for measure in ("ndcg@10", "gauc"):
        ours, theirs = people["gctr", measure].contrast, compared.contrast("gctr", measure)
        assert ours is not None
        assert (ours.difference, ours.interval) == (theirs.difference, theirs.interval)
    assert people["dctr", "auc"].contrast is None


def test_equal_labels_have_a_defined_answer(found: ModelComparison) -> None:
    people = found.people
    assert people is not None
    assert people["gctr", "auc"].value == people["gctr", "gauc"].value == 0.5
    tau = people["gctr", "tau"]
    assert math.isnan(tau.value)
    assert tau.queries == 0
    order = people.orders[2]
    assert (order.agree, order.reverse, order.open, order.pairs) == (0, 0, 5, 5)
    assert "gctr   tau" in found.to_text()
    assert "nan" not in found.to_text() + found.to_markdown() + found.to_csv() + found.to_json()


def test_what_the_pool_holds() -> None:
    rows = [("s1", "tv", "a", 2, 0), ("s1", "tv", "b", 3, 1), ("s2", "tv", "a", 5, 0)]
    rows += [("s3", "sofa", "a", 1, 0), ("s3", "sofa", "b", 2, 0), ("s4", "bed", "a", 1, 1)]
    judged = relyon.Judgments.from_dict(
        {"tv": {"a": 1, "b": 0, "unseen": 3}, "sofa": {"a": 1, "b": 1}, "desk": {"a": 1}}
    )
    pool = pool_of(judged, read_clicks(pl.DataFrame(rows, COLUMNS, orient="row")))
    assert pool.rows.drop("pair").rows() == [("tv", "a", 1.0, 2.0, 3.5), ("tv", "b", 0.0, 1.0, 3.0)]
    # Of sofa both documents have one grade: that says nothing about order.
    assert (pool.matched, pool.single) == (4, 1)


def test_many_sessions_are_added_up_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    judged, clicks = relyon.Judgments.from_dict(GRADES), read_clicks(log())
    whole = pool_of(judged, clicks).rows
    monkeypatch.setattr("relyon.labels.human_grades.SESSIONS", 3)
    assert pool_of(judged, clicks).rows.equals(whole)
    assert whole.get_column("impressions").to_list() == [20.0] * 6


@pytest.mark.parametrize(
    ("grades", "hint"),
    [({"tv": {"z": 1}}, "documents' ids"), ({"q1": {"a": 1}}, "q1 in the judgments, sofa, tv in")],
)
def test_nothing_in_common(grades: Any, hint: str) -> None:
    with pytest.raises(InputError, match="no pair of query and document in common") as caught:
        compare_models(log(), ["dctr"], judgments=grades)
    assert hint in str(caught.value.hint)


def test_one_grade_only() -> None:
    found = compare_models(log(), judgments={"tv": {"a": 1, "b": 1}})
    people = found.people
    assert people is not None
    assert (people.agreements, people.pairs, people.matched, people.single) == ((), 0, 2, 1)
    assert "nothing can be said" in " ".join(found.to_text().split())
    assert "无法得出结论" in found.to_text(language="zh")
    assert json.loads(found.to_json())["people"]["agreements"] == []
    assert found.to_frame().height == 3


def test_one_query_has_no_interval_and_one_model_no_difference() -> None:
    found = compare_models(log(["tv"]), ["dctr"], judgments=GRADES)
    people = found.people
    assert people is not None
    assert people["dctr", "gauc"].value == 0.5
    assert all(map(math.isnan, people["dctr", "gauc"].interval))
    assert "chance" not in found.to_text()
    frame = found.to_frame()
    assert frame.item(0, "gauc_low") is None
    assert frame.item(0, "gauc") == 0.5


def test_measures_and_conventions_are_those_of_relyon() -> None:
    grades = {"tv": {"a": 2, "b": 1, "c": 0}}
    strict = compare_models(log(["tv"]), ["dctr"], judgments=grades, measures="auc(rel=2)").people
    assert strict is not None
    assert strict.measures == ("auc(rel=2)",)
    assert strict["dctr", "auc(rel=2)"].value == 1.0
    with pytest.raises(UnknownNameError):
        compare_models(log(), ["dctr"], judgments=GRADES, measures="ndgc@10")
    with pytest.raises(UnknownNameError):
        compare_models(log(), ["dctr"], judgments=GRADES, convention="trec-eval-9")
    with pytest.raises(ParameterError):
        compare_models(log(), ["dctr"], judgments=GRADES, examples=-1)


def test_where_labels_and_people_disagree() -> None:
    found = compare_models(log(sessions=400), ["dctr"], judgments=GRADES).people
    assert found is not None
    assert (found.orders[0].agree, found.orders[0].reverse, found.orders[0].pairs) == (4, 1, 5)
    (one,) = found.disagreements
    assert (one.query, one.preferred.document, one.other.document) == ("tv", "b", "c")
    assert one.preferred.interval[1] < one.other.interval[0]
    assert (one.preferred.grade, one.preferred.position) == (1.0, 2.0)
    # One session in five is held out.
    assert 280 < one.preferred.impressions < 360
    # Few sessions leave the order open: nothing is said to be reversed.
    few = compare_models(log(), ["dctr"], judgments=GRADES).people
    assert few is not None
    assert few.disagreements == ()


GRADE, BOUND = st.integers(0, 3), st.floats(0, 1, width=16)


@given(st.lists(st.tuples(GRADE, BOUND, BOUND), min_size=1, max_size=12))
def test_pairs_are_counted_as_one_by_one(rows: list[tuple[int, float, float]]) -> None:
    grades = np.array([row[0] for row in rows], np.float64)
    low = np.array([min(row[1:]) for row in rows])
    high = np.array([max(row[1:]) for row in rows])
    agree = reverse = pairs = 0
    gaps = [0.0]
    for i, j in combinations(range(len(rows)), 2):
        better, worse = (i, j) if grades[i] > grades[j] else (j, i)
        if grades[i] != grades[j]:
            pairs += 1
            agree += low[better] > high[worse]
            reverse += high[better] < low[worse]
            gaps.append(low[worse] - high[better])
    counts = np.zeros(3, np.int64)
    worst = list(_reversals(grades, low, high, counts))
    assert counts.tolist() == [agree, reverse, pairs]
    assert [gap for gap, _, _ in worst] == ([max(gaps)] if reverse else [])
    assert all(grades[first] > grades[second] for _, first, second in worst)


def story(noise: bool) -> tuple[pl.DataFrame, dict[str, dict[str, int]]]:
    """A log in which position decides: random grades, or grades that only PBM can find."""
    generator = np.random.default_rng(5)
    rows, grades = [], {}
    for query in (f"查询 {number}" for number in range(12)):
        docs = [f"d{number}" for number in range(6)]
        attraction = dict(zip(docs, np.linspace(0.1, 0.9, 6), strict=True))
        grades[query] = {doc: int(4 * attraction[doc]) for doc in docs}
        if noise:
            grades[query] = dict(zip(docs, generator.permutation(6).tolist(), strict=True))
        # The worse a document is, the higher it usually stands.
        for session in range(150):
            order = sorted(docs, key=lambda doc: attraction[doc] + generator.normal(0, 0.3))
            for place, doc in enumerate(order, 1):
                clicked = generator.random() < attraction[doc] / place
                rows.append((f"{query}{session}", query, doc, place, bool(clicked)))
    return pl.DataFrame(rows, COLUMNS, orient="row"), grades


def test_what_is_said_of_differences() -> None:
    frame, grades = story(noise=False)
    found = compare_models(frame, ["dctr", "pbm"], judgments=grades)
    assert found.people is not None
    assert {one.verdict for one in found.people.decided} == {"better"}
    assert "pbm agrees better with people (ndcg@10 +0." in " ".join(found.to_text().split())
    assert "pbm 与人工标注更一致" in found.to_text(language="zh")
    frame, grades = story(noise=True)
    found = compare_models(frame, ["dctr", "pbm"], judgments=grades)
    assert "larger than chance explains" in " ".join(found.to_text().split())
    for language in ("en", "zh"):
        assert all(width(line) <= 80 for line in found.to_text(language=language).splitlines())


def test_every_model_says_what_it_assumes(found: ModelComparison) -> None:
    text = " ".join(found.to_text().split())
    assert "dctr: Assumes that every result was seen" in text
    assert "pbm: Assumes that whether a result is seen depends on its position" in text


@pytest.mark.parametrize("form", ["table", "markdown", "json", "csv", "html"])
def test_on_the_command_line(command: Any, tmp_path: Path, form: str) -> None:
    clicks, judged = tmp_path / "clicks.csv", tmp_path / "judged.qrels"
    log().with_columns(pl.col("clicked").cast(pl.Int8)).write_csv(clicks)
    lines = [f"{q} 0 {doc} {grade}" for q, one in GRADES.items() for doc, grade in one.items()]
    judged.write_text("\n".join(lines))
    arguments = ["labels", "compare", str(clicks), "--model", "dctr", "--model", "pbm"]
    arguments += ["--judgments", str(judged), "--measure", "gauc", "--format", form]
    outcome = command(*arguments)
    assert outcome.code == 0, outcome.err
    assert "gauc" in outcome.out
    assert "auc(rel" not in outcome.out


def test_options_that_need_judgments(command: Any, tmp_path: Path) -> None:
    clicks = tmp_path / "clicks.csv"
    log().write_csv(clicks)
    outcome = command("labels", "compare", str(clicks), "--measure", "auc")
    assert outcome.code == 2
    assert "--judgments" in outcome.err


def test_labels_of_the_whole_log_are_alike() -> None:
    """Comparing uses four sessions in five: of the same clicks, the labels hardly differ."""
    whole = make_labels(log(sessions=400), "dctr").judgments["tv"]
    part = labels_of(log(sessions=400), "dctr")["tv"]
    assert part == pytest.approx(whole, abs=0.05)


def test_numbers_on_fewer_queries_say_so(found: ModelComparison) -> None:
    # With equal labels Kendall's tau is undefined.
    assert "rest on fewer: gctr tau 0" in " ".join(found.to_text().split())
    grades = GRADES | {"sofa": {"a": 2, "b": 1, "c": 1}}
    other = compare_models(log(), ["dctr", "pbm"], judgments=grades)
    # Of sofa, all documents are positives.
    assert "rest on fewer: gauc 1" in " ".join(other.to_text().split())
    assert not [note for note in other.notes if "left out" in str(note)]


def test_intervals_end_where_measures_do(found: ModelComparison) -> None:
    assert found.people is not None
    for one in found.people.agreements:
        low, high = one.interval
        assert math.isnan(low) or relyon.measure(one.measure).bounds[0] <= low
        assert math.isnan(high) or high <= relyon.measure(one.measure).bounds[1]


def test_real_clicks_and_real_grades(test_data: Path) -> None:
    """TREC Session Track 2013: 40 sessions are too few to tell models apart, and it says so."""
    folder = test_data / "trec_session2013_part"
    sessions = relyon.read_sessions(
        folder / "session_impressions.tsv.gz",
        columns={"session": "session+interaction", "query": "topic"},
    )
    found = compare_models(sessions, ["dctr", "pbm", "sdbn"], judgments=folder / "qrels.txt")
    people = found.people
    assert people is not None
    assert (people.judged, people.matched, people.pairs, people.queries) == (5838, 761, 751, 19)
    assert people.single == 1
    assert people.decided == ()
    assert "too few grades" in found.to_text()
    assert found["sdbn"].interval[0] > 0
