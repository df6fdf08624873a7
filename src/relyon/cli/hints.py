"""Hints about Python, rewritten for the command line."""

from __future__ import annotations

from relyon.core.texts import Message, message
from relyon.core.texts.sentences import sentence

__all__ = ["said"]


def said(hint: str, columns: str = "--columns") -> str:
    """Returns a hint for the command line: the field `cli` of its kind, if it has one.

    Args:
        hint: A hint of an error, perhaps in terms of Python.
        columns: The option for `columns=`.
    """
    if not isinstance(hint, Message):
        return hint
    scored = hint.values.get("reader") == "relyon.read_scored"
    field = "cli-scored" if scored and hint.values.get("role") == "score" else "cli"
    kind = f"{hint.kind}.{field}"
    text = sentence(kind)
    if text is None:
        return hint
    values = {"columns": columns, **hint.values} if "{columns}" in text else hint.values
    return message(kind, **values)
