"""`relyon evaluate` and `relyon compare` with `--engine spark` print what they print without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.spark.command_line import equal, parts, run_command, runs, write

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: Any) -> Path:
    """The same judgments and runs in several formats; folders are in parts."""
    judged, old, new = runs()
    write(judged, tmp_path / "judged.qrels")
    write(judged, tmp_path / "judged.csv")
    parts(judged, tmp_path / "judged")
    for name, run in (("old", old), ("new", new)):
        (tmp_path / name).mkdir()
        for form in ("parquet", "csv", "jsonl", "run"):
            write(run, tmp_path / f"{name}.{form}")
            parts(run, tmp_path / name / form, form)
    monkeypatch.chdir(tmp_path)
    return tmp_path


FORMS = ["parquet", "csv", "jsonl", "run"]


@pytest.mark.parametrize("form", ["csv", "run"])
def test_files_of_every_format_are_evaluated(
    form: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = ["evaluate", "judged.qrels", f"old.{form}", f"new.{form}"]
    equal(capsys, same, same)


@pytest.mark.parametrize("form", FORMS)
def test_folders_are_evaluated(form: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["--name", "a", "--name", "b", "--format", "json"]
    here = ["evaluate", "judged.csv", f"old.{form}", f"new.{form}", *names]
    there = ["evaluate", "judged", f"old/{form}", f"new/{form}/part-*", *names]
    equal(capsys, here, there)


@pytest.mark.parametrize("form", ["table", "json", "trec"])
def test_every_output_is_the_same(
    form: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = ["evaluate", "judged.qrels", "new.run", "new.csv", "-q", "--format", form]
    found = equal(capsys, same, same)
    assert "查询" in found.out


def test_values_of_queries_are_in_the_order_of_their_names(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = ["evaluate", "judged.qrels", "old.run", "-q", "--format", "csv", "-m", "ndcg@10"]
    expected = run_command(capsys, *same)
    found = run_command(capsys, *same, "--engine", "spark")
    head, *lines = expected.out.splitlines()
    assert lines != sorted(lines)  # the query that the run lacks is the last one
    assert found.out.splitlines() == [head, *sorted(lines)]


def test_the_first_line_of_trec_eval_is_the_tag(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same = ["evaluate", "judged.qrels", "old.run", "--format", "trec"]
    assert "runid                 \tall\tt\n" in equal(capsys, same, same).out


def test_strict_turns_warnings_into_errors(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = ["evaluate", "judged.qrels", "old.csv", "--strict"]
    assert equal(capsys, same, same).code == 1


def test_rules_and_columns_are_those_of_the_options(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = pl.read_csv("old.csv", schema_overrides={"query": pl.String, "document": pl.String})
    renamed = old.rename({"query": "topic name", "score": "bm25.v2"})
    write(renamed, files / "renamed.csv")
    parts(renamed, files / "renamed")
    options = [
        "--run-columns", "query=topic name,score=bm25.v2", "--convention", "trec_eval",
        "--set", "missing=skip", "-m", "ndcg@5,gmap,pnr", "--average", "micro", "--name", "x",
    ]  # fmt: skip
    equal(
        capsys,
        ["evaluate", "judged.qrels", "renamed.csv", *options],
        ["evaluate", "judged.qrels", "renamed", *options],
    )


def test_measures_of_a_plugin_are_sent_to_the_executors(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "share_of_zero.py").write_text((ROOT / "examples" / "bad_share.py").read_text("utf-8"))
    plugin = ["--plugin", "share_of_zero.py", "-m", "bad_share@5", "-m", "ndcg@5"]
    same = ["evaluate", "judged.qrels", "new.csv", "-q", "--format", "csv", *plugin]
    assert "bad_share@5" in equal(capsys, same, same).out


def test_values_of_queries_are_written_by_the_cluster(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from relyon import evaluate

    arguments = ["evaluate", "judged.qrels", "old.run", "new.run", "--engine", "spark"]
    found = run_command(
        capsys, *arguments, "-m", "ndcg@10", "--per-query-to", str(files / "values")
    )
    assert found.code == 0
    table = pl.read_parquet("values/*.parquet").sort("run", "query")
    for name in ("new.run", "old.run"):
        expected = evaluate("judged.qrels", name, "ndcg@10").per_query.sort("query")
        assert table.filter(run=name).drop("run").equals(expected)
    again = run_command(
        capsys, *arguments, "-m", "ndcg@10", "--per-query-to", str(files / "values")
    )
    assert again.code == 3
    assert "values: already exists" in again.err


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["-q", "--format", "csv", "-m", "ndcg@10"],
        ["--format", "json", "--test", "permutation", "--interval", "bca", "--seed", "4"],
        ["--fail-if-worse", "ndcg@10", "-m", "rr@10"],
        ["--plan", "--difference", "2%"],
    ],
    ids=lambda options: " ".join(options[:2]),
)
def test_comparisons_are_the_same(
    options: list[str], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["--name", "old", "--name", "new", *options]
    equal(
        capsys,
        ["compare", "judged.csv", "old.csv", "new.run", *names],
        ["compare", "judged", "old/csv", "new/run", *names],
    )


@pytest.fixture
def scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: Any) -> Path:
    """Labelled scores of two models, in one file and in the parts of a folder."""
    judged, old, new = runs()
    rows = (
        judged.rename({"grade": "label"})
        .join(old.rename({"score": "old"}), on=["query", "document"])
        .join(new.rename({"score": "new"}), on=["query", "document"])
    )
    write(rows, tmp_path / "scored.csv")
    parts(rows, tmp_path / "scored", "csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "-m", "auc,pnr,gauc,ndcg@10"],
        ["evaluate", "-q", "--format", "csv", "-m", "pnr"],
        ["compare", "-m", "auc,gauc", "--interval", "percentile"],
    ],
    ids=" ".join,
)
def test_scores_are_the_same(
    arguments: list[str], scored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *rest = arguments
    columns = ["--query", "query", "--label", "label", "--score", "old", "--score", "new"]
    equal(
        capsys,
        [command, "--scored", "scored.csv", *columns, *rest],
        [command, "--scored", "scored", *columns, *rest],
    )


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["judged.qrels", "nowhere"], 3, "nowhere: there is no such file or folder"),
        (["nowhere/*.parquet", "old.run"], 3, "nowhere/*.parquet: there is no such file or folder"),
        (["judged.qrels", "empty"], 3, "empty: contains no files to read"),
        (["judged.qrels", "damaged.parquet"], 3, "damaged.parquet: cannot be read"),
        (["judged.qrels", "short.run"], 3, "short.run: expected 6 columns"),
        (["judged.qrels", "text.csv"], 3, "text.csv: query `a`, document `b`: "),
        (["judged.qrels", "long.csv"], 3, "long.csv: cannot be read: "),
        (["judged.qrels", "bad.jsonl"], 3, "bad.jsonl: cannot be read: "),
        (["judged.qrels", "ids.csv"], 3, "there are no columns for `query`, `document`"),
        (["judged.qrels", "s3://bucket/run.parquet"], 3, "Spark knows no file system for s3://"),
        (["judged.qrels", "-"], 3, "Spark cannot read stdin"),
        (["judged.qrels", "rows.letor"], 3, "rows.letor: Spark cannot read"),
        (["judged.qrels", "old.run", "--intervals"], 2, "--intervals exclude each other"),
        (["judged.qrels", "old.run", "-m", "rbo"], 2, "rbo"),
        (["judged.qrels", "old.run", "--set", "ties=input"], 2, "ties=input needs rows in order"),
        (["judged.qrels", "old.run", "--conf", "memory"], 2, "is not NAME=VALUE"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_errors_are_one_sentence(
    arguments: list[str],
    code: int,
    told: str,
    files: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (files / "empty").mkdir()
    for name, text in (
        ("damaged.parquet", "PAR1 this is not Parquet PAR1"),
        ("short.run", "q Q0 d 1 2 t\nq Q0 d2\n"),
        ("text.csv", "query,document,score\na,b,high\n"),
        ("long.csv", "query,document,score\na,b,1\na,c,2,3\n"),
        ("bad.jsonl", '{"query": "a", "document": "b", "score": 1}\n{"query": \n'),
        ("ids.csv", "a,b,score\na,b,1\n"),
        ("rows.letor", "1 qid:1 1:2 # docid = d\n"),
    ):
        (files / name).write_text(text, "utf-8")
    found = run_command(capsys, "evaluate", *arguments, "--engine", "spark")
    assert found.code == code, found.err
    assert told in found.err
    assert "\tat " not in found.err
    assert "Exception" not in found.err
    assert len(found.err.splitlines()) <= 3
    assert not found.out
