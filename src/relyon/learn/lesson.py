"""A lesson: Markdown with blocks, one file for each language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from relyon.core.errors import ParseError
from relyon.core.registry import suggestion
from relyon.core.texts import Language, message
from relyon.learn.blocks import BLOCKS, Block, Fields, read_block

__all__ = ["Lesson", "Number", "Prose", "numbers", "plain_text", "read_lesson"]

FRONT = "+++"
FENCE = re.compile(r"^```(\w*)\s*$")
#: A number that people read, and the expression that it shows.
NUMBER = re.compile(
    r"\[(?P<written>[^\[\]]+)\]\(=(?P<expression>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)"
)
LINK = re.compile(r"\[([^\[\]]*)\]\([^)\s]*\)")
MARKUP = re.compile(r"[*`]|^#+\s*", re.MULTILINE)
#: A heading, and the mark of a section beyond the core: ``## Why a logarithm? {deeper}``.
HEADING = re.compile(r"^(?P<level>#{1,6})\s+(?P<title>.*?)(?:\s*\{(?P<mark>[a-z]+)\})?\s*$")
DEEPER = "deeper"


@dataclass(frozen=True)
class Prose:
    """Markdown between two blocks.

    Attributes:
        text: The Markdown.
        line: Where it begins in its file.
        deeper: The title of the section beyond the core that it, and the blocks up to the next
            text, belong to; empty in the core.
    """

    text: str
    line: int
    deeper: str = ""


@dataclass(frozen=True)
class Number:
    """A number in a text.

    Attributes:
        written: As people read it.
        expression: What it is.
    """

    written: str
    expression: str


@dataclass(frozen=True)
class Lesson:
    """One lesson in one language.

    Attributes:
        name: The name of its file without the ending, such as ``03-ndcg``.
        language: Its language.
        title: Its title.
        summary: What the learner will know, in one sentence.
        minutes: How long it takes.
        measures: Measures whose pages lead here.
        parts: Its text and its blocks, in order.
        path: Its file.
        alone: Whether later lessons leave its questions out: they need what only it has.
    """

    name: str
    language: Language
    title: str
    summary: str
    minutes: int
    measures: tuple[str, ...]
    parts: tuple[Prose | tuple[Block, int], ...]
    path: str
    alone: bool = False

    @property
    def number(self) -> int:
        """Its number in the course."""
        return int(self.name.partition("-")[0])

    @property
    def blocks(self) -> list[Block]:
        """Its blocks in order."""
        return [part[0] for part in self.parts if not isinstance(part, Prose)]

    def walk(self) -> Iterator[tuple[Prose | tuple[Block, int], str]]:
        """Yields its parts, each with the title of the section beyond the core that it is in.

        The title is empty in the core: what everybody reads.
        """
        deeper = ""
        for part in self.parts:
            if isinstance(part, Prose):
                deeper = part.deeper
            yield part, deeper

    def texts(self) -> Iterator[tuple[str, int]]:
        """Yields everything that people read, each with the line where it, or its block, begins."""
        yield self.title, 1
        yield self.summary, 1
        for part in self.parts:
            if isinstance(part, Prose):
                yield part.text, part.line
            else:
                for text in part[0].texts():
                    yield text, part[1]


def numbers(text: str) -> list[Number]:
    """Returns the numbers of a text that relyon computes.

    Examples:
        >>> numbers("It is [0.631](=1/log2(3)) there.")
        [Number(written='0.631', expression='1/log2(3)')]
    """
    return [Number(found["written"], found["expression"]) for found in NUMBER.finditer(text)]


def plain_text(text: str) -> str:
    """Returns a text without its marks.

    Examples:
        >>> plain_text("**NDCG** is [0.913](=ndcg@3:2,3,0)")
        'NDCG is 0.913'
    """
    written = NUMBER.sub(lambda found: found["written"], text)
    return MARKUP.sub("", LINK.sub(lambda found: found[1], written))


def read_lesson(path: Path, language: Language) -> Lesson:
    """Reads a lesson.

    Raises:
        ParseError: If something in it cannot be understood; the message names the line.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    front, start = _front(lines, str(path))
    parts = tuple(_parts(lines, start, str(path)))
    found = Lesson(
        path.stem,
        language,
        front.text("title"),
        front.text("summary"),
        int(front.number("minutes")),
        front.texts("measures"),
        parts,
        str(path),
        front.flag("alone"),
    )
    front.end()
    seen: dict[str, int] = {}
    for part in parts:
        if not isinstance(part, Prose):
            block, line = part
            if block.id in seen:
                text = message("learn.block-exists-twice", id=block.id)
                raise ParseError(text, path=str(path), line=line)
            seen[block.id] = line
    return found


def _front(lines: list[str], path: str) -> tuple[Fields, int]:
    """Returns the fields before the text, and the line at which the text begins."""
    if not lines or lines[0].strip() != FRONT or FRONT not in map(str.strip, lines[1:]):
        raise ParseError(
            message("learn.lesson-does-not-begin"),
            path=path,
            line=1,
            hint=message("learn.write-title"),
        )
    end = [line.strip() for line in lines].index(FRONT, 1)
    return Fields(_toml(lines[1:end], path, 1), path, 1), end + 1


def _toml(lines: list[str], path: str, before: int) -> Mapping[str, object]:
    try:
        return tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = before + (int(found[1]) if found else 1)
        text = message("learn.fields-cannot-be-read", error=str(error))
        raise ParseError(text, path=path, line=line) from None


def _parts(lines: list[str], start: int, path: str) -> Iterator[Prose | tuple[Block, int]]:
    """Yields text and blocks; other fences belong to the text."""
    text = _Text(path, start + 1)
    place = start
    while place < len(lines):
        fence = FENCE.match(lines[place])
        if not fence:
            yield from text.add(lines[place], place + 1)
            place += 1
            continue
        end = next((n for n in range(place + 1, len(lines)) if lines[n].strip() == "```"), None)
        if end is None:
            raise ParseError(message("learn.block-is-not-closed"), path=path, line=place + 1)
        kind = fence[1]
        if kind in BLOCKS:
            yield from text.end(end + 2)
            values = _toml(lines[place + 1 : end], path, place + 1)
            yield read_block(kind, Fields(values, path, place + 1)), place + 1
        elif kind and kind not in {"console", "python", "text", "bash", "csv", "toml", "json"}:
            raise ParseError(
                message("learn.unknown-block", kind=kind),
                path=path,
                line=place + 1,
                hint=suggestion(kind, list(BLOCKS)),
            )
        else:
            text.lines += lines[place : end + 1]
        place = end + 1
    yield from text.end(len(lines) + 1)


class _Text:
    """Lines of text that were read and belong together.

    Args:
        path: The file.
        first: The line at which the text begins.
    """

    def __init__(self, path: str, first: int) -> None:
        self.lines: list[str] = []
        self._path = path
        self._first = first
        self._deeper, self._level = "", 0

    def add(self, line: str, place: int) -> Iterator[Prose]:
        """Adds a line outside of fences; yields what ends where a section begins."""
        heading = HEADING.match(line)
        if heading:
            mark, level = heading["mark"], len(heading["level"])
            if mark not in {None, DEEPER}:
                text = message("learn.unknown-mark", mark=mark)
                hint = message("learn.mark-is-deeper")
                raise ParseError(text, path=self._path, line=place, hint=hint)
            if self._deeper and level <= self._level:
                yield from self.end(place)
                self._deeper = ""
            if mark and not self._deeper:
                yield from self.end(place)
                self._deeper, self._level = heading["title"], level
            line = f"{heading['level']} {heading['title']}" if mark else line
        self.lines.append(line)

    def end(self, after: int) -> Iterator[Prose]:
        """Yields the text, if there is any; what follows begins at the line `after`."""
        if any(line.strip() for line in self.lines):
            yield Prose("\n".join(self.lines).strip("\n"), self._first, self._deeper)
        self.lines, self._first = [], after
