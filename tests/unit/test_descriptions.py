"""What queries and documents are called: mappings, frames and files, and what is said of gaps."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import relyon
from relyon.core.errors import InputError, ParameterError
from relyon.io.descriptions import Descriptions, described

TEXTS = {"1": "red shoes", "2": "跑步鞋 男"}
ROWS = {"query_id": ["1", "2", "3"], "query": [*TEXTS.values(), None]}


def frames() -> dict[str, Any]:
    frame = pl.DataFrame(ROWS)
    return {
        "mapping": TEXTS,
        "mapping of numbers": {1: "red shoes", 2: "跑步鞋 男"},
        "polars": frame,
        "lazy": frame.lazy(),
        "numbers": frame.with_columns(pl.col("query_id").cast(pl.Int64)),
        "pandas": pd.DataFrame(ROWS),
        "pyarrow": pa.table(ROWS),
    }


@pytest.mark.parametrize("form", frames())
def test_texts_come_from_mappings_and_frames(form: str) -> None:
    found = Descriptions(frames()[form], "query")
    assert found.find(["1", "2", "3"]) == TEXTS
    assert [note.kind for note in found.notes()] == ["texts-missing"]
    assert str(found.notes()[0]).endswith("no text for 1 of 3 queries (3)")


def written(folder: Path, form: str) -> Path:
    path = folder / f"queries.{form}"
    frame = pl.DataFrame(ROWS)
    if form == "csv":
        frame.write_csv(path)
    elif form == "tsv":
        frame.write_csv(path, separator="\t")
    elif form == "jsonl":
        frame.write_ndjson(path)
    elif form == "parquet":
        frame.write_parquet(path)
    elif form == "csv.gz":
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    return path


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
def test_texts_come_from_files(form: str, tmp_path: Path) -> None:
    path = written(tmp_path, form)
    assert Descriptions(path, "query").find(["1", "2", "3"]) == TEXTS
    assert Descriptions(str(path), "query").find(["2"]) == {"2": "跑步鞋 男"}


def test_a_file_without_a_header_has_ids_first(tmp_path: Path) -> None:
    path = tmp_path / "topics.tsv"
    path.write_text("1\tred shoes\n2\t跑步鞋 男\n", "utf-8")
    assert Descriptions(path, "query").find(["1", "2"]) == TEXTS
    with pytest.raises(InputError, match=r"none of its rows is about one of the queries"):
        Descriptions(path, "query").find(["7"])


def test_titles_have_the_names_that_shops_give_them(tmp_path: Path) -> None:
    path = tmp_path / "products.jsonl"
    row = {"product_id": "d1", "product_title": "Pegasus 39", "price": 30, "tags": ["a"]}
    path.write_text(json.dumps(row) + "\n", "utf-8")
    assert Descriptions(path, "document").find(["d1"]) == {"d1": "Pegasus 39"}
    corpus = pl.DataFrame({"_id": ["d1"], "text": ["a passage"]})
    assert Descriptions(corpus, "document").find(["d1"]) == {"d1": "a passage"}


def test_a_table_is_read_once_and_its_gaps_are_counted_over_all_questions(tmp_path: Path) -> None:
    path = written(tmp_path, "csv")
    found = Descriptions(path, "query")
    assert not found.notes()
    assert found.find(["1"]) == {"1": "red shoes"}
    path.unlink()
    assert found.find(["2", "9"]) == {"2": "跑步鞋 男"}
    (note,) = found.notes()
    assert (note.count, note.values["asked"], note.examples) == (1, 3, ("9",))
    assert note.level == "info"


@pytest.mark.parametrize("role", ["query", "document"])
def test_where_no_id_matches_a_note_names_the_column(role: Any) -> None:
    other = pl.DataFrame({"id": ["x"], "title": ["y"]})
    found = Descriptions(other, role)
    assert found.find(["1", "2"]) == {}
    (note,) = found.notes()
    assert note.level == "warning"
    assert "looked for in id" in str(note)
    assert "id 列" in note.text("zh")
    with pytest.warns(relyon.RelyonWarning, match="only their ids are shown"):
        assert described({"x": "y"}, role, ["1"]) == {}


@pytest.mark.parametrize(
    ("columns", "message", "hint"),
    [
        (("id", "language"), "has no column of query texts", "call it query_text"),
        (("name", "language"), "none of its rows is about", "column of ids `query_id`"),
    ],
)
def test_tables_without_the_columns_are_refused(
    columns: tuple[str, str], message: str, hint: str
) -> None:
    frame = pl.DataFrame({columns[0]: ["1"], columns[1]: ["en"]})
    with pytest.raises(InputError, match=message) as caught:
        Descriptions(frame, "query").find(["1"])
    assert hint in caught.value.hint


@pytest.mark.parametrize("source", [3, 1.5, object()])
def test_something_else_is_refused(source: Any) -> None:
    with pytest.raises(ParameterError, match="`document_titles` must be a mapping from ids"):
        Descriptions(source, "document")
