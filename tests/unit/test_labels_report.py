"""The page on click models: what it shows, in both languages, and what it says where little is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.unit.pages import block_of, check_drawings, section_of

import relyon
from relyon.core.errors import ParameterError
from relyon.labels import ModelComparison, compare_models
from relyon.report import build_labels_page, render_labels_report
from relyon.report.catalogue import catalogue
from relyon.report.charts import draw
from relyon.report.page import Chart, Details, Headlines, Page, Prose, Table
from relyon.report.positions import PositionCurve, position_chart

COLUMNS = ["session", "query", "doc", "position", "clicked"]
HOSTILE = "<script>alert(1)</script>"
DOCS = ["good", "fair", "poor", HOSTILE]
ATTRACTION = dict(zip(DOCS, (0.8, 0.5, 0.2, 0.1), strict=True))


def log(queries: int = 6, sessions: int = 900) -> pl.DataFrame:
    generator = np.random.default_rng(4)
    rows = []
    for session in range(sessions):
        for place, doc in enumerate(generator.permutation(DOCS).tolist(), 1):
            clicked = bool(generator.random() < ATTRACTION[doc] / place)
            rows.append((session, f"q{session % queries}", doc, place, clicked))
    return pl.DataFrame(rows, COLUMNS, orient="row")


#: People like what nobody clicks.
GRADES = {f"q{n}": {"good": 2, "fair": 1, "poor": 0, HOSTILE: 3} for n in range(6)}


@pytest.fixture(scope="module")
def found() -> ModelComparison:
    return compare_models(log(), ["dctr", "pbm", "dbn"], judgments=GRADES, estimators=["all-pairs"])


@pytest.fixture(scope="module", params=["en", "zh"])
def page(request: pytest.FixtureRequest, found: ModelComparison) -> Page:
    return build_labels_page(found, language=request.param)


def chart_of(page: Page, section: str) -> Chart:
    (chart,) = (one for one in section_of(page, section).blocks if isinstance(one, Chart))
    return chart


def test_the_sections(page: Page) -> None:
    assert [one.name for one in page.sections] == [
        "summary", "models", "positions", "calibration", "perplexity", "people", "convention",
        "notes",
    ]  # fmt: skip


def test_position_bias_has_a_line_for_each_estimate(page: Page, found: ModelComparison) -> None:
    chart = chart_of(page, "positions")
    names = list(dict.fromkeys(row["series"] for row in chart.rows))
    assert names[1:] == ["pbm", "dbn", "all-pairs"]
    assert [entry.text for entry in chart.legend] == names
    values: Any = {(row["series"], row["position"]): row for row in chart.rows}
    assert values["pbm", 2]["value"] == found["pbm"].examination[1]
    assert values[names[0], 2]["value"] == pytest.approx(found.clicks[1] / found.clicks[0])
    assert found.bias is not None
    estimate = found.bias["all-pairs"][1]
    assert values["all-pairs", 2]["low"] == estimate.low < values["all-pairs", 2]["value"]
    assert values["pbm", 2]["low"] is None
    # The model that made the log says what was true: 1, 1/2, 1/3, 1/4.
    assert found["pbm"].examination == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4], abs=0.1)


def test_a_model_looks_the_same_in_every_chart(page: Page) -> None:
    looks: dict[str, list[str]] = {}
    for section in ("positions", "calibration", "perplexity"):
        for name, *look in chart_of(page, section).values["series"]:
            assert looks.setdefault(name, look) == look
    assert len({tuple(look) for look in looks.values()}) == len(looks)


def test_calibration_holds_all_held_out_results(page: Page, found: ModelComparison) -> None:
    chart = chart_of(page, "calibration")
    shown = {fit.model: sum(one.shown for one in fit.reliability) for fit in found.fits}
    assert set(shown.values()) == {4 * found.tested}
    assert len(chart.rows) == sum(len(fit.reliability) for fit in found.fits)
    rows: Any = chart.rows
    highest = max(row["high"] for row in rows)
    assert chart.values["end"] is not None
    assert highest <= chart.values["end"] <= highest + 0.06


def test_disagreements_are_shown_with_their_evidence(page: Page) -> None:
    section = section_of(page, "people")
    details = [one for one in section.blocks if isinstance(one, Details)]
    assert [one.summary.split("：")[0].split(":")[0] for one in details] == ["dctr", "pbm", "dbn"]
    table = block_of(Table, details[0].blocks[0])
    assert [cell.text for cell in table.cells()[0]][1:3] == [HOSTILE, "3"]
    assert [cell.text for cell in table.cells()[1]][1:3] == ["good", "2"]
    assert int(details[0].value) == len(table.rows) / 2 <= 6


def test_every_difference_is_a_headline(page: Page) -> None:
    blocks = section_of(page, "summary").blocks
    clicks, people = (block_of(Headlines, one) for one in blocks[:2])
    for block in (clicks, people):
        assert [one.subject for one in block.items] == ["dctr", "pbm", "dbn"]
        assert block.items[0].tone == "described"
    assert clicks.items[1].tone == "better"
    assert "p " in str(people.items[1])


@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_charts_can_be_drawn(page: Page, size: str) -> None:
    for section in ("positions", "calibration", "perplexity"):
        chart = chart_of(page, section)
        drawn = draw(chart, "chart", size)
        assert drawn.count("<title>") == len(chart.rows)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_files(found: ModelComparison, language: Any, tmp_path: Path) -> None:
    path = tmp_path / "labels.html"
    relyon.write_labels_report(found, path, language=language)
    text = path.read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text)
    assert HOSTILE not in text
    assert '<td class="">nan' not in text.lower()
    relyon.write_labels_report(found, tmp_path / "labels.md", language=language)
    markdown = (tmp_path / "labels.md").read_text("utf-8")
    assert "<script" not in markdown
    assert "{" not in markdown
    with pytest.raises(ParameterError, match="ends in neither"):
        relyon.write_labels_report(found, tmp_path / "labels.pdf")


@pytest.mark.long
def test_drawings_are_valid(page: Page) -> None:
    assert check_drawings(page)


def test_without_grades_the_page_says_what_is_missing() -> None:
    found = compare_models(log(), ["dctr", "rctr"])
    page = build_labels_page(found)
    assert page.section("convention") is None
    assert "grades by people" in page.lead[1]
    said = [block for block in section_of(page, "people").blocks if isinstance(block, Prose)]
    assert "nothing says whether labels are good" in said[0].texts[0]
    # Neither model tells examination from attraction.
    assert not [one for one in section_of(page, "positions").blocks if isinstance(one, Chart)]
    assert render_labels_report(found).count("<figure") == 2


def test_little_to_say() -> None:
    found = compare_models(
        log(queries=1, sessions=40), ["pbm"], judgments={"q0": {"good": 1, "fair": 1}}
    )
    for language in ("en", "zh"):
        text = render_labels_report(found, language=language, title="A < B")
        assert "<h1>A &lt; B</h1>" in text
        assert "nan" not in re.sub(r"<[^>]*>", "", text)
    assert "nothing can be said" in build_labels_page(found).lead[1]


def test_deep_lists_keep_their_axis_legible() -> None:
    rows = [(s, f"q{s % 3}", f"d{p}", p, (s + p) % 7 == 0) for s in range(60) for p in range(1, 61)]
    found = compare_models(pl.DataFrame(rows, COLUMNS, orient="row"), ["pbm"], depth=60)
    chart = chart_of(build_labels_page(found), "perplexity")
    assert len(chart.rows) == 60
    labels = re.findall(r">(\d+)</text>", draw(chart, "chart", "narrow"))
    assert 5 < len(labels) < 20


def test_logs_without_clicks_are_pages_too() -> None:
    frame = log(sessions=60).with_columns(clicked=pl.lit(False))
    found = compare_models(frame, ["dctr", "pbm"], judgments=GRADES, estimators=["all-pairs"])
    assert render_labels_report(found).count("<figure") >= 2


def test_what_is_no_comparison() -> None:
    with pytest.raises(ParameterError, match="compare_models"):
        build_labels_page("labels.csv")  # type: ignore[arg-type]


def test_a_wide_interval_does_not_flatten_the_others() -> None:
    texts = catalogue("en")
    narrow, wide = (0.4, 0.6), (0.1, 20.0)
    curve = PositionCurve("pivot", [1.0, 0.5, 0.5], [(1.0, 1.0), narrow, wide])
    chart = position_chart([curve], ["pivot"], texts, key="examination", zero=True)
    assert chart.values["end"] == 1.25
    assert "are cut" in chart.caption
    assert "20.000" in str(chart.table.rows)
    assert ">20<" not in draw(chart, "chart")
    whole = position_chart(
        [PositionCurve("pivot", [1.0, 0.5], [(1.0, 1.0), narrow])],
        ["pivot"],
        texts,
        key="examination",
        zero=True,
    )
    assert whole.values["end"] is None
    assert "are cut" not in whole.caption
