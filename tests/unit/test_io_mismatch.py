"""Ids that do not meet."""

from __future__ import annotations

import polars as pl
import pytest

import relyon
from relyon.core.errors import InputError
from relyon.io import explain_mismatch


@pytest.mark.parametrize(
    ("judged", "retrieved", "reason"),
    [
        (["007", "008"], ["7", "8"], "leading zeros"),
        (["q07", "q08"], ["q7", "q8"], "leading zeros"),
        (["7", "8"], ["7.0", "8.0"], "how numbers are written"),
        (["MB1", "MB2"], ["mb1", "mb2"], "letter case"),
        (["q1", "q2"], [" q1", "q2\ufeff"], "white space around them"),
        (["q1", "q2"], ['"q1"', '"q2"'], "quotation marks"),
        (["q1", "q2"], ["b'q1'", "b'q2'"], "quotation marks"),
        (["caf\u00e9", "na\u00efve"], ["cafe\u0301", "nai\u0308ve"], "their Unicode form"),
        (["7", "8"], ["７", "８"], "their Unicode form"),
        (["7", "8"], ["q7", "q8"], "the prefix `q`"),
        (["topic-7", "topic-8"], ["7", "8"], "the prefix `topic-`"),
        (["topic-7", "topic-8"], ["q7", "q8"], "`q` in the run, `topic-` in the judgments"),
        (["Q007", "Q008"], ["q7", "q8"], "letter case and leading zeros"),
    ],
)
def test_the_difference_is_named(judged: list[str], retrieved: list[str], reason: str) -> None:
    note = explain_mismatch(judged, retrieved)
    assert note is not None
    assert (note.kind, note.level, note.count) == ("id-mismatch", "warning", 2)
    assert reason in note.message
    assert f"`{retrieved[0]}` in the run, `{judged[0]}` in the judgments" in str(note)


def test_ids_that_match_need_no_explanation() -> None:
    assert explain_mismatch(["1", "2"], ["1", "2", "3", "004"]) is None
    assert explain_mismatch(["1", "2", "03"], ["1"]) is None
    assert explain_mismatch(["1", "2"], ["1", "02"]) is None
    assert explain_mismatch([], ["1"]) is None
    assert explain_mismatch(["1"], []) is None


def test_a_few_that_match_by_chance() -> None:
    judged = [f"{number:03}" for number in range(100, 110)] + [f"{n:03}" for n in range(50)]
    retrieved = [str(number) for number in range(110)]
    note = explain_mismatch(judged, retrieved)
    assert note is not None
    assert note.message.startswith("only 10 query ids of the run match the judgments")
    assert note.count == 50
    assert explain_mismatch(["1", "a", "b", "c"], ["1", "x", "y", "z"]) is None


def test_ids_with_nothing_in_common() -> None:
    note = explain_mismatch(["q1"], ["other"], what="document")
    assert note is not None
    assert "no document id of the run matches the judgments: the run has `other`" in note.message
    assert "the judgments have `q1`" in note.message


def featured(documents: list[str], queries: list[str] | None = None) -> pl.DataFrame:
    found = queries or ["q"] * len(documents)
    return pl.DataFrame({"query": found, "document": documents, "f": 0.5})


def judged(documents: list[str], queries: list[str] | None = None) -> pl.DataFrame:
    return featured(documents, queries).drop("f").with_columns(grade=1)


def test_unjudged_rows_whose_ids_are_spelled_otherwise() -> None:
    names = ["007", "008", "101", "102", "103"]
    numbers = ["7", "8", "101", "102", "103"]
    rows = relyon.read_features(featured(numbers), judgments=judged(names))
    note = next(note for note in rows.notes if note.kind == "id-mismatch")
    assert (note.level, note.count) == ("warning", 2)
    assert "only" not in str(note)
    assert "leading zeros (`7` in the rows, `007` in the judgments)" in str(note)
    assert "前导零" in note.text("zh")
    with pytest.raises(InputError, match=r"leading zeros \(`7` in the rows, `007`"):
        relyon.read_features(featured(numbers[:2]), judgments=judged(names[:2]))
    lower = relyon.read_features(
        featured(["a"] * 3, ["q1", "tv", "pc"]), judgments=judged(["a"] * 3, ["q1", "TV", "PC"])
    )
    note = next(note for note in lower.notes if note.kind == "id-mismatch")
    assert str(note).startswith("query ids of unjudged rows")


@pytest.mark.parametrize("others", [["x9", "x10"], ["a1", "a2"], []])
def test_unjudged_rows_of_other_documents_are_no_mismatch(others: list[str]) -> None:
    rows = relyon.read_features(
        featured(["b1", "b2", "b3", "c"]), judgments=judged(["b3", "c", *others])
    )
    assert {note.kind for note in rows.notes} >= {"rows-unjudged"}
    assert not any(note.kind == "id-mismatch" for note in rows.notes)
