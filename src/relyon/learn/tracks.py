"""Tracks: ways through the course for a purpose or a role."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from relyon.core.errors import ParseError, UnknownNameError
from relyon.core.registry import suggestion
from relyon.core.texts import LANGUAGES, message
from relyon.learn.blocks import Fields, Recap
from relyon.learn.course import find_lesson
from relyon.learn.lesson import Lesson
from relyon.learn.pages.minutes import lesson_minutes
from relyon.learn.pages.steps import lesson_steps

__all__ = ["TRACKS", "Item", "Track", "course_tracks", "read_tracks", "track_minutes"]

#: The tracks of relyon's course.
TRACKS = Path(__file__).parent / "tracks.toml"


@dataclass(frozen=True)
class Item:
    """A lesson of a track.

    Attributes:
        lesson: Its name, such as `02-dcg`.
        until: The recap at which the track leaves it; empty for the whole lesson.
    """

    lesson: str
    until: str


@dataclass(frozen=True)
class Track:
    """A way through the course.

    Attributes:
        name: Its name in addresses: `index.html?track=core`.
        titles: Its title in each language.
        abouts: What it is for, one sentence in each language.
        items: Its lessons in order.
    """

    name: str
    titles: Mapping[str, str]
    abouts: Mapping[str, str]
    items: tuple[Item, ...]


def read_tracks(path: Path, lessons: Sequence[Lesson]) -> tuple[Track, ...]:
    """Reads the tracks of a course; a missing file has none.

    Args:
        path: A file such as `tracks.toml`.
        lessons: The course in one language.

    Raises:
        ParseError: If the file cannot be understood, or names a lesson or recap that is not there.

    Examples:
        >>> from relyon.learn.course import course
        >>> [track.name for track in read_tracks(TRACKS, course())]
        ['core', 'product', 'engineer', 'judge']
    """
    if not path.exists():
        return ()
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        text = message("learn.fields-cannot-be-read", error=str(error))
        raise ParseError(text, path=str(path), line=1) from None
    root = Fields(values, str(path), 1)
    return tuple(_track(name, root, lessons) for name in values)


def _track(name: str, root: Fields, lessons: Sequence[Lesson]) -> Track:
    fields = root.table(name)
    titles = {language: fields.text(language) for language in LANGUAGES}
    abouts = fields.mapping("about")
    items = []
    for row in fields.tables("lessons"):
        item = Item(row.text("lesson"), row.text("until", ""))
        row.end()
        try:
            lesson = find_lesson(item.lesson, lessons)
        except UnknownNameError as error:
            row.fail(error.message, error.hint)
        recaps = [block.id for block in lesson.blocks if isinstance(block, Recap)]
        if item.until and item.until not in recaps:
            text = message("learn.track-has-no-recap", until=item.until, lesson=lesson.name)
            row.fail(text, suggestion(item.until, recaps))
        items.append(item)
    fields.end()
    return Track(name, titles, abouts, tuple(items))


def track_minutes(track: Track, lessons: Sequence[Lesson]) -> float:
    """Returns the minutes that a track takes by the model of `lesson_minutes`.

    Args:
        track: The track.
        lessons: The course in one language.
    """
    named = {lesson.name: lesson for lesson in lessons}
    return sum(lesson_minutes(named[item.lesson], item.until) for item in track.items)


def course_tracks(lessons: Sequence[Lesson], path: Path = TRACKS) -> dict[str, dict[str, object]]:
    """Returns what the pages know of the tracks of a course, in the language of its lessons.

    Of each lesson `at` is the step, counted from 1 in the core, with which the track has what it
    wants of it: that of its recap, or the last one of the page.

    Args:
        lessons: The course in one language.
        path: The file of the tracks.

    Raises:
        ParseError: As `read_tracks`.
    """
    language = lessons[0].language
    named = {lesson.name: lesson for lesson in lessons}
    found: dict[str, dict[str, object]] = {}
    for track in read_tracks(path, lessons):
        rows = [
            {
                "lesson": item.lesson,
                "title": named[item.lesson].title,
                "until": item.until,
                "at": _step(named[item.lesson], item.until),
                "minutes": max(1, round(lesson_minutes(named[item.lesson], item.until))),
            }
            for item in track.items
        ]
        found[track.name] = {
            "title": track.titles[language],
            "about": track.abouts.get(language, ""),
            "minutes": round(track_minutes(track, lessons)),
            "lessons": rows,
        }
    return found


def _step(lesson: Lesson, until: str) -> int:
    """Returns the place of a recap among the steps of the core; the end has a step of its own."""
    keys = [step.key for step in lesson_steps(lesson) if not step.deeper]
    return keys.index(until) + 1 if until else len(keys) + 1
