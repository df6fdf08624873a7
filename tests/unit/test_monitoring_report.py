"""The monitor as a page, in both languages."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.unit.pages import check_drawings

import relyon
from relyon.core.errors import ParameterError
from relyon.report import build_monitor_page, render_monitor_report
from relyon.report.html import render_html, render_parts
from relyon.report.page import Chart, Details, Headlines, Table

pytest.importorskip("vl_convert")
pytest.importorskip("jinja2")

HOSTILE = "</script><script>alert(1)</script>|`*"


def made(month: str, docs: list[str], query: str = "q0") -> relyon.Round:
    """A round of four queries asked a hundred times each; one in ten is shown the other order."""
    names = [query, "q1", "q2", "q3"]
    rows = [
        {"session": f"{month}-{number}", "query": names[number % 4], "position": place, "doc": doc}
        for number in range(400)
        for place, doc in enumerate(docs if number % 10 else docs[::-1], 1)
    ]
    sample = relyon.draw_sample(
        pl.DataFrame(rows), per_tier=40, cuts=[0.5], names=["head", "tail"], k=5
    )
    return relyon.create_round(month, sample, {name: {"a": 3, "b": 1} for name in names})


@pytest.fixture(scope="module")
def broken() -> relyon.Monitor:
    return relyon.monitor(
        [made("2026-01", ["a", "b"]), made("2026-02", ["a", "b"]), made("2026-03", ["b"])]
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_leads_with_the_alarm(broken: relyon.Monitor, language: Any) -> None:
    page = build_monitor_page(broken, language=language)
    sentences = [alarm.sentence(language) for alarm in broken.alarms()]
    assert [text.replace("−", "-") for text in page.lead] == sentences[:2]
    assert "−" in page.lead[0]
    assert [section.name for section in page.sections] == [
        "summary", "trend", "ndcg", "causes", "queries", "coverage", "convention", "notes",
    ]  # fmt: skip
    (lines,) = (block for block in page.blocks() if isinstance(block, Headlines))
    assert {one.tone for one in lines.items} == {"worse"}
    assert "2026-03" in page.title


@pytest.mark.long
def test_drawings_are_valid(broken: relyon.Monitor) -> None:
    assert check_drawings(build_monitor_page(broken)) == {"trend", "losses"}


def test_charts_hold_the_points_of_the_monitor(broken: relyon.Monitor) -> None:
    page = build_monitor_page(broken)
    charts = [block for block in page.blocks() if isinstance(block, Chart)]
    assert [chart.drawing for chart in charts] == ["trend", "trend", "trend", "losses"]
    tiers, dcg, ndcg, losses = charts
    assert [row["value"] for row in tiers.rows] == [
        point.dcg.value for tier in ("head", "tail") for point in broken.series(tier)
    ]
    overall = broken.series("all", "common")
    assert [row["value"] for row in dcg.rows] == [point.dcg.value for point in overall]
    assert [(row["low"], row["high"]) for row in dcg.rows] == [
        (point.dcg.value, point.dcg.value)  # a point without a line, where no interval is known
        if math.isnan(point.dcg.interval[0])
        else point.dcg.interval
        for point in overall
    ]
    assert [row["value"] for row in ndcg.rows] == [point.ndcg.value for point in overall]
    assert [row["verdict"] for row in dcg.rows] == ["undecided", "undecided", "worse"]
    # All tiers and both tiers, two months each, three parts.
    assert len(losses.rows) == 3 * 2 * 3
    for one in broken.losses:
        parts = [row["value"] for row in losses.rows if str(row["name"]).startswith("2026-03")]
        assert one.after["recall_loss"].value in parts


@pytest.mark.long
def test_the_tables_hold_every_month(broken: relyon.Monitor) -> None:
    page = build_monitor_page(broken)
    trend = page.section("trend")
    assert trend is not None
    details = [block for block in trend.blocks if isinstance(block, Details)]
    assert len(details) == 3
    for block in details:
        (table,) = block.blocks
        assert isinstance(table, Table)
        assert [str(row[0]) for row in table.rows] == list(broken.months)
    coverage = page.section("coverage")
    assert coverage is not None
    months = [block.summary for block in coverage.blocks if isinstance(block, Details)]
    assert months == ["2026-02", "2026-01"]


@pytest.mark.long
def test_tiers_of_unequal_depth_are_compared_at_a_common_one(broken: relyon.Monitor) -> None:
    def captions(found: relyon.Monitor) -> list[Table]:
        return [
            block
            for block in build_monitor_page(found).blocks()
            if isinstance(block, Table) and "common depth" in block.caption
        ]

    assert captions(broken) == []
    found = relyon.monitor(
        [made("2026-01", ["a", "b"]), made("2026-02", ["b"])], k={"head": 2, "tail": 1}, common_k=1
    )
    (table,) = captions(found)
    assert table.headings[1:3] == ("2026-01", "2026-02")
    for tier, row in zip(("head", "tail"), table.cells(), strict=True):
        points = found.series(tier, "common")
        assert [cell.text for cell in row[1:3]] == [f"{one.dcg.value:.3f}" for one in points]
        change = found.change(tier, "common", "2026-02")
        assert change is not None
        assert row[3].tone == {"fell": "worse"}.get(change.verdict, change.verdict)


@pytest.mark.long
def test_one_round_is_a_page_too() -> None:
    found = relyon.monitor([made("2026-01", ["a", "b"])])
    for language in ("en", "zh"):
        page = build_monitor_page(found, language=language)
        assert page.section("causes") is None
        assert render_monitor_report(found, language=language).count("<svg") > 3
    assert "second month" in build_monitor_page(found).lead[0]


def test_a_quiet_month_says_so() -> None:
    found = relyon.monitor([made("2026-01", ["a", "b"]), made("2026-02", ["a", "b"])])
    page = build_monitor_page(found)
    assert page.lead == ("2026-02: no alarm.",)
    assert "It is not so in 2026-02." in render_monitor_report(found, format="markdown")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_html_needs_nothing_else(broken: relyon.Monitor, language: Any, tmp_path: Path) -> None:
    path = tmp_path / "monitor.html"
    relyon.write_monitor_report(broken, path, language=language)
    text = path.read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text)
    assert not re.findall(r"url\((?!#)", text)
    # Every colour is the page's.
    assert not re.findall(r'"#0[0-9a-b]0[0-9a-b]0[0-9a-b]"', text)
    assert "DCG@5" in text


@pytest.mark.long
def test_queries_cannot_write_html() -> None:
    found = relyon.monitor([made("2026-01", ["a", "b"], HOSTILE), made("2026-02", ["b"], HOSTILE)])
    assert HOSTILE in found.queries["query"].to_list()
    assert "<script>alert" not in render_monitor_report(found)
    assert "<script>" not in render_monitor_report(found, format="markdown")


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "zh"])
def test_parts_of_the_page_fit_into_another(broken: relyon.Monitor, language: Any) -> None:
    page = build_monitor_page(broken, language=language)
    opening, sections = render_parts(page)
    whole = render_html(page, version="1", date="2026-01-31")
    assert opening in whole
    assert sections in whole
    # A page with a strict content security policy runs and styles nothing that is written in it.
    assert not re.search(r"<(script|style|link)|\bstyle=|\bon\w+=", opening + sections)
    for section in page.sections:
        assert f'href="#{section.name}"' in opening
        assert f'<section id="{section.name}"' in sections
    assert sections.count("<svg viewBox=") >= 8


def test_what_cannot_be_written(broken: relyon.Monitor, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="ends in neither"):
        relyon.write_monitor_report(broken, tmp_path / "monitor.pdf")
    with pytest.raises(ParameterError, match="must be one of `en`, `zh`"):
        render_monitor_report(broken, language="fr")
    with pytest.raises(ParameterError, match="must be one of `html`, `markdown`"):
        render_monitor_report(broken, format="pdf")  # type: ignore[arg-type]
