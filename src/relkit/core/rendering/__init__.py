"""What every text for people is made of: columns, words, numbers."""

from relkit.core.document.json import json_number, json_values, note_dict
from relkit.core.document.terminal import align, fold, width, wrap
from relkit.core.rendering.text import markdown_lines, shorten
from relkit.core.texts.numbers import DIGITS, TERMINAL

number, signed, percent = TERMINAL.number, TERMINAL.signed, TERMINAL.percent

__all__ = [
    "DIGITS",
    "align",
    "fold",
    "json_number",
    "json_values",
    "markdown_lines",
    "note_dict",
    "number",
    "percent",
    "shorten",
    "signed",
    "width",
    "wrap",
]
