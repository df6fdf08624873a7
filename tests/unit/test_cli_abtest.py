"""`relyon abtest`: what it says and writes, in both languages."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.unit.conftest import Command

from relyon.core.document.terminal import width


@pytest.fixture
def broken(files: Path) -> str:
    """A test that lost a third of the users of an arm, with columns called otherwise."""
    log = pl.read_csv("arms.csv")
    whole = pl.concat(
        [log.with_columns(session=pl.col("session") + f"-{n}", user=pl.col("user") + f"-{n}")
         for n in range(20)]
    )  # fmt: skip
    lost = (pl.col("arm") == "B") & (pl.col("user").hash(0) % 3 == 0)
    whole.filter(~lost).rename({"arm": "variant", "user": "客户"}).write_csv("broken.csv")
    return "broken.csv"


def test_a_healthy_test(files: Path, command: Command) -> None:
    outcome = command("abtest", "check", "arms.csv", "--start", "2026-03-08", "--strict")
    said = "note: columns of arms.csv read as: bucket = arm\n"
    assert (outcome.code, outcome.err) == (0, said)
    assert "nothing is wrong" in outcome.out
    assert "Not looked for: overridden (no column says" in outcome.out


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_broken_test(broken: str, command: Command, language: str) -> None:
    arguments = ["abtest", "check", broken, "--columns", "user=客户", "--lang", language]
    outcome = command(*arguments, "--strict")
    assert outcome.code == 1
    assert "sample-ratio" in outcome.err
    said = {"en": "The arms do not have their planned sizes", "zh": "各组人数与计划不符"}
    assert said[language] in outcome.out
    assert all(width(line) <= 80 for line in outcome.out.splitlines())
    assert command(*arguments).code == 0


def test_check_writes_what_diagnose_reads(files: Path, command: Command) -> None:
    outcome = command(
        "abtest", "check", "arms.csv", "--start", "2026-03-08", "--online", "o.json",
        "--planned", "A=0.5", "--planned", "B=0.5", "--format", "json",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["arms"] == {"A": 30, "B": 30}
    values = json.loads(Path("o.json").read_text("utf-8"))
    assert values["buckets"] == {"A": 30, "B": 30}
    assert values["baseline"] == {"events": 10, "trials": 30}
    read = command("diagnose", "judgments.qrels", "bm25.run", "new.run", "--online", "o.json")
    assert read.code == 0, read.err


@pytest.mark.parametrize("language", ["en", "zh"])
def test_show(files: Path, command: Command, language: str) -> None:
    outcome = command("abtest", "show", "arms.csv", "--start", "2026-03-08", "--lang", language)
    assert outcome.code == 0, outcome.err
    assert "0.3333" in outcome.out
    assert "CUPED" in outcome.out
    assert {"en": "was bought", "zh": "购买了什么"}[language] in outcome.out
    assert all(width(line) <= 80 for line in outcome.out.splitlines())


def test_show_in_other_forms(files: Path, command: Command) -> None:
    found = json.loads(command("abtest", "show", "arms.csv", "--format", "json").out)
    assert [one["arm"] for one in found["metrics"]] == ["A", "B"] * 2
    assert command("abtest", "show", "arms.csv", "-o", "x.csv").code == 0
    assert pl.read_csv("x.csv")["metric"].to_list() == ["ctr"] * 2 + ["abandonment"] * 2
    assert "| CTR |" in command("abtest", "show", "arms.csv", "--format", "markdown").out


def test_a_planned_share_that_is_no_number(files: Path, command: Command) -> None:
    outcome = command("abtest", "check", "arms.csv", "--planned", "A=half")
    assert outcome.code == 2
    assert "`half` is not a number" in outcome.err
