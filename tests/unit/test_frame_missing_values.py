"""Missing values as pandas has them, in every column of every kind of frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import relyon
from relyon.core.errors import InputError
from relyon.core.texts import translate
from relyon.data.columns import is_na

MISSING = {"None": None, "nan": float("nan"), "NA": pd.NA, "NaT": pd.NaT}
READ: dict[str, Callable[..., Any]] = {
    "judgments": relyon.read_judgments,
    "run": relyon.read_run,
    "scored": relyon.read_scored,
    "features": relyon.read_features,
}
COLUMNS: dict[str, dict[str, list[Any]]] = {
    "judgments": {"query": ["q", "q", "r"], "doc": ["a", "b", "c"], "grade": [1, 0, 2]},
    "run": {"query": ["q", "q", "r"], "doc": ["a", "b", "c"], "score": [3, 2, 1]},
    "scored": {"query": ["q", "q", "r"], "label": [1, 0, 2], "score": [3, 2, 1]},
    "features": {"query": ["q", "q", "r"], "label": [1, 0, 2], "bm25": [3, 2, 1]},
}
NEEDED = [
    (kind, column)
    for kind, columns in COLUMNS.items()
    for column in columns
    if (kind, column) not in {("judgments", "grade"), ("features", "bm25")}
]
TYPES = ["object", "string", "string[pyarrow]", "category", "Int64", "Float64"]
TYPES += ["int64[pyarrow]", "double[pyarrow]"]


def frame(kind: str) -> pd.DataFrame:
    return pd.DataFrame(COLUMNS[kind], index=["i1", "i2", "i3"])


def with_missing(given: pd.DataFrame, column: str, dtype: str) -> pd.DataFrame:
    """Returns a frame of a column type whose second row lacks a value."""
    values = given[column].astype(object)
    values.iloc[1] = None
    return given.assign(**{column: values.astype(dtype)})


@pytest.mark.parametrize("value", MISSING)
@pytest.mark.parametrize(("kind", "column"), NEEDED)
def test_a_row_is_refused_by_its_label(kind: str, column: str, value: str) -> None:
    given = frame(kind)
    given[column] = pd.Series([given[column].iloc[0], MISSING[value], given[column].iloc[2]],
                              dtype=object, index=given.index)  # fmt: skip
    role = "document" if column == "doc" else column
    with pytest.raises(InputError, match=rf"row 2 \(index label `i2`\): the {role} is empty") as e:
        READ[kind](given)
    assert "第 2 行（索引标签 `i2`）" in translate(e.value.message, "zh")
    assert "dropna" in e.value.hint


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("kind", "column"), NEEDED)
def test_columns_of_every_type_say_so(kind: str, column: str, dtype: str) -> None:
    given = frame(kind)
    if column in {"query", "doc"} and dtype in TYPES[4:]:
        given[column] = [7, 7, 8]
    if column not in {"query", "doc"} and dtype.startswith("string"):
        dtype = "object"
    with pytest.raises(InputError, match=r"row 2 \(index label `i2`\)"):
        READ[kind](with_missing(given, column, dtype))


def test_whole_ids_that_missing_ones_made_fractions_are_missing_too() -> None:
    given = frame("run").assign(query=[7, None, 8])
    assert given["query"].dtype == "float64"
    with pytest.raises(InputError, match=r"row 2 \(index label `i2`\): the query is empty"):
        relyon.read_run(given)


@pytest.mark.parametrize("value", MISSING)
def test_judgments_without_a_grade_are_left_out_with_a_note(value: str) -> None:
    given = frame("judgments").astype({"grade": object})
    given.iloc[1, 2] = MISSING[value]
    found = relyon.read_judgments(given)
    assert found.to_dict() == {"q": {"a": 1.0}, "r": {"c": 2.0}}
    assert [note.kind for note in found.notes] == ["missing-grades"]


@pytest.mark.parametrize("dtype", ["object", "float64", "Int64", "Float64", "double[pyarrow]"])
def test_a_missing_feature_is_nan(dtype: str) -> None:
    found = relyon.read_features(with_missing(frame("features"), "bm25", dtype))
    values = found.known_features().values.ravel().tolist()
    assert [is_na(one) for one in values] == [False, True, False]
    assert (values[0], values[2]) == (3.0, 1.0)


@pytest.mark.parametrize("kind", COLUMNS)
def test_nullable_types_without_missing_values_are_read_as_others(kind: str) -> None:
    plain = READ[kind](frame(kind))
    for backend in ("numpy_nullable", "pyarrow"):
        found = READ[kind](frame(kind).convert_dtypes(dtype_backend=backend))
        assert repr(found) == repr(plain)
        if kind in {"judgments", "run"}:
            assert found.to_dict() == plain.to_dict()
        else:
            assert (found.labels == plain.labels).all()
            assert found.queries == plain.queries


def test_the_label_is_that_of_the_frames_own_index() -> None:
    given = frame("scored").set_index("query").assign(score=[3.0, None, 1.0])
    with pytest.raises(InputError, match=r"row 2 \(index label `q`\): the score is empty"):
        relyon.read_scored(given)
    several = frame("scored").set_index(["query", "label"]).assign(score=[3.0, None, 1.0])
    with pytest.raises(InputError, match=r"row 2 \(index label `q, 0`\)"):
        relyon.read_scored(several)


def test_ranks_do_not_stand_in_for_missing_scores() -> None:
    given = frame("run").assign(rank=[1, 2, 1], score=[3.0, None, 1.0])
    with pytest.raises(InputError, match=r"row 2 \(index label `i2`\): the score is empty"):
        relyon.read_run(given)


@pytest.mark.parametrize("value", MISSING)
@pytest.mark.parametrize("make", [list, pd.Series, lambda ids: pd.Series(ids, dtype=object)])
def test_missing_ids_of_arrays_are_no_text(make: Callable[[list[Any]], Any], value: str) -> None:
    ids, others = make(["q", MISSING[value]]), ["a", "b"]
    for read in (relyon.Judgments.from_arrays, relyon.Run.from_arrays):
        with pytest.raises(InputError, match="row 2: the query is empty"):
            read(ids, others, [1.0, 2.0])
        with pytest.raises(InputError, match="row 2: the document is empty"):
            read(others, ids, [1.0, 2.0])
