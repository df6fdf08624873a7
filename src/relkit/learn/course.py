"""The course: its lessons in order, in each language."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from relkit.core.errors import InputError
from relkit.core.texts import LANGUAGES, Language, message
from relkit.learn.lesson import Lesson, read_lesson

__all__ = ["LESSONS", "course", "read_course"]

#: The lessons that come with relkit: a folder for each language.
LESSONS = Path(__file__).parent / "lessons"


def read_course(folder: Path, language: Language) -> tuple[Lesson, ...]:
    """Reads the lessons of a folder with one folder for each language.

    Args:
        folder: Holds `en`, `zh` …, each with files such as `03-ndcg.md`.
        language: Which of them.

    Raises:
        InputError: If there is no lesson.
        ParseError: If one cannot be understood.
    """
    paths = sorted((folder / language).glob("[0-9][0-9]-*.md"))
    if not paths:
        raise InputError(
            message("there are no lessons in `{path}`", path=str(folder / language)),
            hint="lessons are files such as 01-order.md in a folder for each language",
        )
    return tuple(read_lesson(path, language) for path in paths)


@cache
def course(language: Language = "en") -> tuple[Lesson, ...]:
    """Returns the lessons that come with relkit.

    Args:
        language: `en` or `zh`.
    """
    if language not in LANGUAGES:
        raise InputError(message("there are no lessons in `{path}`", path=language))
    return read_course(LESSONS, language)
