"""Cells of CSV and TSV: no formula anywhere, and every text comes back, whatever it holds."""

from __future__ import annotations

import csv
import io
import re

import polars as pl
import pytest
from hypothesis import example, given, strategies as st

from relyon.core.cells import (
    APOSTROPHE,
    Mark,
    csv_frame,
    csv_text,
    hide_texts,
    show_texts,
)
from relyon.core.errors import InputError
from relyon.io.formats.quepid import SPACE
from relyon.io.text_rows import read_cells

#: All of Unicode that a file of text can hold, and often what is special in a table.
LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
SPECIAL = st.sampled_from("'\"=+-@＝＋－＠,;|\t\r\n \v\f\x1c\x85\xa0\u2028\ufeff\x01\x7f０")
TEXTS = st.text(SPECIAL | LETTERS, max_size=12)
#: What a program sees as the start of a cell: the cell's, a line's, another locale's column's.
FORMULA = re.compile(r"(^|[\r\n;\t])[=+\-@＝＋－＠]|^[\t\r\n]")
ATTACK = "ok\r=1+1"


def parsed(text: str, separator: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))


@given(TEXTS)
@example(ATTACK)
@example("''=1")
@example("\t=1")
@example("a;=1+1;b")
@example("\r\n-5 °C")
def test_no_text_is_a_formula_and_every_text_comes_back(value: str) -> None:
    hidden = APOSTROPHE.hide(value)
    assert APOSTROPHE.show(hidden) == value
    assert not FORMULA.search(hidden)
    assert SPACE.show(SPACE.hide(value)) == value
    assert not re.search(r"(^|[\r\n])[=+\-@＝＋－＠]|^[\t\r\n]", SPACE.hide(value))


@given(TEXTS)
def test_a_text_that_is_no_formula_stays_as_it_is(value: str) -> None:
    if not re.search(r"(^|[\r\n;\t])'*[=+\-@＝＋－＠]|^'*[\t\r\n]", value):
        assert APOSTROPHE.hide(value) == value


@given(st.lists(st.tuples(TEXTS, TEXTS, st.floats(allow_nan=False)), min_size=1, max_size=4))
@example([(ATTACK, " a ", -1.0)])
@pytest.mark.parametrize("separator", [",", "\t"])
def test_python_and_polars_split_rows_alike(
    separator: str, rows: list[tuple[str, str, float]]
) -> None:
    text = csv_text([["first", "second", "number"], *rows], separator=separator)
    by_python = parsed(text, separator)
    by_polars = pl.read_csv(io.BytesIO(text.encode()), separator=separator, infer_schema=False)
    assert by_python[1:] == [list(row) for row in by_polars.rows()]
    shown = show_texts(by_polars)
    assert shown.select("first", "second").rows() == [row[:2] for row in rows]
    assert [float(value) for value in shown["number"]] == [row[2] for row in rows]
    assert not [cell for row in by_python for cell in row[:2] if FORMULA.search(cell)]


@given(st.lists(st.tuples(st.none() | TEXTS, TEXTS), min_size=1, max_size=4), TEXTS)
@pytest.mark.parametrize("separator", [",", "\t"])
def test_rows_and_frames_are_the_same_bytes(
    separator: str, rows: list[tuple[str | None, str]], heading: str
) -> None:
    names = ["first", f"x{heading}"]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    text = csv_text([names, *rows], separator=separator)
    assert csv_frame(frame, separator=separator) == text
    assert read_cells(text.encode(), separator=separator).equals(frame)


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_every_cell_of_one_column_is_a_row(values: list[str]) -> None:
    text = csv_text([["only"], *([value] for value in values), [None]])
    rows = [APOSTROPHE.show(row[0]) for row in parsed(text)[1:]]
    assert rows == [*values, ""]
    frame = pl.DataFrame({"only": values})
    assert csv_frame(frame) == csv_text([["only"], *([value] for value in values)])


def test_numbers_stay_numbers() -> None:
    assert csv_text([[-1, -0.5, 1e-300, 3]]) == "-1,-0.5,1e-300,3\n"
    frame = pl.DataFrame({"n": [-1, None], "x": [-0.5, float("inf")]})
    assert csv_frame(frame) == "n,x\n-1,-0.5\n,inf\n"


def test_headings_are_texts() -> None:
    frame = pl.DataFrame({"=1+1": ["a"], 'the "x", say': ["b"]})
    text = csv_frame(frame)
    assert parsed(text)[0] == ["'=1+1", 'the "x", say']
    assert read_cells(text.encode()).equals(frame)


def test_headings_that_would_become_one_stay() -> None:
    assert read_cells(b"=1,'=1\na,b\n").columns == ["=1", "'=1"]
    assert read_cells(b"a,a\n1,2\n").rows() == [("1", "2")]


@pytest.mark.parametrize(
    ("value", "message"),
    [("a\0b", r"a character of code 0: `a\\0b`"), ("a\ud800", "half of a surrogate pair")],
)
def test_what_no_text_file_holds_is_refused(value: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        csv_text([["a", value]])
    if "\0" in value:
        with pytest.raises(InputError, match=message):
            csv_frame(pl.DataFrame({"a": ["b", value]}))


@given(TEXTS)
def test_lazy_frames_are_hidden_alike(value: str) -> None:
    frame = pl.LazyFrame({"a": [value], "b": [1]})
    assert hide_texts(frame).collect()["a"][0] + ",1\n" == csv_text([[value, 1]])


@given(st.text(st.sampled_from("'=;\n ab"), max_size=8), st.sampled_from([APOSTROPHE, SPACE]))
def test_expressions_do_what_texts_do(value: str, mark: Mark) -> None:
    frame = pl.DataFrame({"a": [value]})
    hidden = frame.select(mark.hide_expression("a"))
    assert hidden["a"].to_list() == [mark.hide(value)]
    assert hidden.select(mark.show_expression("a"))["a"].to_list() == [value]
