"""Labelled rows in Parquet of every layout: the same streamed as read whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st
from tests.property.arrow_views import text_views

import relyon
from relyon.core.errors import RelyonError
from relyon.io import row_groups
from relyon.io.formats.parquet import Parquet

MEASURES = [["gauc"], ["auc", "gauc"], ["auc", "auc(rel=2)"], ["pnr", "ndcg@2", "ap", "auc"]]
WEIGHTED = [["gauc"], ["auc", "gauc"], ["pnr", "auc"]]
LABELS: dict[str, list[Any]] = {
    "grades": [0, 0, 1, 2, 3],
    "negative": [-1, 0, 1, 2],
    "fractions": [0.0, 0.25, 1.0, 0.5],
    "names": ["高", "中", "低", "无"],
}
ID_TYPES = [pa.string(), pa.large_string(), *text_views(), pa.dictionary(pa.int8(), pa.string())]


@st.composite
def rows(draw: st.DrawFn) -> dict[str, list[Any]]:
    kind = draw(st.sampled_from(sorted(LABELS)))
    labels = st.sampled_from(LABELS[kind])
    # A third is no float, so that scores are kept as they are.
    scores = st.sampled_from([-1.5, 0.0, 0.25, 3.0, *([1 / 3] if draw(st.booleans()) else [])])
    columns: dict[str, list[Any]] = {"query": [], "label": [], "score": [], "weight": []}
    names = st.lists(st.sampled_from("abcdefg"), max_size=6, unique=draw(st.integers(0, 4)) > 0)
    for query in draw(names):
        size = draw(st.integers(1, 9))
        columns["query"] += [query] * size
        columns["label"] += draw(st.lists(labels, min_size=size, max_size=size))
        columns["score"] += draw(st.lists(scores, min_size=size, max_size=size))
        columns["weight"] += draw(
            st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=size, max_size=size)
        )
    if columns["query"] and draw(st.integers(0, 4)) == 0:
        role = draw(st.sampled_from(sorted(columns)))
        place = draw(st.integers(0, len(columns[role]) - 1))
        bad: dict[str, list[Any]] = {
            "query": [None, ""],
            "label": [None],
            "score": [None, float("nan"), float("inf")],
            "weight": [None, -1.0],
        }
        columns[role][place] = draw(st.sampled_from(bad[role]))
    return columns


@st.composite
def layouts(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "polars": draw(st.booleans()),
        "ids": draw(st.sampled_from(ID_TYPES)),
        "score": draw(st.sampled_from([pa.float64(), pa.float32(), pa.string()])),
        "group": draw(st.sampled_from([1, 2, 5, 100])),
        "queries": draw(st.integers(0, 4)) > 0,
        "weighted": draw(st.integers(0, 3)) == 0,
        "few": draw(st.sampled_from([1, 4, 1000])),
        "many": draw(st.sampled_from([2, 5, 1000])),
        "stretch": draw(st.sampled_from(["1", "3", "1000"])),
    }


def write(columns: dict[str, list[Any]], layout: dict[str, Any], path: Path) -> None:
    named = any(isinstance(label, str) for label in columns["label"])
    held = {
        "label": pa.array(columns["label"], pa.string() if named else pa.float64()),
        "score": pa.array(columns["score"], pa.float64()).cast(layout["score"]),
        "weight": pa.array(columns["weight"], pa.float64()),
    }
    if layout["queries"]:
        held["query"] = pa.array(columns["query"], pa.string()).cast(layout["ids"])
    table = pa.table(held)
    if layout["polars"]:
        pl.DataFrame(table).write_parquet(path, row_group_size=layout["group"])
    else:
        pq.write_table(table, path, row_group_size=layout["group"])


def outcome(rows: Any, measures: list[str], scale: str | None, **settings: Any) -> object:
    try:
        results = relyon.evaluate_scores(
            rows() if callable(rows) else rows, measures=measures, scale=scale, **settings
        )
    except RelyonError as error:
        return str(error)
    return (
        {name: value.hex() for name, value in results.items()},
        results.per_query.write_csv(),
        [str(note) for note in results.notes],
        [by_query(results.pool(name)) for name in measures],
    )


def by_query(pool: Any) -> dict[int, tuple[list[float], list[float]]]:
    """The pooled scores of each query, in whatever order the queries are."""
    found = {}
    if pool is not None:
        positive, negative = iter(pool[0]), iter(pool[1])
        for row, positives, negatives in zip(*pool[2:], strict=True):
            found[row] = (
                [next(positive) for _ in range(positives)],
                [next(negative) for _ in range(negatives)],
            )
    return found


@pytest.mark.long
@given(
    rows(),
    layouts(),
    st.sampled_from([{}, {"negative": "unjudged"}, {"ties": "input"}, {"scores": "float32"}]),
    st.data(),
)
def test_streamed_as_read_whole(
    tmp_path_factory: pytest.TempPathFactory,
    columns: dict[str, list[Any]],
    layout: dict[str, Any],
    rules: dict[str, str],
    data: st.DataObject,
) -> None:
    path = tmp_path_factory.getbasetemp() / "scores.parquet"
    write(columns, layout, path)
    measures = data.draw(st.sampled_from(WEIGHTED if layout["weighted"] else MEASURES))
    named = {"weight": "weight"} if layout["weighted"] else {}
    scale = "search" if any(isinstance(label, str) for label in columns["label"]) else None
    whole = outcome(
        lambda: relyon.read_scored(path, scale=scale, **named),
        measures,
        scale,
        convention=rules,
        name="scores.parquet",
    )
    with (
        patch.object(row_groups, "FEW_ROWS", layout["few"]),
        patch.object(row_groups, "MANY_ROWS", layout["many"]),
        patch.dict("os.environ", {"RELYON_STRETCH": layout["stretch"]}),
    ):
        streamed = outcome(path, measures, scale, convention=rules, columns=named)
    assert streamed == whole


def test_rows_that_are_grouped_are_streamed(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    frame = pl.DataFrame({"qid": ["7", "7", "8"], "label": [1, 0, 1], "score": [1, 2, 3]})
    frame.write_parquet(path, row_group_size=2)
    with patch.object(Parquet, "read_scored", side_effect=AssertionError):
        found = relyon.evaluate_scores(path, measures=["auc", "gauc"])
    assert found.run == "scores.parquet"
    assert dict(found) == {"auc": 0.5, "gauc": 0.0}


def test_what_stands_beside_a_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    pl.DataFrame({"q": ["7", "7"], "label": [1, 0], "sim": [1, 2]}).write_parquet(path)
    assert relyon.evaluate_scores(path, columns={"query": "q"}, measures="auc")["auc"] == 0.0
    with pytest.raises(relyon.ParameterError, match="a table of labelled rows has its own"):
        relyon.evaluate_scores(path, [1.0, 2.0])
    with pytest.raises(relyon.ParameterError, match="`columns` is for files"):
        relyon.evaluate_scores([1, 0], [1.0, 2.0], columns={"query": "q"})
    with pytest.raises(relyon.ParameterError, match="weights are not supported by ndcg"):
        relyon.evaluate_scores(path, measures="ndcg", columns={"weight": "label"})
    with pytest.raises(relyon.InputError, match="there is no column `x`"):
        relyon.evaluate_scores(path, columns={"score": "x"})
