"""`relyon convert`: there and back, kinds recognised, nothing overwritten by accident."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.conftest import Command

import relyon
from relyon.cli.convert import HELP
from relyon.cli.help_lists import with_lists
from relyon.io.format import formats


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet", "csv.gz", "run.zst"])
def test_a_run_survives_there_and_back(ending: str, command: Command, files: Path) -> None:
    there = command("convert", "bm25.run", f"x.{ending}", "--kind", "run")
    back = command("convert", f"x.{ending}", "back.run", "--kind", "run")
    assert (there.code, back.code) == (0, 0), there.err + back.err
    assert there.err == f"x.{ending}: 5 documents retrieved for 2 queries\n"
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
    assert outcome.err == "x.run: 1 document retrieved for 1 query\n"
    assert (files / "x.run").read_text().split()[:5] == ["q1", "Q0", "d1", "1", "1.5"]


def test_grades_by_name(command: Command, files: Path) -> None:
    assert command("convert", "judgments.csv", "x.qrels", "--scale", "search").code == 0
    assert (files / "x.qrels").read_text() == "q1 0 d1 3\nq1 0 d2 2\nq2 0 d4 0\n"


def test_an_unclear_kind_is_asked_for(command: Command, files: Path) -> None:
    (files / "x.json").write_text('{"q1": {"d1": 1}}')
    outcome = command("convert", "x.json", "x.csv")
    assert outcome.code == 2
    assert outcome.err.startswith("error: does `x.json` contain judgments or a run?\nhint: specify")


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
    text = " ".join(with_lists(HELP).partition("Judgments and runs:")[2].split())
    both, _, judgments = text.partition("Judgments only:")
    named = {
        "run": {name.strip() for name in both.partition(";")[0].split(",")},
        "judgments": {name.strip() for name in judgments.partition(";")[0].split(",")},
    }
    known = {name: formats.get(name).kinds for name in formats}
    known = {name: kinds for name, kinds in known.items() if "traces" not in kinds}
    assert named["run"] == {name for name, holds in known.items() if "run" in holds}
    assert named["judgments"] == {name for name, holds in known.items() if "run" not in holds}


def test_an_ending_without_a_format(command: Command) -> None:
    outcome = command("convert", "bm25.run", "x.abc")
    assert outcome.code == 2
    assert "--format" in outcome.err


FEATURES = "query,document,label,bm25,年龄,weight\nred shoes,d1,2,1.5,-3,0.5\ntv,d#2,0,0,1e-7,1\n"


@pytest.mark.parametrize("ending", ["letor", "jsonl", "parquet", "tsv", "letor.gz"])
def test_rows_with_features_survive_there_and_back(
    ending: str, command: Command, files: Path
) -> None:
    (files / "rows.csv").write_text(FEATURES, "utf-8")
    there = command("convert", "rows.csv", f"x.{ending}")
    back = command("convert", f"x.{ending}", "back.csv")
    assert (there.code, back.code) == (0, 0), there.err + back.err
    assert f"x.{ending}: 2 feature rows of 2 queries\n" in there.err
    found = [line.split(",") for line in (files / "back.csv").read_text("utf-8").splitlines()]
    assert found[0] == ["query", "document", "label", "weight", "bm25", "年龄"]
    assert [fields[:2] for fields in found[1:]] == [["red shoes", "d1"], ["tv", "d#2"]]
    numbers = [list(map(float, fields[2:])) for fields in found[1:]]
    assert numbers == [[2, 0.5, 1.5, -3], [0, 1, 0, 1e-7]]
    again = command("convert", "rows.csv", f"x.{ending}")
    assert again.code != 0
    assert "already exists" in again.err


def test_a_split_of_encoded_ids_keeps_names(command: Command, files: Path) -> None:
    rows = "".join(f"a query {place // 3},d{place},{place % 2},{place}\n" for place in range(90))
    (files / "spaced.csv").write_text("query,document,label,bm25\n" + rows)
    assert command("convert", "spaced.csv", "spaced.letor").code == 0
    assert command("split", "spaced.letor", "-o", "parts").code == 0
    part = relyon.read_features(files / "parts" / "test.letor")
    assert part.known_features().names == ("bm25",)
    assert all(query.startswith("a query ") for query in part.queries)
    assert (
        command("convert", "spaced.letor", "x.qrels", "--format", "csv", "--kind", "judgments").code
        == 0
    )
    assert "a query 7,d21,1" in (files / "x.qrels").read_text()


def test_letor_rows_are_judgments_where_they_are_wanted(command: Command, files: Path) -> None:
    (files / "rows.letor").write_text("1 qid:7 1:0.1 2:3 # docid = d1\n")
    assert command("convert", "rows.letor", "x.qrels").code == 0
    assert (files / "x.qrels").read_text() == "7 0 d1 1\n"
    assert command("convert", "rows.letor", "x.csv", "--kind", "judgments").code == 0
    assert (files / "x.csv").read_text() == "query,document,grade\n7,d1,1\n"
    assert command("convert", "rows.letor", "y.csv").code == 0
    assert (files / "y.csv").read_text() == "query,document,label,1,2\n7,d1,1,0.1,3.0\n"


def test_a_table_of_judgments_stays_one(command: Command, files: Path) -> None:
    (files / "graded.csv").write_text("query,document,grade,weight,title\nq1,d1,2,5,A shoe\n")
    outcome = command("convert", "graded.csv", "x.jsonl")
    assert outcome.err == "x.jsonl: 1 judgment of 1 query\n"


def test_a_row_whose_comment_lacks_a_weight_is_named(command: Command, files: Path) -> None:
    (files / "x.letor").write_text("# rows: weight\n1 qid:1 1:2 # weight = 3\n\n0 qid:1 1:1\n")
    outcome = command("convert", "x.letor", "x.csv")
    assert outcome.code == 3
    assert outcome.err.startswith("error: x.letor:4: the comment lacks the weight")


@pytest.mark.parametrize(
    ("source", "target", "counted"),
    [
        ("judgments.qrels", "out.csv", " 条标注"),
        ("bm25.run", "out.csv", "2 条查询，共返回 5 篇文档"),
    ],
)
def test_what_was_converted_is_counted_in_chinese(
    files: Path, command: Command, source: str, target: str, counted: str
) -> None:
    outcome = command("convert", source, target, "--lang", "zh")
    assert outcome.code == 0, outcome.err
    assert outcome.err.startswith(f"{target}：")
    assert outcome.err.rstrip().endswith(counted)
