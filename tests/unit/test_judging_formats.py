"""Grades from and for other programs: nothing is lost, or it is said what is."""

from __future__ import annotations

import csv
import dataclasses
import json
import re
from collections import Counter
from contextlib import suppress
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

from relkit.core.errors import InputError, ParameterError, ParseError, UnknownNameError
from relkit.data.scale import INTEGERS, SEARCH
from relkit.data.sheets import Row, Sheet
from relkit.io import read_sheet
from relkit.io.formats.label_studio import labelling_config
from relkit.io.plain_text import sent_source
from relkit.io.recognition import possible_formats
from relkit.io.sheet_tables import read_wide
from relkit.io.sheet_values import shown_query
from relkit.io.sheets import PARTS, sheet_format, sheet_formats, write_sheet
from relkit.judging.descriptions import add_query_texts, describe_documents
from relkit.judging.records import Item, Rating

FULL = Sheet(
    (
        Row(
            Item(
                "q1", "=d1", "red 鞋 \"shoes\"", 3, "A <b>title</b>, with commas", "two\nlines\r\n",
                "https://shop.example/?a=1&b=2", "i.png", {"price": 3.5, "tags": ["a", None]},
                "tail", "s-1", 0.25,
            ),
            (
                Rating("Ann", 3.0, "", "+fine", 2.5, 1700000000.25),
                Rating("@bo", None, "no picture", "", None, None),
            ),
            2.0,
        ),
        Row(Item("-q2", "'d2"), (Rating("Ann", 0.0),)),
        Row(Item("q3", "d3", title="nobody graded it")),
        Row(Item("q3", "d4"), final=1.0, final_source="llm:small"),
    ),
    "June, 2026",
    SEARCH,
)  # fmt: skip

#: Lists of final grades, as programs without judges hold them.
FINALS = Sheet(
    tuple(
        Row(Item(query, f"d{n}"), final=float(n % 4))
        for query in ("red shoes", "笔记本电脑", "q3")
        for n in range(5)
    ),
    "June",
)


def back(sheet: Sheet, name: str, tmp_path: Path, scale=None) -> Sheet:
    """Writes a sheet and reads it again."""
    path = tmp_path / f"sheet{sheet_format(name).suffix}"
    path.write_text(write_sheet(sheet, format=name)[0], "utf-8", newline="")
    return read_sheet(path, format=name, scale=scale)


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
    """Queries and documents of any text, as `relkit judge import` gets them back."""
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


# -- real exports ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["csv", "jsonl", "quepid-book"])
def test_a_real_quepid_book(name: str, test_data: Path, tmp_path: Path) -> None:
    sheet = read_sheet(test_data / "quepid_haystack" / "judgements.csv", format="csv")
    ratings = [rating for row in sheet.rows for rating in row.ratings]
    assert len(ratings) == 1942
    assert Counter(rating.grade for rating in ratings) == {0: 775, 3: 563, 1: 367, 2: 215, None: 22}
    graded = [[one for one in row.ratings if one.grade is not None] for row in sheet.rows]
    assert sum(len(found) == 2 for found in graded) == 562
    found = back(sheet, name, tmp_path)
    for before, after in zip(sheet.rows, found.rows, strict=True):
        assert (after.item, len(after.ratings)) == (before.item, len(before.ratings))
        assert {(one.judge, one.grade) for one in after.ratings} == {
            (one.judge, one.grade) for one in before.ratings
        }
    if name != "quepid-book":
        assert found == sheet


def test_a_real_quepid_book_as_its_csv(test_data: Path, tmp_path: Path) -> None:
    sheet = read_sheet(test_data / "quepid_haystack" / "judgements.csv", format="csv")
    notes = {note.kind: note.count for note in write_sheet(sheet, format="quepid-book-csv")[1]}
    assert notes["not-exported-cannot"] == 22
    found = back(sheet, "quepid-book-csv", tmp_path)
    grades = {
        (row.item.query, row.item.document, one.judge): one.grade
        for row in sheet.rows
        for one in row.ratings
        if one.grade is not None
    }
    assert grades == {
        (row.item.query, row.item.document, one.judge): one.grade
        for row in found.rows
        for one in row.ratings
    }
    assert len(found.rows) == len(sheet.rows)


def test_a_real_quepid_case(test_data: Path, tmp_path: Path) -> None:
    sheet = read_sheet(test_data / "quepid_haystack" / "case_ratings.csv", format="quepid-case")
    assert len(sheet.rows) > 1000
    assert sheet.rows[0] == Row(
        Item("120v power supply", "3488015", fields={"last_rater": "rater08"}), final=0.0
    )
    found = back(sheet, "quepid-case", tmp_path)
    assert [(row.item.query, row.item.document, row.final) for row in found.rows] == [
        (row.item.query, row.item.document, row.final)
        for row in sheet.rows
        if row.final is not None
    ]


@pytest.mark.parametrize(
    ("file", "queries", "ratings"),
    [
        ("ubi_chorus/esci_us_judgments.json", 150, 6678),
        ("ubi_chorus/art_judgments.json", 27, 1080),
        ("ubi_opensearch_dashboards/judgment_before.json", None, None),
        ("ubi_opensearch_dashboards/judgment_after.json", None, None),
    ],
)
def test_real_opensearch_lists(
    file: str, queries: int | None, ratings: int | None, test_data: Path, tmp_path: Path
) -> None:
    path = test_data / file
    sheet = read_sheet(path, format="opensearch")
    content = json.loads(path.read_text("utf-8"))
    entries = content["judgmentRatings"] if isinstance(content, dict) else content
    if queries is not None:
        assert len({row.item.query for row in sheet.rows}) == queries
        assert len(sheet.rows) == ratings
    text, _ = write_sheet(sheet, format="opensearch")
    written = json.loads(text)
    assert written["judgmentRatings"] == entries
    if isinstance(content, dict):
        assert (written["name"], written["type"]) == (content["name"], content["type"])


@pytest.mark.parametrize("name", ["csv", "jsonl", "quepid-book-csv", "label-studio"])
def test_three_real_raters(name: str, test_data: Path, tmp_path: Path) -> None:
    path = test_data / "chorus_3raters" / "Broad_Query_Set_individual_ratings.csv"
    judges = [f"agent_{n}_rating" for n in (1, 2, 3)]
    sheet = read_wide(path.read_text("utf-8"), judges, final="final_rating", path=str(path))
    assert len(sheet.rows) == 3188
    assert Counter(row.final for row in sheet.rows) == {0: 1471, 1: 198, 2: 93, 3: 1426}
    assert sheet.rows[0].item.fields["name"] == "Portable Bluetooth Speaker MBS-100"
    found = back(sheet, name, tmp_path)
    if name == "quepid-book-csv":
        bare = [(row.item.query, row.item.document, row.ratings) for row in sheet.rows]
        assert [(row.item.query, row.item.document, row.ratings) for row in found.rows] == bare
    else:
        assert found == sheet


# -- what other programs write -----------------------------------------------------------------


def read(name: str, text: str, scale=None) -> Sheet:
    sent = sent_source(text.encode("utf-8", "surrogatepass"), "file", 1 << 30)
    return read_sheet(sent, format=name, scale=scale)


def test_rre_in_both_ways_and_nested() -> None:
    content = {
        "topics": [
            {
                "description": "shoes",
                "query_groups": [
                    {
                        "name": "red shoes",
                        "queries": [
                            {"template": "t", "placeholders": {"$query": "red shoe"}},
                            {"template": "t", "placeholders": {"$query": "shoes red"}},
                        ],
                        "relevant_documents": {"3": ["a", "b"], "1": ["c"]},
                    }
                ],
            }
        ],
        "queries": [
            {"placeholders": {"$query": "boots"}, "relevant_documents": {"d": {"gain": 2}}}
        ],
    }
    found = read("rre", json.dumps(content))
    assert [(row.item.query, row.item.document, row.final) for row in found.rows] == [
        ("red shoe", "a", 3), ("red shoe", "b", 3), ("red shoe", "c", 1),
        ("shoes red", "a", 3), ("shoes red", "b", 3), ("shoes red", "c", 1),
        ("boots", "d", 2),
    ]  # fmt: skip


def test_rank_eval_with_templates() -> None:
    content = {
        "templates": [{"id": "t", "template": {"inline": {}}}],
        "requests": [
            {
                "id": "q1",
                "template_id": "t",
                "params": {"query_string": "amsterdam"},
                "ratings": [{"_index": "shop", "_id": "d1", "rating": 3}],
            }
        ],
    }
    found = read("elasticsearch", json.dumps(content))
    assert found.rows == (Row(Item("q1", "d1", "amsterdam", fields={"_index": "shop"}), final=3.0),)
    text, notes = write_sheet(found, format="elasticsearch")
    again = json.loads(text)
    assert notes == ()
    assert again["requests"][0]["ratings"] == [{"_index": "shop", "_id": "d1", "rating": 3}]
    with pytest.raises(InputError, match=r"takes no rating of 0\.5"):
        write_sheet(Sheet((Row(Item("q", "d"), final=0.5),)), format="elasticsearch")


def test_ranklib_features(tmp_path: Path) -> None:
    found = read("ranklib", "3 qid:1 1:0.5 2:-4 # d1 red shoes\n0 qid:2 # d2\n# a remark\n")
    assert found.rows == (
        Row(Item("1", "d1", "red shoes", fields={"1": 0.5, "2": -4.0}), final=3.0),
        Row(Item("2", "d2"), final=0.0),
    )
    text, notes = write_sheet(found, format="ranklib")
    assert text == "3 qid:1 1:0.5 2:-4 # d1 red shoes\n0 qid:2 # d2\n"
    assert notes == ()
    assert read("ranklib", text) == found


def test_a_quepid_book_with_what_was_put_off() -> None:
    book = {
        "name": "B",
        "query_doc_pairs": [
            {
                "query_text": "q",
                "doc_id": 7,
                "position": None,
                "document_fields": '{"title": "T", "thumb": "p.png"}',
                "judgements": [
                    {"rating": 2.0, "user_email": "a@example.org", "explanation": None},
                    {"rating": None, "judge_later": True, "user_email": "b@example.org"},
                    {"rating": None, "unrateable": True, "explanation": "gone"},
                ],
            }
        ],
    }
    (row,) = read("quepid-book", json.dumps(book)).rows
    assert (row.item.document, row.item.title, row.item.image) == ("7", "T", "p.png")
    assert row.ratings == (Rating("a@example.org", 2.0), Rating("unknown", None, note="gone"))


def test_a_quepid_case_with_a_query_without_ratings() -> None:
    found = read("quepid-case", "query,docid,rating\nshoes,d1,3\nboots\n")
    assert [row.item.query for row in found.rows] == ["shoes"]


def test_label_studio_from_its_own_interface() -> None:
    task = {
        "id": 9,
        "data": {"query": "q", "document": "d", "title": "T"},
        "annotations": [
            {
                "completed_by": 5,
                "lead_time": 3.5,
                "created_at": "2026-06-01T12:00:00.000000Z",
                "result": [{"from_name": "grade", "type": "choices", "value": {"choices": ["高"]}}],
            },
            {"completed_by": {"email": "b@example.org"}, "was_cancelled": True, "result": []},
        ],
    }
    (row,) = read("label-studio", json.dumps([task]), SEARCH).rows
    assert row.ratings == (
        Rating("5", 3.0, seconds=3.5, at=1780315200.0),
        Rating("b@example.org", None),
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_labelling_interface_is_that_of_the_tasks(language: str) -> None:
    view = ElementTree.fromstring(labelling_config(SEARCH, language=language))
    choices = view.find("Choices")
    assert choices is not None
    assert [choice.get("alias") for choice in choices] == ["high", "middle", "low", "none"]
    assert [choice.get("hotkey") for choice in choices] == ["1", "2", "3", "4"]
    tasks = json.loads(write_sheet(FULL, format="label-studio")[0])
    shown = {one.get("value", "")[1:] for one in view if one.get("value", "").startswith("$")}
    assert all(shown <= task["data"].keys() for task in tasks)
    names = {one.get("name") for one in view}
    assert {result["from_name"] for task in tasks for said in task["annotations"]
            for result in said["result"]} - {"reason"} <= names  # fmt: skip
    assert ElementTree.fromstring(labelling_config(INTEGERS)).find("Number") is not None


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
        ("csv", "a,b\n1,2\n", "no column for the query"),
        ("csv", "query,query\n1,2\n", "two columns have the same name"),
        ("csv", "query,doc,rank\nq,d,1.5\n", "not a whole number"),
        ("csv", "query,doc,judge,grade,seconds\nq,d,Ann,1,soon\n", "the time `soon`"),
        ("csv", "query,doc,judge,grade,seconds\nq,d,Ann,1,inf\n", "the time `inf`"),
        ("jsonl", '{"query": "q", "document": "d", "inclusion_probability": 1e999}', "inf"),
        ("csv", "query,doc,cannot\nq,d,1\n", "no judge"),
        ("csv", 'query,doc\n"q,d\n', "a quoted field does not end"),
        ("jsonl", "{\n", "file:1: not JSON"),
        ("jsonl", "[1]\n", "is not an object"),
        ("jsonl", '{"query": "q"}\n', "`document` is no id: `None`"),
        ("jsonl", '{"query": "q", "document": "d", "grade": NaN}\n', "NaN is no number"),
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
        ("quepid-book", '{"query_doc_pairs": [{"query_text": "q"}]}', "`doc_id` is no id"),
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
        ("opensearch", '[{"query": "q", "ratings": [{"docId": ""}]}]', "`docId` is no id"),
        ("ranklib", "1 2 3\n", "expected `label qid:N"),
        ("ranklib", "1 qid:1 a:b # d\n", "`a:b` is no feature"),
        ("label-studio", "{}", "the file is not a list"),
        ("label-studio", '[{"data": {"query": "q"}}]', "`document` is no id"),
        (
            "label-studio",
            '[{"data": {"query": "q", "document": "d"}, "annotations": [{"created_at": "x",'
            ' "completed_by": 1, "was_cancelled": true}]}]',
            "`x` is no point in time",
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
    with pytest.raises(InputError, match="is no date"):
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
