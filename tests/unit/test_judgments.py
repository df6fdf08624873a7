"""Judgments in memory: dictionaries, arrays, frames, scales."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from relyon.core.errors import InputError, ParameterError
from relyon.data.judgments import Judgments
from relyon.data.run import Run
from relyon.data.scale import SEARCH

GRADES = {"7": {"a": 3.0, "b": 0.0}, "8": {"a": 1.0}}
COLUMNS: dict[str, list[Any]] = {"qid": [7, 7, 8], "docid": ["a", "b", "a"], "rel": [3, 0, 1]}


def test_dict_is_kept_in_order() -> None:
    judgments = Judgments.from_dict({"q2": {"x": 1, "a": 2}, "q1": {"b": 0}})
    assert judgments.queries == ["q2", "q1"]
    assert list(judgments["q2"].items()) == [("x", 1.0), ("a", 2.0)]
    assert len(judgments) == 3
    assert "q1" in judgments
    assert "q3" not in judgments
    assert judgments.source == "memory"
    assert repr(judgments) == "Judgments(queries=2, rows=3, source='memory')"


def test_integer_ids_and_numpy_scalars_count_as_their_decimal_text() -> None:
    grades: dict[object, dict[str, object]] = {
        7: {"a": np.int64(3), "b": np.float32(0)},
        np.int64(8): {"a": np.float64(1)},
    }
    judgments = Judgments.from_dict(grades)
    assert judgments.to_dict() == GRADES
    assert judgments[7] == GRADES["7"]
    assert 7 in judgments


def test_unknown_query_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        Judgments.from_dict(GRADES)["9"]


def test_nothing_can_be_changed() -> None:
    judgments = Judgments.from_dict(GRADES)
    judgments["7"]["a"] = 99.0
    judgments.to_dict()["7"]["a"] = 99.0
    assert judgments["7"]["a"] == 3.0
    with pytest.raises(AttributeError):
        judgments.scale = SEARCH  # type: ignore[misc]
    with pytest.raises(AttributeError):
        judgments.other = 1  # type: ignore[attr-defined]


def test_frame_has_one_row_a_judgment() -> None:
    frame = Judgments.from_dict(GRADES).to_frame()
    assert frame.schema == {"query": pl.String, "document": pl.String, "grade": pl.Float64}
    assert frame.rows() == [("7", "a", 3.0), ("7", "b", 0.0), ("8", "a", 1.0)]


def test_names_of_grades_need_a_scale() -> None:
    with pytest.raises(InputError, match="`高` is not a number") as caught:
        Judgments.from_dict({"q": {"d": "高"}})
    assert 'scale="search"' in caught.value.hint
    with pytest.raises(InputError, match="query `q`, document `d`: not a grade of the scale"):
        Judgments.from_dict({"q": {"d": "hihg"}}, scale="search")
    named = Judgments.from_dict({"q": {"a": "高", "b": "Middle", "c": 1, "d": "0"}}, scale="search")
    assert named["q"] == {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.0}
    assert named.scale is SEARCH
    assert "scale='search'" in repr(named)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), None, [1], "two"])
def test_grades_that_are_no_finite_numbers_are_refused(bad: object) -> None:
    with pytest.raises(InputError):
        Judgments.from_dict({"q": {"d": bad}})


@pytest.mark.parametrize("scale", [None, "search"])
def test_a_flat_dict_is_refused(scale: str | None) -> None:
    with pytest.raises(InputError, match="not to its documents"):
        Judgments.from_dict({"q": 3}, scale=scale)  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", [None, "search", "floats"])
def test_a_list_is_not_a_grade(scale: str | None) -> None:
    with pytest.raises(InputError, match="query `q`, document `d`"):
        Judgments.from_dict({"q": {"d": [1]}}, scale=scale)


def test_the_same_document_with_another_grade_is_refused() -> None:
    with pytest.raises(InputError):
        Judgments.from_dict({"q": {1: 1, "1": 2}})


def test_repeated_judgments_are_counted() -> None:
    judgments = Judgments.from_arrays(["q", "q", "q"], ["a", "a", "b"], [1, 1, 0])
    assert len(judgments) == 2
    (note,) = judgments.notes
    assert (note.kind, note.count, note.level) == ("duplicate-judgments", 1, "warning")


def _arrow_only(columns: dict[str, list[Any]]) -> object:
    class Exporter:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.table(columns).__arrow_c_stream__(requested_schema)

    return Exporter()


FRAMES: dict[str, Callable[[dict[str, list[Any]]], object]] = {
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "pandas arrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas object": lambda columns: pd.DataFrame(columns, dtype=object),
    "pandas category": lambda columns: pd.DataFrame(columns).astype({"docid": "category"}),
    "pyarrow": pa.table,
    "pyarrow batches": lambda columns: pa.table(columns).to_reader(),
    "polars category": lambda columns: pl.DataFrame(columns).with_columns(
        pl.col("docid").cast(pl.Categorical)
    ),
    "arrow capsule": _arrow_only,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_any_frame(make: Callable[[dict[str, list[Any]]], object]) -> None:
    assert Judgments.from_frame(make(COLUMNS)).to_dict() == GRADES


def test_duckdb_relation() -> None:
    with duckdb.connect() as connection:
        relation = connection.sql(
            "select * from (values (7, 'a', 3), (7, 'b', 0), (8, 'a', 1)) t(qid, docid, rel)"
        )
        assert Judgments.from_frame(relation).to_dict() == GRADES


def test_frames_are_not_changed() -> None:
    frame = pd.DataFrame(COLUMNS)
    before = frame.copy()
    Judgments.from_frame(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_columns_are_found_whatever_their_case_and_hyphens() -> None:
    frame = pl.DataFrame({"Query-ID": ["q"], "Doc ID": ["d"], "Relevance": [2]})
    assert Judgments.from_frame(frame).to_dict() == {"q": {"d": 2.0}}


def test_a_query_id_comes_before_its_text() -> None:
    frame = pl.DataFrame({"query": ["red shoes"], "qid": [4], "docid": ["d"], "rel": [2]})
    assert Judgments.from_frame(frame).queries == ["4"]
    assert Judgments.from_frame(frame, columns={"query": "query"}).queries == ["red shoes"]


def test_columns_that_are_not_there_are_listed() -> None:
    frame = pl.DataFrame({"qid": ["q"], "thing": ["d"], "rel": [2]})
    with pytest.raises(InputError, match="no column for the document") as caught:
        Judgments.from_frame(frame)
    assert "`qid`, `thing`, `rel`" in caught.value.message
    assert 'relyon.read_judgments(…, columns={"document": "thing"})' in caught.value.hint
    with pytest.raises(InputError, match="no column `ding`") as caught:
        Judgments.from_frame(frame, columns={"document": "ding"})
    assert "`thing`" in caught.value.hint
    with pytest.raises(ParameterError, match="`documnet` is not a column") as wrong:
        Judgments.from_frame(frame, columns={"documnet": "thing"})
    assert "did you mean `document`" in wrong.value.hint


def test_two_columns_that_could_be_meant() -> None:
    frame = pl.DataFrame({"doc_id": ["x"], "docId": ["y"], "qid": ["q"], "rel": [1]})
    with pytest.raises(InputError, match="`doc_id`, `docId` could each be the document"):
        Judgments.from_frame(frame)
    assert Judgments.from_frame(frame, columns={"document": "docId"}).to_dict() == {"q": {"y": 1.0}}


def test_a_score_column_may_hold_the_grades_and_is_noted() -> None:
    judgments = Judgments.from_frame(pl.DataFrame({"q_id": ["q"], "doc_id": ["d"], "score": [2]}))
    assert judgments.to_dict() == {"q": {"d": 2.0}}
    assert [note.kind for note in judgments.notes] == ["grades-from-score"]


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame], ids=["polars", "pandas"])
def test_rows_without_a_grade_are_left_out_and_counted(make: Callable[[Any], object]) -> None:
    frame = make({"qid": ["q", "q"], "docid": ["a", "b"], "rel": [1.0, None]})
    judgments = Judgments.from_frame(frame)
    assert judgments.to_dict() == {"q": {"a": 1.0}}
    (note,) = judgments.notes
    assert (note.kind, note.count, note.level) == ("missing-grades", 1, "warning")
    assert note.examples == ("b",)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("docid", ["a", None], "row 2: the document is empty"),
        ("qid", ["", "q"], "row 1: the query is empty"),
        ("rel", ["1", "x"], "row 2: the grade `x` is not a number"),
        ("rel", [float("nan"), 1.0], "row 1: the grade of document `a` is nan"),
        ("docid", [1.5, 2.5], "ids must be text or whole numbers"),
        ("rel", [[1], [2]], "not numbers"),
    ],
)
def test_bad_rows_are_named(column: str, values: list[Any], message: str) -> None:
    columns = {"qid": ["q", "q"], "docid": ["a", "b"], "rel": [1, 0], column: values}
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        Judgments.from_frame(pl.DataFrame(columns))


def test_a_document_graded_twice_names_both_rows() -> None:
    frame = pl.DataFrame({"qid": ["q"] * 3, "docid": ["a", "b", "a"], "rel": [1, 0, 2]})
    with pytest.raises(InputError, match=r"row 3: document `a` of query `q` .* \(first in row 1\)"):
        Judgments.from_frame(frame)


def test_names_of_grades_in_a_frame() -> None:
    frame = pl.DataFrame({"qid": ["q"] * 3, "docid": ["a", "b", "c"], "rel": ["高", "low", None]})
    assert Judgments.from_frame(frame, scale="search")["q"] == {"a": 3.0, "b": 1.0}
    with pytest.raises(InputError, match="row 2: not a grade of the scale `search`: `lwo`"):
        Judgments.from_frame(frame.with_columns(rel=pl.Series(["高", "lwo", "无"])), scale="search")


def test_arrays() -> None:
    judgments = Judgments.from_arrays(
        np.array([7, 7, 8]), np.array(["a", "b", "a"]), np.array([3, 0, 1], dtype=np.int8)
    )
    assert judgments.to_dict() == GRADES
    with pytest.raises(InputError, match="2 of query, 1 of document, 2 of grade"):
        Judgments.from_arrays(["q", "q"], ["d"], [1, 2])


def test_ids_of_mixed_types() -> None:
    judgments = Judgments.from_arrays([1, "1"], ["a", "b"], [1, 0])
    assert judgments.to_dict() == {"1": {"a": 1.0, "b": 0.0}}


def test_what_is_no_frame() -> None:
    with pytest.raises(InputError, match="a int is not a data frame"):
        Judgments.from_frame(3)


def test_judgments_and_runs_are_iterated_by_query() -> None:
    grades = {"q2": {"d1": 1.0}, "q1": {"d1": 0.0, "d2": 2.0}}
    judgments, run = Judgments.from_dict(grades), Run.from_dict(grades)
    assert list(judgments) == judgments.keys() == ["q2", "q1"]
    assert list(run) == run.keys() == ["q2", "q1"]
    assert dict(judgments) == grades
    assert {query: run[query] for query in run} == grades
