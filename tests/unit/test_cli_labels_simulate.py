"""`relyon labels simulate`: files that other commands take, in both languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import relyon
from relyon.core.document.terminal import width

BASE = ("labels", "simulate", "bm25.run", "-n", "400")


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl", "jsonl.gz"])
def test_the_log_makes_labels(command: Any, files: Path, ending: str) -> None:
    outcome = command(*BASE, "--judgments", "judgments.qrels", "-o", f"users.{ending}")
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("400 sessions simulated: ")
    made = command("labels", "make", f"users.{ending}", "--model", "pbm", "-o", "labels.csv")
    assert made.code == 0, made.err
    assert "from 400 sessions" in made.out


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("form", ["table", "markdown", "csv"])
def test_what_is_said(command: Any, language: str, form: str) -> None:
    more = ("--misclicks", "0.1", "--bots", "0.1", "--lang", language, "--format", form)
    outcome = command(*BASE, "-o", "users.csv", *more)
    assert outcome.code == 0
    assert all(width(line) <= 80 for line in outcome.out.splitlines())
    if form == "table":
        assert ("mis-clicks" if language == "en" else "误点") in outcome.out


def test_the_truth(command: Any, files: Path) -> None:
    options = (
        "--judgments",
        "judgments.qrels",
        "--model",
        "ubm",
        "--examination",
        "1,0.5",
        "-k",
        "2",
    )
    outcome = command(
        *BASE, *options, "-o", "users.parquet", "--truth", "truth.json", "--format", "json"
    )
    assert outcome.code == 0, outcome.err
    said, written = json.loads(outcome.out), json.loads((files / "truth.json").read_text("utf-8"))
    assert said["shared"] == written["shared"] == {"examination": [1.0, 0.5, 1.0]}
    assert said["counts"]["sessions"] == 400
    assert len(written["pairs"]) == said["pairs"]
    command(*BASE, *options, "-o", "users.parquet", "--truth", "truth.csv", "--force")
    pairs = pl.read_csv(files / "truth.csv").to_dicts()
    assert [pair["relevance"] for pair in pairs] == [pair["relevance"] for pair in written["pairs"]]


def test_options_reach_the_simulation(command: Any, files: Path) -> None:
    (files / "often.csv").write_text("query,weight\nq1,3\nq2,0\n", "utf-8")
    outcome = command(
        "labels", "simulate", "bm25.run", "tfidf.run", "--judgments", "judgments.qrels",
        "--model", "dbn", "-n", "300", "-o", "both.csv", "--frequencies", "often.csv",
        "--going-on", "0.8", "--attraction", "0=0.5,1=1,2=1,3=1", "--satisfaction",
        "0=0,1=1,2=1,3=1", "--cart", "1", "--purchase", "1", "--swap", "0.5", "--shuffle", "0.1",
        "--noise", "0.1", "--users", "7", "--per-day", "100", "--tail", "0", "--epsilon", "0.3",
        "--missing", "dwell_seconds=1,user=0.5",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    log = relyon.read_sessions(str(files / "both.csv")).collect()
    assert set(log.get_column("query")) == {"q1"}
    assert set(log.get_column("bucket")) <= {"bm25.run", "tfidf.run"}
    assert "dwell_seconds" not in log.columns
    assert log.get_column("user").null_count() > 0
    assert log.get_column("add_to_cart").equals(log.get_column("purchase"), check_names=False)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-o", "log.txt"), "logs cannot be written to"),
        (("-o", "judgments.qrels.csv", "--truth", "x.txt"), "has no suffix of a table"),
        (("-o", "bm25.run"), "logs cannot be written to"),
        (("-o", "clicks.csv"), "--force replaces it"),
        (("-o", "a.csv", "--truth", "a.csv"), "name the same file"),
        (("-o", "a.csv", "--examination", "1,x"), "expected numbers"),
        (("-o", "a.csv", "--examination", "1,0.5"), "must be 10 probabilities"),
        (("-o", "a.csv", "--attraction", "1"), "expected numbers"),
        (("-o", "a.csv", "--attraction", "high=1"), "expected numbers"),
        (("-o", "a.csv", "--missing", "session=1"), "must be one of"),
        (("-o", "a.csv", "--frequencies", "queries.tsv"), "columns query and weight"),
        (("-o", "a.csv", "--model", "pmb"), "did you mean `pbm`?"),
    ],
)
def test_what_is_refused(command: Any, files: Path, options: tuple[str, ...], said: str) -> None:
    before = {path.name: path.read_bytes() for path in files.iterdir() if path.is_file()}
    outcome = command(*BASE, "--judgments", "judgments.qrels", *options)
    assert outcome.code in {2, 3}
    assert said in outcome.err
    assert {path.name: path.read_bytes() for path in files.iterdir() if path.is_file()} == before
