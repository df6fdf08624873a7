"""What a line of a lesson is not broken in: lists, terms of formulas, ratios."""

from __future__ import annotations

import pytest

from relyon.learn.pages.render import markdown_line


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        pytest.param("[3, 3, 3, 0] 和 [0, 1, –, 1]", ["[3, 3, 3, 0]", "[0, 1, –, 1]"], id="lists"),
        pytest.param("**等级 / log2(名次 + 1)**", ["log2(名次 + 1)"], id="term"),
        pytest.param("AUC / (1 − AUC)", ["(1 − AUC)"], id="denominator"),
        pytest.param("2^等级 − 1，两个 13 : 2", ["2^等级 − 1", "13 : 2"], id="power-and-ratio"),
        pytest.param("高→无 比 高→中 更糟", ["高→无", "高→中"], id="grades"),
    ],
)
def test_what_belongs_together_stays_on_a_line(text: str, whole: list[str]) -> None:
    html = markdown_line(text, "zh")
    for one in whole:
        assert f'<span class="whole">{one}</span>' in html


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[1, 1, 1, 1, 1, 1, 1, 1, 1]", id="long-list"),
        pytest.param("[0.913](=ndcg@3:2,3,0)", id="number"),
        pytest.param("[第 13 课](13-conventions.html)（accuracy）", id="link"),
    ],
)
def test_the_rest_may_be_broken(text: str) -> None:
    assert "whole" not in markdown_line(text, "zh")
