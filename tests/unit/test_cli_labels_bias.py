"""`relyon labels bias`: a table, a picture, a page and a file, in both languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from tests.unit.test_position_bias import simulate

from relyon.core.document.terminal import width

TRUTH = 1 / np.arange(1, 6) ** 0.7


@pytest.fixture
def log(tmp_path: Path) -> str:
    """A log of the position-based model, its columns called otherwise."""
    path = tmp_path / "behaviour.csv"
    names = {"session": "sid", "query": "keyword", "doc": "sku", "position": "rank"}
    simulate(2_000, 20, TRUTH, seed=1).rename({**names, "clicked": "click"}).with_columns(
        pl.col("click").cast(pl.Int8)
    ).write_csv(path)
    return str(path)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_table_fits_the_terminal(log: str, command: Any, language: str) -> None:
    outcome = command("labels", "bias", log, "--lang", language)
    assert outcome.code == 0, outcome.err
    lines = outcome.out.splitlines()
    assert max(map(width, lines)) <= 80
    # Three estimates beside each other, and bars beside the first.
    (row,) = [line for line in lines if line.startswith("5 ") and "[" in line]
    assert row.count("[") == 3
    assert next(line for line in lines if "█" in line).startswith("1 ")


def test_json_csv_and_markdown_hold_the_same_numbers(
    log: str, tmp_path: Path, command: Any
) -> None:
    for ending in ("json", "csv", "md"):
        assert command("labels", "bias", log, "-o", str(tmp_path / f"bias.{ending}")).code == 0
    found = json.loads((tmp_path / "bias.json").read_text("utf-8"))
    frame = pl.read_csv(tmp_path / "bias.csv")
    assert frame["examination"].to_list() == [one["examination"] for one in found["estimates"]]
    markdown = (tmp_path / "bias.md").read_text("utf-8")
    assert f"{found['examination']['5']:.3f} [" in markdown
    assert found["identified"] == "all"


def test_the_picture_stands_alone(log: str, tmp_path: Path, command: Any) -> None:
    pytest.importorskip("vl_convert")
    path = tmp_path / "bias.svg"
    assert command("labels", "bias", log, "-o", str(path)).code == 0
    root = ElementTree.parse(path).getroot()
    text = path.read_text("utf-8")
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    # Every colour that it names is defined in it, for light and dark.
    used = {part.split(")")[0] for part in text.split("var(--")[1:]}
    assert used >= {"blue", "orange", "green", "paper"}
    assert all(text.count(f"--{name}: ") == 2 for name in used)
    # One mark for each estimate, which says what it is.
    assert text.count("<title>all-pairs, ") == 5
    assert "<title>em, 1: 1.000</title>" in text


@pytest.mark.long
@pytest.mark.parametrize(("language", "heading"), [("en", "Position bias"), ("zh", "位置偏差")])
def test_the_page(log: str, tmp_path: Path, command: Any, language: str, heading: str) -> None:
    pytest.importorskip("vl_convert")
    path = tmp_path / "bias.html"
    outcome = command("labels", "bias", log, "-o", str(path), "--lang", language)
    assert outcome.code == 0, outcome.err
    text = path.read_text("utf-8")
    assert f"<h1>{heading}</h1>" in text
    assert text.count("<svg") == 2  # wide and narrow
    assert "http://" not in text.replace("http://www.w3.org", "")


def test_estimators_and_reference(log: str, command: Any) -> None:
    outcome = command("labels", "bias", log, "-e", "chain", "--reference", "3", "--format", "json")
    found = json.loads(outcome.out)
    assert found["examination"]["3"] == 1
    assert found["examination"]["1"] > 1
    assert {one["estimator"] for one in found["estimates"]} == {"chain"}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("-e", "pairs"), 2, "did you mean `all-pairs`?"),
        (("-e", "em", "-e", "em"), 2, "name each estimator once"),
        (("--reference", "9"), 2, "nothing was shown at the position 9"),
    ],
)
def test_what_is_refused(
    log: str, command: Any, arguments: tuple[str, ...], code: int, said: str
) -> None:
    outcome = command("labels", "bias", log, *arguments)
    assert (outcome.code, outcome.out) == (code, "")
    assert said in outcome.err


def test_a_log_that_cannot_tell(tmp_path: Path, command: Any) -> None:
    path = tmp_path / "fixed.csv"
    rows = [(n, "q", "ab"[p - 1], p, n % 3 < 3 - p) for n in range(30) for p in (1, 2)]
    schema = ["session", "query", "doc", "position", "clicked"]
    pl.DataFrame(rows, schema, orient="row").with_columns(
        pl.col("clicked").cast(pl.Int8)
    ).write_csv(path)
    outcome = command("labels", "bias", str(path))
    assert outcome.code == 0
    said = " ".join(outcome.out.split())
    assert "does not identify position bias" in said
    # Two thirds and one third were clicked: (1/2 + 2) (1.96 / log 1.1)².
    assert "1 with 2 in 1,058." in said


def test_arms_and_their_declaration(tmp_path: Path, command: Any) -> None:
    path = tmp_path / "experiment.csv"
    rows = [
        (n, f"q{n // 2 % 4}", n % 2, doc, p, int(n % 7 < 4 - p))
        for n in range(800)
        for p, doc in enumerate("ba" if n % 2 else "ab", 1)
    ]
    schema = ["session", "query", "bucket", "doc", "position", "clicked"]
    pl.DataFrame(rows, schema, orient="row").write_csv(path)
    unknown = " ".join(command("labels", "bias", str(path)).out.split())
    assert "account for 100% of the variance of documents' positions" in unknown
    assert "only swaps drawn at random can" in unknown
    outcome = command("labels", "bias", str(path), "--moved", "bucket", "--format", "json")
    assert json.loads(outcome.out)["declared"] == "bucket"
    assert [one["kind"] for one in json.loads(outcome.out)["movements"]] == [
        "time",
        "user",
        "bucket",
    ]
    declared = command("labels", "bias", str(path), "--moved", "bucket", "--lang", "zh").out
    assert "按声明" in declared
    assert "单凭日志看不出" not in declared


def test_arms_are_not_declared_without_a_column(log: str, command: Any) -> None:
    outcome = command("labels", "bias", log, "--moved", "bucket")
    assert (outcome.code, outcome.out) == (3, "")
    assert "the log has no column for `bucket`" in outcome.err
    assert "behaviour.csv" in outcome.err
