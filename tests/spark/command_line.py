"""Commands with `--engine spark`, in the process of the test's session, and their files."""

from __future__ import annotations

import difflib
import os
import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

__all__ = ["ROOT", "Outcome", "parts", "python_path", "run_command", "runs"]

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    code: int
    out: str
    err: str


def run_command(capsys: pytest.CaptureFixture[str], *arguments: str) -> Outcome:
    """Runs a command in this process, where there is a session of Spark.

    Java has a working directory of its own, so files get their whole paths; the output has none.
    """
    from relyon.cli.application import main

    here = Path.cwd()
    placed = [str(here / one) if (here / one).exists() or "*" in one else one for one in arguments]
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(placed)
    found = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    out, err = (text.replace(f"{here}/", "") for text in (found.out, found.err))
    return Outcome(ended.value.code, out, err)


def python_path() -> str:
    """Returns where other processes find relyon and the tests, as this one does."""
    return os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


def parts(frame: pl.DataFrame, folder: Path, form: str = "parquet", count: int = 3) -> Path:
    """Writes rows to the files of a folder, in a random order."""
    folder.mkdir()
    rows = frame.sample(fraction=1.0, shuffle=True, seed=5)
    for part in range(count):
        write(rows.gather_every(count, part), folder / f"part-{part:05}.{form}")
    return folder


def write(frame: pl.DataFrame, path: Path) -> Path:
    """Writes rows in the format of a suffix; `.run` and `.qrels` are TREC's."""
    form = path.suffix
    if form == ".parquet":
        frame.write_parquet(path)
    elif form == ".csv":
        frame.write_csv(path)
    elif form == ".jsonl":
        frame.write_ndjson(path)
    elif form == ".qrels":
        path.write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in frame.rows()), "utf-8")
    else:
        rank = pl.col("score").rank("ordinal", descending=True).over("query")
        rows = frame.select("query", "document", "score", rank=rank).rows()
        lines = [f"{query}\tQ0 {document} {n} {score!r} t\n" for query, document, score, n in rows]
        path.write_text("# a run\n" + "".join(lines), "utf-8")
    return path


def runs(queries: int = 40) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Returns judgments and two runs; ids look like numbers, begin with 0, or are Chinese."""
    draw = random.Random(11)
    names = sorted([*(f"{number:03}" for number in range(queries - 1)), "查询"])
    judged, old, new = [], [], []
    for query in names:
        for document in (f"{number:04}" for number in range(9)):
            if draw.random() < 0.6:
                judged.append((query, document, draw.choice((0, 0, 1, 2))))
            if query != names[3] and draw.random() < 0.8:
                old.append((query, document, draw.choice((0.5, 0.25, draw.random()))))
            if draw.random() < 0.8:
                new.append((query, document, draw.random()))
    old.append(("unjudged", "0001", 1.0))
    ids = ["query", "document"]
    return (
        pl.DataFrame(judged, [*ids, "grade"], orient="row"),
        pl.DataFrame(old, [*ids, "score"], orient="row"),
        pl.DataFrame(new, [*ids, "score"], orient="row"),
    )


def without_inputs(out: str) -> str:
    """Returns JSON, of one run or several, without the fingerprints of inputs; other text as is."""
    return re.sub(r',\n  "inputs": \{.*?\n  \}', "", out, flags=re.DOTALL)


def equal(capsys: Any, here: list[str], there: list[str]) -> Outcome:
    """Checks that a command says the same with and without Spark; returns what it says.

    Fingerprints of inputs are left out: results of a cluster carry none.
    """
    expected = run_command(capsys, *here)
    found = run_command(capsys, *there, "--engine", "spark")
    assert '"inputs"' not in found.out
    told = [f"exit {expected.code}", without_inputs(expected.out), expected.err]
    said = [f"exit {found.code}", found.out, found.err]
    lines = ["\n".join(one).splitlines() for one in (told, said)]
    assert said == told, "\n".join(difflib.unified_diff(lines[0], lines[1], lineterm=""))
    return found
