"""What every text for people is made of: columns, words, numbers."""

from relkit.core.rendering.text import (
    align,
    cut,
    fold,
    json_number,
    json_values,
    markdown_lines,
    note_dict,
    shorten,
    width,
    wrap,
)
from relkit.core.texts.numbers import DIGITS, TERMINAL

number, signed, percent = TERMINAL.number, TERMINAL.signed, TERMINAL.percent

__all__ = [
    "DIGITS",
    "align",
    "cut",
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
