"""What feature rows are read by on the command line: columns, judgments, storage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.unit.conftest import Command
from tests.unit.trained import rows_of, write_features

import relyon
import relyon.ltr

TRAIN = (
    "--folds",
    "3",
    "-p",
    "trees=3",
    "-p",
    "min_rows=3",
    "--threads",
    "1",
    "--baseline",
    "none",
)


@pytest.fixture
def frame(files: Path) -> pl.DataFrame:
    """Rows of 12 queries, also in features.csv."""
    write_features(rows_of(queries=12, size=5), Path("features.csv"))
    return pl.read_csv("features.csv")


def card(command: Command, *words: str) -> Any:
    outcome = command("train", *words, "-o", "made.model", "--force", "--format", "json", *TRAIN)
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)["card"]


def test_rows_to_rank_need_no_labels(frame: pl.DataFrame, command: Command) -> None:
    card(command, "features.csv")
    whole = command("rank", "made.model", "features.csv").out
    frame.drop("label").write_csv("unlabelled.csv")
    assert command("rank", "made.model", "unlabelled.csv").out == whole
    outcome = command("train", "unlabelled.csv", "-o", "other.model")
    assert outcome.code == 3
    assert "no column for the label" in outcome.err
    rows = relyon.read_features(frame.drop("label"), labels="none")
    assert rows.labels.tolist() == [0.0] * 60
    assert relyon.read_features(frame, labels="none").known_features().names == (
        rows.known_features().names
    )


def test_labels_come_from_judgments(frame: pl.DataFrame, command: Command) -> None:
    frame.select("query", "document", grade="label").head(50).write_csv("judgments.csv")
    # The label of the file itself is wrong, and not read.
    frame.with_columns(label=1 - pl.col("label")).write_csv("candidates.csv")
    dropped = card(command, "candidates.csv", "--judgments", "judgments.csv")["data"]
    assert (dropped["rows"], dropped["queries"]) == (50, 10)
    frame.head(50).write_csv("some.csv")
    assert dropped["fingerprint"] == card(command, "some.csv")["data"]["fingerprint"]
    zero = card(command, "candidates.csv", "--judgments", "judgments.csv", "--unjudged", "zero")
    assert (zero["data"]["rows"], zero["data"]["labels"]["0"]) == (
        60,
        10 + frame.head(50).filter(pl.col("label") == 0).height,
    )
    assert [note["kind"] for note in zero["notes"]].count("rows-unjudged") == 1
    outcome = command("train", "features.csv", "--judgments", "features.csv", "-o", "features.csv")
    assert outcome.code == 2
    assert "one of the inputs" in outcome.err


@pytest.mark.long
@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_positions_and_weights_are_named(
    frame: pl.DataFrame, command: Command, engine: str
) -> None:
    pytest.importorskip(engine)
    pytest.importorskip("catboost")
    shown = frame.with_columns(
        place=pl.int_range(pl.len()).over("query") + 1, label=(pl.col("label") > 1).cast(pl.Int64)
    )
    shown.write_csv("clicks.csv")
    known = card(command, "clicks.csv", "--position", "place", "--engine", engine)
    assert "place" not in known["data"]["features"]
    again = card(command, "clicks.csv", "--columns", "position=place", "--engine", engine)
    assert again["held_out"] == known["held_out"]
    for wrong in (("--engine", "catboost"), ("--scorer", "linear", "--ranker", "ranknet")):
        words = ("train", "clicks.csv", "--position", "place", "-o", "no.model", "--folds", "3")
        outcome = command(*words, *wrong)
        assert outcome.code == 2
        assert "learns no position bias" in outcome.err
        assert not Path("no.model").exists()
    outcome = command("train", "clicks.csv", "--weight", "place", "-o", "w.model", *TRAIN)
    assert outcome.code == 0
    assert "each pair takes the weight of its better document" in outcome.err
    outcome = command("train", "clicks.csv", "--position", "bm25", "-o", "no.model")
    assert outcome.code == 3
    assert "clicks.csv:2: the position" in outcome.err


def test_columns_are_named_once(frame: pl.DataFrame, command: Command) -> None:
    frame.rename({"query": "topic", "label": "stars"}).write_csv("other.csv")
    words = ("--columns", "query=topic,grade=stars", "--input-format", "csv")
    found = card(command, "other.csv", *words)
    assert found["data"]["fingerprint"] == card(command, "features.csv")["data"]["fingerprint"]
    outcome = command("split", "other.csv", *words, "-o", "parts", "--valid-share", "0")
    assert outcome.code == 0, outcome.err
    assert pl.read_csv("parts/train.csv").columns[0] == "topic"
    outcome = command(
        "split", "other.csv", "--columns", "label=stars", "--label", "bm25", "-o", "p"
    )
    assert outcome.code == 2
    assert "two columns are given" in outcome.err


def test_features_are_kept_as_asked(files: Path, command: Command) -> None:
    random = np.random.default_rng(1)
    lines = [
        f"{random.integers(0, 3)} qid:{row // 5} 1:{random.normal():.3f} 40:{random.normal():.3f}"
        for row in range(100)
    ]
    Path("rows.txt").write_text("\n".join(lines) + "\n", "utf-8")
    found = [
        card(command, "rows.txt", "--matrix", matrix, "--dtype", dtype)
        for matrix, dtype in (("dense", "float32"), ("sparse", "float32"), ("dense", "float64"))
    ]
    assert found[0]["held_out"] == found[1]["held_out"]
    assert len({one["data"]["fingerprint"] for one in found}) <= 3
    outcome = command("split", "rows.txt", "--matrix", "dense", "--dtype", "float64", "-o", "parts")
    assert outcome.code == 0, outcome.err
    assert command("train", "rows.txt", "--dtype", "float16", "-o", "made.model").code == 2
