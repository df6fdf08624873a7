"""Sheets are recognised by what they hold; what is damaged is refused in words."""

from __future__ import annotations

import dataclasses
import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.unit.sheets import FINALS, read

from relyon.core.errors import InputError, ParameterError, ParseError, UnknownNameError
from relyon.data.scale import SEARCH
from relyon.data.sheets import Row, Sheet
from relyon.io import read_sheet
from relyon.io.recognition import possible_formats
from relyon.io.sheet_tables import read_wide
from relyon.io.sheets import sheet_format, sheet_formats, write_sheet
from relyon.judging.records import Item, Rating


def test_the_ending_says_the_format(tmp_path: Path) -> None:
    path = tmp_path / "a.qrels"
    path.write_text("q 0 d 1\n", "utf-8")
    assert len(read_sheet(path).rows) == 1
    with pytest.raises(UnknownNameError, match="unknown format: `xls`"):
        read_sheet("a.csv", format="xls")
    with pytest.raises(InputError, match="no such file"):
        read_sheet(tmp_path / "none.qrels")
    path.write_bytes(b"q 0 d\xff 1\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_sheet(path)


@pytest.mark.parametrize("name", sheet_formats())
def test_what_is_written_is_recognised(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{sheet_format(name).suffix}"
    sheet = dataclasses.replace(FINALS, rows=FINALS.rows[5:])
    path.write_text(write_sheet(sheet, format=name)[0], "utf-8", newline="")
    if name == "quepid-book-csv":
        # Its columns of judges may as well be fields of items.
        with pytest.raises(ParameterError, match="could be one of csv, quepid-book-csv"):
            read_sheet(path)
        return
    assert read_sheet(path) == read_sheet(path, format=name)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("quepid_haystack/case_ratings.csv", "quepid-case"),
        ("quepid_haystack/judgements.csv", "csv"),
        ("ubi_chorus/esci_us_judgments.json", "opensearch"),
        ("ubi_opensearch_dashboards/judgment_before.json", "opensearch"),
    ],
)
def test_real_exports_are_recognised(file: str, name: str, test_data: Path) -> None:
    assert read_sheet(test_data / file) == read_sheet(test_data / file, format=name)


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("query,doc,tier,position,sessions,reason", ["csv"]),
        ("query,docid,rating", ["quepid-case"]),
        ("query,docid,rating,last_rater", ["quepid-case"]),
        ("query,docid,title,rating", ["csv"]),
        ("query,docid,judge,rating", ["csv"]),
        ("query,docid,grade", ["csv"]),
        ("query,docid,Ann,Bo", ["csv", "quepid-book-csv"]),
        ("查询,文档,等级", ["csv"]),
    ],
)
def test_headings_say_the_format(heading: str, names: list[str]) -> None:
    found = possible_formats(".csv", f"{heading}\n".encode(), "sheet")
    assert [one.name for one in found] == names


def test_what_stands_in_texts_does_not_mislead(tmp_path: Path) -> None:
    texts = '{"requests": [], "query_groups": [], "docId": 1}'
    sheet = Sheet((Row(Item("q", "d", title=texts, fields={"data": texts}), final=1.0),), "x")
    for name in ("quepid-book", "label-studio"):
        path = tmp_path / "a.json"
        path.write_text(write_sheet(sheet, format=name)[0], "utf-8")
        assert read_sheet(path).rows[0].item.title == texts


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("csv", "", "is empty"),
        ("csv", "query,doc\nq\n", "file:2: expected 2 columns, got 1"),
        ("csv", "query,doc,grade\nq,d,x\n", "file:2: the grade: the grade `x` is not a number"),
        ("csv", "query,doc,grade\nq,d,nan\n", "not a grade: `nan`"),
        ("csv", "query,doc,grade\n,d,1\n", "empty"),
        ("csv", "a,b\n1,2\n", "no columns for `query`, `document`"),
        ("csv", "query,query\n1,2\n", "columns 1 and 2 have the same heading"),
        ("csv", "query,doc,rank\nq,d,1.5\n", "not a whole number"),
        ("csv", "query,doc,judge,grade,seconds\nq,d,Ann,1,soon\n", "the time `soon`"),
        ("csv", "query,doc,judge,grade,seconds\nq,d,Ann,1,inf\n", "the time `inf`"),
        ("jsonl", '{"query": "q", "document": "d", "inclusion_probability": 1e999}', "inf"),
        ("csv", "query,doc,cannot\nq,d,1\n", "no judge"),
        ("csv", 'query,doc\n"q,d\n', "a quoted field does not end"),
        ("jsonl", "{\n", "file:1: not JSON"),
        ("jsonl", "[1]\n", "is not an object"),
        ("jsonl", '{"query": "q"}\n', "`document` is not an id: `None`"),
        ("jsonl", '{"query": "q", "document": "d", "grade": NaN}\n', "NaN is not a number"),
        ("jsonl", '{"query": "q", "document": "d", "title": 3}\n', "`title` is not a text"),
        ("jsonl", '{"query": "q", "document": "d", "rank": true}\n', "not a whole number"),
        ("jsonl", '{"query": "q", "document": "d", "ratings": {}}\n', "is not a list"),
        ("trec", "q d 1\n", "file:1: expected 4 columns"),
        ("trec", "q 0 d x\n", "file:1: the grade is not a number: `x`"),
        ("quepid-case", "a,b\n1,2\n", "Quepid's are query and docid"),
        ("quepid-case", "query,docid\nq,d\n", "no column `rating`"),
        ("quepid-case", "query,docid,rating\n,d,1\n", "file:2: the query is empty"),
        ("quepid-book-csv", "query,docid,\nq,d,1\n", "a column without a name"),
        ("quepid-book", "[]", "the book is not an object"),
        ("quepid-book", '{"query_doc_pairs": [{"query_text": "q"}]}', "`doc_id` is not an id"),
        ("rre", '{"query_groups": [{"queries": 3}]}', "`queries` is not a list"),
        (
            "rre",
            '{"queries": [{"placeholders": {"$query": "q"}, "relevant_documents": {"d": 3}}]}',
            "neither a list of documents nor a gain",
        ),
        ("elasticsearch", "{}", "`requests` is not a list"),
        (
            "elasticsearch",
            '{"requests": [{"id": "q", "ratings": [{"_id": "d", "rating": true}]}]}',
            "not a grade: `True`",
        ),
        ("opensearch", "{}", "list of ratings is not a list"),
        ("opensearch", '[{"query": "q", "ratings": [{"docId": ""}]}]', "`docId` is not an id"),
        ("ranklib", "1 2 3\n", "expected `label qid:N"),
        ("ranklib", "1 qid:1 a:b # d\n", "`a:b` is not a feature"),
        ("label-studio", "{}", "the file is not a list"),
        ("label-studio", '[{"data": {"query": "q"}}]', "`document` is not an id"),
        (
            "label-studio",
            '[{"data": {"query": "q", "document": "d"}, "annotations": [{"created_at": "x",'
            ' "completed_by": 1, "was_cancelled": true}]}]',
            "`x` is not a point in time",
        ),
        ("opensearch", "[" * 100_000, "not JSON"),
        ("csv", ",".join(f"c{n}" for n in range(10_002)), "file:1: there are more than 10,000"),
    ],
)  # fmt: skip
def test_bad_files(name: str, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(name, text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "headings"), [("csv", "query,doc,grade"), ("quepid-case", "query,docid,rating")]
)
def test_no_field_is_too_long(name: str, headings: str) -> None:
    sheet = read(name, f"{headings}\nq,{'d' * 200_000},1\n")
    assert len(sheet.rows[0].item.document) == 200_000


def test_wide_tables_name_their_columns() -> None:
    with pytest.raises(InputError, match="no column `Cy`"):
        read_wide("query,doc,Ann\nq,d,3\n", ["Cy"])
    with pytest.raises(InputError, match=r":2: the grade of Ann"):
        read_wide("query,doc,Ann\nq,d,x\n", ["Ann"])


def test_a_time_without_a_date_is_refused() -> None:
    sheet = Sheet((Row(Item("q", "d"), (Rating("Ann", 1.0, at=1e300),)),))
    with pytest.raises(InputError, match="is not a date"):
        write_sheet(sheet, format="label-studio")


def test_names_of_grades_need_a_scale() -> None:
    assert read("csv", "query,doc,grade\nq,d,高\n", SEARCH).rows[0].final == 3
    with pytest.raises(ParseError, match="not a number"):
        read("csv", "query,doc,grade\nq,d,高\n")


def _shape(name: str) -> str:
    """A file of the format, with whatever it holds."""
    rows = tuple(
        Row(
            Item(f"q{n}", f"d{n}", "red shoes", n, fields={"1": 0.5, "_index": "shop"}),
            (Rating("Ann", 2.0, seconds=1.5, at=5.0),),
            2.0,
        )
        for n in (1, 2)
    )
    return write_sheet(Sheet(rows, "June", SEARCH), format=name)[0]


@given(st.sampled_from(sheet_formats()), st.data())
def test_damaged_files_are_refused_in_words(name: str, data: st.DataObject) -> None:
    """Whatever a file holds, it is read or refused: no other error comes out."""
    text = _shape(name)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        piece = data.draw(
            st.sampled_from(
                ["", "null", "true", "-1", "1e999", "[]", "{}", '""', "'", "\n", "\r", "\0", ",",
                 "NaN", "9" * 400, "\ud800", ":", '"', "#", "qid:", "é", " "]
            )
        )  # fmt: skip
        text = text[:start] + piece + text[end:]
    for scale in (None, SEARCH):
        with suppress(InputError):
            sheet = read(name, text, scale)
            assert all(row.item.query and row.item.document for row in sheet.rows)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@given(
    st.sampled_from(["quepid-book", "rre", "elasticsearch", "opensearch", "label-studio", "jsonl"]),
    st.data(),
)
def test_members_of_other_kinds_are_refused_in_words(name: str, data: st.DataObject) -> None:
    """One member of a valid document holds something else."""
    text = _shape(name)
    content = json.loads(text.split("\n")[0] if name == "jsonl" else text)
    places = []

    def walk(value) -> None:
        for key in value.keys() if isinstance(value, dict) else range(len(value)):
            places.append((value, key))
            if isinstance(value[key], dict | list):
                walk(value[key])

    walk(content)
    holder, key = data.draw(st.sampled_from(places))
    holder[key] = data.draw(JSON)
    with suppress(InputError):
        read(name, json.dumps(content), SEARCH)
