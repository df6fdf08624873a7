"""`relyon report` on the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.conftest import Command

RUNS = ("judgments.qrels", "bm25.run", "tfidf.run")


@pytest.mark.long
def test_writes_html(command: Command, files: Path) -> None:
    outcome = command("report", *RUNS, "-m", "ndcg@10,rr", "-o", "report.html")
    text = (files / "report.html").read_text("utf-8")
    assert outcome.code == 0, outcome.err
    assert outcome.out == ""
    assert text.startswith("<!DOCTYPE html>")
    assert "<title>tfidf.run against bm25.run</title>" in text
    assert "1 query is in the judgments but not in the run (q3)" in outcome.err


def test_writes_markdown_in_chinese(command: Command, files: Path) -> None:
    names = ("--name", "旧", "--name", "新")
    outcome = command("report", *RUNS, "-m", "rr", "--lang", "zh", "-o", "report.md", *names)
    assert outcome.code == 0, outcome.err
    assert (files / "report.md").read_text("utf-8").startswith("# 新 与 旧 对比\n")


def test_stdout_needs_a_format(command: Command) -> None:
    assert command("report", *RUNS, "-o", "-").code == 2
    outcome = command("report", *RUNS, "-m", "rr", "-o", "-", "--format", "markdown")
    assert outcome.out.startswith("# tfidf.run against bm25.run\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*RUNS,), "missing option"),
        ((*RUNS, "-o", "report.pdf"), "HTML or Markdown"),
        ((*RUNS, "-o", "report.md", "--name", "old"), "2 runs but 1 names"),
        ((*RUNS, "-m", "rr", "--focus", "ap", "-o", "report.md"), "was not compared"),
        (
            (RUNS[0], RUNS[1], "-o", "report.md"),
            "error: CANDIDATE is missing\nhint: relyon report judgments.qrels bm25.run new.run",
        ),
    ],
)
def test_bad_arguments(
    command: Command, files: Path, arguments: tuple[str, ...], words: str
) -> None:
    outcome = command("report", *arguments)
    assert outcome.code == 2
    assert words in outcome.err
    assert not list(files.glob("report.*"))


def test_an_input_is_never_written_over(command: Command, files: Path) -> None:
    (files / "bm25.run").rename(files / "bm25.md")
    outcome = command("report", RUNS[0], "bm25.md", RUNS[2], "-o", "bm25.md")
    assert outcome.code == 2
    assert "is one of the inputs" in outcome.err


def test_texts_of_queries_are_shown(command: Command, files: Path) -> None:
    texts = ("--queries", "queries.tsv")
    done = command("report", *RUNS, "-m", "rr", "-o", "report.md", *texts)
    assert done.code == 0, done.err
    assert "q2 · blue shoes" in (files / "report.md").read_text("utf-8")
    assert "queries.tsv: no text for 1 of 3 queries (q3)" in done.err
    (files / "other.csv").write_text("id,text\nx1,red shoes\n", "utf-8")
    done = command("report", *RUNS, "-m", "rr", "-o", "report.md", "--queries", "other.csv")
    assert done.code == 0
    assert "other.csv: no text for any of 3 queries" in done.err
    done = command("report", *RUNS, "-o", "-", "--format", "markdown", "--queries", "gone.csv")
    assert done.code == 3
    assert "gone.csv" in done.err
    done = command("report", *RUNS, "-o", "queries.tsv", "--format", "markdown", *texts)
    assert done.code == 2
    assert (files / "queries.tsv").read_text("utf-8").startswith("id\ttext")


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit address space")
def test_too_little_address_space_is_said_before_charts_are_drawn(files: Path) -> None:
    program = f"ulimit -v 16000000 && exec {sys.executable} -m relyon report {' '.join(RUNS)} -o"
    for output, code in (("report.html", 3), ("report.md", 0)):
        done = subprocess.run(
            ["sh", "-c", f"{program} {output}"],
            check=False,
            cwd=files,
            capture_output=True,
            text=True,
        )
        said = done.stderr.splitlines()
        assert done.returncode == code
        assert any(one.startswith("error: charts need 65 GiB") for one in said) == (code == 3)
        assert (files / output).exists() == (code == 0)
