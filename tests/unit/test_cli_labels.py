"""`relyon labels`: files that other commands take, in both languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import relyon
from relyon.core.document.terminal import width
from relyon.labels import models


@pytest.fixture
def log(tmp_path: Path) -> str:
    """A log with a position bias: of two documents the better one is clicked twice as often."""
    generator = np.random.default_rng(3)
    rows = []
    for session in range(600):
        query = ("tv", "手机", "sofa", "phone", "bed", "椅子")[session % 6]
        for position, doc in enumerate(generator.permutation(["good", "poor", "bad"]), 1):
            attracts = {"good": 0.8, "poor": 0.4, "bad": 0.05}[doc]
            clicked = bool(generator.random() < attracts / position)
            rows.append((session, query, str(doc), position, clicked))
    path = tmp_path / "behaviour.csv"
    schema = ["sid", "keyword", "sku", "rank", "click"]
    pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        pl.col("click").cast(pl.Int8)
    ).write_csv(path)
    return str(path)


@pytest.mark.parametrize("model", sorted(set(models) - {"gctr", "rctr"}))
@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_labels_are_judgments(
    log: str, tmp_path: Path, command: Any, model: str, ending: str
) -> None:
    target = tmp_path / f"labels.{ending}"
    outcome = command("labels", "make", log, "--model", model, "-o", str(target))
    assert outcome.code == 0, outcome.err
    judgments = relyon.read_judgments(target)
    assert judgments.evidence is not None
    for query in ("tv", "手机"):
        grades = judgments[query]
        assert sorted(grades, key=grades.__getitem__, reverse=True) == ["good", "poor", "bad"]


def test_what_is_said(log: str, tmp_path: Path, command: Any) -> None:
    outcome = command("labels", "make", log, "--model", "pbm", "-o", str(tmp_path / "labels.csv"))
    assert "18 labels of 6 queries, from 600 sessions with 1,800" in outcome.out
    assert all(width(line) <= 80 for line in outcome.out.splitlines())
    chinese = command(
        "labels",
        "make",
        log,
        "--model",
        "pbm",
        "-o",
        str(tmp_path / "labels.csv"),
        "--force",
        "--lang",
        "zh",
    )
    assert "6 条查询的 18 个标签" in chinese.out


def test_nothing_is_replaced_unasked(log: str, tmp_path: Path, command: Any) -> None:
    target = tmp_path / "labels.csv"
    target.write_text("mine")
    outcome = command("labels", "make", log, "-o", str(target))
    assert outcome.code == 3
    assert "--force" in outcome.err
    assert target.read_text() == "mine"


def test_json(log: str, tmp_path: Path, command: Any) -> None:
    outcome = command(
        "labels",
        "make",
        log,
        "--model",
        "ubm",
        "-o",
        str(tmp_path / "l.parquet"),
        "--format",
        "json",
    )
    found = json.loads(outcome.out)
    assert (found["model"], found["labels"]) == ("ubm", 18)
    assert 0 < found["rounds"] < 50
    assert found["change"] <= 1e-6


def test_models_that_know_no_documents(log: str, tmp_path: Path, command: Any) -> None:
    outcome = command("labels", "make", log, "--model", "rctr", "-o", str(tmp_path / "l.csv"))
    assert outcome.code == 2
    assert "does not estimate documents" in outcome.err


def test_few_impressions(log: str, tmp_path: Path, command: Any) -> None:
    outcome = command("labels", "make", log, "--min-weight", "1e6", "-o", str(tmp_path / "l.csv"))
    assert outcome.code == 3
    assert "effective impressions" in outcome.err
    assert not (tmp_path / "l.csv").exists()


def test_the_model_that_made_the_log_foresees_best(log: str, command: Any) -> None:
    outcome = command(
        "labels",
        "compare",
        log,
        "--model",
        "gctr",
        "--model",
        "rctr",
        "--model",
        "pbm",
        "--format",
        "json",
    )
    found = {one["model"]: one for one in json.loads(outcome.out)["models"]}
    assert found["pbm"]["log_likelihood"] > found["rctr"]["log_likelihood"]
    assert found["rctr"]["log_likelihood"] > found["gctr"]["log_likelihood"]
    assert found["pbm"]["interval"][0] > 0
    assert found["pbm"]["perplexity"] < found["gctr"]["perplexity"] < 2


@pytest.mark.parametrize("form", ["table", "markdown", "csv"])
def test_forms_of_a_comparison(log: str, command: Any, form: str) -> None:
    outcome = command("labels", "compare", log, "--format", form)
    assert outcome.code == 0
    assert all(name in outcome.out for name in ("pbm", "ubm", "dbn"))


def test_one_query_has_no_interval(log: str, tmp_path: Path, command: Any) -> None:
    alone = tmp_path / "one.csv"
    pl.read_csv(log).filter(pl.col("keyword") == "tv").write_csv(alone)
    outcome = command("labels", "compare", str(alone), "--format", "json")
    assert json.loads(outcome.out)["models"][1]["interval"] == [None, None]
