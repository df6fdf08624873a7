"""A lesson cut into steps, sections beyond the core, and the questions that later lessons ask."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from relyon.core.errors import ParseError
from relyon.core.texts import LANGUAGES
from relyon.core.texts.languages import Language
from relyon.learn import course
from relyon.learn.blocks import Quiz
from relyon.learn.lesson import Lesson, Prose, numbers, read_lesson
from relyon.learn.lesson_checks import check_languages
from relyon.learn.pages.fresh import fresh_questions
from relyon.learn.pages.review import review_questions, review_script
from relyon.learn.pages.site import pages
from relyon.learn.pages.steps import LEAD, SCREEN, lesson_steps, pieces, weight
from relyon.learn.progress import read_progress
from relyon.learn.quantities import quantity

Read = Callable[..., Lesson]

FRONT = '+++\ntitle = "T"\nsummary = "S"\nminutes = 1\n+++\n\n'


def card(name: str) -> str:
    return f'```card\nid = "{name}"\nfront = "F"\nback = "**B**"\n```\n\n'


def quiz(name: str) -> str:
    choices = "".join(
        f'[[choices]]\ntext = "{right}"\nright = {right}\nreply = "{right}."\n'
        for right in ("true", "false")
    )
    return f'```quiz\nid = "{name}"\nform = "single"\nask = "Q {name}?"\n{choices}```\n\n'


@pytest.fixture
def lesson(tmp_path: Path) -> Read:
    """Returns a lesson of a text."""

    def read(text: str, name: str = "01-x", language: Language = "en") -> Lesson:
        path = tmp_path / language / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(FRONT + text, "utf-8")
        return read_lesson(path, language)

    return read


def words(count: int, end: str = ".") -> str:
    return " ".join(["word"] * count) + end


def keys(found: Lesson) -> list[str]:
    return [step.key for step in lesson_steps(found)]


def test_a_block_takes_along_a_short_text_and_no_long_one(lesson: Read) -> None:
    short = lesson(f"{words(LEAD)}\n\n{card('a')}")
    assert keys(short) == ["a"]
    assert len(lesson_steps(short)[0].parts) == 2
    long = lesson(f"{words(LEAD + 1)}\n\n{card('a')}")
    assert keys(long) == ["a.1", "a"]
    both = lesson(f"{words(60)}\n\n{words(50)}\n\n{card('a')}")
    assert [len(step.parts) for step in lesson_steps(both)] == [1, 2]


def test_a_heading_begins_a_step_and_is_never_alone(lesson: Read) -> None:
    found = lesson(f"{words(40)}\n\n## One\n\n{words(80)}\n\n## Two\n\n{card('a')}{words(5)}")
    steps = lesson_steps(found)
    assert [step.key for step in steps] == ["a.2", "a.1", "a", "end.1"]
    assert str(steps[1].parts[0]).startswith("## One")
    assert str(steps[2].parts[0]) == "## Two"


def test_what_ends_with_a_colon_stays_with_what_follows(lesson: Read) -> None:
    table = "| a | b |\n| - | - |\n| 1 | 2 |"
    found = lesson(f"{words(100)}\n\n{words(30, ':')}\n\n{table}\n\n{words(90)}\n\n{card('a')}")
    texts = [step.parts[0] for step in lesson_steps(found)]
    assert texts[0] == words(100)
    assert str(texts[1]) == f"{words(30, ':')}\n\n{table}"
    # Even a long text that leads to a block stays with it.
    assert keys(lesson(f"{words(100, ':')}\n\n{card('a')}")) == ["a"]


def test_lists_and_code_are_not_cut() -> None:
    text = "- one\n\n- two\n\n  more\n\n```python\n# x\n\ny\n```\n\n> a\n>\n> b"
    assert [piece.kind for piece in pieces(text)] == [
        "bullet_list_open",
        "fence",
        "blockquote_open",
    ]
    assert "".join(piece.text for piece in pieces(text)).replace("\n", "") == text.replace("\n", "")


def test_an_empty_lesson_has_no_step(lesson: Read) -> None:
    assert lesson_steps(lesson("")) == []
    assert lesson_steps(lesson("\n\n\n")) == []


def test_chinese_is_weighed_by_characters() -> None:
    assert weight("NDCG 是 0.913") == pytest.approx(2 + 1 / 1.65)
    assert weight("[0.913](=ndcg@3:2,3,0)") == 1  # the expression is not read


@pytest.mark.parametrize("language", LANGUAGES)
def test_steps_of_the_course_lose_nothing_and_hold_one_idea(language: Language) -> None:
    for found in course(language):
        steps = lesson_steps(found)
        assert [step.block for step in steps if step.block] == found.blocks
        assert len({step.key for step in steps}) == len(steps)
        read = "".join(part for step in steps for part in step.parts if isinstance(part, str))
        text = "".join(part.text for part in found.parts if isinstance(part, Prose))
        assert "".join(read.split()) == "".join(text.split())
        for step in steps:
            texts = [part for part in step.parts if isinstance(part, str)]
            held = [piece for part in texts for piece in pieces(part)]
            if sum(weight(piece.text) for piece in held) > SCREEN:
                # Longer ones are one paragraph, list or table, with what leads to it.
                assert all(piece.leads for piece in held[:-1]), (found.path, step.key)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_step_has_one_block_at_most_and_it_is_the_last(language: Language) -> None:
    for found in course(language):
        for step in lesson_steps(found):
            assert all(isinstance(part, str) for part in step.parts[:-1])


def test_languages_have_the_same_steps_with_blocks() -> None:
    for one, other in zip(course("en"), course("zh"), strict=True):
        first, second = (
            [(step.key, bool(step.deeper)) for step in lesson_steps(found) if step.block]
            for found in (one, other)
        )
        assert first == second


def test_a_section_beyond_the_core_ends_at_the_next_heading_of_its_level(lesson: Read) -> None:
    found = lesson(
        f"Core.\n\n## Why? {{deeper}}\n\nDeep.\n\n### Sub\n\n{card('a')}"
        "```python\n# no heading {odd}\n```\n\nMore.\n"
        f"## Core again\n\nText.\n\n### Further {{deeper}}\n\n{quiz('b')}# Top\n\nEnd."
    )
    walked = [
        (part.text.split("\n")[0] if isinstance(part, Prose) else part[0].id, deeper)
        for part, deeper in found.walk()
    ]
    assert walked == [
        ("Core.", ""),
        ("## Why?", "Why?"),
        ("a", "Why?"),
        ("```python", "Why?"),
        ("## Core again", ""),
        ("### Further", "Further"),
        ("b", "Further"),
        ("# Top", ""),
    ]
    assert [part.line for part in found.parts if isinstance(part, Prose)][:2] == [6, 9]
    assert [step.deeper for step in lesson_steps(found)] == [
        "", "Why?", "Why?", "", "Further", "",
    ]  # fmt: skip


def test_a_section_within_one_beyond_the_core_belongs_to_it(lesson: Read) -> None:
    found = lesson("## A {deeper}\n\nx\n\n### B {deeper}\n\ny\n\n## C {deeper}\n\nz")
    assert [deeper for _, deeper in found.walk()] == ["A", "C"]
    assert not any("{deeper}" in text for text, _ in found.texts())


def test_another_mark_of_a_heading_is_refused(lesson: Read) -> None:
    with pytest.raises(ParseError, match=r"01-x\.md:9: .*\{deep\}") as error:
        lesson("Core.\n\n## Why? {deep}\n\nText.")
    assert "{deeper}" in error.value.hint
    # Braces that are no mark are text.
    assert lesson("## The set {1, 2}\n\nText.").parts[0] == Prose("## The set {1, 2}\n\nText.", 6)


def test_what_is_beyond_the_core_in_one_language_only_is_a_fault(lesson: Read) -> None:
    one = lesson(f"## A {{deeper}}\n\n{card('a')}")
    other = lesson(f"## A\n\n{card('a')}", language="zh")
    assert any("`a`" in fault.said() for fault in check_languages([one], [other]))
    assert check_languages([one], [one]) == []


def test_later_lessons_ask_quizzes_of_the_core(lesson: Read) -> None:
    first = lesson(f"{quiz('a')}{card('b')}## D {{deeper}}\n\n{quiz('c')}## E\n\n{quiz('d')}")
    assert [one.id for one in review_questions(first)] == ["a", "d"]
    assert review_questions(replace(first, alone=True)) == []
    script = review_script([first], lambda block: f" <p>{block.id} </script> 中文 </p>\n")
    assert script.startswith('"use strict";\nrelyon.review = [')
    read = json.loads(script.partition("=")[2].strip().removesuffix(";"))
    assert read == [
        {
            "lesson": "01-x",
            "number": 1,
            "title": "T",
            "questions": [
                {"id": name, "html": f"<p>{name} </script> 中文 </p>"} for name in ("a", "d")
            ],
        }
    ]


def test_practice_has_no_list_for_which_a_reply_is_undefined(lesson: Read) -> None:
    text = """```quiz
id = "q"
form = "number"
list = "3,2,0"
fresh = 6
ask = "CG of [$list]?"
answer = "cg:$list"
reply = "AUC is [1](=auc:$list)."
otherwise = "Add."
[[wrong]]
value = "dcg:$list"
reply = "DCG."
```
"""
    (block,) = lesson(text).blocks
    assert isinstance(block, Quiz)
    # Without an irrelevant document, as in [3, 2, 1], AUC is undefined.
    found = fresh_questions(block)
    assert len(found) == 6
    for one in found:
        values = [quantity(number.expression) for said in one.texts() for number in numbers(said)]
        assert all(map(math.isfinite, values)), one.grades


def test_progress_keeps_the_places_of_the_pages(tmp_path: Path) -> None:
    path = tmp_path / "progress.json"
    kept = {
        "format": "relyon-learn",
        "version": 1,
        "answers": {"01-x/a": {"done": True, "skipped": True, "when": "2026-01-01"}},
        "cards": {},
        "scores": {},
        "places": {"01-x": {"step": "a", "at": 2, "of": 3}},
        "settings": {"whole": True},
    }
    path.write_text(json.dumps(kept), "utf-8")
    progress = read_progress(path)
    progress.save()
    assert json.loads(path.read_text("utf-8")) == kept
    # A later answer to what was skipped is the first one.
    progress.answer("01-x/a", right=True, answer=1)
    assert progress.answers["01-x/a"]["first"] is True
    # Files from before there were places are read as they are.
    old = {name: value for name, value in kept.items() if name not in {"places", "settings"}}
    path.write_text(json.dumps(old), "utf-8")
    assert read_progress(path).places == {}


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pool_of_questions_is_part_of_the_site(language: Language) -> None:
    script = pages()[f"{language}/review.js"].decode()
    read = json.loads(script.partition("relyon.review =")[2].strip().removesuffix(";"))
    assert [one["lesson"] for one in read] == [found.name for found in course(language)]
    for one, found in zip(read, course(language), strict=True):
        quizzes = [block.id for block in found.blocks if isinstance(block, Quiz)]
        ids = [question["id"] for question in one["questions"]]
        assert set(ids) <= set(quizzes)
        page = pages()[f"{language}/{found.name}.html"].decode()
        for question in one["questions"]:
            assert question["html"].startswith(
                f'<section class="block quiz" id="{question["id"]}">'
            )
            assert question["html"] in page
    # Each lesson but the first has something to look back to.
    assert read[0]["questions"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_later_lessons_do_not_ask_what_needs_the_files_of_the_exam(language: Language) -> None:
    assert [one.name for one in course(language) if one.alone] == ["14-exam"]
    without = [one.name for one in course(language) if not review_questions(one)]
    assert without == ["14-exam"]
