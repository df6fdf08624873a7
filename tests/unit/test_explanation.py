"""Derivations: they add up, the ideal list stands beside them, and formulas hold their numbers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest
from tests.values import whole_list

import relyon
from relyon.core.document.terminal import shorten, width
from relyon.data.scale import load_scale
from relyon.data.scored_lists import scored_judgments, scored_run
from relyon.measures.formulas import format_number
from relyon.measures.lookup import registry
from relyon.measures.task_effort import NO_READS, NO_TOKENS
from relyon.measures.task_evidence import FOUND_AT_ONCE

GRADES = {"a": 3, "b": 2, "c": 1, "d": 0, "e": 3, "f": 1}
SCORES = {"b": 5, "x": 4, "a": 3, "d": 2, "c": 1}
JUDGMENTS, RUN = {"q": GRADES}, {"q": SCORES}
NAMES = [whole_list(name) for name in sorted(registry) if registry.get(name).needs == "judgments"]
#: Measures of tasks that have no value here: the run finds a relevant document at once, and records
#: neither reads nor tokens.
OF_TASKS = {"recovery", "gain_per_read", "gain_per_ktoken"}
DEFINED = [name for name in NAMES if name not in OF_TASKS]
SECOND, THIRD = math.log2(3), 2


def explain(measure: str, **settings) -> relyon.Explanation:
    return relyon.explain(JUDGMENTS, RUN, "q", measure, **settings)


@pytest.mark.parametrize("name", DEFINED)
def test_the_worked_formula_ends_in_the_value(name: str) -> None:
    found = explain(name)
    assert found.expanded_formula.rsplit(" = ", 1)[-1].rsplit(": ", 1)[-1] == format_number(
        found.value
    )
    assert found.formula == f"{relyon.measure(name)} = {found.expanded_formula}"
    evaluated = relyon.evaluate(JUDGMENTS, RUN, name).values_by_query(name)["q"]
    assert found.value == pytest.approx(evaluated, rel=1e-14)


@pytest.mark.parametrize("name", sorted(OF_TASKS))
def test_measures_of_tasks_without_a_value_say_why(name: str) -> None:
    found = explain(name)
    assert math.isnan(found.value)
    assert found.undefined in {FOUND_AT_ONCE, NO_READS, NO_TOKENS}


@pytest.mark.parametrize("name", DEFINED)
def test_what_stands_before_the_value_can_be_computed(name: str) -> None:
    found = explain(name)
    left = found.expanded_formula.rsplit(" = ", 1)[0].replace(" x ", " * ")
    left = re.sub(r"(ideal )?DCG", "", left)
    assert eval(left) == pytest.approx(found.value, abs=2e-3)


@pytest.mark.parametrize(
    ("measure", "worked"),
    [
        ("p@2", "1 / 2 = 0.5"),
        ("recall@3", "2 / 5 = 0.4"),
        ("recall(capped=true)@3", "2 / 3 = 0.6667"),
        ("ap", "(1/1 + 2/3 + 3/5) / 5 = 0.4533"),
        ("rr", "1 / 1 = 1"),
        ("rr(rel=3)", "1 / 3 = 0.3333"),
        ("rr(rel=3)@2", "nothing relevant in the top 2: 0"),
        ("success(rel=3)@2", "nothing relevant in the top 2: 0"),
        ("success@all", "1"),
        ("f1@3", "2 x 2 / (3 + 5) = 0.5"),
        ("rprec", "3 / 5 = 0.6"),
        ("judged@2", "1 / 2 = 0.5"),
        ("dcg@3", "2 + 3/2 = 3.5"),
        ("pnr", "4 / 2 = 2"),
        ("pnr(smoothing=1)", "(4 + 1) / (2 + 1) = 1.6667"),
        ("concordance", "4 / (4 + 2) = 0.6667"),
        ("auc", "2 / (3 x 1) = 0.6667"),
        ("meanp@2", "(1/1 + 1/2) / 2 = 0.75"),
        ("num_rel", "5"),
    ],
)
def test_formulas_with_their_numbers(measure: str, worked: str) -> None:
    assert explain(measure).expanded_formula == worked


def test_ties_count_half_in_the_formula_of_auc() -> None:
    found = relyon.explain(
        {"q": {"a": 1, "b": 0, "c": 0}}, {"q": {"a": 1, "b": 1, "c": 0}}, "q", "auc"
    )
    assert found.expanded_formula == "(1 + 1/2) / (1 x 2) = 0.75"


def test_a_long_sum_is_cut() -> None:
    grades = {f"d{place}": 1 for place in range(9)}
    run = {document: -place for place, document in enumerate(grades)}
    worked = relyon.explain({"q": grades}, {"q": run}, "q", "cg").expanded_formula
    assert worked == "1 + 1 + 1 + 1 + 1 + … (9 terms) = 9"


def test_the_ideal_list() -> None:
    found = explain("ndcg@4")
    ideal = 3 + 3 / SECOND + 2 / THIRD + 1 / math.log2(5)
    assert [(step.document, step.ranked) for step in found.ideal] == [
        ("a", 3),
        ("e", None),
        ("b", 1),
        ("c", 5),
    ]
    assert [step.contribution for step in found.ideal] == pytest.approx(
        [3 / ideal, 3 / SECOND / ideal, 1 / ideal, 1 / math.log2(5) / ideal], rel=1e-15
    )
    assert found.ideal[-1].total == pytest.approx(1.0)
    assert found.expanded_formula == f"DCG 3.5 / ideal DCG {ideal:.4f} = {3.5 / ideal:.4f}"


@pytest.mark.parametrize("measure", ["dcg", "dcg@3", "cg@2"])
def test_the_ideal_of_what_is_not_normalised(measure: str) -> None:
    found = explain(measure)
    best = relyon.explain(JUDGMENTS, {"q": {"a": 9, "e": 8, "b": 7, "c": 6, "f": 5}}, "q", measure)
    assert found.ideal[-1].total == best.value


def test_an_ideal_of_what_was_retrieved_holds_nothing_else() -> None:
    found = explain("ndcg(ideal=retrieved)")
    assert [step.document for step in found.ideal] == ["a", "b", "c"]
    assert all(step.ranked for step in found.ideal)


def test_what_is_worth_nothing_is_no_part_of_the_ideal() -> None:
    assert "d" not in {step.document for step in explain("dcg").ideal}


@pytest.mark.parametrize(
    ("measure", "missed"),
    [
        ("recall@3", [("e", None), ("c", 5), ("f", None)]),
        ("ap", [("e", None), ("f", None)]),
        ("rprec", [("e", None), ("f", None)]),
        ("num_rel_ret@1", [("a", 3), ("e", None), ("c", 5), ("f", None)]),
        ("rr", []),
        ("rr(rel=3)@2", [("a", 3), ("e", None)]),
        ("p@3", []),
        ("ndcg@3", []),
    ],
)
def test_missed_documents(measure: str, missed: list[tuple[str, int | None]]) -> None:
    assert [(one.document, one.ranked) for one in explain(measure).missed] == missed


def test_no_value_no_formula() -> None:
    found = relyon.explain({"q": {"a": 0}}, {"q": {"a": 1}}, "q", "ndcg")
    assert (found.expanded_formula, found.formula, found.ideal, found.missed) == ("", "", (), ())
    assert "undefined: the ideal DCG is 0" in str(found)


def test_long_ids_are_shortened_in_their_middle() -> None:
    name = "https://example.org/documents/a/very/long/path/that/does/not/fit/the/line?id=00017"
    found = relyon.explain({"q": {name: 3}}, {"q": {name: 1.5}}, "q", "ndcg@10", scale="search")
    lines = str(found).splitlines()
    assert max(map(width, lines)) <= 80
    assert any("https:" in line and "…" in line and "17" in line for line in lines)
    assert name in found.to_text(columns=None)
    assert name in found.to_markdown()


@pytest.mark.parametrize("columns", range(3, 12))
def test_shortened_ids_fit(columns: int) -> None:
    for text in ("0123456789abcdef", "文档编号甲乙丙丁", "a文b档c编d号e"):
        assert width(shorten(text, columns)) <= columns
        assert shorten(text, columns)[0] == text[0] or columns < 4
    assert shorten("01234", 5) == "01234"


def test_plain_data() -> None:
    found = json.loads(json.dumps(explain("ndcg@4", scale="search").to_dict()))
    assert found["name"] == "ndcg@4"
    assert found["steps"][0]["label"] == "middle (2)"
    assert found["steps"][0]["score"] == 5
    assert found["ideal"][1]["ranked"] is None
    assert found["expanded_formula"].startswith("DCG 3.5 / ideal DCG")


def test_limits_say_what_they_leave_out() -> None:
    text = str(explain("recall@1", limit=2))
    assert "Missed: 4 relevant documents" in text
    assert "… and 2 more" in text


def test_html_is_escaped() -> None:
    found = relyon.explain({"q<b>": {"<i>": 1}}, {"q<b>": {"<i>": 1}}, "q<b>", "ndcg")
    html = found._repr_html_()
    assert "<i>" not in html
    assert "q<b>" not in html
    assert html.count("&lt;i&gt;") == 2


@pytest.mark.parametrize("name", NAMES)
def test_json_holds_no_infinity(name: str) -> None:
    empty: dict[str, dict[str, int]] = {"q": {}}
    for run in (RUN, {"q": {"a": 3, "b": 2, "c": 1}}, empty):
        found = relyon.explain(JUDGMENTS, run, "q", name, against="lightgbm")
        json.dumps(found.to_dict(), allow_nan=False)
        change = relyon.explain_change(JUDGMENTS, run, RUN, "q", name)
        json.dumps(change.to_dict(), allow_nan=False)


def test_a_measure_of_ones_own_needs_steps_only() -> None:
    class First(relyon.Measure):
        name = "first"

        def steps(self, ranking):
            for entry in ranking.top(2):
                grade = entry.grade or 0.0
                yield relyon.Step(entry.rank, entry.document, entry.grade, grade, 1.0, grade, grade)

        def value(self, ranking):
            return 0.5

    found = relyon.explain(JUDGMENTS, RUN, "q", dataclass(frozen=True)(First)())
    assert found.value == 0.5
    assert (found.expanded_formula, found.ideal, found.missed, found.inverted) == ("0.5", (), (), 0)


@pytest.mark.parametrize(("names", "shown"), [("高无", "高 (3)"), (("High", "none"), "high (3)")])
@pytest.mark.parametrize("kind", [pl.String, pl.Categorical, pl.Object])
def test_grades_of_scored_rows_have_the_names_of_the_file(
    names: Sequence[str], shown: str, kind: Any
) -> None:
    rows = {"query": ["q", "q"], "document": ["a", "b"], "score": [0.9, 0.1]}
    frame = pl.DataFrame(rows).with_columns(pl.Series("label", [*names], dtype=kind))
    scored = relyon.read_scored(frame, scale="search")
    judgments, run = scored_judgments(scored, load_scale("search")), scored_run(scored, "a")
    found = relyon.explain(judgments, run, "q", "ndcg")
    assert found.rows("en")[0][3] == found.rows("zh")[0][3] == shown
    values: Any = found.to_dict()
    assert values["steps"][0]["label"] == shown
