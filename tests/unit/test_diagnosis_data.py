"""The rules about the data: unjudged documents, and queries and grades that do not match."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import assume, given, strategies as st
from tests.unit.diagnosing import (
    BETTER,
    GRADED,
    QUERIES,
    WORSE,
    both_languages,
    every,
    look,
    run_of,
)

import relyon
from relyon.analysis.diagnosis.coverage import Coverage
from relyon.analysis.diagnosis.unjudged import Unjudged
from relyon.data.ranking import Ranking

# -- 6: unjudged -------------------------------------------------------------------------------


def test_unjudged_fires() -> None:
    judgments = {query: {"a": 2, "b": 1} for query in QUERIES}
    before, after = every(run_of("b", "a")), every(run_of("u", "a", "v"))
    found = look(Unjudged(), judgments, before, after)
    low = (0 + 2 / math.log2(3)) - (1 + 2 / math.log2(3))
    high = low + 2 + 2 / 2  # u at rank 1 and v at rank 3 with the highest grade, 2
    assert found.evidence["share_baseline"] == 0
    assert found.evidence["share_candidate"] == pytest.approx(2 / 3)
    assert found.evidence["difference"] == pytest.approx(low)
    assert found.evidence["lowest"] == pytest.approx(low)
    assert found.evidence["highest"] == pytest.approx(high)
    assert found.evidence["pairs"] == 40
    assert found.parts == ("text", "text.open")
    assert found.severity == "high"
    assert found.examples[0] == "q00: u"
    first = found.chart_data[0]
    assert (first["baseline_rank"], first["candidate_rank"]) == (None, 1)
    assert first["influence"] == pytest.approx(2 / 20)
    sizes = [abs(row["influence"]) for row in found.chart_data]
    assert sizes == sorted(sizes, reverse=True)
    both_languages(found)


def test_judging_the_needed_pairs_settles_the_sign() -> None:
    judgments: dict[str, dict[str, float]] = {query: {"a": 2, "b": 1} for query in QUERIES}
    before, after = every(run_of("b", "a")), every(run_of("u", "a", "v"))
    found = look(Unjudged(), judgments, before, after)
    needed = found.evidence["needed"]
    assert 0 < needed < 40
    for row in found.chart_data[:needed]:
        judgments[row["query"]][row["document"]] = 0
    again = look(Unjudged(most=0.01), judgments, before, after)
    assert again.parts == ("text", "text.settled")
    assert again.evidence["highest"] < 0
    # One pair fewer leaves it open.
    judgments = {query: {"a": 2, "b": 1} for query in QUERIES}
    for row in found.chart_data[: needed - 1]:
        judgments[row["query"]][row["document"]] = 0
    assert look(Unjudged(most=0.01), judgments, before, after).parts[1] == "text.open"
    both_languages(again)


@pytest.mark.long
@given(data=st.data())
def test_needed_pairs_are_enough_whatever_their_signs(data: st.DataObject) -> None:
    judgments = {"q": {"a": 2.0, "b": 1.0, "c": 0.0}, "r": {"a": 1.0}}
    lists = st.lists(st.sampled_from("abcuvwxyz"), min_size=3, max_size=9, unique=True)
    before, after = ({query: run_of(*data.draw(lists)) for query in judgments} for _ in range(2))
    found = look(Unjudged(most=0.0, gap=0.0), judgments, before, after)
    for row in found.chart_data[: found.evidence["needed"]]:
        judgments[row["query"]][row["document"]] = 0.0
    again = look(Unjudged(most=0.0, gap=0.0), judgments, before, after)
    assume(found.evidence["difference"] != 0)
    assert again.parts[1] == "text.settled"


@pytest.mark.long
@given(data=st.data())
def test_bounds_hold_whatever_the_judges_say(data: st.DataObject) -> None:
    """Every way to grade the unjudged documents gives a difference within the bounds."""
    judgments = {"q": {"a": 2.0, "b": 1.0, "c": 0.0}, "r": {"a": 1.0}}
    lists = st.lists(st.sampled_from("abcuvw"), min_size=1, max_size=6, unique=True)
    before, after = ({query: run_of(*data.draw(lists)) for query in judgments} for _ in range(2))
    found = look(Unjudged(most=0.0), judgments, before, after)
    for grades in judgments.values():
        for document in "uvw":
            grades[document] = data.draw(st.sampled_from([0.0, 1.0, 2.0]))
    values = [relyon.evaluate(judgments, run, "dcg@10")["dcg@10"] for run in (before, after)]
    difference = values[1] - values[0]
    assert found.evidence["lowest"] - 1e-12 <= difference <= found.evidence["highest"] + 1e-12


def test_unjudged_ndcg_with_the_best_grades() -> None:
    judgments = {query: {"a": 2} for query in QUERIES}
    before, after = every(run_of("a", "u")), every(run_of("u", "a"))
    found = look(Unjudged(), judgments, before, after)
    assert found.evidence["ndcg_baseline_none"] == 1
    assert found.evidence["ndcg_candidate_none"] == pytest.approx(1 / math.log2(3))
    assert found.evidence["ndcg_baseline_high"] == 1
    assert found.evidence["ndcg_candidate_high"] == 1


def test_negative_grades_are_unjudged_where_the_convention_says_so() -> None:
    judgments = {query: {"a": 1, "spam": -1} for query in QUERIES}
    before, after = every(run_of("a")), every(run_of("spam", "a"))
    rules = {"negative": "unjudged"}
    found = look(Unjudged(), judgments, before, after, convention=rules)
    assert found.examples[0] == "q00: spam"
    assert found.evidence["ndcg_candidate_high"] == 1
    assert look(Unjudged(), judgments, before, after) is None


def test_the_best_gain_of_a_map_counts() -> None:
    judgments = {query: {"a": 3} for query in QUERIES}
    before, after = every(run_of("a", "u")), every(run_of("a", "v"))
    odd = {"gain": {0: 0, 1: 9, 2: 1, 3: 2}}
    found = look(Unjudged(), judgments, before, after, convention=odd)
    assert found.evidence["highest"] == pytest.approx(9 / math.log2(3))
    assert found.evidence["lowest"] == pytest.approx(-9 / math.log2(3))


def test_unjudged_is_silent() -> None:
    empty = {query: {"a": 1} for query in QUERIES}, every({}), every({})
    assert look(Unjudged(), *empty) is None
    judgments = {query: dict.fromkeys("abcdefgh", 1) for query in QUERIES}
    run = every(run_of(*"abcdefgh", "u"))
    assert look(Unjudged(), judgments, run, run) is None  # one of nine
    condensed = {"unjudged": "removed"}
    assert look(Unjudged(), judgments, run, every(run_of("u")), convention=condensed) is None


# -- 9: coverage -------------------------------------------------------------------------------


def test_queries_that_one_run_lacks() -> None:
    part = {query: run for query, run in BETTER.items() if query > "q04"}
    found = look(Coverage(), GRADED, BETTER, part)
    assert found.parts == ("text.missing",)
    assert found.evidence == {"missing_baseline": 0, "missing_candidate": 5}
    assert found.examples == ("q00", "q01", "q02")
    assert found.severity == "high"
    both_languages(found)
    assert look(Coverage(), GRADED, part, part) is None  # both lack them
    large = {f"q{number:03d}": {"a": 1, "b": 0} for number in range(200)}
    lists = {query: run_of("a", "b") for query in large}
    one = look(Coverage(), large, lists, {q: run for q, run in lists.items() if q != "q007"})
    assert (one.parts, one.severity) == (("text.missing",), "medium")


def test_queries_without_a_value_in_one_run() -> None:
    judgments = {query: {"a": 1, "b": 0} for query in QUERIES}
    pairs, single = every(run_of("a", "b")), every(run_of("a"))
    found = look(Coverage(), judgments, pairs, {**pairs, "q07": single["q07"]})
    assert found.parts == ("text.undefined",)
    assert found.evidence["undefined_measure"] == "pnr"
    assert found.evidence["undefined_candidate"] == 1
    assert found.evidence["undefined_changed"] == 1
    assert found.examples == ("q07",)
    assert {row["measure"]: row["changed"] for row in found.chart_data} == {"ndcg@10": 0, "pnr": 1}
    both_languages(found)


def test_grades_above_the_scale() -> None:
    judgments = relyon.Judgments.from_dict({query: {"a": 5, "b": 2} for query in QUERIES})
    found = look(Coverage(), judgments, BETTER, BETTER, scale="search")
    assert found.parts == ("text.grades",)
    assert found.evidence["above"] == 20
    assert (found.evidence["grade_highest"], found.evidence["scale_highest"]) == (5, 3)
    both_languages(found)


def test_ids_that_do_not_match() -> None:
    padded = {query: {f"{document} ": score for document, score in run.items()}
              for query, run in BETTER.items()}  # fmt: skip
    found = look(Coverage(), GRADED, BETTER, padded)
    assert "text.document" in found.parts
    assert found.evidence["document_run"] == "new"
    assert "white space" in found.text()
    assert found.examples[-1] == "`a ` ↔ `a`"
    both_languages(found)
    numbered = {f"Q{number}": {"a": 1} for number in range(20)}
    mixed = {**{f"q{n}": {"a": 1.0} for n in range(1, 20)}, "Q0": {"a": 1.0}}
    whole = {query: {"a": 1.0} for query in numbered}
    found = look(Coverage(), numbered, whole, mixed)
    assert "text.query" in found.parts
    assert "letter case" in found.text()
    both_languages(found)


def test_some_ids_that_do_not_match() -> None:
    judgments = {query: {f"D{place}": place % 3 for place in range(10)} for query in QUERIES}
    fine = every(run_of(*judgments["q00"]))
    mixed = every(run_of("D0", "D1", *(f"d{place}" for place in range(2, 10))))
    found = look(Coverage(), judgments, fine, mixed)
    assert found.parts == ("text.document",)
    assert "only 2 document ids" in found.text()
    assert "letter case" in found.text()


def test_coverage_is_silent() -> None:
    # One query of two hundred comes and goes: sparse judgments, and no reason to look.
    judgments = {f"q{number:03d}": {"a": 1, "b": 0} for number in range(200)}
    both = {query: run_of("a", "b") for query in judgments}
    assert look(Coverage(), judgments, both, {**both, "q007": run_of("a")}) is None
    found = look(Coverage(changed=0.005), judgments, both, {**both, "q007": run_of("a")})
    assert found.parts == ("text.undefined",)
    assert look(Coverage(), GRADED, BETTER, WORSE) is None
    scaled = relyon.Judgments.from_dict(
        {q: {"a": "高", "b": "无"} for q in QUERIES}, scale="search"
    )
    assert look(Coverage(), scaled, BETTER, WORSE) is None


def test_real_runs(test_data: Path) -> None:
    """BM25 against re-ranking: half of the top is unjudged, by a second route too."""
    folder = test_data / "dl_hard_passage"
    judgments = relyon.read_judgments(folder / "qrels.passage.txt")
    runs = [relyon.read_run(folder / name) for name in ("bm25.run.gz", "bm25_t5.zs.run.gz")]
    compared = relyon.compare(judgments, runs[0], runs[1], "ndcg@10", names=["old", "new"])
    (found,) = relyon.diagnose(compared)
    assert (found.rule, found.severity) == ("unjudged", "high")
    # Grading what speaks for one run with the best grade, all else with 0, gives the bounds.
    tops = [
        {query: [one.document for one in Ranking.build(
            {}, *run.table.documents(query)[:2], relyon.Convention()).top(10)]
         for query in judgments.queries}
        for run in runs
    ]  # fmt: skip
    for side, name in ((0, "lowest"), (1, "highest")):
        grades = judgments.to_dict()
        for query, documents in tops[side].items():
            other = tops[1 - side][query]
            for rank, document in enumerate(documents):
                if document not in other or other.index(document) > rank:
                    grades[query].setdefault(document, 3)
        values = [relyon.evaluate(grades, run, "dcg@10")["dcg@10"] for run in runs]
        assert found.evidence[name] == pytest.approx(values[1] - values[0], abs=1e-9)
    listed = {(row["query"], row["document"]) for row in found.chart_data}
    assert len(listed) == found.evidence["pairs"] == len(found.chart_data)
    assert not [pair for pair in listed if pair[1] in judgments[str(pair[0])]]
