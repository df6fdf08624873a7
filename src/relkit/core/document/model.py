"""What a text for people is made of, before it becomes lines, Markdown, HTML or JSON.

Results and reports build a `Document` from their own values; renderers know nothing but its blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

__all__ = [
    "Block",
    "Cell",
    "Document",
    "Finding",
    "Lines",
    "Points",
    "Prose",
    "Section",
    "Table",
    "Tone",
]


class Block(Protocol):
    """A part of a document.

    Attributes:
        kind: What renderers know it by.
    """

    kind: ClassVar[str]


Tone = Literal["", "better", "worse", "undecided", "described"]


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Attributes:
        text: What it says.
        tone: Whether it speaks for the candidate or against it.
        mark: A sign before the text, so that the tone does not hang on colour alone.
        link: The `name` of the details on the page that it leads to.
        strong: Whether it is the best of its column.
        above: Signs above the line, such as letters of the runs that it is better than.
    """

    text: str
    tone: Tone = ""
    mark: str = ""
    link: str = ""
    strong: bool = False
    above: str = ""

    def __str__(self) -> str:
        return f"{self.mark} {self.text}".strip()


@dataclass(frozen=True)
class Table:
    """Rows under headings; the first column names the row.

    Attributes:
        headings: One per column; where all are empty, the rows are facts: a name and a text.
        rows: Their cells; plain text stands for a cell without tone.
        caption: What the table shows.
        left: Columns of text, to the left; the others hold numbers.
        strong: Places of rows that matter most.
        notes: Sentences below the table.
        long: Columns of names, which a terminal shortens where the table is too wide.
        bars: A share from 0 to 1 per row, drawn beside the table in a terminal.
    """

    kind: ClassVar[str] = "table"
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell | str]]
    caption: str = ""
    left: int = 1
    strong: frozenset[int] = frozenset()
    notes: Sequence[str] = ()
    long: Sequence[int] = ()
    bars: Sequence[float] = ()

    def cells(self) -> list[list[Cell]]:
        """Returns every cell as a `Cell`."""
        return [[one if isinstance(one, Cell) else Cell(one) for one in row] for row in self.rows]


@dataclass(frozen=True)
class _Texts:
    texts: Sequence[str]


class Prose(_Texts):
    """Paragraphs of plain text."""

    kind: ClassVar[str] = "prose"


class Lines(_Texts):
    """Sentences that belong together, each on a line of its own."""

    kind: ClassVar[str] = "lines"


class Points(_Texts):
    """Sentences as a list."""

    kind: ClassVar[str] = "points"


@dataclass(frozen=True)
class Section:
    """Blocks under a heading.

    Attributes:
        name: The place on a page that links lead to; may be empty.
        title: The heading.
        blocks: What stands below it.
    """

    kind: ClassVar[str] = "section"
    name: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Finding:
    """What is the matter, how it shows, and what to do next.

    Attributes:
        title: What is the matter in a few words.
        text: How it shows.
        about: How severe it is, and what it concerns.
        name: Its kind, as programs know it.
        step: What to do next.
        step_label: Stands before it.
        examples: A few cases to look at.
        examples_label: Stands before them, in a line; without it, each has a line of its own.
        number: Its place among several, counted from 1.
        severity: How severe it is, for a page's style.
        label: The same in a word, beside the title.
        table: The numbers behind it.
    """

    kind: ClassVar[str] = "finding"
    title: str
    text: str
    about: str = ""
    name: str = ""
    step: str = ""
    step_label: str = ""
    examples: Sequence[str] = ()
    examples_label: str = ""
    number: int = 0
    severity: str = ""
    label: str = ""
    table: Table | None = None


@dataclass(frozen=True)
class Document:
    """Everything that one text says.

    Attributes:
        blocks: The parts, in reading order.
        title: The heading of it all; may be empty.
        lead: What stands right below the title.
    """

    blocks: Sequence[Block]
    title: str = ""
    lead: Sequence[str] = ()
