"""Tables row by row: places, faulty rows, and what columns are."""

from __future__ import annotations

import io
import json

import polars as pl
import pytest

from relyon.core.errors import InputError
from relyon.data.scale import SEARCH
from relyon.io import Source, open_source, read_sheet
from relyon.io.row_tables import MOST_COLUMNS, Columns, RowTable, open_rows


def opened(content: bytes | str, name: str) -> RowTable | None:
    data = content.encode() if isinstance(content, str) else content
    source = open_source(Source(io.BytesIO(data), name=name), kind="sheet")
    source.keep()
    return open_rows(source)


def table(content: bytes | str, name: str) -> RowTable:
    found = opened(content, name)
    assert found is not None
    return found


def test_rows_have_the_numbers_of_their_lines() -> None:
    found = table('query,doc\nq,"two\nlines"\n\nq\nq,d,e\n" q ",d\n', "a.csv")
    rows = list(found.rows())
    assert [place for place, _ in rows] == [2, 5, 6, 7]
    assert [isinstance(one, InputError) for _, one in rows] == [False, True, True, False]
    assert list(found.rows()) == rows or len(list(found.rows())) == len(rows)


def test_text_that_is_not_a_table_below_ends_with_its_line() -> None:
    found = table('query,doc\nq,d\nq,"open\n', "a.csv")
    rows = found.rows()
    assert next(rows)[0] == 2
    with pytest.raises(InputError, match=r"a\.csv:3"):
        list(rows)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_columns_are_what_somebody_chose(form: str) -> None:
    frame = pl.DataFrame({"a": ["q"], "b": ["d"], "title": ["T"], "grade": ["3"], "c": ["x"]})
    stream = io.BytesIO()
    getattr(frame, {"csv": "write_csv", "jsonl": "write_ndjson", "parquet": "write_parquet"}[form])(
        stream
    )
    found = table(stream.getvalue(), f"a.{form}")
    ((place, values),) = found.rows()
    assert not isinstance(values, InputError)
    assert place == (2 if form == "csv" else 1)
    columns = Columns({"query": "a", "document": "b", "snippet": "title"}, frozenset({"c"}))
    row = found.item(values, columns, SEARCH)
    assert (row.item.query, row.item.document, row.item.snippet) == ("q", "d", "T")
    # Its own name means nothing once something else was chosen.
    assert (row.item.title, row.final, row.item.fields) == ("", None, {"grade": "3"})
    columns = Columns({"query": "a", "document": "b", "grade": "grade"}, frozenset({"title", "c"}))
    row = found.item(values, columns, SEARCH)
    assert (row.item.title, row.final, row.item.fields) == ("", 3.0, {})


def test_members_of_objects_are_columns() -> None:
    lines = [{"query": "q", "document": 7, "price": 30}, {"query": "q", "document": "e", "new": 1}]
    found = table("\n".join(map(json.dumps, lines)), "a.jsonl")
    assert found.names == ("query", "document", "price", "new")
    rows = [one for _, one in found.rows() if not isinstance(one, InputError)]
    columns = Columns({"query": "query", "document": "document"})
    assert found.item(rows[0], columns).item.fields == {"price": 30}
    broken = table('{"query": "q", "document": "d"}\n[1]\n{"query": "q"\n', "a.jsonl")
    assert [isinstance(one, InputError) for _, one in broken.rows()] == [False, True, True]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.qrels", "q 0 d 1\n"),
        ("a.csv", "query,subtopic,document,grade\nq,1,d,1\n"),
        ("a.jsonl", '{"query": "q", "document": "d", "ratings": []}\n'),
        ("a.csv", "Query,Title,Grade,Note,query_id,document,judge,project\nq,t,,,q,d,ann,June\n"),
    ],
)
def test_formats_with_a_meaning_of_their_own_are_no_tables(name: str, content: str) -> None:
    assert opened(content, name) is None


def test_what_no_table_can_be() -> None:
    wide = ",".join(f"c{n}" for n in range(MOST_COLUMNS + 1))
    for content in (wide, f"{wide}\n" * 3, "query,query\nq,d\n"):
        with pytest.raises(InputError):
            opened(content, "a.csv")


def test_a_column_without_a_heading_has_no_role() -> None:
    # As pandas writes its index.
    sheet = read_sheet(io.BytesIO(b",query,document\n3,q,d\n"), format="csv")
    (row,) = sheet.rows
    assert (row.item.rank, row.final, row.ratings) == (None, None, ())


def test_an_uploaded_table_of_parquet_takes_no_more_than_its_limit() -> None:
    from relyon.io.plain_text import sent_source

    stream = io.BytesIO()
    frame = pl.DataFrame({"query": ["q"] * 300_000, "doc": ["d"] * 300_000})
    frame.write_parquet(stream)
    assert len(stream.getvalue()) < 50_000
    with pytest.raises(InputError, match="too large"):
        sent_source(stream.getvalue(), "a.parquet", 2**20)
    source = open_source(sent_source(stream.getvalue(), "a.parquet", 32 * 2**20))
    with pytest.raises(InputError, match="too large"):  # as rows they take more
        open_rows(source)
