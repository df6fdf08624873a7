"""Columns of tables of queries: clusters, and what a comparison is broken down by."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import relyon
from relyon.analysis.comparison.query_facts import QueryFacts
from relyon.core.errors import InputError, ParameterError
from relyon.io.query_columns import query_columns

TABLE = pl.DataFrame(
    {
        "Query ID": ["a", "b", "b", "c"],
        "Tier": ["head", "tail", "tail", None],
        "length": [1, 2, 3, 4],
    }
)


def test_columns_are_found_however_they_are_spelled() -> None:
    assert query_columns(TABLE, ["tier"], "abcd") == {"tier": {"a": "head", "b": "tail"}}


def test_a_query_with_two_values_is_refused() -> None:
    with pytest.raises(InputError, match=r"query `b` has two values in the column `length`"):
        query_columns(TABLE, ["length"], ["a", "b"])


def test_an_unknown_column_is_refused_with_those_there_are(tmp_path: Path) -> None:
    path = tmp_path / "queries.csv"
    path.write_text("query_id,tier\na,head\n")
    with pytest.raises(InputError, match=r"no column `language`") as caught:
        query_columns(path, ["language"], ["a"])
    assert "query_id" in str(caught.value.hint)
    assert caught.value.path == str(path)


def test_a_column_needs_a_table() -> None:
    with pytest.raises(ParameterError, match="table of queries"):
        QueryFacts.read(["a"], by="tier")


def test_queries_without_a_value_are_counted() -> None:
    found = QueryFacts.read("abc", cluster={"a": 1, "b": 1}, by={"tier": {"a": "head"}})  # type: ignore[dict-item]
    assert [(one.values["column"], one.count) for one in found.notes] == [
        ("tier", 2),
        ("cluster", 1),
    ]
    assert found.cluster_of("a") == found.cluster_of("b") == "1"
    assert found.cluster_of("c") not in {"1", found.cluster_of("d")}


def test_scored_rows_are_their_own_table() -> None:
    rows = pl.DataFrame(
        {
            "query": ["a", "a", "b", "b"],
            "label": [1, 0, 1, 0],
            "language": ["en", "en", "zh", "zh"],
            "old": [0.1, 0.9, 0.8, 0.2],
            "new": [0.9, 0.1, 0.8, 0.2],
        }
    )
    found = relyon.compare_scores(rows, "gauc", scores=["old", "new"], by="language")
    assert found.facts.columns == {"language": {"a": "en", "b": "zh"}}
