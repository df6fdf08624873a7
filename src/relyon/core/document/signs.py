"""Characters on a terminal: which are printable, how wide a text is, where it is folded or cut."""

from __future__ import annotations

import re

__all__ = ["COLUMNS", "cut", "printable", "shorten", "width", "wrap"]

#: Maximum width of sentences, even on wide terminals.
COLUMNS = 80
#: Characters that take one column each: most tables have no others and need no width table.
NARROW = "[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u22ff\u2500-\u25fc]*"
#: Characters that control a terminal or reverse text: C0, C1, bidirectional embeddings,
#: overrides and isolates, and surrogates.
CONTROL = re.compile("[\0-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
#: A word, or a character of a script without spaces; closing punctuation stays with it, and an
#: opening bracket with the next one.
PIECE = (
    r"\s+|[\[（《「『【“‘]*(?:[\u2e80-\u9fff\uff00-\uffef]|[^\s\u2e80-\u9fff\uff00-\uffef]+)"
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
    """Wraps text to lines of at most `columns` terminal columns, between words if possible.

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
        >>> wrap("多少钱（-0.5）", 8)
        ['多少钱', '（-0.5）']
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


def cut(text: str, columns: int) -> str:
    """Returns a text cut to at most `columns` terminal columns.

    Examples:
        >>> cut("running shoes for men", 15), cut("男士跑步鞋", 7)
        ('running shoes…', '男士跑…')
    """
    if width(text) <= columns:
        return text
    kept, taken = 0, 1
    for sign in text:
        taken += width(sign)
        if taken > columns:
            break
        kept += 1
    return f"{text[:kept].rstrip()}…"
