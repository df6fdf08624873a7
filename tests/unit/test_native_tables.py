"""What the tables of the core keep of each row, whatever the order and the number of rows."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

import relyon
from relyon import _native

ROWS = st.lists(
    st.tuples(st.sampled_from("pqr"), st.integers(0, 30), st.integers(-1, 3)),
    unique_by=lambda row: row[:2],
    min_size=1,
)


@given(ROWS)
def test_ranks_stay_with_their_rows(rows: list[tuple[str, int, int]]) -> None:
    """Queries come back later, and ranks may be 0 before and after others."""
    frame = pl.DataFrame(
        rows, schema={"query": pl.String, "document": pl.Int64, "rank": pl.Int64}, orient="row"
    ).with_columns(score=pl.col("document") / 8)
    run = relyon.Run.from_frame(frame)
    for table in (run.table, pickle.loads(pickle.dumps(run)).table):
        for query in dict.fromkeys(one for one, *_ in rows):
            own = [row for row in rows if row[0] == query]
            assert table.documents(query) == (
                [f"{document}" for _, document, _ in own],
                [document / 8 for _, document, _ in own],
                [rank for *_, rank in own],
            )
        kept: dict[str, list[tuple[str, int, int]]] = {}
        for row in rows:
            kept.setdefault(row[0], []).append(row)
        expected = [row for own in kept.values() for row in own]
        queries, documents, _, ranks = table.columns()
        assert [*zip(queries, map(int, documents), ranks or (), strict=True)] == expected


@pytest.mark.parametrize("size", [1, 2, 63, 64, 65, 127, 128, 129, 1000, 70_000])
def test_every_judged_document_is_found_and_no_other(size: int) -> None:
    """At sizes about which the table of documents gets other bits for places and for hashes."""
    grades = np.arange(size) % 5
    documents = np.arange(size) * 2
    judgments = relyon.Judgments.from_arrays(np.zeros(size, dtype=int), documents, grades)
    run = relyon.Run.from_arrays(
        np.zeros(2 * size, dtype=int), np.arange(2 * size), np.arange(2 * size, 0.0, -1)
    )
    found, scores = _native.judged_scores(judgments.table, run.table)
    assert np.array_equal(found, grades)
    assert np.array_equal(scores, np.arange(2 * size, 0.0, -2))
    results = relyon.evaluate(judgments, run, "judged@all")
    assert results["judged@all"] == 0.5


def test_two_grades_are_named_with_their_own_rows() -> None:
    """Rows that were left out as equal come before."""
    judgments = pl.DataFrame(
        {"query": ["q"] * 6, "document": [*"aabbcb"], "grade": [1, 1, 2, 2, 0, 1]}
    )
    with pytest.raises(relyon.InputError, match=r"^row 6: document `b` .* \(first in row 3\)$"):
        relyon.Judgments.from_frame(judgments)


@pytest.mark.parametrize("kind", [pl.Int32, pl.UInt64, pl.String, pl.Categorical])
def test_ids_of_any_kind_name_the_same_judgments(kind: pl.DataType) -> None:
    plain = pl.DataFrame({"query": [7, 7, 8], "document": [0, 12, 12], "grade": [1, 0, 2]})
    ids = [
        pl.col(name).cast(pl.String).cast(kind)
        if kind == pl.Categorical
        else pl.col(name).cast(kind)
        for name in ("query", "document")
    ]
    found = relyon.Judgments.from_frame(plain.with_columns(ids))
    assert found.to_dict() == {"7": {"0": 1.0, "12": 0.0}, "8": {"12": 2.0}}


@pytest.mark.parametrize("kind", [pl.Int64, pl.String])
@pytest.mark.parametrize("role", ["query", "document"])
def test_missing_ids_of_judgments_are_refused(kind: pl.DataType, role: str) -> None:
    frame = pl.DataFrame({"query": [1, 2], "document": [3, 4], "grade": [1, 1]})
    frame = frame.cast({"query": kind, "document": kind})
    frame = frame.with_columns(pl.when(pl.arange(0, 2) == 0).then(pl.col(role)).alias(role))
    with pytest.raises(relyon.InputError, match="row 2"):
        relyon.Judgments.from_frame(frame)
