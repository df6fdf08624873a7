"""The queries of a search: every source, ids, and further columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import relyon
from relyon.core.texts import Message
from relyon.engines.queries import queries_hash, read_queries

pytest.importorskip("msgspec")


def ids(source: object) -> list[tuple[str, str]]:
    return [(one.id, one.text) for one in read_queries(source)]


@pytest.mark.parametrize("column", [pd.Series, pl.Series, np.array])
def test_a_column_of_texts(column: Callable[[list[str]], object]) -> None:
    assert [one.id for one in read_queries(column(["red", "电视"]))] == ["red", "电视"]


def test_a_mapping_and_a_list() -> None:
    assert ids({"q1": "red shoes", 7: "电视"}) == [("q1", "red shoes"), ("7", "电视")]
    assert ids(["red shoes", "tv"]) == [("red shoes", "red shoes"), ("tv", "tv")]


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_tables_with_further_columns(tmp_path: Path, ending: str) -> None:
    frame = pl.DataFrame(
        {"query_id": ["q1", "q2"], "query": ["red, shoes", "电视"], "market": ["de", None]}
    )
    path = tmp_path / f"queries.{ending}"
    if ending == "parquet":
        frame.write_parquet(path)
    elif ending == "jsonl":
        frame.write_ndjson(path)
    else:
        frame.write_csv(path, separator="," if ending == "csv" else "\t")
    found = read_queries(path)
    assert [(one.id, one.text) for one in found] == [("q1", "red, shoes"), ("q2", "电视")]
    assert [one.values for one in found] == [{"market": "de"}, {"market": ""}]
    assert [one.values for one in read_queries(frame)] == [{"market": "de"}, {"market": ""}]


def test_lines_of_text_are_queries(tmp_path: Path) -> None:
    path = tmp_path / "queries.txt"
    path.write_text("red shoes\n\n  电视  \n", "utf-8")
    assert ids(path) == [("red shoes", "red shoes"), ("电视", "电视")]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ({}, "engines.no-queries"),
        ({"q1": "  "}, "engines.query-is-empty"),
        ({"": "red"}, "engines.query-is-empty"),
        (["red", "red"], "engines.query-twice"),
        (pl.DataFrame({"id": [1]}), "engines.no-column-of-queries"),
        (b"red", "engines.queries-must-be"),
        (7, "engines.queries-must-be"),
    ],
)
def test_what_cannot_be_asked_is_named(source: object, kind: str) -> None:
    with pytest.raises(relyon.RelyonError) as caught:
        read_queries(source)
    assert isinstance(caught.value.message, Message)
    assert caught.value.message.kind == kind


def test_the_fingerprint_follows_everything_that_is_sent() -> None:
    base = queries_hash(read_queries({"q1": "red"}))
    assert base == queries_hash(read_queries({"q1": "red"}))
    others = [{"q1": "Red"}, {"q2": "red"}, {"q1": "red", "q2": "tv"}]
    assert len({base, *(queries_hash(read_queries(one)) for one in others)}) == 4
