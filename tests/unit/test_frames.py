"""Runs in data frames of every kind: the same numbers and the same errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import relyon
from relyon.core.errors import InputError

ROWS = [(str(query), str(document)) for query in (7, 5, 12, 6) for document in range(20, 3, -3)]
SCORES = [float((7 * place) % 11) for place in range(len(ROWS))]
JUDGMENTS = {"7": {"5": 1, "8": 2}, "5": {"20": 1}, "12": {"11": 1, "99": 3}, "404": {"1": 1}}

Frame = dict[str, list[Any]]


def columns(**others: list[Any]) -> Frame:
    query, document = zip(*ROWS, strict=True)
    return {"query": list(query), "document": list(document), "score": SCORES} | others


def arrow(kind: pa.DataType) -> Callable[[Frame], Any]:
    def make(frame: Frame) -> pa.Table:
        ids = {name: pa.array(frame[name], kind) for name in ("query", "document")}
        return pa.table({**ids, "score": frame["score"]})

    return make


def pandas(kind: Any) -> Callable[[Frame], Any]:
    return lambda frame: pd.DataFrame(frame).astype({"query": kind, "document": kind})


def polars(kind: Any) -> Callable[[Frame], Any]:
    return lambda frame: pl.DataFrame(frame).with_columns(pl.col("query", "document").cast(kind))


def coded(frame: Frame) -> pa.Table:
    table = arrow(pa.string())(frame)
    return table.set_column(0, "query", table["query"].dictionary_encode())


def in_chunks(frame: Frame) -> pa.Table:
    table = arrow(pa.large_string())(frame)
    return pa.concat_tables([table.slice(start, 5) for start in range(0, len(table), 5)])


TEXTS: dict[str, Callable[[Frame], Any]] = {
    "polars": polars(pl.String),
    "polars categories": polars(pl.Categorical),
    "pyarrow": arrow(pa.string()),
    "pyarrow, large": arrow(pa.large_string()),
    "pyarrow, views": arrow(pa.string_view()),
    "pyarrow, codes": coded,
    "pyarrow, chunks": in_chunks,
    "pandas objects": pandas(object),
    "pandas": pd.DataFrame,
    "pandas on Arrow": pandas(pd.ArrowDtype(pa.string())),
    "pandas categories": pandas("category"),
}
NUMBERS: dict[str, Callable[[Frame], Any]] = {
    "polars numbers": polars(pl.Int32),
    "polars, unsigned": polars(pl.UInt64),
    "pyarrow numbers": lambda frame: arrow(pa.int64())(
        {**frame, **{role: list(map(int, frame[role])) for role in ("query", "document")}}
    ),
    "pandas numbers": pandas("int64"),
    "pandas, Arrow numbers": pandas(pd.ArrowDtype(pa.int32())),
}


@pytest.mark.parametrize("kind", TEXTS | NUMBERS)
def test_frames_of_every_kind(kind: str) -> None:
    make = (TEXTS | NUMBERS)[kind]
    run: dict[str, dict[str, float]] = {}
    for (query, document), score in zip(ROWS, SCORES, strict=True):
        run.setdefault(query, {})[document] = score
    expected = relyon.evaluate(JUDGMENTS, run)
    found = relyon.evaluate(JUDGMENTS, make(columns()))
    assert dict(found) == dict(expected)
    assert found.per_query.to_dict(as_series=False) == expected.per_query.to_dict(as_series=False)
    assert [note.kind for note in found.notes] == [note.kind for note in expected.notes]
    assert relyon.Run.from_frame(make(columns())).to_dict() == run


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize(
    ("role", "value"),
    [("query", None), ("query", ""), ("document", None), ("document", ""), ("score", None)],
)
def test_a_row_that_lacks_something(kind: str, role: str, value: str | None) -> None:
    frame = columns()
    frame[role] = [*frame[role][:9], value, *frame[role][10:]]
    label = r" \(index label `9`\)" if kind.startswith("pandas") and value is None else ""
    with pytest.raises(InputError, match=f"row 10{label}: the {role} is empty"):
        relyon.evaluate(JUDGMENTS, TEXTS[kind](frame))


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "pandas on Arrow"])
def test_a_score_that_is_not_finite(kind: str) -> None:
    frame = columns(score=[*SCORES[:-1], float("inf")])
    with pytest.raises(InputError, match="row 24: the score of document `5` is inf"):
        relyon.evaluate(JUDGMENTS, TEXTS[kind](frame))


@pytest.mark.parametrize("kind", ["polars", "pyarrow, views", "pandas"])
def test_a_document_twice(kind: str) -> None:
    frame = columns()
    frame["document"][3] = frame["document"][1]
    with pytest.raises(InputError, match="document `17` occurs twice in query `7`: rows 2 and 4"):
        relyon.evaluate(JUDGMENTS, TEXTS[kind](frame))


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table, pd.DataFrame])
def test_ranks_that_stand_for_scores(make: Callable[[Frame], Any]) -> None:
    frame = columns()
    del frame["score"]
    frame["rank"] = [1 + place % 6 for place in range(len(ROWS))]
    found = relyon.evaluate(JUDGMENTS, make(frame))
    assert "scores-from-ranks" in [note.kind for note in found.notes]
    by_rank = make({**frame, "score": [0.0] * len(ROWS)})
    assert dict(found) == dict(relyon.evaluate(JUDGMENTS, by_rank, convention={"ties": "rank"}))
