"""Runs in Parquet of every layout: streamed and read whole, the same numbers and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, strategies as st
from tests.property.arrow_views import text_views

import relyon
from relyon.core.errors import RelyonError
from relyon.io import row_groups
from relyon.io.formats.parquet import Parquet

JUDGMENTS = {
    "7": {"1": 1, "2": 3, "3": 0},
    "8": {"4": 2, "long document id": 1},
    "9": {"1": 0},
    "a query with a long id": {"5": 1, "6": 2},
}
MEASURES = ["ndcg@3", "ap", "rr", "recall@2", "auc"]
ID_TYPES = [
    pa.string(),
    pa.large_string(),
    *text_views(),
    pa.dictionary(pa.int32(), pa.string()),
]


@st.composite
def rows(draw: st.DrawFn) -> dict[str, list[Any]]:
    """Lists of a few queries, mostly grouped and without a document twice."""
    numbers = draw(st.booleans())
    names = ["7", "8", "9", "10"] if numbers else [*JUDGMENTS, "another"]
    documents = [str(n) for n in range(1, 9)] + ([] if numbers else ["long document id", "文档"])
    columns: dict[str, list[Any]] = {"query": [], "document": [], "score": [], "rank": []}
    for query in draw(st.lists(st.sampled_from(names), max_size=6, unique=draw(st.booleans()))):
        listed = draw(st.lists(st.sampled_from(documents), max_size=6, unique=True))
        columns["query"] += [query] * len(listed)
        columns["document"] += listed
        columns["score"] += draw(
            st.lists(
                st.sampled_from([-1.5, 0.0, 0.25, 3.0]),
                min_size=len(listed),
                max_size=len(listed),
            )
        )
        columns["rank"] += range(1, len(listed) + 1)
    if columns["query"] and draw(st.integers(0, 3)) == 0:
        role = draw(st.sampled_from(["query", "document", "score"]))
        place = draw(st.integers(0, len(columns[role]) - 1))
        bad = [None, float("nan")] if role == "score" else [None, "", columns[role][0]]
        columns[role][place] = draw(st.sampled_from(bad))
    return columns


@st.composite
def layouts(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "polars": draw(st.booleans()),
        "ids": draw(st.sampled_from(ID_TYPES)),
        "group": draw(st.sampled_from([1, 2, 3, 7, 100])),
        "coded": draw(st.booleans()),
        "whole": draw(st.booleans()),
        "drop": draw(st.sampled_from(["", "rank", "score"])),
        "few": draw(st.sampled_from([1, 4, 1000])),
        "many": draw(st.sampled_from([2, 5, 1000])),
    }


def write(columns: dict[str, list[Any]], layout: dict[str, Any], path: Path) -> None:
    ids = [*columns["query"], *columns["document"]]
    whole = layout["whole"] and all(value and value.isdecimal() for value in ids)
    kind = pa.int64() if whole else layout["ids"]
    table = pa.table(
        {
            **{
                role: pa.array(columns[role], pa.string()).cast(kind)
                for role in ("query", "document")
            },
            "score": pa.array(columns["score"], pa.float64()),
            "rank": pa.array(columns["rank"], pa.int32()),
        }
    )
    if layout["drop"]:
        table = table.drop_columns([layout["drop"]])
    if layout["polars"]:
        pl.DataFrame(table).write_parquet(path, row_group_size=layout["group"])
    else:
        pq.write_table(table, path, row_group_size=layout["group"], use_dictionary=layout["coded"])


def outcome(run: Any, convention: Any) -> object:
    try:
        results = relyon.evaluate(
            JUDGMENTS, run() if callable(run) else run, MEASURES, convention=convention
        )
    except RelyonError as error:
        return str(error)
    return (
        {name: value.hex() for name, value in results.items()},
        results.per_query.write_csv(),
        [str(note) for note in results.notes if note.kind != "regrouped"],
    )


@pytest.mark.long
@given(rows(), layouts(), st.sampled_from(["doc-desc", "input", "rank"]), st.booleans())
def test_streamed_as_read_whole(
    tmp_path_factory: Any,
    columns: dict[str, list[Any]],
    layout: dict[str, Any],
    ties: str,
    skip: bool,
) -> None:
    path = tmp_path_factory.getbasetemp() / "run.parquet"
    write(columns, layout, path)
    rules = {"ties": ties, "missing": "skip" if skip else "zero"}
    whole = outcome(lambda: relyon.read_run(path), rules)
    # Of queries that nobody judged no document is kept, so that none is seen twice.
    unjudged = "query `10`" in str(whole) or "query `another`" in str(whole)
    assume(not (unjudged and "twice" in str(whole)))
    with (
        patch.object(row_groups, "FEW_ROWS", layout["few"]),
        patch.object(row_groups, "MANY_ROWS", layout["many"]),
        patch.dict("os.environ", {"RELYON_STRETCH": "2"}),
    ):
        assert outcome(path, rules) == whole


def test_rows_that_are_grouped_are_streamed(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    pl.DataFrame(
        {"query": ["7", "7", "8"], "document": [1, 2, 4], "score": [1, 2, 3]}
    ).write_parquet(path, row_group_size=2)
    with patch.object(Parquet, "read_run", side_effect=AssertionError):
        found = relyon.evaluate(JUDGMENTS, path)
    assert dict(found) == dict(relyon.evaluate(JUDGMENTS, relyon.read_run(path)))
