"""A lesson cut into steps: what is on the screen at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from relyon.learn.blocks import Block
from relyon.learn.lesson import Lesson, Prose, plain_text
from relyon.learn.pages.render import MARKDOWN

__all__ = ["LEAD", "SCREEN", "Step", "lesson_steps", "pieces", "weight"]

#: Up to so many words are on a screen; a longer paragraph, list or table stays whole.
SCREEN = 110
#: Up to so many words are above a block; if there are more, they are a step of their own.
LEAD = 70
#: Chinese characters that are read in the time of an English word: 1.6 to 1.7 in parallel texts.
CHARACTERS = 1.65
CHINESE = re.compile("[\u3400-\u9fff]")
WORD = re.compile(r"[^\s\u3000-\u9fff\uff00-\uffef]+")


@dataclass(frozen=True)
class Step:
    """One idea: text, a block, or a short text and the block that it leads to.

    Attributes:
        key: Its name, unique in the lesson: the block's, or `BLOCK.N` for the N-th text before a
            block (`end.N` after the last one).
        parts: Markdown, and blocks.
        deeper: The title of the section beyond the core that it belongs to; empty in the core.
    """

    key: str
    parts: tuple[str | Block, ...]
    deeper: str

    @property
    def block(self) -> Block | None:
        """The block that ends it, if one does."""
        last = self.parts[-1]
        return None if isinstance(last, str) else last


@dataclass(frozen=True)
class Piece:
    """A paragraph, heading, list, table … of a text.

    Attributes:
        text: Its Markdown.
        kind: Its kind in markdown-it, such as `heading_open`.
    """

    text: str
    kind: str

    @property
    def is_heading(self) -> bool:
        """Whether it is a heading: something follows it."""
        return self.kind == "heading_open"

    @property
    def leads(self) -> bool:
        """Whether it leads to what follows: a heading, or text that ends with a colon."""
        return self.is_heading or self.text.rstrip("* _").endswith((":", "："))


def weight(text: str) -> float:
    """Returns how long a text is, in English words; Chinese characters count as parts of one.

    Examples:
        >>> weight("Sweeter to the front"), round(weight("越甜越靠前"), 2)
        (4.0, 3.03)
    """
    read = plain_text(text)
    return len(WORD.findall(read)) + len(CHINESE.findall(read)) / CHARACTERS


def pieces(text: str) -> list[Piece]:
    """Returns the paragraphs, headings, lists, tables … of a text.

    Examples:
        >>> [piece.text for piece in pieces("## Title\\n\\nText:\\n- one\\n\\n- two")]
        ['## Title', 'Text:', '- one\\n\\n- two']
    """
    lines = text.splitlines()
    found = []
    for one in MARKDOWN.parse(text):
        if one.level == 0 and one.map and one.nesting >= 0:
            low, high = one.map
            found.append(Piece("\n".join(lines[low:high]).rstrip(), one.type))
    return found


def lesson_steps(lesson: Lesson) -> list[Step]:
    """Returns the steps of a lesson, in order.

    A step ends after each block. A block takes along the text before it, up to `LEAD` words; other
    text ends before a heading, and where it would have more than `SCREEN` words. What ends with a
    colon is not parted from what follows, and a paragraph, list or table is not cut.

    Args:
        lesson: The lesson.
    """
    found: list[Step] = []
    waiting: list[Piece] = []
    within = ""
    for part, deeper in lesson.walk():
        if deeper != within:
            found += _texts(waiting, within)
            waiting, within = [], deeper
        if isinstance(part, Prose):
            waiting += pieces(part.text)
            continue
        cut = _lead(waiting)
        found += _texts(waiting[:cut], within)
        above = "\n\n".join(piece.text for piece in waiting[cut:])
        found.append(Step("", (above, part[0]) if above else (part[0],), within))
        waiting = []
    found += _texts(waiting, within)
    return _named(found)


def _lead(waiting: Sequence[Piece]) -> int:
    """Returns where the text begins that goes with the block after it."""
    starts = [0, *(n for n in range(1, len(waiting)) if not waiting[n - 1].leads), len(waiting)]
    if waiting and waiting[-1].leads:
        starts.pop()  # the last piece announces the block
    for start in starts:
        if sum(weight(piece.text) for piece in waiting[start:]) <= LEAD:
            return start
    return starts[-1]


def _texts(waiting: Sequence[Piece], deeper: str) -> Iterator[Step]:
    """Yields steps of text alone."""
    held: list[Piece] = []
    for piece in waiting:
        long = sum(weight(one.text) for one in [*held, piece]) > SCREEN
        if held and (long or piece.is_heading):
            cut = len(held)
            while cut and held[cut - 1].leads:
                cut -= 1  # what leads to this piece goes with it
            if cut:
                yield _text(held[:cut], deeper)
                held = held[cut:]
        held.append(piece)
    if held:
        yield _text(held, deeper)


def _text(held: Sequence[Piece], deeper: str) -> Step:
    return Step("", ("\n\n".join(piece.text for piece in held),), deeper)


def _named(steps: Sequence[Step]) -> list[Step]:
    """Returns the steps with their keys."""
    named: list[Step] = []
    block, back = "end", 0
    for step in reversed(steps):
        if step.block is not None:
            block, back = step.block.id, 0
            named.append(replace(step, key=block))
        else:
            back += 1
            named.append(replace(step, key=f"{block}.{back}"))
    return named[::-1]
