"""What users get back as text: tables, Markdown, CSV, JSON, trec_eval's form, HTML."""

from relkit.render.numbers import DIGITS, TERMINAL
from relkit.render.results import csv, html, json, jsonl, markdown, rich_table, table, trec
from relkit.render.text import (
    align,
    convention_line,
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

number, signed, percent = TERMINAL.number, TERMINAL.signed, TERMINAL.percent

__all__ = [
    "DIGITS",
    "align",
    "convention_line",
    "csv",
    "cut",
    "fold",
    "html",
    "json",
    "json_number",
    "json_values",
    "jsonl",
    "markdown",
    "markdown_lines",
    "note_dict",
    "number",
    "percent",
    "rich_table",
    "shorten",
    "signed",
    "table",
    "trec",
    "width",
    "wrap",
]
