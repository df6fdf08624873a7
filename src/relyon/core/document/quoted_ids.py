"""Ids of queries and documents with their texts."""

from __future__ import annotations

from collections.abc import Mapping

from relyon.core.document.signs import cut

__all__ = ["asked", "quoted"]

#: Terminal columns of a text within a sentence.
QUOTED = 40


def asked(identity: str, texts: Mapping[str, str]) -> str:
    """Returns an id, with its text if that is known and differs.

    Examples:
        >>> asked("q1", {"q1": "red shoes"}), asked("red shoes", {"red shoes": "red shoes"})
        ('q1 · red shoes', 'red shoes')
    """
    text = _text(identity, texts)
    return f"{identity} · {text}" if text else identity


def quoted(identity: str, texts: Mapping[str, str]) -> str:
    """Returns an id as a sentence names it: with the start of its text between quotation marks.

    Examples:
        >>> quoted("q1", {"q1": "red shoes"}), quoted("q2", {"q1": "red shoes"})
        ('q1 “red shoes”', 'q2')
    """
    text = _text(identity, texts)
    return f"{identity} “{cut(text, QUOTED)}”" if text else identity


def _text(identity: str, texts: Mapping[str, str]) -> str:
    text = " ".join(texts.get(identity, "").split())
    return "" if text == identity else text
