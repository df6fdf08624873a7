"""The lines of Python that the course teaches: they run, and compute what relyon does."""

from __future__ import annotations

import doctest
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

import relyon
from relyon.core.texts import LANGUAGES, Language
from relyon.learn import course
from relyon.learn.blocks import Quiz
from relyon.learn.lesson import Prose

FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
GRADES = st.lists(st.integers(0, 4), max_size=8)


def fences(language: Language) -> list[str]:
    lesson = next(one for one in course(language) if one.name == "16-python")
    texts = [part.text for part in lesson.parts if isinstance(part, Prose)]
    return [found for text in texts for found in FENCE.findall(text)]


def taught(language: Language) -> dict[str, Callable[..., Any]]:
    names: dict[str, Any] = {}
    for code in fences(language):
        if ">>>" not in code:
            exec(compile(code, "16-python", "exec"), names)
    return names


FUNCTIONS = taught("en")


def test_both_languages_teach_the_same_fifteen_lines() -> None:
    first, *others = (fences(language) for language in LANGUAGES)
    assert all(other == first for other in others)
    assert sum(1 for line in first[0].splitlines() if line.strip()) == 15


@given(GRADES)
def test_dcg_is_that_of_relyon(grades: Sequence[int]) -> None:
    expected = relyon.measure("dcg").score(grades)
    assert FUNCTIONS["dcg"](grades) == pytest.approx(expected, abs=1e-12)


@given(GRADES, GRADES)
@example([2, 3, 0], [])
@example([], [1])
@example([0], [0])
def test_ndcg_is_that_of_relyon(grades: list[int], missing: list[int]) -> None:
    expected = relyon.measure("ndcg").score(grades, missing)
    value = FUNCTIONS["ndcg"](grades, [*missing, *grades])
    assert math.isnan(expected) if value is None else value == pytest.approx(expected, abs=1e-12)


def test_the_mean_leaves_out_what_is_undefined() -> None:
    assert FUNCTIONS["mean"]([1.0, 0.5, None]) == 0.75


@pytest.mark.parametrize("language", LANGUAGES)
def test_examples_of_the_library_run(language: Language) -> None:
    for code in fences(language):
        if ">>>" in code:
            test = doctest.DocTestParser().get_doctest(code, {}, "16-python", None, 0)
            assert doctest.DocTestRunner().run(test).failed == 0
            assert test.examples


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_to_put_in_order_are_those_that_are_taught(language: Language) -> None:
    lesson = next(one for one in course(language) if one.name == "16-python")
    quiz = next(one for one in lesson.blocks if one.id == "lines")
    assert isinstance(quiz, Quiz)
    lines = "\n".join(item.strip("`") for item in quiz.items)
    assert lines in fences(language)[0]


def test_mistakes_give_what_the_lesson_says() -> None:
    code = fences("en")[0]

    def changed(before: str, after: str) -> dict[str, Any]:
        assert before in code
        names: dict[str, Any] = {}
        exec(code.replace(before, after), names)
        return names

    for before, after in ((", start=1", ""), ("rank + 1", "rank")):
        with pytest.raises(ZeroDivisionError):
            changed(before, after)["dcg"]([1])
    upwards = changed(", reverse=True", "")["ndcg"]([2, 3, 0], [2, 3, 0])
    assert upwards == pytest.approx(1.41, abs=0.005)
    returned = changed("sorted(judged", "sorted(grades")["ndcg"]
    assert returned([3, 2, 3, 0, 1, 2], [3, 3, 3, 2, 2, 1, 0, 0]) == pytest.approx(0.961, abs=5e-4)
    natural = changed("log2", "log")
    assert natural["dcg"]([1]) == pytest.approx(1 / math.log(2))
    assert natural["ndcg"]([2, 3, 0], [2, 3, 0]) == pytest.approx(0.913, abs=5e-4)
    eager = changed("grade / log2", "pow(2, grade) - 1 / log2")["dcg"]
    assert eager([3, 2, 0]) == pytest.approx(10.87, abs=0.005)
    for setting in (("start=1", "start=2"), ("rank + 1", "rank")):
        code = code.replace(*setting)
    same: dict[str, Any] = {}
    exec(code, same)
    assert same["dcg"]([3, 2, 0]) == pytest.approx(FUNCTIONS["dcg"]([3, 2, 0]))
