"""Scripts and commands in processes of their own, as users start them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.spark.command_line import ROOT, parts, runs, write

from relyon import compare, evaluate

CLUSTER = "local-cluster[2,1,1024]"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Judgments and two runs, as Parquet in three parts and as one file."""
    for name, rows in zip(("judged", "old", "new"), runs(), strict=True):
        parts(rows, tmp_path / name)
        write(rows, tmp_path / f"{name}.csv")
    return tmp_path


@pytest.fixture
def process(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Runs a program on this machine only."""
    pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: relyon[spark]")

    def run(*arguments: str, **variables: str) -> Any:
        kept = {name: value for name, value in os.environ.items() if name != "PYSPARK_PYTHON"}
        own = {
            "SPARK_HOME": str(Path(pyspark.__file__).parent),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            # What a script writes to stderr, spark-submit writes to stdout.
            "PYTHONWARNINGS": "ignore",
            **variables,
        }
        return subprocess.run(
            arguments,
            capture_output=True,
            cwd=files,
            env={**kept, **own},
            timeout=600,
            check=False,
            text=True,
        )

    return run


@pytest.mark.slow
def test_the_example_runs_by_spark_submit(files: Path, process: Callable[..., Any]) -> None:
    import pyspark

    done = process(
        str(Path(pyspark.__file__).parent / "bin" / "spark-submit"),
        "--master", CLUSTER, "--conf", "spark.log.level=FATAL",
        str(ROOT / "examples" / "spark_evaluate.py"),
        "judged", "old", "new", "--measure", "ndcg@10", "--per-query", "values",
        PYSPARK_PYTHON=sys.executable,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    expected = compare(
        str(files / "judged.csv"),
        str(files / "old.csv"),
        str(files / "new.csv"),
        "ndcg@10",
        names=["baseline", "candidate"],
    )
    assert done.stdout.strip() == expected.to_text().strip()
    values = pl.read_parquet(files / "values" / "*.parquet").sort("query")
    alone = evaluate(str(files / "judged.csv"), str(files / "new.csv"), "ndcg@10")
    assert values.equals(alone.per_query.sort("query"))


def test_a_command_starts_and_ends_spark(files: Path, process: Callable[..., Any]) -> None:
    command = [sys.executable, "-m", "relyon", "evaluate", "judged.csv", "old.csv", "new.csv"]
    here = process(*command)
    there = process(*command, "--engine", "spark", "--master", CLUSTER)
    assert (there.returncode, there.stdout, there.stderr) == (0, here.stdout, here.stderr)


def test_errors_of_a_command_are_one_sentence(files: Path, process: Callable[..., Any]) -> None:
    (files / "bad.csv").write_text("query,document,score\na,b,1\na,c,2,3\n", "utf-8")
    command = [sys.executable, "-m", "relyon", "evaluate", "judged.csv", "bad.csv"]
    done = process(*command, "--engine", "spark", SPARK_MASTER="local[2]")
    assert done.returncode == 3
    assert done.stderr.startswith("error: ")
    assert "bad.csv: cannot be read: " in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_setting_that_spark_refuses_is_named(files: Path, process: Callable[..., Any]) -> None:
    command = [sys.executable, "-m", "relyon", "evaluate", "judged.csv", "old.csv"]
    options = ["--engine", "spark", "--conf", "spark.driver.memory=much"]
    done = process(*command, *options)
    assert done.returncode == 3
    assert done.stderr.startswith("error: Spark does not start: ")
    assert "much" in done.stderr
    assert len(done.stderr.splitlines()) == 1
