"""Sheets as programs hold them, and the way to a file and back."""

from __future__ import annotations

from pathlib import Path

from relyon.data.scale import SEARCH
from relyon.data.sheets import Row, Sheet
from relyon.io import read_sheet
from relyon.io.plain_text import sent_source
from relyon.io.sheets import sheet_format, write_sheet
from relyon.judging.records import Item, Rating

FULL = Sheet(
    (
        Row(
            Item(
                "q1", "=d1", "red 鞋 \"shoes\"", 3, "A <b>title</b>, with commas", "two\nlines\r\n",
                "https://shop.example/?a=1&b=2", "i.png", {"price": 3.5, "tags": ["a", None]},
                "tail", "s-1", 0.25,
            ),
            (
                Rating("Ann", 3.0, "", "+fine", 2.5, 1700000000.25),
                Rating("@bo", None, "no picture", "", None, None),
            ),
            2.0,
        ),
        Row(Item("-q2", "'d2"), (Rating("Ann", 0.0),)),
        Row(Item("q3", "d3", title="nobody graded it")),
        Row(Item("q3", "d4"), final=1.0, final_source="llm:small"),
    ),
    "June, 2026",
    SEARCH,
)  # fmt: skip


#: Lists of final grades, as programs without judges hold them.
FINALS = Sheet(
    tuple(
        Row(Item(query, f"d{n}"), final=float(n % 4))
        for query in ("red shoes", "笔记本电脑", "q3")
        for n in range(5)
    ),
    "June",
)


def back(sheet: Sheet, name: str, tmp_path: Path, scale=None) -> Sheet:
    """Writes a sheet and reads it again."""
    path = tmp_path / f"sheet{sheet_format(name).suffix}"
    path.write_text(write_sheet(sheet, format=name)[0], "utf-8", newline="")
    return read_sheet(path, format=name, scale=scale)


# -- what other programs write -----------------------------------------------------------------


def read(name: str, text: str, scale=None) -> Sheet:
    sent = sent_source(text.encode("utf-8", "surrogatepass"), "file", 1 << 30)
    return read_sheet(sent, format=name, scale=scale)
