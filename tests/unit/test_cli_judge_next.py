"""`relyon judge next` and `estimate`, on files and on a judging database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.conftest import Command

import relyon

QUERIES = [f"q{number}" for number in range(12)]
OLD = {query: {f"d{one}": float(-one) for one in range(9)} for query in QUERIES}
NEW = {query: {f"d{one}": float(one * 5 % 9) for one in range(9)} for query in QUERIES}


@pytest.fixture
def runs(files: Path) -> tuple[str, str]:
    relyon.write_run(relyon.Run.from_dict(OLD), files / "before.run")
    relyon.write_run(relyon.Run.from_dict(NEW), files / "after.run")
    judged = {query: {"d0": 3, "d8": 0} for query in QUERIES}
    relyon.write_judgments(relyon.Judgments.from_dict(judged), files / "known.qrels")
    return str(files / "before.run"), str(files / "after.run")


def grade(path: Path, *, skip: int = -1) -> None:
    """Fills in the column of grades of a file."""
    head, *rows = path.read_text("utf-8").splitlines()
    filled = [
        row.replace('""', "skip" if place == skip else str(int(row[row.index("d") + 1]) % 4), 1)
        for place, row in enumerate(rows)
    ]
    path.write_text("\n".join([head, *filled]) + "\n", "utf-8")


def test_a_file_is_drawn_graded_and_read(
    command: Command, files: Path, runs: tuple[str, str]
) -> None:
    judged, path = str(files / "known.qrels"), files / "next.csv"
    done = command("judge", "next", judged, *runs, "-m", "dcg@5", "--budget", "20", "-o", str(path))
    assert (done.code, done.out) == (0, "")
    assert len(path.read_text().splitlines()) == 21
    grade(path)
    found = command("judge", "estimate", judged, *runs, "--drawn", str(path), "--format", "json")
    values = json.loads(found.out)
    assert (values["measure"], values["drawn"], values["batches"]) == ("dcg@5", 20, 1)
    assert values["low"] < values["value"] < values["high"]
    other = files / "next2.csv"
    command(
        "judge", "next", judged, *runs, "--drawn", str(path), "--budget", "500", "-o", str(other)
    )
    grade(other)
    both = command("judge", "estimate", judged, *runs, "--drawn", str(path), "--drawn", str(other))
    assert "Every pair that counts is graded" in both.out
    grade(path)
    shown = command("judge", "next", judged, *runs, "--drawn", str(path), "--limit", "2")
    assert "Estimate of dcg@5 so far:" in shown.out
    one = command("judge", "next", judged, runs[0], "--format", "csv")
    assert one.out.startswith("query,document,grade,draw_batch")


def test_what_is_skipped_is_told(command: Command, files: Path, runs: tuple[str, str]) -> None:
    judged, path = str(files / "known.qrels"), files / "next.csv"
    command("judge", "next", judged, *runs, "--budget", "20", "-o", str(path))
    grade(path, skip=4)
    found = command("judge", "estimate", judged, *runs, "--drawn", str(path))
    assert "drawn, but not judged" in found.out
    assert "1 of 20 drawn pairs was not judged" in found.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["next", "JUDGED", "OLD", "NEW", "-m", "ndcg@10"], "is not a sum over documents"),
        (["next", "JUDGED", "OLD", "NEW", "OLD"], "for one run or for two; got 3"),
        (["estimate", "JUDGED", "OLD", "NEW"], "no drawn pairs are given"),
        (["next", "JUDGED"], "RUN is missing"),
        (["next", "JUDGED", "OLD", "--drawn", "JUDGED"], "missing from the drawn pairs"),
        (["estimate", "a.db", "OLD", "--project", "A", "--drawn", "x"], "keeps what was drawn"),
    ],
)
def test_mistakes_are_named(
    command: Command, files: Path, runs: tuple[str, str], arguments: list[str], message: str
) -> None:
    given = {"JUDGED": str(files / "known.qrels"), "OLD": runs[0], "NEW": runs[1]}
    done = command("judge", *(given.get(one, one) for one in arguments))
    assert done.code != 0
    assert message in done.err


@pytest.mark.long
def test_a_database_keeps_its_draws(command: Command, files: Path, runs: tuple[str, str]) -> None:
    pytest.importorskip("sqlalchemy")
    from relyon.judging.records import Item, Rating
    from relyon.judging.store import open_store

    path = str(files / "judging.db")
    with open_store(path, create=True) as store:
        store.projects.create("June", scale="integers")
    named = ["--project", "June"]
    drawn = command("judge", "next", path, *runs, *named, "--budget", "15")
    assert "drew 15 pairs for `June`; 15 results are new in its queue" in drawn.err
    with open_store(path) as store:
        open_ones = [item for _, item in store.items.by_id(1)]
        rated = [
            (Item(one.query, one.document), [Rating("Ann", int(one.document[1:]) % 4)])
            for one in open_ones
        ]
        store.grades.add(1, rated)
    found = command("judge", "estimate", path, *runs, *named, "--format", "json")
    assert json.loads(found.out)["drawn"] == 15
    again = command("judge", "next", path, *runs, *named, "--format", "json")
    assert json.loads(again.out)["pairs"][0]["batch"] == 2
    unknown = command("judge", "estimate", path, runs[0], *named)
    assert "no pairs were drawn for `dcg@10`" in unknown.err
