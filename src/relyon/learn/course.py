"""The course: its lessons in order, in each language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from relyon.core.errors import InputError, UnknownNameError
from relyon.core.registry import suggestion
from relyon.core.texts import LANGUAGES, Language, message
from relyon.learn.lesson import Lesson, read_lesson

__all__ = ["LESSONS", "course", "find_lesson", "lesson_on", "read_course"]

#: The lessons that come with relyon: a folder for each language.
LESSONS = Path(__file__).parent / "lessons"


def read_course(folder: Path, language: Language) -> tuple[Lesson, ...]:
    """Reads the lessons of a folder with one folder for each language.

    Args:
        folder: Contains `en`, `zh` …, each with files such as `03-ndcg.md`.
        language: Which of them.

    Raises:
        InputError: If there is no lesson.
        ParseError: If one cannot be understood.
    """
    paths = sorted((folder / language).glob("[0-9][0-9]-*.md"))
    if not paths:
        raise InputError(
            message("learn.there-are-no-lessons", path=str(folder / language)),
            hint=message("learn.lessons-are-files"),
        )
    return tuple(read_lesson(path, language) for path in paths)


@cache
def course(language: Language = "en") -> tuple[Lesson, ...]:
    """Returns the lessons that come with relyon.

    Args:
        language: `en` or `zh`.
    """
    if language not in LANGUAGES:
        raise InputError(message("learn.there-are-no-lessons", path=language))
    return read_course(LESSONS, language)


def lesson_on(measure: str, lessons: Sequence[Lesson]) -> Lesson | None:
    """Returns the lesson on a measure, `None` if there is none.

    Args:
        measure: The name of its class, such as `ndcg`, without parameters.
        lessons: The course.

    Examples:
        >>> lesson_on("ndcg", course()).number
        3
    """
    return next((lesson for lesson in lessons if measure in lesson.measures), None)


def find_lesson(name: str, lessons: Sequence[Lesson]) -> Lesson:
    """Returns a lesson by its number, its name, or a measure that it is about.

    Raises:
        UnknownNameError: If there is none.

    Examples:
        >>> [find_lesson(name, course()).number for name in ("3", "03-ndcg", "ndcg@10")]
        [3, 3, 3]
    """
    for lesson in lessons:
        if name in {str(lesson.number), lesson.name, lesson.name.partition("-")[2]}:
            return lesson
    from relyon.measures import registry

    kind = name.partition("@")[0].partition("(")[0]
    if kind in registry:
        found = lesson_on(registry.get(kind).name, lessons)
        if found is not None:
            return found
    names = [lesson.name for lesson in lessons]
    raise UnknownNameError(
        message("core.no-lesson-is-about", name=name), hint=suggestion(name, names)
    )
