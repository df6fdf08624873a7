"""Every command that a lesson has its readers try, on real files."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import relyon
from relyon.core.texts import LANGUAGES
from relyon.learn import course
from relyon.learn.blocks import Try
from relyon.learn.blocks.attempt import PLACES
from relyon.learn.lesson import read_lesson

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "examples" / "docs-search"
FILES: dict[str, str | Path] = {
    "judgments": DOCS / "judgments.qrels",
    "run": DOCS / "bm25.run",
    "other": DOCS / "tfidf.run",
    "labelled": DOCS / "features.parquet",
    "log": ROOT / "examples" / "log.csv",
    "query": "en01",
}
TRIED = {
    f"{lesson.name}/{block.id}": block
    for lesson in course("en")
    for block in lesson.blocks
    if isinstance(block, Try)
}


def test_most_lessons_end_with_a_command() -> None:
    assert len({name.partition("/")[0] for name in TRIED}) >= 12
    assert set(FILES) == set(PLACES)


@pytest.mark.parametrize("name", sorted(TRIED))
def test_it_runs(name: str, command: Callable[..., Any], tmp_path: Path) -> None:
    words = shlex.split(TRIED[name].command)
    assert words[0] == "relyon"
    files = FILES
    if "log" in TRIED[name].places:  # the example's log has faults, which the commands say
        files = FILES | {"log": tmp_path / "mended.csv"}
        command("logs", "doctor", str(FILES["log"]), "--fix", "-o", str(files["log"]))
    if words[1] == "labels" and "judgments" in TRIED[name].places:  # of the log's own queries
        pairs = pl.read_csv(files["log"]).group_by("query", "doc").agg(pl.len() % 4)
        files = files | {"judgments": tmp_path / "judgments.csv"}
        pairs.rename({"len": "grade"}).write_csv(files["judgments"])
    outcome = command(*(word.format(**files) for word in words[1:]))
    assert outcome.code == 0, outcome.err


def test_commands_are_alike_in_all_languages() -> None:
    for language in LANGUAGES:
        found = [
            block.command
            for lesson in course(language)
            for block in lesson.blocks
            if isinstance(block, Try)
        ]
        assert found == [block.command for block in TRIED.values()]


def test_other_braces_of_a_command_stay() -> None:
    block = Try("t", "T", "relyon explain {run} -q '{}' {a,b} {")
    assert block.example == "relyon explain run.trec -q '{}' {a,b} {"


def test_a_place_that_nobody_types_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "01-try.md"
    path.write_text(
        '+++\ntitle = "T"\nsummary = "S"\nminutes = 1\nmeasures = []\n+++\n\n'
        '```try\nid = "t"\ntext = "T"\ncommand = "relyon evaluate {judgements} {run}"\n```\n'
    )
    with pytest.raises(relyon.ParseError, match=r"01-try\.md:8.*judgements") as raised:
        read_lesson(path, "en")
    assert "judgments" in str(raised.value)
