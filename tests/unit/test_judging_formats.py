"""Grades from and for other programs: nothing is lost, or it is said what is."""

from __future__ import annotations

import csv
import dataclasses
import re
from io import StringIO
from pathlib import Path

import pytest
from tests.unit.sheets import FINALS, FULL, back

from relyon.core.errors import InputError
from relyon.data.scale import SEARCH
from relyon.data.sheets import ITEM_TEXTS, Row, Sheet, described
from relyon.io import read_sheet
from relyon.io.json_members import shown_query
from relyon.io.sheets import PARTS, sheet_format, sheet_formats, write_sheet
from relyon.judging.descriptions import add_query_texts, describe_documents
from relyon.judging.records import Item, Rating


@pytest.mark.parametrize("name", ["csv", "jsonl", "label-studio"])
def test_what_holds_everything_loses_nothing(name: str, tmp_path: Path) -> None:
    found = back(FULL, name, tmp_path, SEARCH)
    assert found.rows == FULL.rows
    notes = write_sheet(FULL, format=name)[1]
    assert [note.kind for note in notes] == ["not-exported-name"]


def test_a_book_keeps_its_parts(tmp_path: Path) -> None:
    rows = (
        Row(
            Item("shoes", "d1", rank=1, title="Red", url="u", image="i", fields={"price": 3}),
            (Rating("Ann", 3.0, note="fine"), Rating("Bo", None)),
        ),
        Row(Item("shoes", "d2"), (Rating("Bo", 0.5),)),
        Row(Item("boots", "d1")),
    )
    book = Sheet(rows, "June")
    assert write_sheet(book, format="quepid-book")[1] == ()
    assert back(book, "quepid-book", tmp_path) == book


@pytest.mark.parametrize("name", ["quepid-case", "rre", "elasticsearch", "opensearch", "ranklib"])
def test_final_grades_come_back(name: str, tmp_path: Path) -> None:
    found = back(FINALS, name, tmp_path)
    # The text of a query may come back beside an id.
    grades = {(shown_query(row.item), row.item.document): row.final for row in found.rows}
    assert grades == {(row.item.query, row.item.document): row.final for row in FINALS.rows}
    assert {note.level for note in write_sheet(FINALS, format=name)[1]} <= {"info"}


def test_final_grades_in_qrels(tmp_path: Path) -> None:
    sheet = Sheet(tuple(Row(Item(f"q{n}", f"d{n}"), final=n / 2) for n in range(4)))
    assert back(sheet, "trec", tmp_path) == sheet
    texts = Sheet(tuple(Row(Item(f"q{n}", "d", f"text {n}"), final=1.0) for n in range(3)))
    for name in ("trec", "ranklib"):
        assert sheet_format(name).tables(texts) == {}
        assert [*sheet_format(name).tables(texts, made=["queries"])] == ["queries"]


@pytest.mark.parametrize("name", ["trec", "ranklib"])
def test_what_no_word_can_be_gets_an_id_and_stands_in_a_table(name: str, tmp_path: Path) -> None:
    """Queries and documents of any text, as `relyon judge import` gets them back."""
    queries = ["red running shoes", "q2", "", "#1", "笔记本 电脑", " a\tb\n=1+1", "plain"]
    rows = [
        Row(Item(query, document), final=2.0) if query else Row(Item("no grade", "d1"))
        for query in queries
        for document in ("d1", "a document", "d\u3000 2")
    ]
    rows.append(Row(Item("id7", "d1", "grey shoes"), final=1.0))
    sheet = Sheet(tuple(rows))
    one = sheet_format(name)
    tables = one.tables(sheet)
    assert tables == one.tables(sheet)
    for table, text in tables.items():
        (tmp_path / f"{table}.tsv").write_text(text, "utf-8", newline="")
    found = back(sheet, name, tmp_path)
    found, unknown = add_query_texts(found, tmp_path / "queries.tsv")
    assert unknown == 0
    found, unknown = describe_documents(found, tmp_path / "documents.tsv")
    assert unknown == 0
    graded = {
        (row.item.query, row.item.document, row.item.query_text, row.final)
        for row in rows
        if row.final is not None
    }
    assert {
        (row.item.query, row.item.document, row.item.query_text, row.final) for row in found.rows
    } == graded
    assert all(row.item.fields == {} for row in found.rows)


def test_ids_of_queries_stay_when_more_is_graded() -> None:
    items = [Item(f"query {n}", "d") for n in range(4)]
    first = Sheet(tuple(Row(one, final=1.0 if n == 2 else None) for n, one in enumerate(items)))
    every = Sheet(tuple(Row(one, final=1.0) for one in items))
    text = write_sheet(first, format="trec")[0]
    assert text == "q3 0 d 1\n"
    assert text in write_sheet(every, format="trec")[0]
    assert sheet_format("trec").tables(first) == {
        "queries": "id\ttext\toriginal\nq3\tquery 2\tquery 2\n"
    }


@pytest.mark.parametrize("name", ["rre", "elasticsearch"])
def test_ids_and_texts_of_queries_come_back(name: str, tmp_path: Path) -> None:
    sheet = Sheet((Row(Item("q1", "d1", "red shoes"), final=3.0),))
    assert write_sheet(sheet, format=name)[1] == ()
    item = back(sheet, name, tmp_path).rows[0].item
    assert (item.query, item.query_text, item.document) == ("q1", "red shoes", "d1")


@pytest.mark.parametrize("name", sheet_formats())
def test_what_is_lost_is_said(name: str, tmp_path: Path) -> None:
    """What comes back differs from what was written only in parts that a note names."""
    one = sheet_format(name)
    safe = tuple(
        dataclasses.replace(
            row,
            item=dataclasses.replace(row.item, query=row.item.query.strip("-"), document=f"d{n}",
                                     query_text=row.item.query_text and "red shoes"),
        )
        for n, row in enumerate(FULL.rows)
    )  # fmt: skip
    sheet = dataclasses.replace(FULL, rows=safe)
    lost = {note.kind.removeprefix("not-exported-").replace("-", "_") for note in one.losses(sheet)}
    assert lost == {part for part in PARTS if part not in one.keeps}
    found = {row.item.document: row for row in back(sheet, name, tmp_path, SEARCH).rows}
    for row in sheet.rows:
        if row.item.document not in found:
            assert {"ungraded", "ratings"} & lost
            continue
        item = found[row.item.document].item
        for part in ("rank", "title", "snippet", "tier", "session", "inclusion_probability"):
            if part not in lost:
                assert getattr(item, part) == getattr(row.item, part), part
        if "ratings" not in lost:
            said = {
                rating.judge: rating.grade
                for rating in row.ratings
                if rating.grade is not None or "cannot" not in lost
            }
            assert said == {
                rating.judge: rating.grade for rating in found[row.item.document].ratings
            }
        for part in {"final", "final_source"} - lost:
            assert getattr(found[row.item.document], part) == getattr(row, part), part


#: What a spreadsheet takes for the start of a formula.
DANGEROUS = tuple("=+-@\t\r\n＝＋－＠")


@pytest.mark.parametrize(
    "sign", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "ok\r=", "ok\n+", "a;@"]
)
def test_exported_csv_starts_no_formula(sign: str, tmp_path: Path) -> None:
    attack = f'{sign}HYPERLINK("http://evil.example","click")'
    item = Item(attack, attack, title=attack, fields={attack: attack})
    sheet = Sheet((Row(item, (Rating(attack, None, attack, attack),)),))
    text, _ = write_sheet(sheet, format="csv")
    for row in csv.reader(StringIO(text, newline=""), strict=True):
        pieces = [piece for cell in row for piece in re.split("[\r\n;\t]", cell)]
        assert not [one for one in [*row, *pieces] if one.startswith(DANGEROUS)]
    assert back(sheet, "csv", tmp_path) == sheet
    assert write_sheet(back(sheet, "csv", tmp_path), format="csv")[0] == text
    for name in ("quepid-case", "quepid-book-csv"):
        if sign in "=+-@":
            final = Sheet((Row(Item(attack, attack), (Rating("Ann", 1.0),), 1.0),))
            text, _ = write_sheet(final, format=name)
            for row in csv.reader(StringIO(text, newline="")):
                assert not [cell for cell in row if cell.startswith(tuple("=+-@"))]
            assert back(final, name, tmp_path).rows[0].item == final.rows[0].item


def test_negative_grades_stay_numbers(tmp_path: Path) -> None:
    sheet = Sheet((Row(Item("q", "d"), (Rating("Ann", -2.0),), -1.5),))
    text, _ = write_sheet(sheet, format="csv")
    assert ",-2," in text
    assert back(sheet, "csv", tmp_path) == sheet


# -- sheets ------------------------------------------------------------------------------------


def test_final_grades_are_made_of_ratings() -> None:
    sheet = Sheet((Row(Item("q", "d"), (Rating("a", 3.0), Rating("b", 1.0), Rating("c", 3.0))),))
    assert sheet.finals().rows[0].final == 3.0
    assert sheet.finals("mean_gain").rows[0].final == pytest.approx(7 / 3)
    assert FULL.finals().rows[1].final == 0.0
    assert FULL.finals().rows[2].final is None


def test_contradictions_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("query,doc,judge,grade\nq,d,Ann,1\nq,d,Ann,2\n", "utf-8")
    with pytest.raises(InputError, match="`Ann` grades it twice"):
        read_sheet(path, format="csv")
    path.write_text("query,doc,grade\nq,d,1\nq,d,2\n", "utf-8")
    with pytest.raises(InputError, match="final grades 1 and 2"):
        read_sheet(path, format="csv")
    path.write_text("query,doc,grade\nq,d,1\nq,d,1\n", "utf-8")
    assert len(read_sheet(path, format="csv").rows) == 1


def test_an_item_has_every_text_that_is_given() -> None:
    texts = {name: f"the {name}" for name in ITEM_TEXTS}
    item = described("q", "d", texts, fields={})
    assert {name: getattr(item, name) for name in ITEM_TEXTS} == texts
