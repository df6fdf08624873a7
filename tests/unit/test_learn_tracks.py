"""Tracks through the course, and the minutes that lessons and tracks take."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

pytest.importorskip("markdown_it")

from tests.web.paced import write_lessons

from relyon.core.errors import ParseError
from relyon.core.texts import LANGUAGES, Language
from relyon.learn import course
from relyon.learn.course import read_course
from relyon.learn.lesson import read_lesson
from relyon.learn.lesson_checks import check_minutes
from relyon.learn.pages.minutes import (
    SECONDS,
    WORDS,
    deeper_minutes,
    lesson_minutes,
    part_seconds,
)
from relyon.learn.pages.site import pages
from relyon.learn.pages.steps import CHARACTERS
from relyon.learn.tracks import TRACKS, course_tracks, read_tracks, track_minutes

FRONT = '+++\ntitle = "T"\nsummary = "S"\nminutes = 1\n+++\n\n'


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_core_takes_thirty_minutes_at_most(language: Language) -> None:
    lessons = course(language)
    core = read_tracks(TRACKS, lessons)[0]
    assert core.name == "core"
    assert 20 <= track_minutes(core, lessons) <= 30


def test_every_lesson_is_in_a_track_and_tracks_go_forward() -> None:
    tracks = read_tracks(TRACKS, course())
    assert {item.lesson for track in tracks for item in track.items} == {
        lesson.name for lesson in course()
    }
    for track in tracks:
        names = [item.lesson for item in track.items]
        assert names == sorted(set(names))
        assert all(track.titles[language] for language in LANGUAGES)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{ lesson = "09-none" }', "no lesson is about"),
        ('{ lesson = "01-first", until = "recap-on" }', "recap-one"),
        ('{ lesson = "01-first", until = "dcg" }', "has no recap `dcg`"),
        ('{ lesson = "01-first", til = "recap-one" }', "`til`"),
    ],
)
def test_a_wrong_track_is_an_error_with_its_file(row: str, said: str, tmp_path: Path) -> None:
    lessons = read_course(write_lessons(tmp_path), "en")
    path = tmp_path / "tracks.toml"
    path.write_text(f'[core]\nen = "C"\nzh = "心"\nlessons = [{row}]\n', "utf-8")
    with pytest.raises(ParseError) as caught:
        read_tracks(path, lessons)
    assert said in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.path == str(path)


def test_lessons_of_ones_own_may_have_tracks(tmp_path: Path) -> None:
    folder = write_lessons(tmp_path)
    assert course_tracks(read_course(folder, "en"), folder / "tracks.toml") == {}
    assert 'class="track"' not in pages(folder)["en/index.html"].decode()
    text = (
        '[short]\nen = "Short"\nzh = "短"\nlessons = [{lesson = "01-first", until = "recap-one"}]\n'
    )
    (folder / "tracks.toml").write_text(text, "utf-8")
    found = course_tracks(read_course(folder, "zh"), folder / "tracks.toml")["short"]
    assert found["title"] == "短"
    rows = found["lessons"]
    assert isinstance(rows, list)
    # Its steps: guess, dcg, card, recap-one.
    keys = [one["at"] for one in rows]
    assert keys == [4]


def test_minutes_are_words_and_what_is_done(tmp_path: Path) -> None:
    path = tmp_path / "01-a.md"
    path.write_text(FRONT + "word " * 400, "utf-8")
    assert lesson_minutes(read_lesson(path, "en")) == pytest.approx(400 / WORDS)
    path.write_text(FRONT + "字" * 660, "utf-8")
    assert lesson_minutes(read_lesson(path, "zh")) == pytest.approx(660 / CHARACTERS / WORDS)
    path.write_text(FRONT + "## Deep {deeper}\n\n" + "word " * 400, "utf-8")
    lesson = read_lesson(path, "en")
    assert lesson_minutes(lesson) == 0
    assert deeper_minutes(lesson) == {"Deep": 2}
    card = '```card\nid = "c"\nfront = "a b"\nback = "c d"\n```\n'
    path.write_text(FRONT + card, "utf-8")
    seconds = SECONDS["card"] + 4 * 60 / WORDS
    assert lesson_minutes(read_lesson(path, "en")) == pytest.approx(seconds / 60)
    assert part_seconds("```bash\nrelyon\n```") == SECONDS["command"] + part_seconds(
        "```text\nrelyon\n```"
    )


def test_a_track_takes_a_part_of_a_lesson() -> None:
    dcg = course()[1]
    recaps = [block.id for block in dcg.blocks if block.kind == "recap"]
    parts = [lesson_minutes(dcg, one) for one in [*recaps, ""]]
    assert parts == sorted(parts)
    assert 0 < parts[0] < parts[-1]


def test_fronts_say_the_minutes_that_the_model_says() -> None:
    assert check_minutes([course(language) for language in LANGUAGES]) == []
    one, *_ = course()
    near = round(fmean([lesson_minutes(one)]))
    assert check_minutes([[replace(one, minutes=near + 1)]]) == []
    (fault,) = check_minutes([[replace(one, minutes=near + 2)]])
    assert f"takes about {near}" in fault.said()


def test_languages_take_the_same_time() -> None:
    """One number stands for both: they differ by a tenth, or a minute, at most."""
    for one, other in zip(course("en"), course("zh"), strict=True):
        first, second = lesson_minutes(one), lesson_minutes(other)
        assert abs(first - second) <= max(1, 0.1 * first), one.name


@pytest.mark.parametrize("page", ["docs/lessons.md", "docs/zh/lessons.md"])
def test_the_guide_says_the_seconds_of_the_model(page: str) -> None:
    text = (Path(__file__).parents[2] / page).read_text("utf-8")
    rows = re.findall(r"^\| [^|]+ \| (\d+) \|$", text, re.MULTILINE)
    assert list(map(int, rows)) == list(SECONDS.values())
    assert f"{WORDS:g}" in text
    assert f"{CHARACTERS}" in text
    assert f"{round(WORDS * CHARACTERS)}" in text
