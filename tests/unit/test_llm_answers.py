"""What a language model's answer says."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from relyon.data.scale import SEARCH
from relyon.judging.llm.answers import PROBLEMS, read_answer

GOOD = [
    ('{"grade": 2, "reason": "Fits."}', 2, "Fits."),
    ('```json\n{"grade": 0, "reason": "Off."}\n```', 0, "Off."),
    ('Here it is: {"reason": "a } in it", "grade": 3}. Done.', 3, "a } in it"),
    ('{"grade": "1"}', 1, ""),
    ('{"grade": 2.0}', 2, ""),
    ('{"grade": "高", "reason": "很相关"}', 3, "很相关"),
    ('{"grade": "Middle"}', 2, ""),
    ('<think>{"grade": 0} would be harsh.</think>\n{"grade": 1}', 1, ""),
    ('{"query": "tv"} {"grade": 1}', 1, ""),
    ('{"grade": 1, "reason": "x"}\n{"grade": 1, "reason": "y"}', 1, "y"),
    ('{not json {"grade": 2}', 2, ""),
    ('{"grade": 2, "reason": ["a"]}', 2, '["a"]'),
]
BAD = [
    ("", "empty"),
    (" \n", "empty"),
    ("<think>long</think>", "empty"),
    ('<think>perhaps {"grade": 3}', "no_grade"),
    ("I am sorry, but I cannot help with that.", "no_grade"),
    ("3", "no_grade"),
    ("Grade: 3", "no_grade"),
    ('{"grade": 3', "no_grade"),
    ('["grade", 3]', "no_grade"),
    ('{"score": 3}', "no_grade"),
    ('{"result": {"grade": 3}}', "no_grade"),
    ('{"grade": 4}', "wrong_grade"),
    ('{"grade": -1}', "wrong_grade"),
    ('{"grade": 2.5}', "wrong_grade"),
    ('{"grade": true}', "wrong_grade"),
    ('{"grade": null}', "wrong_grade"),
    ('{"grade": NaN}', "wrong_grade"),
    ('{"grade": 1e999}', "wrong_grade"),
    ('{"grade": [3]}', "wrong_grade"),
    ('{"grade": "3 or 2"}', "wrong_grade"),
    ('{"grade": 0} no, rather {"grade": 3}', "several_grades"),
    ('{"grade": 3} and {"grade": 9}', "wrong_grade"),
]


@pytest.mark.parametrize(("content", "grade", "reason"), GOOD)
def test_a_grade_is_read(content: str, grade: int, reason: str) -> None:
    found = read_answer(content, SEARCH)
    assert (found.grade, found.reason, found.problem) == (grade, reason, "")


@pytest.mark.parametrize(("content", "problem"), BAD)
def test_nothing_is_guessed(content: str, problem: str) -> None:
    found = read_answer(content, SEARCH)
    assert (found.grade, found.problem) == (None, problem)
    assert PROBLEMS[problem]


@given(st.text(alphabet='{}[]":,grade 0123.-e\\\n', max_size=60))
def test_any_text_is_read(content: str) -> None:
    found = read_answer(content, SEARCH)
    assert (found.grade in SEARCH.gains) != bool(found.problem)


@pytest.mark.long
def test_deep_nesting_ends() -> None:
    assert read_answer('{"a":' * 20_000, SEARCH).problem == "no_grade"
