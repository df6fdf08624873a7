"""Grades that other programs wrote: real exports, and everything that each may contain."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.unit.sheets import FULL, back, read

from relyon.core.errors import InputError
from relyon.data.scale import INTEGERS, SEARCH
from relyon.data.sheets import Row, Sheet
from relyon.io import read_sheet
from relyon.io.formats.label_studio import labelling_config
from relyon.io.sheet_tables import read_wide
from relyon.io.sheets import write_sheet
from relyon.judging.records import Item, Rating

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


@pytest.mark.long
@pytest.mark.parametrize("name", ["csv", "jsonl", "quepid-book-csv", "label-studio"])
def test_three_real_raters(name: str, test_data: Path, tmp_path: Path) -> None:
    path = test_data / "chorus_3raters" / "Broad_Query_Set_individual_ratings.csv"
    judges = [f"agent_{n}_rating" for n in (1, 2, 3)]
    sheet = read_wide(path.read_text("utf-8"), judges, final="final_rating", path=str(path))
    assert len(sheet.rows) == 3188
    assert Counter(row.final for row in sheet.rows) == {0: 1471, 1: 198, 2: 93, 3: 1426}
    assert sheet.rows[0].item.title == "Portable Bluetooth Speaker MBS-100"
    found = back(sheet, name, tmp_path)
    if name == "quepid-book-csv":
        bare = [(row.item.query, row.item.document, row.ratings) for row in sheet.rows]
        assert [(row.item.query, row.item.document, row.ratings) for row in found.rows] == bare
    else:
        assert found == sheet


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
    with pytest.raises(InputError, match=r"does not accept the rating 0\.5"):
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
