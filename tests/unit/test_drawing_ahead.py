"""Charts that are drawn beside the rest of a page."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.unit.two_runs import collection

import relyon
from relyon.report import build_page
from relyon.report.charts import WIDTHS, draw, fit
from relyon.report.drawing_ahead import draw_ahead
from relyon.report.page import Chart

pytest.importorskip("vl_convert")


def test_a_chart_drawn_ahead_is_the_same() -> None:
    comparison = relyon.compare(*collection(), ["ndcg@10", "ap"], names=["old", "new"])
    charts = [one for one in build_page(comparison).blocks() if isinstance(one, Chart)]
    assert len(charts) > 2
    ahead = draw_ahead(charts)
    for chart in reversed(charts):
        for size in WIDTHS:
            assert fit(ahead(chart, size), chart, "x") == draw(chart, "x", size)


def test_what_is_wrong_with_a_chart_is_raised_where_it_is_asked_for() -> None:
    comparison = relyon.compare(*collection(), "ap", names=["old", "new"])
    first, *_ = (one for one in build_page(comparison).blocks() if isinstance(one, Chart))
    wrong = Chart("no such drawing", "", "", (), first.table)
    ahead = draw_ahead([wrong, first])
    assert ahead(first, "wide").startswith("<svg")
    with pytest.raises(KeyError, match="no such drawing"):
        ahead(wrong, "narrow")


@pytest.mark.parametrize("then", ["", "raise SystemExit(3)", "import os; os._exit(3)"])
def test_a_program_may_end_while_drawing_starts(then: str) -> None:
    program = f"from relyon.report.drawing_ahead import start_drawing; start_drawing(); {then}"
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (3 if then else 0, "")


def test_what_cannot_start_says_nothing_yet() -> None:
    program = (
        "import vl_convert; vl_convert.vegalite_to_svg = None\n"
        "from relyon.report.drawing_ahead import start_drawing; start_drawing()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stderr == ""
