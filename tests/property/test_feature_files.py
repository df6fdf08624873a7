"""Rows with features are the same after they were written and read: values, ids and names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import relyon.ltr
from relyon.core.errors import InputError
from relyon.data.features import Features
from relyon.data.labelled import LabelledRows, offsets_of

TABLES = ("csv", "tsv", "jsonl", "parquet", "csv.gz")
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9).map(float)
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\r\n"),
    min_size=1,
    max_size=8,
).filter(lambda text: text == text.strip() and text.strip("'\ufeff") == text)
NAMES = st.one_of(TEXTS.map("f{}".format), st.sampled_from(["bm25", "年龄", "a b", "#x", '"q']))


@st.composite
def rows(draw: st.DrawFn) -> LabelledRows:
    """Draws rows of one to three queries."""
    queries = draw(st.lists(TEXTS, min_size=1, max_size=3, unique=True))
    sizes = [draw(st.integers(1, 4)) for _ in queries]
    count = sum(sizes)
    numbered = draw(st.booleans())
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique_by=str.lower))
    names = [str(place) for place, _ in enumerate(names, 1)] if numbered else names
    some = st.lists(NUMBERS, min_size=count, max_size=count)
    matrix: Any = np.array([draw(some) for _ in names]).T.reshape(count, len(names))
    if draw(st.booleans()):
        from scipy.sparse import csr_array

        matrix = csr_array(matrix)
    documents = st.lists(TEXTS, min_size=count, max_size=count)
    weights = st.lists(st.floats(0, 1e9), min_size=count, max_size=count).map(np.array)
    positions = st.lists(st.integers(1, 99), min_size=count, max_size=count).map(np.array)
    labels = st.lists(st.integers(0, 4).map(float) | NUMBERS, min_size=count, max_size=count)
    return LabelledRows(
        np.array(draw(labels)),
        None,
        offsets_of(sizes),
        queries,
        draw(st.none() | documents),
        weights=draw(st.none() | weights),
        features=Features(tuple(names), matrix),
        positions=draw(st.none() | positions),
    )


def same(one: LabelledRows, other: LabelledRows) -> None:
    """Compares everything."""
    assert one.queries == other.queries
    assert one.groups.tolist() == other.groups.tolist()
    assert one.documents == other.documents
    assert one.known_features().names == other.known_features().names
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_array_equal(one.known_features().dense(), other.known_features().dense())
    for name in ("weights", "positions"):
        assert (getattr(one, name) is None) == (getattr(other, name) is None), name
        if getattr(one, name) is not None:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("features")


@pytest.mark.long
@given(given_rows=rows(), matrix=st.sampled_from(["dense", "sparse"]))
@settings(max_examples=150, deadline=None)
def test_letor_there_and_back(given_rows: LabelledRows, matrix: Any, home: Path) -> None:
    path = home / "rows.letor"
    relyon.write_features(given_rows, path, overwrite=True)
    same(given_rows, relyon.read_features(path, dtype="float64", matrix=matrix))


@pytest.mark.long
@given(given_rows=rows(), ending=st.sampled_from(TABLES))
@settings(max_examples=150, deadline=None)
def test_tables_there_and_back(given_rows: LabelledRows, ending: str, home: Path) -> None:
    path = home / f"rows.{ending}"
    relyon.write_features(given_rows, path, overwrite=True)
    position = None if given_rows.positions is None else "position"
    same(given_rows, relyon.read_features(path, position=position))


@pytest.mark.parametrize("ending", TABLES)
def test_missing_values_stay_missing_in_tables(ending: str, home: Path) -> None:
    values = np.array([[1.0, np.nan], [np.nan, 0.1]])
    given_rows = relyon.ltr.labelled_rows(values, [1, 0], ["a", "a"], names=["x", "y"])
    path = home / f"missing.{ending}"
    relyon.write_features(given_rows, path)
    same(given_rows, relyon.read_features(path))
    with pytest.raises(InputError, match="the feature `y` lacks values"):
        relyon.write_features(given_rows, home / "missing.letor")
    assert not (home / "missing.letor").exists()


@pytest.mark.parametrize("name", ["qid", "label", "weight", "document", "url"])
def test_a_feature_that_would_be_something_else_is_refused(name: str, home: Path) -> None:
    given_rows = relyon.ltr.labelled_rows([[1.0, 2.0]], [1], ["a"], names=["x", name])
    with pytest.raises(InputError, match=f"the feature `{name}` would be read as the"):
        relyon.write_features(given_rows, home / f"{name}.csv")


@pytest.mark.long
def test_many_rows_are_written_in_parts(home: Path) -> None:
    random = np.random.default_rng(3)
    values = random.normal(size=(30_000, 80)).astype(np.float32)
    qid = np.arange(30_000) // 30
    given_rows = relyon.ltr.labelled_rows(values, qid % 3, qid, weights=random.random(30_000))
    for ending in ("csv", "letor"):
        relyon.write_features(given_rows, home / f"many.{ending}")
        same(given_rows, relyon.read_features(home / f"many.{ending}", dtype="float32"))
