"""The document model, before rendering to terminal lines, Markdown, HTML or JSON.

Results and reports build a `Document` from their own values; renderers see only its blocks.
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
        kind: The name that renderers look up.
    """

    kind: ClassVar[str]


Tone = Literal["", "better", "not-worse", "equal", "worse", "undecided", "described"]


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Attributes:
        text: The page.
        tone: Whether it favours the candidate or the baseline.
        mark: A sign before the text, so that the tone does not depend on colour alone.
        link: The `name` of the section on the page that it links to.
        strong: Whether it is the best in its column.
        above: Superscript, such as letters of the runs that it is better than.
        title: The text or title of an id; a terminal cuts it to the width that is left.
    """

    text: str
    tone: Tone = ""
    mark: str = ""
    link: str = ""
    strong: bool = False
    above: str = ""
    title: str = ""

    def __str__(self) -> str:
        return f"{self.mark} {self.text}".strip()


@dataclass(frozen=True)
class Table:
    """Rows below headings; the first column names the row.

    Attributes:
        headings: One per column; if all are empty, the rows are facts: a name and text.
        rows: Their cells; plain text is a cell without tone.
        caption: The sentence above the table.
        left: Number of left-aligned text columns; the others contain numbers.
        strong: Indices of the most important rows.
        notes: Sentences below the table.
        long: Columns of names, which a terminal shortens if the table is too wide.
        bars: A share from 0 to 1 per row, drawn next to the table in a terminal.
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

    def of_text(self) -> list[bool]:
        """Returns whether each column is one of text, to the left: so are ids with titles."""
        titled = {
            place
            for row in self.rows
            for place, one in enumerate(row)
            if isinstance(one, Cell) and one.title
        }
        return [place < self.left or place in titled for place in range(len(self.headings))]

    def cells(self) -> list[list[Cell]]:
        """Returns all cells as `Cell` objects."""
        return [[one if isinstance(one, Cell) else Cell(one) for one in row] for row in self.rows]


@dataclass(frozen=True)
class _Texts:
    texts: Sequence[str]


class Prose(_Texts):
    """Paragraphs of plain text."""

    kind: ClassVar[str] = "prose"


class Lines(_Texts):
    """Sentences that belong together, one per line."""

    kind: ClassVar[str] = "lines"


class Points(_Texts):
    """A bulleted list of sentences."""

    kind: ClassVar[str] = "points"


@dataclass(frozen=True)
class Section:
    """Blocks under a heading.

    Attributes:
        name: The anchor on a page; may be empty.
        title: The heading.
        blocks: The content below it.
    """

    kind: ClassVar[str] = "section"
    name: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Finding:
    """A problem, its evidence, and the next step.

    Attributes:
        title: The problem in a few words.
        text: The evidence.
        about: Its severity and subject.
        name: Its kind, as an identifier.
        step: The next step.
        step_label: The label before it.
        examples: A few cases to look at.
        examples_label: The label before them, on one line; without it, one example per line.
        listed: Whether each example has a line of its own below the label, too.
        number: Its number among several, counted from 1.
        severity: The severity, for a page's style.
        label: The severity in a word, next to the title.
        table: The numbers behind it.
        lesson: The line that names its lesson of the course.
        reading: What the lesson says in short: its title, then its sentences.
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
    listed: bool = False
    number: int = 0
    severity: str = ""
    label: str = ""
    table: Table | None = None
    lesson: str = ""
    reading: Sequence[str] = ()


@dataclass(frozen=True)
class Document:
    """A complete text.

    Attributes:
        blocks: The parts, in reading order.
        title: The title; may be empty.
        lead: The text right below the title.
    """

    blocks: Sequence[Block]
    title: str = ""
    lead: Sequence[str] = ()
