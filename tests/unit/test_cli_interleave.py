"""`relyon interleave`: files in, files and texts out, in both languages."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.unit.conftest import Command

from relyon.core.document.terminal import width


@pytest.fixture
def mixed(files: Path, command: Command) -> Path:
    """Lists mixed of two runs, many for each query."""
    outcome = command("interleave", "mix", "bm25.run", "new.run", "--draws", "30", "-o", "m.jsonl")
    assert outcome.code == 0, outcome.err
    return files / "m.jsonl"


@pytest.fixture
def log(mixed: Path) -> str:
    """A log in which every list was shown once, with clicks on what the new run owns."""
    frame = pl.read_ndjson(mixed)
    frame.select(
        pl.col("mixture").alias("sid"),
        "query",
        pl.col("document").alias("sku"),
        pl.col("position").alias("rank"),
        clicks=pl.col("owner").eq("new.run").fill_null(False).cast(pl.Int8),
        mixture="mixture",
    ).write_csv("shown.csv")
    return "shown.csv"


def test_what_mix_says_and_writes(files: Path, command: Command) -> None:
    outcome = command("interleave", "mix", "bm25.run", "new.run", "-o", "mixed.csv")
    assert "team-draft: 2 lists for 2 queries, mixed of bm25.run and new.run" in outcome.out
    assert "left out 1 query that is not in all of the runs (q3)" in outcome.err
    frame = pl.read_csv(files / "mixed.csv")
    assert frame.columns == [
        *("mixture", "query", "position", "document", "owner", "method"),
        *("credit bm25.run", "credit new.run"),
    ]
    again = command("interleave", "mix", "bm25.run", "new.run", "-o", "mixed.csv")
    assert (again.code, "--force" in again.err) == (3, True)


@pytest.mark.parametrize("method", ["balanced", "probabilistic", "optimised", "optimized"])
def test_every_method(files: Path, command: Command, method: str) -> None:
    outcome = command(
        "interleave", "mix", "bm25.run", "new.run", "--method", method, "-o", "x.parquet",
        "--format", "json",
    )  # fmt: skip
    assert json.loads(outcome.out)["method"] == method.replace("z", "s")


def test_scores(log: str, command: Command) -> None:
    outcome = command("interleave", "score", "m.jsonl", log, "--columns", "bucket=mixture")
    assert outcome.code == 0, outcome.err
    assert "30 sessions of 2 queries" not in outcome.out
    assert "team-draft: 60 sessions of 2 queries saw a mixed list" in outcome.out
    assert "Users prefer new.run to bm25.run by the always-valid test" in outcome.out
    assert all(width(line) <= 80 for line in outcome.out.splitlines())
    chinese = command(
        "interleave", "score", "m.jsonl", log, "--columns", "bucket=mixture", "--lang", "zh"
    )
    assert "用户更偏好 new.run" in chinese.out
    assert all(width(line) <= 80 for line in chinese.out.splitlines())
    assert "日志没有时间" in chinese.err


@pytest.mark.parametrize("form", ["json", "csv", "markdown"])
def test_other_forms(log: str, command: Command, form: str) -> None:
    outcome = command(
        "interleave", "score", "m.jsonl", log, "--columns", "bucket=mixture", "--format", form
    )
    assert outcome.code == 0
    if form == "json":
        one = json.loads(outcome.out)["preferences"][0]
        assert one["wins"] == 60
        assert one["value"] == 1.0
        assert one["looks"][-1]["sessions"] == 60
    else:
        assert "new.run" in outcome.out


def test_a_log_without_mixtures(log: str, command: Command) -> None:
    pl.read_csv(log).drop("mixture").write_csv("unnamed.csv")
    outcome = command("interleave", "score", "m.jsonl", "unnamed.csv")
    assert outcome.code == 3
    assert "which mixed list a session was shown" in outcome.err
    assert "bucket=COLUMN" in outcome.err


def test_a_file_that_holds_no_lists(files: Path, command: Command) -> None:
    outcome = command("interleave", "score", "judged.csv", "clicks.csv")
    assert outcome.code == 3
    assert "judged.csv: no mixed lists: the table lacks `mixture`" in outcome.err
