"""Checks of lessons: numbers are what relyon computes, languages are in step, answers explain."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from relyon.core.errors import RelyonError
from relyon.core.texts import Language, message, translate
from relyon.learn.blocks import Block, Card, Dial, Picture, Play, Predict, Quiz
from relyon.learn.figures import figure_of
from relyon.learn.lesson import NUMBER, Lesson, Prose, numbers, plain_text
from relyon.learn.pages.drawn import picture_data, play_drawing
from relyon.learn.pages.fresh import fresh_questions
from relyon.learn.pages.minutes import lesson_minutes
from relyon.learn.pages.recorded import fewest_moves, record
from relyon.learn.pages.worked import is_worked
from relyon.learn.quantities import derivation, matches, quantity

__all__ = ["Fault", "check_languages", "check_lesson", "check_minutes", "check_text"]

#: A number with decimals that is written without its expression.
LOOSE = re.compile(r"(?<![\w.@])\d*\.\d+(?!\w|\.\d)")
CODE = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)\s]*\)|https?://\S+", re.DOTALL)
BOLD = re.compile(r"\*\*(.+?)\*\*")
#: By how many minutes the front of a lesson may differ from what it takes.
SLACK = 1


@dataclass(frozen=True)
class Fault:
    """Something wrong with a lesson.

    Attributes:
        path: Its file.
        line: The line, or where the block or paragraph begins.
        text: What is wrong.
    """

    path: str
    line: int
    text: str

    def said(self, language: Language = "en") -> str:
        """Returns the place and what is wrong there."""
        return f"{self.path}:{self.line}: {translate(self.text, language)}"


def check_lesson(lesson: Lesson) -> list[Fault]:
    """Returns the faults of a lesson."""
    faults = [
        fault for text, line in lesson.texts() for fault in check_text(text, lesson.path, line)
    ]
    prose = " ".join(plain_text(part.text) for part in lesson.parts if isinstance(part, Prose))
    for part in lesson.parts:
        if isinstance(part, Prose):
            continue
        block, line = part
        try:
            found = [*_block(block), *(_card(block, prose) if isinstance(block, Card) else [])]
        except RelyonError as error:
            found = [error.message]
        faults += [
            Fault(
                lesson.path,
                line,
                message("learn.block-id", id=block.id, fault=message(one)),
            )
            for one in found
        ]
    return faults


def check_languages(one: Sequence[Lesson], other: Sequence[Lesson]) -> list[Fault]:
    """Returns where the lessons of two languages differ in more than words."""
    names = [lesson.name for lesson in one]
    if names != [lesson.name for lesson in other]:
        odd = sorted(set(names) ^ {lesson.name for lesson in other})
        text = message("learn.only-one-language", names=odd)
        return [Fault(other[0].path if other else "", 1, text)]
    return [
        Fault(second.path, 1, text)
        for first, second in zip(one, other, strict=True)
        for text in _differences(first, second)
    ]


def check_minutes(courses: Iterable[Sequence[Lesson]]) -> list[Fault]:
    """Returns the lessons whose `minutes` are more than `SLACK` from what they take.

    The languages of a lesson share one number: it is compared with the mean of theirs.

    Args:
        courses: The lessons of each language.
    """
    by_name: dict[str, list[Lesson]] = {}
    for course in courses:
        for lesson in course:
            by_name.setdefault(lesson.name, []).append(lesson)
    faults = []
    for lessons in by_name.values():
        found = max(1, round(fmean(map(lesson_minutes, lessons))))
        faults += [
            Fault(one.path, 1, message("learn.minutes-differ", minutes=one.minutes, found=found))
            for one in lessons
            if abs(one.minutes - found) > SLACK
        ]
    return faults


def check_text(text: str, path: str, line: int = 1) -> list[Fault]:
    """Returns numbers of a text that are not what they say, and numbers that say nothing.

    Args:
        text: Markdown.
        path: Its file.
        line: Where it begins there.
    """
    return [Fault(path, place, fault) for place, fault in _numbers(text, line)]


def _numbers(text: str, line: int) -> Iterator[tuple[int, str]]:
    """Yields numbers that are not what they say, and numbers that say nothing."""
    for number in numbers(text):
        place = line + text[: text.find(number.expression)].count("\n")
        try:
            value = quantity(number.expression)
        except RelyonError as error:
            yield place, error.message
            continue
        if not matches(number.written, value):
            yield (
                place,
                message(
                    "learn.written-is-written",
                    written=number.written,
                    expression=number.expression,
                    value=value,
                ),
            )
    bare = CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), NUMBER.sub(_blank, text))
    for found in LOOSE.finditer(bare):
        place = line + bare[: found.start()].count("\n")
        fault = message("learn.does-not-say-what", number=found[0])
        yield place, fault


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _block(block: Block) -> Iterator[str]:
    choices = block.choices if isinstance(block, Predict | Quiz) else ()
    replies = [choice.reply for choice in choices]
    if isinstance(block, Quiz) and block.form == "number":
        answer = quantity(block.answer)
        replies = [one.reply for one in block.wrong]
        if not replies:
            yield message("learn.number-needs-at-least")
        if not is_worked(block):
            yield message("learn.number-has-no-worked-result", answer=block.answer)
        fresh_questions(block)
        for one in block.wrong:
            if abs(quantity(one.value) - answer) <= block.tolerance:
                yield message(
                    "learn.wrong-number-is-within",
                    value=one.value,
                )
    for text, count in Counter(replies).items():
        if not text:
            yield message("learn.answer-has-no-reply")
        elif count > 1:
            yield message("learn.several-answers-have-same", text=text)
    if isinstance(block, Predict) and block.slider:
        answer = quantity(block.slider.answer)
        if not block.slider.low <= answer <= block.slider.high:
            yield message("learn.answer-is-beyond-slider", answer=answer)
    if block.kind == "derive":
        derivation(str(block.structure()))
    if isinstance(block, Picture):
        picture_data(block)
    if isinstance(block, Play):
        yield from _play(block)
    if isinstance(block, Dial):
        for setting in block.settings:
            found = figure_of(block.figure, setting)
            missing = sorted({*found.values, *found.series} - set(block.names))
            if missing:
                yield message("learn.figure-names-missing", missing=missing)


def _play(play: Play) -> Iterator[str]:
    found = record(play)
    if play.drawing:
        play_drawing(play, found)
    for goal in play.goals:
        fewest = fewest_moves(goal, play, found)
        if fewest is None:
            yield message("learn.goal-cannot-be-reached", goal=goal.text)
        elif fewest != goal.moves:
            yield message(
                "learn.goal-takes",
                goal=goal.text,
                fewest=fewest,
                moves=goal.moves,
            )


def _card(card: Card, prose: str) -> Iterator[str]:
    """Yields answers of a card that its lesson does not give."""
    answers = [plain_text(answer) for answer in BOLD.findall(card.back)]
    if not answers:
        yield message("learn.mark-what-must-be-known")
    for answer in answers:
        if _squeezed(answer) not in _squeezed(prose):
            yield message("learn.lessons-text-does", answer=answer)


def _squeezed(text: str) -> str:
    """Returns a text without its spaces, line ends and capitals."""
    return "".join(text.split()).casefold()


def _differences(one: Lesson, other: Lesson) -> Iterator[str]:
    first, second = ({block.id: block for block in lesson.blocks} for lesson in (one, other))
    if list(first) != list(second):
        yield message("learn.blocks-are-second", second=list(second), first=list(first))
        return
    for name, block in first.items():
        same = block.kind == second[name].kind and _same(block, second[name])
        if not same:
            yield message(
                "learn.block-name-differs",
                name=name,
                path=one.path,
            )
    beyond = [
        {part[0].id for part, deeper in lesson.walk() if deeper and not isinstance(part, Prose)}
        for lesson in (one, other)
    ]
    for name in sorted(beyond[0] ^ beyond[1]):
        yield message("learn.deeper-differs", id=name)
    counts = [
        Counter(number.expression for text, _ in lesson.texts() for number in numbers(text))
        for lesson in (one, other)
    ]
    for expression in sorted((counts[0] - counts[1]) + (counts[1] - counts[0])):
        yield message("learn.is-in-one-language", expression=expression)
    for field in ("measures", "minutes", "alone"):
        if getattr(one, field) != getattr(other, field):
            yield message("learn.field-differs-from-that-of-path", field=field, path=one.path)


def _same(one: Block, other: Block) -> bool:
    return one.structure() == other.structure()
