"""Notes about the data on a Chinese page."""

from __future__ import annotations

from pathlib import Path

import pytest

import relkit
from relkit.core.notes import Note
from relkit.report.notes import CHINESE, note_text

SOURCES = Path(relkit.__file__).parent


def test_a_note_of_a_run_keeps_its_name_counts_and_examples() -> None:
    note = Note("missing-queries", "b.run: 4 queries are …", 4, "warning", ("q1", "q2", "q3"))
    assert note_text(note, "zh", ["a.run", "b.run"]) == (
        "b.run：4 条有标注的查询不在结果文件中（q1、q2、q3 等）"
    )
    assert note_text(note, "en", ["a.run", "b.run"]) == str(note)


def test_measures_are_named() -> None:
    message = "2 queries without a value left out: pnr(smoothing=1), auc"
    note = Note("undefined-queries", message, 2)
    shown = note_text(note, "zh", (), ["ndcg@10", "pnr(smoothing=1)", "auc"])
    assert shown == "2 条查询没有值（pnr(smoothing=1)、auc）"


def test_other_notes_stay_as_they_are() -> None:
    note = Note("house-rule", "something else", 1)
    assert note_text(note, "zh") == "something else"


@pytest.mark.parametrize("kind", CHINESE)
def test_every_kind_exists(kind: str) -> None:
    others = [path for path in SOURCES.rglob("*.py") if path != SOURCES / "report" / "notes.py"]
    assert any(f'"{kind}"' in path.read_text("utf-8") for path in others)


def test_the_page_of_a_comparison_speaks_chinese() -> None:
    judgments = {f"q{n}": {"a": 1, "b": 0} for n in range(8)}
    old = {q: {"a": 1.0, "b": 2.0} for q in list(judgments)[:7]}
    new = {q: {"a": 2.0, "b": 1.0} for q in judgments}
    comparison = relkit.compare(judgments, old, new, ["ndcg@10", "auc"], names=["old", "new"])
    page = relkit.report.render_report(comparison, format="markdown", language="zh")
    assert "old：1 条有标注的查询不在结果文件中（q7）" in page
    assert "queries" not in page.split("## 数据提示")[1]
