"""The page of a leaderboard: its sections, charts that are valid, and both languages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.unit.pages import check_drawings

import relyon
from relyon.core.language import Language
from relyon.report import (
    build_leaderboard_page,
    render_leaderboard_report,
    write_leaderboard_report,
)
from relyon.report.page import Chart, Table


def found(runs: int = 5, n: int = 40) -> relyon.Leaderboard:
    draw = np.random.default_rng(0)
    hard = draw.normal(size=n)
    values = {
        f"run <{run}>": {
            measure: {f"q{q}": float(hard[q] + run / 4 + draw.normal() / 2) for q in range(n)}
            for measure in ("gain", "time")
        }
        for run in range(runs)
    }
    costs = {name: {"p50": 10.0 ** (place % 4)} for place, name in enumerate(values)}
    return relyon.leaderboard_values(values, costs=costs)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_sections_and_charts(language: Language) -> None:
    page = build_leaderboard_page(found(), language=language)
    names = ["measure-1", "measure-2", "reading", "convention", "notes"]
    assert [one.name for one in page.sections] == names
    charts = [one for one in page.blocks() if isinstance(one, Chart)]
    assert [one.drawing for one in charts] == ["standings", "standings", "against_cost"] * 2
    assert [row["low"] for row in charts[0].rows] == [
        one.ranks[0] for one in found().boards[0].standings
    ]
    tables = [one for one in page.blocks() if isinstance(one, Table)]
    assert "run <4>" in [row[0].text for one in tables for row in one.cells()]
    assert len(page.lead) == 3


@pytest.mark.long
def test_charts_are_vega_lite() -> None:
    pytest.importorskip("altair")
    assert check_drawings(build_leaderboard_page(found())) == {"standings", "against_cost"}


@pytest.mark.long
def test_names_are_escaped_and_files_written(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    page = render_leaderboard_report(found(), title="Models")
    assert "run <4>" not in page
    assert "run &lt;4&gt;" in page
    assert "<title>Models" in page
    write_leaderboard_report(found(), tmp_path / "board.md", language="zh")
    text = (tmp_path / "board.md").read_text(encoding="utf-8")
    assert "## 如何阅读本页" in text
    with pytest.raises(relyon.ParameterError):
        write_leaderboard_report(found(), tmp_path / "board.pdf")


def test_a_report_of_three_runs_has_their_ranks() -> None:
    from relyon.report import build_page

    judgments = {f"q{n}": {"a": 1, "b": 0} for n in range(20)}
    good = {query: {"a": 2.0, "b": 1.0} for query in judgments}
    bad = {query: {"a": 1.0, "b": 2.0} for query in judgments}
    comparison = relyon.compare(judgments, good, [bad, good], ["rr"], names=["x", "y", "z"])
    section = build_page(comparison).section("comparison")
    assert section is not None
    tables = [one for one in section.blocks if isinstance(one, Table) and one.headings[0] == "run"]
    assert [[cell.text for cell in row] for row in tables[0].cells()] == [
        ["x", "1–2"],
        ["y", "3"],
        ["z", "1–2"],
    ]
    two = build_page(relyon.compare(judgments, good, bad, ["rr"], names=["x", "y"]))
    assert "true ranks" not in str(two.section("comparison"))
