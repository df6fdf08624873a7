"""A language model's answer: a grade and its reason, or why there is none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from relyon.core.errors import InputError
from relyon.data.scale import Scale

__all__ = ["PROBLEMS", "Answer", "Problem", "read_answer"]

Problem = Literal["", "empty", "no_grade", "wrong_grade", "several_grades", "refused"]

#: Descriptions of the problems.
PROBLEMS: dict[str, str] = {
    "empty": "the answer was empty",
    "no_grade": "the answer had no JSON object with a grade",
    "wrong_grade": "the grade was not on the scale",
    "several_grades": "the answer had several objects with different grades",
    "refused": "the endpoint refused the request",
}

_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Answer:
    """The content of one answer.

    Attributes:
        grade: The grade; None if the answer has no valid one.
        reason: The model's reason.
        problem: Why there is no grade; empty if there is one.
    """

    grade: float | None
    reason: str = ""
    problem: Problem = ""


def read_answer(content: str, scale: Scale) -> Answer:
    """Parses a model's answer; ambiguous answers are rejected.

    The JSON object may be in a code fence or between sentences, and preceding reasoning is ignored.
    A grade is a number on the scale or the name of a level.

    Args:
        content: The text of the answer.
        scale: The grade scale.

    Examples:
        >>> from relyon.data.scale import SEARCH
        >>> read_answer('{"grade": 2, "reason": "Right product, wrong colour."}', SEARCH)
        Answer(grade=2.0, reason='Right product, wrong colour.', problem='')
        >>> read_answer("I cannot help with that.", SEARCH).problem
        'no_grade'
        >>> read_answer('{"grade": 7}', SEARCH).problem
        'wrong_grade'
    """
    text = _THOUGHTS.sub("", content).strip()
    if not text:
        return Answer(None, problem="empty")
    if text.lower().startswith("<think"):  # the answer was cut off during the reasoning
        return Answer(None, problem="no_grade")
    found = [one for one in _objects(text) if "grade" in one]
    if not found:
        return Answer(None, problem="no_grade")
    grades = [_grade(one["grade"], scale) for one in found]
    if None in grades:
        return Answer(None, problem="wrong_grade")
    if len(set(grades)) > 1:
        return Answer(None, problem="several_grades")
    reason = found[-1].get("reason", "")
    return Answer(grades[-1], reason if isinstance(reason, str) else json.dumps(reason))


def _objects(text: str) -> Iterator[dict[str, object]]:
    """Yields the outermost JSON objects of a text, in their order."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield value
        start = text.find("{", end)


def _grade(value: object, scale: Scale) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        grade = scale.parse(value)
    except (InputError, OverflowError):
        return None
    return grade if grade in scale.gains else None
