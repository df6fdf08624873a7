"""`relyon offpolicy`: its forms, exit codes, and files, in both languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from relyon.core.document.terminal import width


@pytest.fixture
def log(tmp_path: Path) -> str:
    """Two lists of two queries, and what they got."""
    rows = [
        (f"s{number}", ("tv", "手机")[number % 2], doc, position, int((number + position) % 3 == 0))
        for number in range(24)
        for position, doc in enumerate("ab" if number % 4 < 2 else "ba", 1)
    ]
    path = tmp_path / "behaviour.csv"
    schema = ["sid", "keyword", "sku", "rank", "click"]
    pl.DataFrame(rows, schema=schema, orient="row").write_csv(path)
    return str(path)


@pytest.fixture
def run(tmp_path: Path) -> str:
    path = tmp_path / "candidate.csv"
    path.write_text("query,document,score\ntv,b,2\ntv,a,1\n手机,b,2\n手机,x,1\n", "utf-8")
    return str(path)


def test_what_is_said(log: str, run: str, command: Any) -> None:
    outcome = command("offpolicy", log, run)
    assert outcome.code == 0, outcome.err
    assert "Expected clicks per session at positions 1 to 2" in outcome.out
    assert "`candidate.csv`, from 24 sessions of 2 queries" in " ".join(outcome.out.split())
    assert "手机   x                2        12" in outcome.out
    assert all(width(line) <= 80 for line in outcome.out.splitlines())
    assert "assumes that which list a session was shown depended on its query" in outcome.err
    assert "as if it earned nothing" in outcome.err
    chinese = command("offpolicy", log, run, "--lang", "zh")
    assert "每次会话的期望点击数" in chinese.out
    assert "倾向得分由日志统计" in chinese.err
    assert all(width(line) <= 80 for line in chinese.out.splitlines())


@pytest.mark.parametrize("form", ["table", "markdown", "csv", "json"])
def test_forms(log: str, run: str, tmp_path: Path, command: Any, form: str) -> None:
    target = tmp_path / "out.txt"
    outcome = command("offpolicy", log, run, "--format", form, "-o", str(target))
    assert (outcome.code, outcome.out) == (0, "")
    assert "item-position" in target.read_text("utf-8")


def test_json(log: str, run: str, command: Any) -> None:
    outcome = command("offpolicy", log, run, "-e", "item-position", "-e", "dm", "--format", "json")
    found = json.loads(outcome.out)
    assert [value["estimator"] for value in found["values"]] == ["item-position", "dm"]
    assert found["values"][1]["interval"] == [None, None]
    assert found["missing_first"] == [
        {"query": "手机", "position": 2, "document": "x", "probability": 1.0, "sessions": 12}
    ]


def test_what_would_have_to_be_logged(log: str, run: str, tmp_path: Path, command: Any) -> None:
    target = tmp_path / "missing.csv"
    assert command("offpolicy", log, run, "--to-log", str(target)).code == 0
    assert target.read_text("utf-8").splitlines()[1:] == ["手机,2,x,1.0,12"]
    again = command("offpolicy", log, run, "--to-log", str(target))
    assert again.code == 3
    assert "--force" in again.err
    assert command("offpolicy", log, run, "--to-log", str(target), "--force").code == 0
    assert command("offpolicy", log, run, "--to-log", run, "--force").code == 2


def test_nothing_seen(log: str, tmp_path: Path, command: Any) -> None:
    other = tmp_path / "other.csv"
    other.write_text("query,document,score\ntv,y,2\ntv,z,1\n", "utf-8")
    outcome = command("offpolicy", log, str(other))
    assert (outcome.code, outcome.out) == (3, "")
    assert "cannot say what the candidate earns" in outcome.err
    assert "`y` at position 1 for `tv`" in outcome.err
    chinese = command("offpolicy", log, str(other), "--lang", "zh")
    assert "查询 `tv` 第 1 位的 `y`" in chinese.err
    assert "the" not in chinese.err.replace(str(other), "").split()


def test_the_log_of_another_policy(tmp_path: Path, command: Any) -> None:
    ours, theirs = tmp_path / "ours.csv", tmp_path / "theirs.csv"
    ours.write_text("doc,click,pscore\n" + "a,1,0.5\nb,0,0.5\n" * 20)
    theirs.write_text("doc,click\n" + "a,1\na,0\na,1\nb,0\n" * 10)
    outcome = command("offpolicy", str(ours), str(theirs), "--candidate-log", "--format", "json")
    found = json.loads(outcome.out)
    assert found["decision"] == "place"
    assert found["values"][0]["value"] == pytest.approx(0.75)


def test_options_that_cannot_be(log: str, run: str, command: Any) -> None:
    assert command("offpolicy", log, run, "-e", "ipw").code == 2
    assert command("offpolicy", log, run, "--cluster", "session").code == 2
    assert command("offpolicy", log, run, "--cluster", "query", "--interval", "anytime").code == 2
    assert command("offpolicy", log, run, "--cluster", "user").code == 3
    assert command("offpolicy", log, run, "--propensities", "list").code == 3
