"""Which lesson of the course explains a note, a finding, an alarm or the hint of an error."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache

from relyon.core.texts import Language, catalogue
from relyon.core.texts.sentences import FOLDER

__all__ = ["lesson_brief", "lesson_line", "lesson_of", "lessons", "with_lesson", "with_lessons"]

#: The recap of a lesson, and a link or computed number in it.
RECAP = re.compile(r"^```recap\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINKED = re.compile(r"\[([^\[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)")


def lesson_of(area: str, kind: str) -> str:
    """Returns the lesson that explains something, an empty string if none does.

    Args:
        area: The area of its texts: `notes`, `diagnosis`, `errors`, …
        kind: Its kind; of an error, the kind of its hint.

    Examples:
        >>> lesson_of("notes", "tie-decided"), lesson_of("notes", "regrouped")
        ('13-conventions', '')
    """
    return _by_kind(area).get(kind, "")


def lesson_line(lesson: str, language: Language) -> str:
    """Returns the line that says where to read more; it is empty without a lesson.

    Examples:
        >>> lesson_line("13-conventions", "en"), lesson_line("13-conventions", "zh")
        ('Lesson: relyon learn 13', '课程：relyon learn 13 --lang zh')
    """
    return _said("lesson.line", lesson, language) if lesson else ""


@cache
def lesson_brief(lesson: str, language: Language) -> tuple[str, ...]:
    """Returns what a lesson says in short, without Markdown; empty without a lesson.

    Its title, its summary, and the sentences of its recaps. They are read from the lesson's file,
    so a page can show them where no course is installed or online.

    Examples:
        >>> lesson_brief("09-significance", "en")[0]
        'Is the difference real?'
    """
    if not lesson:
        return ()
    import tomllib

    folder = os.path.join(os.path.dirname(FOLDER), os.pardir, "learn", "lessons")
    with open(os.path.join(folder, language, f"{lesson}.md"), encoding="utf-8") as file:
        _, front, text = file.read().split("+++\n", 2)
    told = tomllib.loads(front)
    recaps = [tomllib.loads(one)["text"] for one in RECAP.findall(text)]
    lines = [line.strip().removeprefix("- ") for one in recaps for line in one.splitlines()]
    plain = (re.sub(r"[*`]", "", LINKED.sub(r"\1", line)) for line in lines if line)
    return str(told["title"]), str(told["summary"]), *plain


def with_lesson(text: str, lesson: str, language: Language) -> str:
    """Returns a sentence, and where to read more if there is a lesson.

    Examples:
        >>> with_lesson("ties matter", "13-conventions", "en")
        'ties matter — lesson: relyon learn 13'
    """
    return text + _said("lesson.end", lesson, language) if lesson else text


def with_lessons(texts: Iterable[tuple[str, str]], language: Language) -> list[str]:
    """Returns sentences, the first one about each lesson with it.

    Args:
        texts: Each sentence and its lesson.
        language: The language of the sentences.

    Examples:
        >>> with_lessons([("a", "01-order"), ("b", "01-order"), ("c", "")], "en")
        ['a — lesson: relyon learn 1', 'b', 'c']
    """
    seen: set[str] = set()
    found = []
    for text, lesson in texts:
        found.append(with_lesson(text, "" if lesson in seen else lesson, language))
        seen.add(lesson)
    return found


@cache
def lessons() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Returns the kinds that each lesson explains, by area and lesson.

    They are in a file of their own: commands that print notes need not load the course.
    """
    import tomllib

    with open(os.path.join(FOLDER, "lessons.toml"), "rb") as file:
        found = tomllib.load(file)
    return {
        area: {lesson: tuple(kinds) for lesson, kinds in explained.items()}
        for area, explained in found.items()
    }


@cache
def _by_kind(area: str) -> Mapping[str, str]:
    return {kind: lesson for lesson, kinds in lessons().get(area, {}).items() for kind in kinds}


def _said(key: str, lesson: str, language: Language) -> str:
    number = int(lesson.partition("-")[0])
    return catalogue("common", language).say(key, number=number)
