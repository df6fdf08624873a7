"""`relkit convert`: there and back, kinds recognised, nothing overwritten by accident."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.conftest import Command

from relkit.cli.convert import HELP
from relkit.io.format import formats


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet", "csv.gz", "run.zst"])
def test_a_run_survives_there_and_back(ending: str, command: Command, files: Path) -> None:
    there = command("convert", "bm25.run", f"x.{ending}", "--kind", "run")
    back = command("convert", f"x.{ending}", "back.run", "--kind", "run")
    assert (there.code, back.code) == (0, 0), there.err + back.err
    assert there.err == f"x.{ending}: 5 retrieved documents of 2 queries\n"
    first = command("evaluate", "judgments.qrels", "bm25.run", "--format", "json")
    second = command("evaluate", "judgments.qrels", "back.run", "--format", "json")
    assert json.loads(first.out)["measures"] == json.loads(second.out)["measures"]


@pytest.mark.parametrize("name", ["judgments.qrels", "judgments.csv"])
def test_judgments_are_recognised(name: str, command: Command) -> None:
    options = ("--scale", "search") if name.endswith("csv") else ()
    outcome = command("convert", name, "x.jsonl", *options)
    assert outcome.code == 0
    assert " judgments of " in outcome.err


def test_a_run_table_is_recognised(command: Command, files: Path) -> None:
    (files / "ranked.csv").write_text("query,document,score\nq1,d1,1.5\n")
    outcome = command("convert", "ranked.csv", "x.run")
    assert outcome.err == "x.run: 1 retrieved documents of 1 queries\n"
    assert (files / "x.run").read_text().split()[:5] == ["q1", "Q0", "d1", "1", "1.5"]


def test_grades_by_name(command: Command, files: Path) -> None:
    assert command("convert", "judgments.csv", "x.qrels", "--scale", "search").code == 0
    assert (files / "x.qrels").read_text() == "q1 0 d1 3\nq1 0 d2 2\nq2 0 d4 0\n"


def test_an_unclear_kind_is_asked_for(command: Command, files: Path) -> None:
    (files / "x.json").write_text('{"q1": {"d1": 1}}')
    outcome = command("convert", "x.json", "x.csv")
    assert outcome.code == 2
    assert outcome.err.startswith(
        "error: does `x.json` hold judgments or a run?\nhint: say it with"
    )


def test_an_unreadable_table_says_why(command: Command, files: Path) -> None:
    (files / "x.csv").write_text("query,document,score\nq1,d1,high\n")
    outcome = command("convert", "x.csv", "x.run")
    assert outcome.code == 3
    assert outcome.err.startswith("error: x.csv:2: ")


def test_an_existing_file_is_kept_unless_forced(command: Command, files: Path) -> None:
    (files / "x.csv").write_text("mine")
    outcome = command("convert", "bm25.run", "x.csv")
    assert outcome.code == 3
    assert outcome.err == "error: x.csv: already exists\nhint: --force replaces it\n"
    assert (files / "x.csv").read_text() == "mine"
    assert command("convert", "bm25.run", "x.csv", "--force").code == 0
    assert (files / "x.csv").read_text() != "mine"


def test_the_input_is_never_the_output(command: Command) -> None:
    outcome = command("convert", "bm25.run", "bm25.run", "--force")
    assert outcome.code == 2
    assert "is one of the inputs" in outcome.err


def test_the_help_names_every_format_with_what_it_holds() -> None:
    text = " ".join(HELP.partition("Both kinds:")[2].split())
    both, _, judgments = text.replace("(as ranx has it)", "").partition("; judgments alone:")
    named = {
        "run": {name.strip() for name in both.split(",")},
        "judgments": {name.strip() for name in judgments.partition(";")[0].split(",")},
    }
    known = {name: formats.get(name).holds for name in formats}
    assert named["run"] == {name for name, holds in known.items() if "run" in holds}
    assert named["judgments"] == {name for name, holds in known.items() if "run" not in holds}


def test_an_ending_without_a_format(command: Command) -> None:
    outcome = command("convert", "bm25.run", "x.abc")
    assert outcome.code == 2
    assert "--format" in outcome.err
