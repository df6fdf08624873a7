"""Tables: widths of Chinese text, folding, escaping, numbers."""

from __future__ import annotations

import math

import pytest

from relyon import evaluate
from relyon.core.document import terminal as render
from relyon.core.document.markdown import render_markdown
from relyon.core.document.model import Document, Table
from relyon.core.texts.numbers import PAGE, TERMINAL
from relyon.evaluation.side_by_side import SideBySide
from relyon.measures.display_names import convention_line

JUDGMENTS = {"q1": {"甲": 1, "乙": 0}, "问题二": {"甲": 2}}
RUN = {"q1": {"甲": 1.0, "乙": 2.0}, "问题二": {"甲": 1.0}}


@pytest.mark.parametrize(
    ("text", "columns"),
    [("abc", 3), ("正逆序比", 8), ("é", 1), ("e\u0301", 1), ("─", 1), ("a\u200bb", 2)],
)
def test_width(text: str, columns: int) -> None:
    assert render.width(text) == columns


def test_columns_align_with_chinese_text() -> None:
    lines = render.align(["query", "rr"], [["q1", "1.0"], ["问题二", "0.5"]])
    assert {render.width(line) for line in lines} == {11}


def test_wide_tables_fold_into_blocks() -> None:
    lines = render.fold(["query", *"abc"], [["q1", "1.0000", "2.0000", "3.0000"]], 1, 22)
    assert lines == [
        "query       a       b",
        "─────  ──────  ──────",
        "q1     1.0000  2.0000",
        "",
        "query       c",
        "─────  ──────",
        "q1     3.0000",
    ]
    assert len(render.fold(["query", *"abc"], [["q1", "1.0000", "2.0000", "3.0000"]])) == 3


def test_one_column_too_wide_for_the_terminal_is_kept() -> None:
    assert render.fold(["query", "a"], [["q1", "1" * 30]], 1, 20)[2].endswith("1" * 30)


def test_wrap_counts_terminal_columns() -> None:
    assert render.wrap("正逆 序比 a", 9) == ["正逆 序比", "a"]
    assert render.wrap("one two", 80, "  ", "- ") == ["- one two"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.5000"), (math.nan, "-"), (math.inf, "inf"), (-math.inf, "-inf"), (-0.25, "-0.2500")],
)
def test_numbers(value: float, text: str) -> None:
    assert TERMINAL.number(value) == text


def test_counts_of_pairs_stand_below_their_ratio() -> None:
    results = evaluate({"q": {"a": 2, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}, ["pnr"])
    rows = [line.split() for line in SideBySide([results]).to_text(rules=False).splitlines()[2:]]
    assert rows == [
        ["pnr", "(micro)", "inf", "1", "0", "0"],
        ["positive", "1"],
        ["negative", "0"],
        ["share", "1.0000"],
        ["strict", "inf"],
        ["random", "1.0000"],
    ]


def test_sums_are_whole_numbers_in_every_table() -> None:
    results = evaluate(JUDGMENTS, RUN, ["num_ret", "rr"])
    text = SideBySide([results]).to_text(rules=False, per_query=True)
    assert [line.split() for line in text.splitlines()[2:4]] == [
        ["q1", "2", "0.5000"],
        ["问题二", "1", "1.0000"],
    ]


def test_markdown_escapes_bars() -> None:
    text = render_markdown(Document([Table(["a|b"], [["c|d"]])]))
    assert text.splitlines()[2] == "| c\\|d |"


def test_trec_lines_are_sorted_by_query_and_leave_out_the_undefined() -> None:
    judgments = {"b": {"x": 1}, "a": {"x": 0}}
    results = evaluate(judgments, {"b": {"x": 1.0}, "a": {"x": 1.0}}, ["ap", "num_rel"])
    assert SideBySide([results]).to_trec(per_query=True).splitlines() == [
        f"{'num_rel':<22}\ta\t0",
        f"{'map':<22}\tb\t1.0000",
        f"{'num_rel':<22}\tb\t1",
        f"{'map':<22}\tall\t1.0000",
        f"{'num_rel':<22}\tall\t1",
    ]


def test_the_convention_line_shows_the_gain_where_it_counts() -> None:
    results = evaluate(JUDGMENTS, RUN, ["rr"], convention="lightgbm")
    line = convention_line(results.convention, ["ndcg@10"])
    assert line.startswith("convention lightgbm: ties=input, undefined=one, missing=skip, gain=exp")
    assert "gain" not in convention_line(evaluate(JUDGMENTS, RUN, ["rr"]).convention, ["rr"])
    assert "discount" not in line


@pytest.mark.parametrize(
    ("value", "terminal", "page"),
    [
        (0.00001, "0.0000", "0.0000"),
        (-0.00001, "0.0000", "0.0000"),
        (-1234.5, "-1234.5000", "−1,234.5000"),
        (math.inf, "+inf", "+∞"),
        (-math.inf, "-inf", "−∞"),
        (math.nan, "-", "–"),
    ],
)
def test_differences_on_terminals_and_pages(value: float, terminal: str, page: str) -> None:
    assert (TERMINAL.signed(value), PAGE.signed(value)) == (terminal, page)


def test_a_p_value_is_never_zero() -> None:
    assert [TERMINAL.p_value(p) for p in (0.0001, 0.00009, math.nan)] == ["0.0001", "<0.0001", "-"]
    assert [PAGE.p_value(p) for p in (0.0001, 0.00009, math.nan)] == ["0.0001", "< 0.0001", "–"]
    assert [TERMINAL.p_equation(p, 3) for p in (0.001, 0.0009)] == ["p = 0.001", "p < 0.001"]
    assert PAGE.p_equation(math.nan) == "p –"


def test_what_does_not_exist_has_neither_brackets_nor_a_percent_sign() -> None:
    assert PAGE.signed_interval((math.nan, math.nan)) == "–"
    assert TERMINAL.percent(math.nan) == "-"
