"""Questions of all lessons in one script: later lessons ask them again."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from relyon.learn.blocks import Block, Quiz
from relyon.learn.lesson import Lesson, Prose

__all__ = ["review_questions", "review_script"]


def review_questions(lesson: Lesson) -> list[Quiz]:
    """Returns the questions of a lesson that later lessons may ask again.

    These are its quizzes in the core: a guess lives on the text around it, and a section beyond the
    core may not have been read. A lesson that is `alone` has none.

    Args:
        lesson: The lesson.
    """
    if lesson.alone:
        return []
    return [
        part[0]
        for part, deeper in lesson.walk()
        if not isinstance(part, Prose) and not deeper and isinstance(part[0], Quiz)
    ]


def review_script(lessons: Sequence[Lesson], draw: Callable[[Block], str]) -> str:
    """Returns the script with the questions of a language.

    It sets `relyon.review` to a list of lessons in order, each with its name, number, title and
    questions. A script, and no file of data: pages read from a disk may load no other.

    Args:
        lessons: The course.
        draw: What returns a block as HTML, as its lesson shows it.
    """
    found = [
        {
            "lesson": lesson.name,
            "number": lesson.number,
            "title": lesson.title,
            "questions": [
                {"id": one.id, "html": draw(one).strip()} for one in review_questions(lesson)
            ],
        }
        for lesson in lessons
    ]
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return f'"use strict";\nrelyon.review = {text};\n'
