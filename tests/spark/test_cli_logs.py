"""Commands for search logs with `--engine spark` print what they print without."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.spark.command_line import equal, parts, run_command

from relyon.labels.log import Fold, Patterns, read_folds
from relyon.labels.rules import Rules


def log() -> pl.DataFrame:
    """A log with most of what can be wrong with one: searched for in two months, with a robot."""
    generator = np.random.default_rng(6)
    start = datetime(2026, 2, 20, tzinfo=UTC)
    rows: list[tuple[Any, ...]] = []
    for session in range(400):
        robot = session < 70
        docs = generator.choice(12, 8, replace=session % 50 == 0)
        query = ("查询 {}", "TV {}", "tv {}", "{:03}")[session % 4].format(session % 7)
        time = start + timedelta(minutes=55 * session)
        for position, doc in enumerate(docs, 1):
            clicked = robot or bool(generator.random() < 0.7 / position)
            dwell = float(generator.exponential(40)) if clicked and doc % 3 else None
            cart = clicked and bool(generator.random() < 0.3)
            user = "robot" if robot else f"u{session % 40}"
            place = 3 if session % 90 == 7 else position
            rows.append(
                (f"{session:04}", query, time, place, f"d{doc}", clicked, dwell, cart, user)
            )
    rows += rows[100:110]
    rows.append((None, "tv", start, 1, "d1", False, None, False, "u1"))
    columns = ["session", "query", "timestamp", "position", "doc", "clicked", "dwell_seconds"]
    return pl.DataFrame(rows, [*columns, "add_to_cart", "user"], orient="row")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spark: Any) -> Path:
    """The log in one file and in the three files of a folder, as Parquet and as CSV."""
    rows = log()
    rows.write_parquet(tmp_path / "log.parquet")
    rows.write_csv(tmp_path / "log.csv")
    parts(rows, tmp_path / "log")
    parts(rows, tmp_path / "csv", "csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def without_path(text: str) -> str:
    """Returns a JSON text that names no file."""
    return text.replace('"log.parquet"', '"log"')


@pytest.mark.parametrize("form", ["table", "json"])
def test_doctor(form: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = run_command(capsys, "logs", "doctor", "log.parquet", "--format", form)
    there = run_command(capsys, "logs", "doctor", "log", "--format", form, "--engine", "spark")
    assert (there.code, there.err) == (here.code, here.err)
    assert there.out == without_path(here.out)
    assert "repeated" in here.out


def test_inspect(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    month = ["--month", "2026-03"]
    equal(
        capsys,
        ["logs", "inspect", "log.parquet", *month],
        ["logs", "inspect", "log", *month],
    )


@pytest.mark.parametrize("design", ["stratified", "pptss"])
def test_sample(design: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--per-tier", "20", "--seed", "7", "--month", "2026-03", "--design", design]
    outputs = ["-o", "sample.csv", "--pool", "pool.csv", "--force"]
    written = {}
    for name, engine in (("log.parquet", []), ("log", ["--engine", "spark"])):
        found = run_command(capsys, "sample", name, *options, *engine, *outputs)
        assert found.code == 0, found.err
        tables = tuple(Path(one).read_text("utf-8") for one in ("sample.csv", "pool.csv"))
        written[name] = (found.out, found.err, *tables)
    assert written["log"] == written["log.parquet"]


#: A few ways in which labels are made: they count different things.
WAYS = [
    ["--model", "pbm", "--actions", "click=1,dwell=2,cart=3", "--min-dwell", "5"],
    ["--model", "sdbn", "--drop-bots", "--need-dwell", "-k", "5"],
    ["--model", "dctr", "--prior", "data", "--grading", "quantile=3"],
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[1])
def test_labels(way: list[str], files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = {}
    for name, engine in (("log.parquet", []), ("log", ["--engine", "spark"])):
        arguments = ["labels", "make", name, *way, "-o", "labels.csv", "--force"]
        found = run_command(capsys, *arguments, *engine)
        assert found.code == 0, found.err
        written[name] = (found.out, found.err, Path("labels.csv").read_text("utf-8"))
    assert written["log"] == written["log.parquet"]


def test_text_is_read_as_on_one_machine(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--month", "2026-03", "--columns", "session=session+user"]
    here = run_command(capsys, "logs", "inspect", "log.csv", *options)
    there = run_command(capsys, "logs", "inspect", "csv", *options, "--engine", "spark")
    assert (there.code, there.out) == (here.code, here.out)
    assert there.err == here.err + "note: times are text or numbers: only without --engine spark" \
        " does `relyon logs doctor` check how they are written\n"  # fmt: skip


@pytest.mark.parametrize("slices", [1, 5])
def test_parts_of_a_log_are_counted_where_it_is(slices: int, spark: Any) -> None:
    rows = log().drop_nulls("session").drop("dwell_seconds")
    frame = spark.createDataFrame(
        spark.sparkContext.parallelize(rows.rows(), slices),
        "session string, query string, timestamp timestamp, position long, doc string,"
        " clicked boolean, add_to_cart boolean, user string",
    )
    folds = [Fold(0, 5), Fold(0, 5, inside=False), None]
    rules = Rules(4, acted=("add_to_cart",))
    for found, expected in zip(
        read_folds(frame, folds, rules=rules), read_folds(rows, folds, rules=rules), strict=True
    ):
        assert repr(found) == repr(expected)
        assert found.notes == expected.notes
        assert found.pairs.equals(expected.pairs)
        for name in Patterns._fields:
            here, there = (getattr(one.patterns, name) for one in (expected, found))
            assert np.array_equal(here, there), name


def test_positions_from_zero_are_refused(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = log().drop_nulls("session").with_columns(pl.col("position") - 1)
    parts(rows, files / "zero")
    arguments = ["labels", "make", "zero", "-o", "labels.csv", "--engine", "spark"]
    found = run_command(capsys, *arguments)
    assert found.code == 3
    assert "is at position 0: positions count from 1" in found.err
    assert len(found.err.splitlines()) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["logs", "doctor", "nowhere"], 3, "nowhere: there is no such file or folder"),
        (["logs", "doctor", "log", "--fix", "-o", "x.csv"], 2, "--fix exclude each other"),
        (["logs", "doctor", "lines"], 3, "the value `first` is not a number"),
        (["logs", "doctor", "names"], 3, "there are no columns for `session`"),
        (["logs", "doctor", "log.csv", "log.parquet"], 3, "has different columns than log.csv"),
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
    for name, text in (
        ("lines", "session,query,position,doc\ns,q,first,d\n"),
        ("names", "a,b\n1,2\n"),
    ):
        (files / name).mkdir()
        (files / name / "part.csv").write_text(text, "utf-8")
    found = run_command(capsys, *arguments, "--engine", "spark")
    assert found.code == code, found.err
    assert told in found.err
    assert "\tat " not in found.err
    assert len(found.err.splitlines()) <= 3
