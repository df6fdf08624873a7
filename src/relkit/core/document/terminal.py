"""A document as lines for the terminal: columns, words, widths."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from relkit.core.document.model import (
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
    "fold",
    "printable",
    "render_text",
    "shorten",
    "table_width",
    "width",
    "wrap",
]

#: Maximum width of sentences, however wide the terminal is.
COLUMNS = 80
#: A name shorter than this is no longer recognisable.
SHORTEST = 12
#: Terminal columns of the longest bar.
BAR = 8
EIGHTHS = " ▏▎▍▌▋▊▉█"
HANGING = "  "
#: Characters that take one column each: most tables have no others and need no width table.
NARROW = "[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u22ff\u2500-\u25fc]*"
#: What a terminal obeys, or what reverses the text around it: C0, C1, bidirectional embeddings,
#: overrides and isolates, and what no encoding can write.
CONTROL = re.compile("[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
#: A word, or a character of a script without spaces; closing punctuation stays with it, and an
#: opening bracket with what follows.
PIECE = (
    r"\s+|(?:\[?[\u2e80-\u9fff\uff00-\uffef]|[^\s\u2e80-\u9fff\uff00-\uffef]+)"
    "[，。；：！？、）》」』”’]*"
)


def printable(text: str, keep: str = "") -> str:
    r"""Returns text that cannot control a terminal: control characters become escapes.

    All output for people passes through here; data in files stays as it is.

    Args:
        text: Ids, names and sentences, including untrusted ones.
        keep: Control characters to keep, such as line ends.

    Examples:
        >>> print(printable("q1\x1b[2J\u202e"))
        q1\x1b[2J\u202e
        >>> printable("one\ntwo", keep="\n")
        'one\ntwo'
    """
    if text.isprintable():
        return text
    return CONTROL.sub(lambda one: one[0] if one[0] in keep else _escaped(one[0]), text)


def _escaped(sign: str) -> str:
    return sign.encode("ascii", "backslashreplace").decode() if sign > "\x7f" else repr(sign)[1:-1]


def render_text(document: Document, columns: int | None = COLUMNS) -> str:
    """Returns a document as lines, with an empty line between its parts.

    Args:
        document: The document.
        columns: Maximum line width in terminal columns: names are shortened and tables folded to
            fit. `None` leaves tables as they are.

    Examples:
        >>> from relkit.core.document.model import Document, Table
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
    render: Callable[[Any, int | None, int], Iterator[str]] = RENDERERS[block.kind]
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
    # Several blocks are readable only if one of the columns names the row.
    lines = fold(headings, rows, block.left, columns if block.left else None)
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
    examples = f"{block.examples_label}{', '.join(block.examples)}" if block.examples_label else ""
    for text in (second, block.text, step, examples if block.examples else ""):
        yield from wrap(text, room, indent, indent) if text else []
    if not block.examples_label:
        for text in block.examples:
            yield from wrap(text, room, f"{indent}  ", f"{indent}- ")


RENDERERS: dict[str, Callable[..., Iterator[str]]] = {
    "finding": _finding,
    "lines": _remarks,
    "points": _points,
    "prose": _prose,
    "section": _section,
    "table": _table,
}


def _sentence(text: str, room: int) -> list[str]:
    """Returns a sentence as lines; one that fits keeps its spaces."""
    if not text:
        return []
    text = printable(text, "\n")
    return [text] if width(text) <= room else wrap(text, room, HANGING)


def width(text: str) -> int:
    """Returns the width of text in terminal columns: two for a Chinese character.

    Examples:
        >>> width("正逆序比"), width("e\u0301"), width("a\u200bb")
        (8, 1, 2)
    """
    if text.isascii() or re.fullmatch(NARROW, text):
        return len(text)
    from wcwidth import wcswidth, wcwidth

    found = wcswidth(text)
    # It has no width for text with control characters.
    return found if found >= 0 else sum(max(wcwidth(sign), 0) for sign in text)


def wrap(text: str, columns: int = COLUMNS, indent: str = "", first: str = "") -> list[str]:
    """Wraps text to lines of at most `columns` terminal columns, where its words allow it.

    Args:
        text: Words between spaces, or characters of a script without spaces.
        columns: The width.
        indent: The prefix of every line but the first.
        first: The prefix of the first line.

    Examples:
        >>> wrap("one two three", 8, "  ")
        ['one two', '  three']
        >>> wrap("正逆序比，越高越好。", 9)
        ['正逆序', '比，越高', '越好。']
        >>> wrap("正逆序比 [默认：1]", 10)
        ['正逆序比', '[默认：1]']
    """
    lines, fresh = [printable(first)], True
    text = printable(text, "\n\t")
    for piece in re.findall(PIECE, text):
        if piece.isspace():
            lines[-1] += "" if fresh else " "
            continue
        if not fresh and width(lines[-1]) + width(piece) > columns:
            lines.append(indent)
        lines[-1] += piece
        fresh = False
    return lines if fresh else [line.rstrip() for line in lines]


def shorten(text: str, columns: int) -> str:
    """Shortens text to at most `columns` terminal columns by cutting its middle.

    Examples:
        >>> shorten("https://example.org/a/long/path", 15)
        'https:/…ng/path'
        >>> shorten("short", 15)
        'short'
    """
    if width(text) <= columns:
        return text
    head, tail = "", ""
    while True:
        one = text[len(head)]
        if width(head) + width(one) + width(tail) + 1 > columns:
            return f"{head}…{tail}"
        head += one
        one = text[-len(tail) - 1]
        if width(head) + width(one) + width(tail) + 1 > columns:
            return f"{head}…{tail}"
        tail = one + tail


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
        >>> from relkit.core.document.model import Table
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
