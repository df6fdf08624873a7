"""Blocks of a report page besides those of every document: charts, headlines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypedDict

from relyon.core.document.model import Block, Cell, Finding, Prose, Section, Table, Tone
from relyon.core.language import Language

__all__ = [
    "Block",
    "Cell",
    "Chart",
    "ChartValues",
    "Columns",
    "DecisionLine",
    "Details",
    "Finding",
    "Heading",
    "Headline",
    "Headlines",
    "Key",
    "Page",
    "Prose",
    "Section",
    "Table",
    "Tone",
]


@dataclass(frozen=True)
class Heading:
    """A heading below that of the section."""

    kind: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True)
class Key:
    """One entry of a chart's legend.

    Attributes:
        shape: `line`, `solid`, `hatched` or `open`.
        role: The role of its colour.
        text: Its meaning.
        dash: Lengths of strokes and gaps of a line.
    """

    shape: str
    role: str
    text: str
    dash: str = ""


class ChartValues(TypedDict, total=False):
    """Numbers of a drawing besides those of its rows; each drawing reads some of them.

    Attributes:
        series: Name, colour role, and dashes or shape of each series.
        mean: The mean of the bars.
        chance: The points of the curve of a random order.
        months: The months on the axis.
        noted: The months with notes, and these.
        width: Maximum width in pixels.
        zero: Whether the axis begins at 0.
        end: The end of the axis; `None` fits it to the rows.
        percent: Whether values are shares.
        positions: The positions on the axis.
        best: The row of the point to mark, if any.
        charts: The charts of the panels.
        names: The names below bars; without them bars have none.
        signed: Whether bars are differences, whose axis shows signs (the default).
    """

    series: Sequence[tuple[str, str, str]]
    mean: float
    chance: Sequence[tuple[float, float]]
    months: Sequence[str]
    noted: Sequence[Mapping[str, object]]
    width: int
    zero: bool
    end: float | None
    percent: bool
    positions: Sequence[int]
    best: Sequence[Mapping[str, object]]
    charts: Sequence[Chart]
    names: Sequence[str]
    signed: bool


@dataclass(frozen=True)
class Chart:
    """Rows to draw, and the same numbers as a table.

    Attributes:
        drawing: How to draw them: a name in `relyon.report.charts.DRAWINGS`.
        title: The title.
        caption: How to read it.
        rows: One object per mark.
        table: The table that replaces the chart if charts cannot be drawn.
        labels: Texts of axes and legends by their role.
        values: Further numbers that the drawing needs.
        legend: The legend.
    """

    kind: ClassVar[str] = "chart"
    drawing: str
    title: str
    caption: str
    rows: tuple[Mapping[str, object], ...]
    table: Table
    labels: Mapping[str, str] = field(default_factory=dict)
    values: ChartValues = field(default_factory=ChartValues)
    legend: tuple[Key, ...] = ()


@dataclass(frozen=True)
class Details:
    """Collapsible blocks.

    Attributes:
        summary: The text shown while they are closed.
        blocks: Their contents.
        name: The anchor for links.
        tone: As for a cell.
        mark: As for a cell.
        value: A number at the end of the summary.
    """

    kind: ClassVar[str] = "details"
    summary: str
    blocks: tuple[Block, ...]
    name: str = ""
    tone: Tone = ""
    mark: str = ""
    value: str = ""


@dataclass(frozen=True)
class Columns:
    """Groups of blocks, side by side if there is space."""

    kind: ClassVar[str] = "columns"
    groups: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True)
class Headline:
    """One sentence in its parts: ``subject numbers (evidence): meaning``."""

    subject: str
    numbers: str
    evidence: str
    meaning: str
    tone: Tone
    mark: str
    separator: str = ": "

    @property
    def bracketed(self) -> str:
        """The evidence in the brackets of its language."""
        return f"({self.evidence})" if self.separator == ": " else f"（{self.evidence}）"

    def __str__(self) -> str:
        space = " " if self.separator == ": " else ""
        start = f"{self.subject} {self.numbers}{space}{self.bracketed}"
        return f"{start}{self.separator}{self.meaning}"


@dataclass(frozen=True)
class Headlines:
    """The sentences for a reader in a hurry."""

    kind: ClassVar[str] = "headlines"
    title: str
    items: tuple[Headline, ...]


@dataclass(frozen=True)
class DecisionLine:
    """The decision about a candidate, on top of the page.

    Attributes:
        choice: `ship`, `do-not-ship`, `grade-more` or `cannot-tell`.
        title: The choice in words.
        reason: Why, in a sentence with numbers.
    """

    choice: str
    title: str
    reason: str


@dataclass(frozen=True)
class Page:
    """A whole report, before it becomes HTML or Markdown.

    Attributes:
        language: `en` or `zh`.
        title: The title of the page.
        subtitle: The subject, in one line.
        lead: The outcome in a sentence or two.
        sections: The parts, in reading order.
        decisions: What follows for each candidate.
        folded: The names of sections that are folded on narrow screens.
    """

    language: Language
    title: str
    subtitle: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]
    decisions: tuple[DecisionLine, ...] = ()
    folded: tuple[str, ...] = ()

    def blocks(self) -> Iterator[Block]:
        """Yields every block, including nested ones."""
        for section in self.sections:
            yield from _inside(section.blocks)

    def section(self, name: str) -> Section | None:
        """Returns the section of that name, or `None`."""
        return next((one for one in self.sections if one.name == name), None)


def _inside(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Details):
            yield from _inside(block.blocks)
        elif isinstance(block, Columns):
            for group in block.groups:
                yield from _inside(group)
