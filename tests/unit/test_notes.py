"""Notes about the data: facts first, sentences in the reader's language."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path
from typing import Any

import polars
import pytest

import relyon
from relyon.core.notes import Note, gathered_notes, shared_notes
from relyon.report import render_report

SOURCES = Path(relyon.__file__).parent


def test_a_note_of_a_run_keeps_its_name_counts_and_examples() -> None:
    note = Note(
        "missing-queries",
        4,
        "warning",
        ("q1", "q2", "q3"),
        run="b.run",
        key="missing-queries.judgments",
    )
    assert note.text("zh") == "b.run：4 条有标注的查询不在结果文件中（q1、q2、q3 等）"
    assert str(note) == ("b.run: 4 queries are in the judgments but not in the run (q1, q2, q3, …)")
    assert note.message == "b.run: 4 queries are in the judgments but not in the run"


def test_measures_are_named() -> None:
    measures = ["pnr(smoothing=1)", "auc"]
    note = Note("undefined-queries", 2, values={"measures": measures}, key="undefined-queries.skip")
    assert note.text() == "2 queries without a value left out: pnr(smoothing=1), auc"
    assert note.text("zh") == "2 条查询没有值，已略去（pnr(smoothing=1)、auc）"


def test_a_kind_of_ones_own_is_said_in_its_own_words() -> None:
    note = Note("house-rule", 2, own={"en": "{count:count odd thing/odd things}"})
    assert (note.text(), note.text("zh")) == ("2 odd things", "2 odd things")
    both = Note("house-rule", 2, own={"en": "{count} odd", "zh": "{count} 个怪"})
    assert both.text("zh") == "2 个怪"


def test_a_language_without_texts_is_refused() -> None:
    with pytest.raises(relyon.ParameterError, match="`language` must be one of `en`, `zh`"):
        Note("regrouped").text("ja")


def test_notes_travel_and_compare() -> None:
    note = Note("worst-order", 1, values={"measures": ["ndcg@10"]})
    assert pickle.loads(pickle.dumps(note)) == copy.deepcopy(note) == note
    assert note != Note("worst-order", 1, values={"measures": ["rr"]})
    assert len({note, copy.deepcopy(note)}) == 1


def test_what_all_runs_have_is_said_once() -> None:
    both, one = Note("regrouped"), Note("one-group")
    found = shared_notes([("a", (both, one)), ("b", (both,))])
    assert [str(note) for note in found] == [str(both), f"a: {one}"]
    assert shared_notes([("a", (both, one))]) == [both, one]


def test_notes_about_many_runs_are_one_line() -> None:
    notes = [
        Note("low-coverage", n, "warning", values={"tier": "head", "judged": 0.5, "k": 3}).about(
            f"r{n}"
        )
        for n in (2, 5, 3, 1)
    ]
    other = Note("few-runs", 9)
    gathered = gathered_notes([other, *notes])
    assert gathered == [(other, ()), (notes[1], ("r2", "r3", "r1"))]
    assert gathered_notes(notes[:2]) == [(note, ()) for note in notes[:2]]
    text = gathered[1][0].text("en", gathered[1][1])
    assert text.startswith("r5: ")
    assert text.endswith("; 3 more runs have such a note (r2, r3, r1)")
    many = notes[0].text("zh", ("a", "b", "c", "d"))
    assert many.endswith("；另有 4 个结果文件也是如此（a、b、c 等）")


def test_no_sentence_stands_beside_a_note() -> None:
    """A note is made of its kind and numbers; what it says stands in the catalogue."""
    for path in SOURCES.rglob("*.py"):
        made = re.findall(r"\bNote\(([^()]*)", path.read_text("utf-8"))
        texts = [text for one in made for text in re.findall(r'"([^"]*)"', one)]
        assert not [text for text in texts if " " in text] or path.name == "notes.py", path


def test_the_page_of_a_comparison_speaks_chinese() -> None:
    judgments = {f"q{n}": {"a": 1, "b": 0} for n in range(8)}
    old = {q: {"a": 1.0, "b": 2.0} for q in list(judgments)[:7]}
    new = {q: {"a": 2.0, "b": 1.0} for q in judgments}
    comparison = relyon.compare(judgments, old, new, ["ndcg@10", "auc"], names=["old", "new"])
    page = render_report(comparison, format="markdown", language="zh")
    assert "old：1 条有标注的查询不在结果文件中（q7）" in page
    assert "queries" not in page.split("## 数据提示")[1]


STARS = [5, 1, 3, 2, 1, 4]


@pytest.mark.parametrize("suffix", ["array", "csv", "parquet"])
def test_labels_that_are_all_relevant_are_noted(suffix: str, tmp_path: Path) -> None:
    frame = polars.DataFrame(
        {
            "query": ["a"] * 3 + ["b"] * 3,
            "document": ["x", "y", "z"] * 2,
            "label": STARS,
            "score": [0.9, 0.2, 0.3, 0.9, 0.2, 0.3],
        }
    )

    def noted(labels: list[int], *measures: str, **options: Any) -> list[str]:
        rows = frame.with_columns(label=polars.Series(labels))
        path = tmp_path / f"rows.{suffix}"
        if suffix == "array":
            given: Any = (rows["label"].to_numpy(), rows["score"].to_numpy(), [3, 3])
        else:
            rows.write_csv(path) if suffix == "csv" else rows.write_parquet(path)
            given = (str(path),)
        found = relyon.evaluate_scores(*given, **{"measures": list(measures), **options})
        return [note.text() for note in found.notes if note.kind == "threshold"]

    assert noted(STARS, "rr", "auc", "ndcg") == [
        "every judged document is relevant (lowest grade 1, threshold rel=1): rr, auc cannot tell"
        " good documents from bad ones, and auc cannot be computed without documents that are not"
        " relevant; choose the threshold, such as --set rel=4, or a --scale"
    ]
    assert noted(STARS, "ndcg") == []
    assert noted(STARS, "rr", convention={"rel": 4}) == []
    assert noted([5, 0, 3, 2, 1, 4], "rr") == []
    assert noted([1] * 6, "rr") == []


def test_a_run_of_documents_that_are_all_relevant_is_noted() -> None:
    judgments = {"a": {"x": 5, "y": 1}, "b": {"x": 2, "y": 4}}
    run = {query: {"x": 2.0, "y": 1.0} for query in judgments}

    def noted(judged: Any) -> list[str]:
        notes = relyon.evaluate(judged, run, ["rr", "ndcg"]).notes
        return [note.key for note in notes if note.kind == "threshold"]

    assert noted(judgments) == ["threshold.all"]
    assert noted({**judgments, "b": {"x": 0, "y": 4}}) == []
    subtopics = {"x": {"s": 5, "t": 1}, "y": {"t": 1}}
    assert noted({"a": subtopics, "b": subtopics}) == []
    assert noted({**judgments, "b": {"x": 2}}) == []  # the unjudged y is not relevant


def test_a_run_of_few_of_the_judged_queries_is_noted_with_the_way_out() -> None:
    judgments = {f"q{number}": {"d": 1} for number in range(5)}
    found = {
        count: relyon.evaluate(
            judgments, {f"q{number}": {"d": 1.0} for number in range(count)}, ["rr"]
        )
        for count in (2, 3)
    }
    notes = {count: str(result.notes[0]) for count, result in found.items()}
    assert notes[2].startswith(
        "3 of 5 judged queries are not in the run: `--set missing=skip` leaves"
    )
    assert notes[3].startswith("2 queries are in the judgments but not in the run")
