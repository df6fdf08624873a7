"""Ids that do not meet."""

from __future__ import annotations

import pytest

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
