"""Titles of ids in tables: beside them where there is room, below them where there is not."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from relyon.core.document.html import render_html
from relyon.core.document.markdown import render_markdown
from relyon.core.document.model import Cell, Document, Table
from relyon.core.document.quoted_ids import asked, quoted
from relyon.core.document.terminal import cut, render_text, width

TITLE = "Running shoes for men, breathable mesh"
HOSTILE = "<img src=x onerror=alert(1)> | \x1b[2J\u202eevil\n*two*"


def table(*titles: str, columns: int = 1) -> Document:
    rows: list[list[Cell | str]] = [
        [*(Cell(f"d{n}", title=title) for _ in range(columns)), "0.5000", "1.0000"]
        for n, title in enumerate(titles)
    ]
    return Document([Table([*["document"] * columns, "adds", "total"], rows, left=0)])


def test_titles_stand_beside_ids_where_there_is_room() -> None:
    assert render_text(table(TITLE, ""), 80).splitlines()[2:] == [
        f"d0  {TITLE}  0.5000  1.0000",
        f"d1{' ' * 40}  0.5000  1.0000",
    ]
    assert render_text(table(TITLE), 52).splitlines()[2].startswith("d0  Running shoes for men,")
    assert "mesh" in render_text(table(TITLE), None)


def test_titles_stand_below_their_rows_where_there_is_none() -> None:
    lines = render_text(table(TITLE, "", "跑步鞋" * 20), 40).splitlines()
    assert lines[2:] == [
        "d0        0.5000  1.0000",
        f"  {cut(TITLE, 38)}",
        "d1        0.5000  1.0000",
        "d2        0.5000  1.0000",
        f"  {'跑步鞋' * 6}…",
    ]
    two = render_text(table(TITLE, columns=2), 44).splitlines()[3]
    assert two == "  Runni…  Running shoes for men, breathable…"


@given(
    st.lists(st.text(max_size=60), min_size=1, max_size=4),
    st.integers(40, 140),
    st.integers(1, 2),
)
def test_no_line_is_wider_than_the_terminal(titles: list[str], columns: int, both: int) -> None:
    text = render_text(table(*titles, columns=both), columns)
    assert max(map(width, text.split("\n"))) <= columns
    assert all(sign.isprintable() or sign == "\n" or ord(sign) > 0x9F for sign in text)
    rows = [line for line in text.split("\n")[2:] if line.rstrip().endswith("0.5000  1.0000")]
    assert len(rows) == len(titles)


@pytest.mark.long
@given(st.text(max_size=40), st.integers(2, 30))
def test_a_cut_text_is_the_start_of_the_text(text: str, columns: int) -> None:
    short = cut(text, columns)
    assert width(short) <= columns
    assert short == text or (short.endswith("…") and text.startswith(short[:-1]))


def test_nothing_in_a_title_takes_effect() -> None:
    terminal = render_text(table(HOSTILE), 120)
    assert r"\x1b[2J\u202eevil *two*" in terminal
    html = render_html(table(HOSTILE))
    assert "<img" not in html
    assert "&lt;img src=x" in html
    row = render_markdown(table(HOSTILE)).splitlines()[2]
    assert row.startswith(r"| d0 · &lt;img src=x onerror=alert(1)&gt; \| \\x1b[2J\\u202eevil")
    assert "&#42;two&#42;" in row


def test_columns_with_titles_are_to_the_left() -> None:
    assert table(TITLE).blocks[0].of_text() == [True, False, False]  # type: ignore[attr-defined]
    assert render_markdown(table(TITLE)).splitlines()[1] == "| --- | ---: | ---: |"
    assert render_markdown(table("")).splitlines()[1] == "| ---: | ---: | ---: |"
    assert '<td style="text-align:left">d0<br><small>' in render_html(table(TITLE))


@pytest.mark.parametrize("name", [asked, quoted])
def test_an_id_that_is_its_own_text_is_said_once(name) -> None:
    assert name("red shoes", {"red shoes": " red  shoes "}) == "red shoes"
    assert name("q1", {}) == "q1"
    assert "red shoes" in name("q1", {"q1": "red\nshoes"})
