"""The page on the training of a ranker: what it shows, in both languages, and where little is."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.pages import check_drawings, section_of
from tests.unit.trained import FEATURES, training_of

from relyon import ParameterError
from relyon.core.language import Language
from relyon.ltr.training.held_out import held_out
from relyon.ltr.training.importance import FeatureImportance
from relyon.report import build_training_page, render_training_report, write_training_report
from relyon.report.page import Chart, Headlines, Page


@pytest.fixture(scope="module", params=["en", "zh"])
def page(request: pytest.FixtureRequest) -> Page:
    return build_training_page(training_of(), language=request.param)


def chart_of(page: Page, section: str) -> Chart:
    (chart,) = (one for one in section_of(page, section).blocks if isinstance(one, Chart))
    return chart


def test_the_sections(page: Page) -> None:
    assert [one.name for one in page.sections] == [
        "summary",
        "curve",
        "queries",
        "importance",
        "placement",
        "segments",
        "card",
        "convention",
        "notes",
    ]


@pytest.mark.long
def test_the_drawings_are_valid(page: Page) -> None:
    check_drawings(page)


def test_the_headlines_have_the_numbers_of_the_training(page: Page) -> None:
    found = training_of().found
    (headlines,) = (one for one in section_of(page, "summary").blocks if isinstance(one, Headlines))
    own, against = headlines.items
    assert own.numbers == f"{found.value:.4f}"
    assert against.numbers == f"{found.baseline:.4f} → {found.value:.4f}"
    assert against.evidence.startswith(f"+{found.difference:.4f}")
    assert against.tone == "better"


def test_the_charts_show_the_rows_of_the_training(page: Page) -> None:
    training = training_of()
    curve = chart_of(page, "curve")
    assert len(curve.rows) == 2 * len(training.curve)
    (best,) = curve.values["best"]
    assert (best["iteration"], best["value"]) == (100, 0.75)
    bars = chart_of(page, "queries")
    assert [row["delta"] for row in bars.rows] == [one for _, one in training.differences()]
    importance = chart_of(page, "importance")
    assert [row["name"] for row in importance.rows] == list(FEATURES)
    forest = chart_of(page, "segments")
    assert [row["name"] for row in forest.rows] == [one.name for one in training.segments]


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_and_a_text_say_no_nan(language: Language, tmp_path: Path) -> None:
    html = render_training_report(training_of(), language=language)
    assert "<svg" in html
    for text in (html, render_training_report(training_of(), format="markdown", language=language)):
        assert ">nan<" not in text.lower()
        assert " nan " not in text.lower()
        assert "{" not in text.split("<style>")[0]
    write_training_report(training_of(), tmp_path / "training.md", language=language)
    assert "lambdamart" in (tmp_path / "training.md").read_text("utf-8")


def test_a_page_without_baseline_curve_and_segments() -> None:
    whole = training_of()
    card = replace(whole.card, found=held_out([0.5]), baseline="")
    one = replace(
        whole,
        card=card,
        queries=("q",),
        values=(0.5,),
        baseline=(),
        curve=(),
        importance=(),
        segments=(),
        placements=(),
    )
    page = build_training_page(one)
    assert [part.name for part in page.sections] == ["summary", "card", "convention", "notes"]
    assert "no interval from one query" in render_training_report(one, format="markdown")


@pytest.mark.long
def test_permuted_features_show_what_the_measure_loses() -> None:
    bounds = (0.01, 0.05)
    importance = (FeatureImportance("bm25", 0.03, math.nan, "permutation", bounds),)
    page = build_training_page(training_of(importance=importance))
    (row,) = chart_of(page, "importance").rows
    assert (row["value"], row["low"], row["high"]) == (-0.03, -0.05, -0.01)
    check_drawings(page)


def test_only_trainings_are_reported() -> None:
    with pytest.raises(ParameterError, match=r"relyon\.ltr\.train"):
        build_training_page({})  # type: ignore[arg-type]
