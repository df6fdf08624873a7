"""What users get back as text: tables, Markdown, CSV, JSON, trec_eval's form, HTML."""

from relkit.render import comparison
from relkit.render.results import csv, html, json, jsonl, markdown, rich_table, table, trec
from relkit.render.text import (
    DIGITS,
    align,
    convention_line,
    fold,
    json_number,
    markdown_lines,
    note_dict,
    number,
    width,
    wrap,
)

__all__ = [
    "DIGITS",
    "align",
    "comparison",
    "convention_line",
    "csv",
    "fold",
    "html",
    "json",
    "json_number",
    "jsonl",
    "markdown",
    "markdown_lines",
    "note_dict",
    "number",
    "rich_table",
    "table",
    "trec",
    "width",
    "wrap",
]
