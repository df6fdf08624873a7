"""Runs in memory: dictionaries, arrays, frames."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import relyon
from relyon.core.errors import InputError
from relyon.data.run import Run

SCORES = {"q1": {"b": 1.5, "a": -2e-3}, "q2": {"a": 0.0}}


def test_dict_is_kept_in_order() -> None:
    run = Run.from_dict(SCORES, name="bm25")
    assert run.queries == ["q1", "q2"]
    assert run.documents("q1") == [("b", 1.5), ("a", -2e-3)]
    assert run["q2"] == {"a": 0.0}
    assert len(run) == 3
    assert "q1" in run
    assert "q3" not in run
    assert run.to_dict() == SCORES
    assert repr(run) == "Run('bm25', queries=2, rows=3, source='memory')"


def test_integer_ids_and_numpy_scalars_count_as_their_decimal_text() -> None:
    run = Run.from_dict({1: {np.int32(2): np.float64(0.5)}})
    assert run.to_dict() == {"1": {"2": 0.5}}
    assert run.documents(1) == [("2", 0.5)]


def test_scores_keep_all_their_digits() -> None:
    score = 0.1 + 0.2
    assert Run.from_dict({"q": {"d": score}})["q"]["d"] == score
    assert Run.from_arrays(["q"], ["d"], np.array([score]))["q"]["d"] == score


def test_frames_with_and_without_ranks() -> None:
    frame = pl.DataFrame(
        {"qid": ["q", "q"], "docno": ["a", "b"], "score": [1.0, 2.0], "rank": [2, 1]}
    )
    run = Run.from_frame(frame, name="x")
    assert run.table.has_ranks
    assert run.to_frame().rows() == [("q", "a", 1.0, 2), ("q", "b", 2.0, 1)]
    assert Run.from_frame(frame.drop("rank")).to_frame().columns == ["query", "document", "score"]


def test_ranks_stand_for_scores_where_there_are_none() -> None:
    frame = pl.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "rank": [2, 1]})
    run = Run.from_frame(frame)
    assert run["q"]["b"] > run["q"]["a"]
    assert [note.kind for note in run.notes] == ["scores-from-ranks"]


def test_neither_scores_nor_ranks() -> None:
    with pytest.raises(InputError, match="no column for the score"):
        Run.from_frame(pl.DataFrame({"qid": ["q"], "docno": ["a"]}))


@pytest.mark.parametrize(
    ("scores", "ranks", "message"),
    [
        ([1.0, None], None, "row 2: the score is empty"),
        ([1.0, float("inf")], None, "row 2: the score of document `b` is inf"),
        (["1", "x"], None, "row 2: the score `x` is not a number"),
        (["1", "١"], None, "row 2: the score `١` is not a number"),
        ([1.0, 2.0], [1.0, 1.5], "row 2: the rank `1.5` is not a whole number"),
    ],
)
def test_bad_rows_are_named(scores: list[object], ranks: list[float] | None, message: str) -> None:
    columns: dict[str, object] = {"qid": ["q", "q"], "docno": ["a", "b"], "score": scores}
    if ranks is not None:
        columns["rank"] = ranks
    with pytest.raises(InputError, match=message):
        Run.from_frame(pl.DataFrame(columns))


def test_a_document_retrieved_twice_names_both_rows() -> None:
    with pytest.raises(InputError, match=r"row 3: document `a` .* twice \(first in row 1\)"):
        Run.from_arrays(["q"] * 3, ["a", "b", "a"], [3.0, 2.0, 3.0])


@pytest.mark.parametrize("bad", [float("nan"), float("-inf"), None, "x", []])
def test_scores_that_are_no_finite_numbers_are_refused(bad: object) -> None:
    with pytest.raises(InputError):
        Run.from_dict({"q": {"d": bad}})


def test_a_flat_dict_is_refused() -> None:
    with pytest.raises(InputError, match="not to its documents"):
        Run.from_dict({"q": 3})  # type: ignore[arg-type]


def test_arrays_with_ranks() -> None:
    run = Run.from_arrays(["q", "q"], [1, 2], [0.5, 0.5], ranks=np.array([2, 1]))
    assert run.to_frame()["rank"].to_list() == [2, 1]


def test_unknown_query_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        Run.from_dict(SCORES).documents("q9")


def test_a_document_twice_is_named_where_only_ranks_are_given() -> None:
    rows = pl.DataFrame({"query": ["q", "q"], "document": ["a", "a"], "rank": [1, 2]})
    with pytest.raises(InputError, match="row 2: document `a` of query `q` is retrieved twice"):
        relyon.read_run(rows)
