"""How long a lesson takes: one model, for the fronts of lessons, tracks and offers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from relyon.learn.blocks import Block, Dial, Play, Predict, Quiz
from relyon.learn.lesson import Lesson, Prose
from relyon.learn.pages.steps import lesson_steps, weight

__all__ = [
    "SECONDS",
    "WORDS",
    "deeper_minutes",
    "lesson_minutes",
    "part_seconds",
]

#: English words read a minute. Adults read non-fiction silently at 238, most at 175 to 300
#: (Brysbaert 2019, https://doi.org/10.1016/j.jml.2019.104047); what is to be learned is read more
#: slowly. At `steps.CHARACTERS` a word these are 330 Chinese characters: 255 are read out
#: (IReST, https://doi.org/10.1167/iovs.11-8284), and silent reading is 238/183 times as fast.
WORDS = 200.0
#: Seconds that a block takes besides reading it: to think, to click, to look. A judgement of ours;
#: what readers really take is measured in their browser and shown beside it.
SECONDS: Mapping[str, float] = {
    "predict": 15,
    "quiz": 20,
    "number": 60,
    "order": 30,
    "derive": 30,
    "goal": 30,
    "dial": 30,
    "picture": 15,
    "card": 10,
    "recap": 5,
    "try": 15,
    "command": 60,
}
#: A command that a text tells the reader to run; a `try` block is for later.
COMMAND = re.compile(r"^```(?:bash|console)\s*$", re.MULTILINE)


def part_seconds(part: str | Block) -> float:
    """Returns the seconds that a text or a block takes.

    Of the replies to a question a learner reads one: the one of middle length counts. Hints and
    worked results are left out.

    Args:
        part: Markdown, or a block.

    Examples:
        >>> part_seconds("Sweeter to the front, " * 50)
        60.0
    """
    if isinstance(part, str):
        return weight(part) * 60 / WORDS + len(COMMAND.findall(part)) * SECONDS["command"]
    return sum(map(part_seconds, _read(part))) + _done(part)


def _read(block: Block) -> Iterator[str]:
    """Yields what a learner reads of a block."""
    if isinstance(block, Predict | Quiz):
        replies = [one.reply for one in block.choices] or [block.reply]
        yield block.ask
        yield from (one.text for one in block.choices)
        if isinstance(block, Quiz):
            yield from block.items
        yield sorted(replies, key=len)[len(replies) // 2]
    elif isinstance(block, Play):
        yield block.ask
        yield from (one.title for one in block.documents)
        yield from (one.text for one in block.goals)
    else:
        yield from block.texts()


def _done(block: Block) -> float:
    """Returns the seconds for what a learner does with a block."""
    if isinstance(block, Play):
        return SECONDS["goal"] * max(1, len(block.goals))
    if isinstance(block, Dial):
        return SECONDS["dial"]
    if isinstance(block, Quiz) and block.form in SECONDS:
        return SECONDS[block.form]
    return SECONDS[block.kind]


def lesson_minutes(lesson: Lesson, until: str = "") -> float:
    """Returns the minutes that the core of a lesson takes.

    Sections beyond the core and questions of earlier lessons are not counted.

    Args:
        lesson: The lesson.
        until: The recap that ends it early; the whole lesson if empty.
    """
    seconds = 0.0
    for part, deeper in lesson.walk():
        if not deeper:
            seconds += part_seconds(part.text if isinstance(part, Prose) else part[0])
        if until and not isinstance(part, Prose) and part[0].id == until:
            break
    return seconds / 60


def deeper_minutes(lesson: Lesson) -> dict[str, int]:
    """Returns the minutes of each section beyond the core by its title, 1 at least."""
    seconds: dict[str, float] = {}
    for step in lesson_steps(lesson):
        if step.deeper:
            found = sum(map(part_seconds, step.parts))
            seconds[step.deeper] = seconds.get(step.deeper, 0.0) + found
    return {title: max(1, round(value / 60)) for title, value in seconds.items()}
