"""Worked results and further lists of questions for a number, of every lesson."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from relyon.core.errors import InputError
from relyon.core.texts import LANGUAGES, Language
from relyon.learn import course
from relyon.learn.blocks import Quiz, Wrong
from relyon.learn.lesson import numbers
from relyon.learn.pages.fresh import fresh_questions
from relyon.learn.pages.worked import is_worked, worked_lines
from relyon.learn.quantities import matches, quantity

ASKED = [
    pytest.param(language, block, id=f"{language}-{lesson.name}-{block.id}")
    for language in LANGUAGES
    for lesson in course(language)
    for block in lesson.blocks
    if isinstance(block, Quiz) and block.form == "number"
]


def number(answer: str, **more: object) -> Quiz:
    base = Quiz("x", "Ask.", "number", (), answer, 0.005, (), (), "Reply.", "No.")
    return replace(base, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("language", "block"), ASKED)
def test_every_number_is_worked_out(language: Language, block: Quiz) -> None:
    lines = worked_lines(block, language)
    assert lines
    if not block.worked:
        shown = [float(one) for one in re.findall(r"\d+(?:\.\d+)?", lines[-1])]
        assert any(abs(one - abs(quantity(block.answer))) < 6e-4 for one in shown)


@pytest.mark.parametrize(("language", "block"), ASKED)
def test_further_lists_are_clear_and_their_numbers_right(language: Language, block: Quiz) -> None:
    found = fresh_questions(block)
    assert len(found) == block.fresh
    assert len({block.grades, *(one.grades for one in found)}) == block.fresh + 1
    for one in found:
        answer = quantity(one.answer)
        assert math.isfinite(answer)
        assert all(abs(quantity(wrong.value) - answer) > one.tolerance for wrong in one.wrong)
        assert one.grades.count(",") == block.grades.count(",")
        assert worked_lines(one, language)
        for text in one.texts():
            assert "$list" not in text
            for shown in numbers(text):
                assert matches(shown.written, quantity(shown.expression))


def test_the_last_operation_is_shown_even_where_it_repeats_one() -> None:
    lines = worked_lines(number("(2+4/2)/(4/2)"), "en")
    assert lines == ["4 / 2 = 2", "2 + 2 = 4", "4 / 2 = 2"]


def test_arithmetic_is_shown_operation_by_operation() -> None:
    assert worked_lines(number("3+2/log2(3)-1/2"), "en") == [
        "log2(3) ≈ 1.585",
        "2 / 1.585 ≈ 1.262",
        "1 / 2 = 0.5",
        "3 + 1.262 − 0.5 ≈ 3.762",
    ]
    assert worked_lines(number("2^3-(1-3)"), "en") == ["2 ^ 3 = 8", "1 − 3 = −2", "8 − (−2) = 10"]
    lines = worked_lines(number("{dcg:2,3}-{dcg:3,2}"), "en")
    assert lines[0] == "dcg [2, 3] = 3.893:"
    assert lines[-1] == "3.893 − 4.262 ≈ −0.369"


def test_what_relyon_cannot_show_needs_words() -> None:
    assert not is_worked(number("#exam/judged"))
    assert not is_worked(number("2*{#exam/judged}"))
    assert not is_worked(number("5"))
    assert not is_worked(number("dcg:1,0&0,1"))
    assert is_worked(number("#exam/judged", worked="Look."))
    assert worked_lines(number("5", worked="One.\n\n**Two** [2](=1+1)."), "en") == [
        "One.",
        "Two 2.",
    ]


def asked(answer: str, grades: str, fresh: int, *wrong: str) -> Quiz:
    found = number(
        answer, fresh=fresh, grades=grades, wrong=tuple(Wrong(one, one) for one in wrong)
    )
    return replace(found.of(grades), template=found)


def test_lists_keep_ties_and_what_was_not_returned() -> None:
    for one in fresh_questions(asked("ndcg:$list", "2=0,3/1", 4)):
        assert re.fullmatch(r"[0-3]=[0-3],[0-3]/[0-3]", one.grades)
    for one in fresh_questions(asked("dcg:$list", "0.5,1,0.25", 4)):
        assert set(one.grades.split(",")) <= {"0.5", "1", "0.25"}


@pytest.mark.parametrize(
    "block",
    [
        asked("rr:$list", "0,1", 8),
        asked("dcg:$list", "2,2", 1),
        asked("dcg:$list", "1,0", 1, "dcg:$list"),
    ],
    ids=["too-short", "equal", "wrong-is-right"],
)
def test_too_few_lists_are_an_error(block: Quiz) -> None:
    with pytest.raises(InputError, match="further lists"):
        fresh_questions(block)
