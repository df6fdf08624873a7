"""Titles, pictures and texts from tables, for items that have ids only."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("sqlalchemy")

from relyon.core.errors import InputError
from relyon.data.sheets import Row, Sheet
from relyon.judging.descriptions import add_query_texts, describe_documents
from relyon.judging.records import Item

ITEMS = Sheet(
    (
        Row(Item("q1", "7", title="known already", fields={"price": "9"})),
        Row(Item("q1", "8")),
        Row(Item("q2", "nowhere")),
    )
)
TABLE = pl.DataFrame(
    {
        "id": [1, 2, 3],
        "sku": [7, 8, 8],
        "Product Name": ["seven", "eight", "eight again"],
        "描述": ["第七个", "", "twice"],
        "link": ["https://shop.example/7", None, ""],
        "price": [1.5, 2.5, 3.5],
        "stock": [None, 0, 1],
    }
)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_documents_are_described_and_what_is_known_stays(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"documents{suffix}"
    match suffix:
        case ".csv":
            TABLE.write_csv(path)
        case ".jsonl":
            TABLE.write_ndjson(path)
        case _:
            TABLE.write_parquet(path)
    found, unknown = describe_documents(ITEMS, path)
    first, second, third = (row.item for row in found.rows)
    assert unknown == 1
    assert third == ITEMS.rows[2].item
    # `id` is a usual name too, but holds none of the documents.
    assert (first.title, first.snippet, first.url) == (
        "known already",
        "第七个",
        "https://shop.example/7",
    )
    assert first.fields["price"] == "9"
    assert str(first.fields["id"]) == "1"
    assert (second.title, second.snippet, second.url) == ("eight", "", "")
    assert str(second.fields["price"]) == "2.5"
    assert str(second.fields["stock"]) == "0"


def test_a_column_of_addresses_may_hold_the_ids(tmp_path: Path) -> None:
    path = tmp_path / "pages.tsv"
    path.write_text("url\ttitle\nhttps://a.example/\tA page\n", "utf-8")
    sheet = Sheet((Row(Item("q", "https://a.example/")),))
    found, unknown = describe_documents(sheet, path)
    assert (found.rows[0].item.title, found.rows[0].item.url, unknown) == ("A page", "", 0)


def test_texts_of_queries(tmp_path: Path) -> None:
    path = tmp_path / "queries.tsv"
    path.write_text("id\tlanguage\ttext\nq1\ten\tred shoes\nq9\ten\tblue\n", "utf-8")
    found, unknown = add_query_texts(ITEMS, path)
    assert [row.item.query_text for row in found.rows] == ["red shoes", "red shoes", ""]
    assert unknown == 1


@pytest.mark.parametrize(
    ("add", "text", "message", "hint"),
    [
        (describe_documents, "id,title\nx,y\n", "none of its rows", "looked for in id"),
        (
            describe_documents,
            "title,price\nx,1\n",
            "none of its rows",
            "call the column of ids `do",
        ),
        (add_query_texts, "id,text\nx,y\n", "none of its rows", "looked for in id"),
        (add_query_texts, "id,language\nq1,en\n", "no column of query texts", "call it query_text"),
    ],
)
def test_tables_that_say_nothing(add, text: str, message: str, hint: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message) as caught:
        add(ITEMS, path)
    assert hint in caught.value.hint
    assert caught.value.path == str(path)
