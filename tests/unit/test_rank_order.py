"""Runs whose ranks contradict their scores are named, in every format."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import polars as pl
import pytest

import relyon
from relyon.data.rank_order import contradictions

JUDGMENTS = {"q1": {"d1": 1}, "q2": {"d2": 1}}


def lines(score: str, form: str) -> str:
    rows = []
    for query in ("q1", "q2"):
        for rank in range(1, 9):
            value = rank if score == "rank" else 9 - rank
            rows.append((query, "Q0", f"d{rank}", rank, value, "tag"))
    sign = " " if form == "trec" else ","
    head = "" if form == "trec" else "query,q0,document,rank,score,tag\n"
    return head + "".join(sign.join(map(str, row)) + "\n" for row in rows)


@pytest.mark.parametrize("form", ["trec", "csv"])
@pytest.mark.parametrize("stream", [True, False])
def test_a_score_that_is_the_rank_is_named(tmp_path: Path, form: str, stream: bool) -> None:
    path = tmp_path / f"a.{'run' if form == 'trec' else 'csv'}"
    for score, expected in (("rank", [2]), ("score", [])):
        path.write_text(lines(score, form), "utf-8")
        run = str(path) if stream else relyon.read_run(path)
        with pytest.warns(relyon.RelyonWarning) if expected else _quiet():
            found = relyon.evaluate(JUDGMENTS, run, ["rr"])
        named = [note.count for note in found.notes if note.kind == "rank-contradicts-score"]
        assert named == expected


def test_a_frame_is_named() -> None:
    frame = pl.DataFrame({"query": ["q"] * 5, "document": list("abcde"), "rank": range(5)})
    run = relyon.read_run(frame.with_columns(score=pl.col("rank") * 1.0))
    assert [note.kind for note in run.notes] == ["rank-contradicts-score"]


def test_ties_and_swapped_neighbours_do_not_contradict() -> None:
    assert contradictions([("q", rank, 1.0) for rank in range(9)]) == (0, 0)
    scores = [9, 8, 7, 5, 6, 4, 3, 2, 1]
    assert contradictions([("q", *row) for row in enumerate(scores)]) == (1, 0)


def _quiet() -> AbstractContextManager[object]:
    return nullcontext()
