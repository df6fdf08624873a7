"""A document as the comment of a pull request: Markdown in which foreign text stays text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from relyon.core.document.model import Block, Cell, Document, Lines, Points, Prose, Section, Table
from relyon.core.document.terminal import printable

__all__ = ["LONGEST", "Command", "Folded", "Quoted", "inert", "render_comment"]

#: The longest comment that GitHub stores, in characters.
LONGEST = 65_536
#: What separates a sign from the rest of a word and takes no place: it ends mentions and links.
JOINER = "&#8288;"
#: Signs of Markdown and HTML.
SIGNS = re.compile(r"[\\`*~$|<>{}]|&|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[:])|\[(?=[\^ xX\]])|!(?=\[)")
#: What GitHub and GitLab link by themselves: people, issues, requests, addresses.
LINKED = re.compile(r"(@|#|!|%)(?=\w)|(:)(?=//)|(?i:(www)(?=\.)|\b(GH)(?=-\d))")
#: What would begin a list, a heading, a line across the page, or a command to GitLab or a robot.
START = re.compile(r"^(?:[-+](?=[-\s]|$)|[=/]|#(?!\w)|\d+(?=[.)](?:\s|$)))")

Renderer: TypeAlias = Callable[[Block, int], Iterator[str]]


@dataclass(frozen=True)
class Folded:
    """Blocks that open with a click.

    Attributes:
        title: What is seen before.
        blocks: The content.
    """

    kind: ClassVar[str] = "folded"
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Command:
    """A command to copy.

    Attributes:
        text: The command.
    """

    kind: ClassVar[str] = "command"
    text: str


@dataclass(frozen=True)
class Quoted:
    """Sentences that are more important than those around them.

    Attributes:
        texts: One per line.
    """

    kind: ClassVar[str] = "quoted"
    texts: Sequence[str]


def render_comment(document: Document, *, cut: str = "…", longest: int = LONGEST) -> str:
    """Returns a document as Markdown of GitHub and GitLab.

    Every text of the document is shown as it is: it cannot mention anybody, link, format, close
    a table, or hide what follows.

    Args:
        document: The document.
        cut: The sentence at the end of a text that is too long: the last blocks are left out.
        longest: The most characters.

    Examples:
        >>> table = Table(["query"], [["a|b @team <!--"]])
        >>> print(render_comment(Document([table], "Passed")))
        ### Passed
        <BLANKLINE>
        | query |
        | --- |
        | a&#124;b @&#8288;team &#60;!-- |
    """
    parts = [f"### {inert(document.title)}"] if document.title else []
    parts += map(inert, document.lead)
    parts += [part for block in document.blocks for part in _block(block, 4)]
    return _fitting([part for part in parts if part.strip()], cut, longest)


def _fitting(parts: Sequence[str], cut: str, longest: int) -> str:
    """Returns as many paragraphs as fit, from the first; the sentence says that some are missing.

    A paragraph too long by itself, such as a table with thousands of rows, ends at a line.
    """
    whole = "\n\n".join(parts)
    if len(whole) <= longest:
        return whole
    ending = f"\n\n*{inert(cut)}*"
    room = longest - len(ending)
    kept = ""
    for part in parts:
        longer = f"{kept}\n\n{part}" if kept else part
        if len(longer) <= room:
            kept = longer
            continue
        if not part.startswith(("<details>", "```")):
            left = longer[:room]
            kept = left[: max(left.rfind("\n"), len(kept))].rstrip() or left.rsplit("&", 1)[0]
        break
    return kept + ending


def inert(text: str) -> str:
    r"""Returns text that Markdown shows as it is, on one line.

    Signs of Markdown and HTML become numbers of characters, and nothing becomes a mention or a
    link.

    Examples:
        >>> inert("ask @team: *now* #1")
        'ask @&#8288;team: &#42;now&#42; #&#8288;1'
        >>> inert("- <b>\n![x](https://a.b)")
        '&#45; &#60;b&#62; &#33;&#91;x&#93;(https:&#8288;//a.b)'
        >>> inert("ndcg@10 +0.0033 [−0.0042, +0.0108]")
        'ndcg@10 +0.0033 [−0.0042, +0.0108]'
    """
    line = printable(" ".join(text.split()))
    line = SIGNS.sub(lambda found: _numbers(found[0]), line)
    line = START.sub(lambda found: _numbers(found[0]), line)
    return LINKED.sub(lambda found: _apart(found, line), line)


def _apart(found: re.Match[str], line: str) -> str:
    """Returns a sign that links nothing; inside of words, as in ndcg@10, it never does."""
    before = line[found.start() - 1] if found.start() else " "
    if found[0] == "@" and before.isalnum() and line[found.end()].isdigit():
        return found[0]
    # The number of a character, such as &#42;, is written by this module itself.
    if found[0] == "#" and before == "&":
        return found[0]
    return found[0] + JOINER


def _numbers(text: str) -> str:
    return "".join(f"&#{ord(sign)};" for sign in text)


def _block(block: Block, level: int) -> Iterator[str]:
    yield from RENDERERS[block.kind](block, level)


def _paragraphs(block: Prose | Lines, level: int) -> Iterator[str]:
    yield from map(inert, block.texts)


def _points(block: Points, level: int) -> Iterator[str]:
    yield "\n".join(f"- {inert(text)}" for text in block.texts)


def _section(block: Section, level: int) -> Iterator[str]:
    yield f"{'#' * level} {inert(block.title)}"
    for one in block.blocks:
        yield from _block(one, min(level + 1, 6))


def _table(block: Table, level: int) -> Iterator[str]:
    if block.caption:
        yield f"**{inert(block.caption)}**"
    sides = [" --- " if text else " ---: " for text in block.of_text()]
    rows = [
        _row(map(inert, block.headings)),
        "|" + "|".join(sides) + "|",
        *(_row(map(_cell, row)) for row in block.cells()),
    ]
    yield "\n".join(rows)
    yield from map(inert, block.notes)


def _row(cells: Iterator[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(cell: Cell) -> str:
    text = inert(str(cell))
    text = f"**{text}**" if cell.strong and text else text
    return f"{text} · {inert(cell.title)}" if cell.title else text


def _folded(block: Folded, level: int) -> Iterator[str]:
    inside = [part for one in block.blocks for part in _block(one, level)]
    lines = [f"<details><summary>{inert(block.title)}</summary>", *inside, "</details>"]
    yield "\n\n".join(lines)


def _command(block: Command, level: int) -> Iterator[str]:
    """Yields a block of code, whose fence is longer than any inside."""
    text = printable(" ".join(block.text.split()))
    fence = "`" * max(3, *(len(found) + 1 for found in re.findall("`+", text)), 3)
    yield f"{fence}shell\n{text}\n{fence}"


def _quoted(block: Quoted, level: int) -> Iterator[str]:
    yield "\n>\n".join(f"> {inert(text)}" for text in block.texts)


RENDERERS: Mapping[str, Callable[..., Iterator[str]]] = {
    "command": _command,
    "folded": _folded,
    "lines": _paragraphs,
    "points": _points,
    "prose": _paragraphs,
    "quoted": _quoted,
    "section": _section,
    "table": _table,
}
