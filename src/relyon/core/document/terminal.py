"""A document as lines for the terminal: columns, words, widths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.core.document.signs import COLUMNS, cut, printable, shorten, width, wrap

if TYPE_CHECKING:
    from relyon.core.document.model import (
        Block,
        Document,
        Finding,
        Lines,
        Points,
        Prose,
        Section,
        Table,
    )

__all__ = [
    "COLUMNS",
    "align",
    "cut",
    "fold",
    "printable",
    "render_text",
    "shorten",
    "table_width",
    "width",
    "wrap",
]

#: A name shorter than this is no longer recognisable.
SHORTEST = 12
#: With less room than this, titles get lines of their own.
BESIDE = 24
#: Terminal columns of the longest bar.
BAR = 8
EIGHTHS = " ▏▎▍▌▋▊▉█"
HANGING = "  "


def render_text(document: Document, columns: int | None = COLUMNS) -> str:
    """Returns a document as lines, with an empty line between its parts.

    Args:
        document: The document.
        columns: Maximum line width in terminal columns: names are shortened and tables folded to
            fit. `None` leaves tables as they are.

    Examples:
        >>> from relyon.core.document.model import Document, Table
        >>> print(render_text(Document([Table(["query", "rr"], [["q1", "0.5"]])], "One query")))
        One query
        <BLANKLINE>
        query   rr
        ─────  ───
        q1     0.5
    """
    room = min(columns or COLUMNS, COLUMNS)
    head = [line for text in (document.title, *document.lead) for line in _sentence(text, room)]
    blocks = ["\n".join(_lines(block, columns, room)) for block in document.blocks]
    return "\n\n".join(part for part in ("\n".join(head), *blocks) if part)


def _lines(block: Block, columns: int | None, room: int) -> Iterator[str]:
    render: Callable[..., Iterator[str]] = RENDERERS[block.kind]
    return render(block, columns, room)


def _table(block: Table, columns: int | None, room: int) -> Iterator[str]:
    yield from _sentence(block.caption, room)
    if not any(block.headings):
        yield from _facts(block, columns)
        return
    headings, *cells = _printable([block.headings, *block.rows])
    rows: Sequence[Sequence[str]] = cells
    beside = BAR + 2 if block.bars else 0
    if columns is not None:
        rows = _fitting(headings, rows, block.long, columns - beside)
    titles = _titles(block)
    beside_ids = _title_room(headings, rows, titles, columns)
    headings, rows = _with_titles(headings, rows, titles, beside_ids)
    # Several blocks are readable only if one of the columns names the row.
    lines = fold(headings, rows, block.left, columns if block.left else None)
    if titles and not beside_ids:
        lines = [*_titles_below(lines, _widths(headings, rows), titles, columns or COLUMNS)]
    wide = max(map(width, lines))
    if block.bars and (columns is None or wide + beside <= columns):
        for place, share in enumerate(block.bars, len(lines) - len(rows)):
            if share > 0:
                lines[place] += " " * (wide - width(lines[place]) + 2) + _bar(share)
    yield from lines
    for note in block.notes:
        yield from _sentence(note, room)


def _printable(rows: Iterable[Sequence[object]]) -> list[list[str]]:
    return [[printable(str(cell)) for cell in row] for row in rows]


def _facts(block: Table, columns: int | None) -> Iterator[str]:
    """Yields a table without headings: each name with its text, wrapped below itself."""
    rows = _printable(block.rows)
    wide = max((width(name) for name, *_ in rows), default=0)
    for name, *cells in rows:
        first, text = name + " " * (wide - width(name) + 2), "  ".join(cells)
        fits = columns is None or wide + 2 + width(text) <= columns
        yield from [first + text] if fits else wrap(text, columns or 0, " " * (wide + 2), first)


def _prose(block: Prose, columns: int | None, room: int) -> Iterator[str]:
    for place, text in enumerate(block.texts):
        yield from ([""] if place else [])
        yield from wrap(text, room)


def _remarks(block: Lines, columns: int | None, room: int) -> Iterator[str]:
    for text in block.texts:
        yield from _sentence(text, room)


def _points(block: Points, columns: int | None, room: int) -> Iterator[str]:
    for text in block.texts:
        yield from wrap(text, room, HANGING, HANGING)


def _section(block: Section, columns: int | None, room: int) -> Iterator[str]:
    yield from _sentence(block.title, room)
    for place, one in enumerate(block.blocks):
        yield from ([""] if place else [])
        yield from _lines(one, columns, room)


def _finding(block: Finding, columns: int | None, room: int) -> Iterator[str]:
    head = f"{block.number}. " if block.number else ""
    indent = " " * len(head) or HANGING
    first = block.title if block.number else f"{block.about} {block.name}".strip()
    second = block.about if block.number else block.title
    yield from wrap(first, room, indent, head)
    step = block.step_label + block.step if block.step else ""
    named = "" if block.listed else _between(block).join(block.examples)
    examples = f"{block.examples_label}{named}".rstrip() if block.examples_label else ""
    for text in (second, block.text, step, examples if block.examples else ""):
        yield from wrap(text, room, indent, indent) if text else []
    if block.listed or not block.examples_label:
        for text in block.examples:
            yield from wrap(text, room, f"{indent}  ", f"{indent}- ")
    yield from wrap(block.lesson, room, indent, indent) if block.lesson else []


RENDERERS: dict[str, Callable[..., Iterator[str]]] = {
    "finding": _finding,
    "lines": _remarks,
    "points": _points,
    "prose": _prose,
    "section": _section,
    "table": _table,
}


def _between(block: Finding) -> str:
    """Returns the separator of examples: a semicolon in full width after a full-width colon."""
    return ", " if block.examples_label.endswith(" ") else "；"


def _sentence(text: str, room: int) -> list[str]:
    """Returns a sentence as lines; one that fits keeps its spaces."""
    if not text:
        return []
    text = printable(text, "\n")
    return [text] if width(text) <= room else wrap(text, room, HANGING)


def _titles(block: Table) -> dict[int, list[str]]:
    """Returns the titles of each column that has some, one per row."""
    columns = {
        place: [printable(" ".join(cell.title.split())) for cell in column]
        for place, column in enumerate(zip(*block.cells(), strict=True))
    }
    return {place: titles for place, titles in columns.items() if any(titles)}


def _title_room(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    titles: Mapping[int, Sequence[str]],
    columns: int | None,
) -> int:
    """Returns the terminal columns for titles next to their ids, 0 if too few."""
    longest = max((width(one) for column in titles.values() for one in column), default=0)
    if not longest or columns is None:
        return min(longest, COLUMNS)
    widths = _widths(headings, rows)
    room = (columns - sum(widths) - 2 * (len(widths) - 1)) // len(titles) - 2
    return min(longest, room) if room >= min(longest, BESIDE) else 0


def _with_titles(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    titles: Mapping[int, Sequence[str]],
    room: int,
) -> tuple[list[str], list[list[str]]]:
    """Returns headings and rows with aligned ids, and with titles if they fit."""
    found = [[*headings], *map(list, rows)]
    for place, column in titles.items():
        wide = max(width(row[place]) for row in found[1:])
        for row, title in zip(found, ["", *column], strict=True):
            if title and room:
                row[place] = f"{_padded(row[place], wide)}  {cut(title, room)}"
        whole = max(width(row[place]) for row in found)
        for row in found:
            row[place] = _padded(row[place], whole)
    return found[0], found[1:]


def _titles_below(
    lines: Sequence[str],
    widths: Sequence[int],
    titles: Mapping[int, Sequence[str]],
    columns: int,
) -> Iterator[str]:
    """Yields a table's lines, below each row of the first block a line of its titles."""
    starts = {place: sum(widths[:place]) + 2 * place or len(HANGING) for place in titles}
    ends = [*(start - 2 for start in [*starts.values()][1:]), columns]
    below = ["" for _ in next(iter(titles.values()))]
    for (place, start), end in zip(starts.items(), ends, strict=True):
        for row, title in enumerate(titles[place]):
            if title and start < end:
                below[row] = f"{_padded(below[row], start)}{cut(title, end - start)}"
    for place, line in enumerate(lines):
        yield line
        if 2 <= place < 2 + len(below) and below[place - 2]:
            yield below[place - 2]


def _padded(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def _fitting(
    headings: Sequence[str], rows: Sequence[Sequence[str]], long: Sequence[int], columns: int
) -> Sequence[Sequence[str]]:
    """Returns the rows with names shortened to fit the width, if possible."""
    widths = _widths(headings, rows)
    excess = sum(widths) + 2 * (len(widths) - 1) - columns
    while excess > 0:
        widest = max(long, key=lambda place: widths[place], default=None)
        if widest is None or widths[widest] <= SHORTEST:
            break
        widths[widest] -= 1
        excess -= 1
    return [
        [shorten(cell, widths[place]) if place in long else cell for place, cell in enumerate(row)]
        for row in rows
    ]


def _widths(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(width, column)) for column in zip(headings, *rows, strict=True)]


def table_width(table: Table) -> int:
    """Returns the width of an unfolded table in terminal columns.

    Examples:
        >>> from relyon.core.document.model import Table
        >>> table_width(Table(["query", "rr"], [["q1", "0.5"]]))
        10
    """
    widths = _widths(table.headings, [[str(cell) for cell in row] for row in table.rows])
    return sum(widths) + 2 * (len(widths) - 1)


def align(headings: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Returns aligned columns: the first `left` to the left, the others to the right."""
    headings, *rows = _printable([headings, *rows])
    widths = _widths(headings, rows)
    lines = []
    for row in (headings, *rows):
        cells = []
        for place, (text, wide) in enumerate(zip(row, widths, strict=True)):
            padding = " " * (wide - width(text))
            cells.append(text + padding if place < left else padding + text)
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("─" * wide for wide in widths))
    return lines


def fold(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: int = 1,
    columns: int | None = None,
) -> list[str]:
    """Returns aligned lines, in blocks that repeat the first columns if the table is too wide.

    Args:
        headings: One per column.
        rows: Their cells.
        left: Number of columns that are left-aligned and repeated in each block.
        columns: Maximum line width in terminal columns; `None` never folds.
    """
    headings, *rows = _printable([headings, *rows])
    widths = _widths(headings, rows)
    lines: list[str] = []
    block = list(range(left))
    for place in range(left, len(headings)):
        taken = sum(widths[other] + 2 for other in block) + widths[place]
        if columns is not None and taken > columns and len(block) > left:
            lines += [*_block(headings, rows, block, left), ""]
            block = list(range(left))
        block.append(place)
    return lines + _block(headings, rows, block, left)


def _block(
    headings: Sequence[str], rows: Sequence[Sequence[str]], places: Sequence[int], left: int
) -> list[str]:
    chosen = [[row[place] for place in places] for row in rows]
    return align([headings[place] for place in places], chosen, left)


def _bar(share: float) -> str:
    eighths = max(1, round(8 * BAR * min(share, 1.0)))
    full, rest = divmod(eighths, 8)
    return "█" * full + (EIGHTHS[rest] if rest else "")
