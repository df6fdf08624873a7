"""The section of a report on questions without an answer, its charts, and pictures of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

import pytest
from tests.unit.conftest import Command
from tests.unit.pages import check_drawings

import relyon
from relyon import ParameterError
from relyon.core.language import Language
from relyon.report.catalogue import catalogue
from relyon.report.contents import build_page
from relyon.report.page import Chart, Columns

HERE = Path(__file__).resolve().parents[2] / "examples" / "no-answer"
FILES = [str(HERE / name) for name in ("judgments.qrels", "old.run", "new.run")]
QUERIES = str(HERE / "queries.csv")
pytestmark = pytest.mark.filterwarnings("ignore::relyon.RelyonWarning")


@pytest.fixture(scope="module")
def found() -> relyon.Abstention:
    return relyon.abstention(*FILES, answerable=QUERIES, base_rate=0.1)


@pytest.fixture(scope="module")
def comparison() -> relyon.Comparison:
    return relyon.compare(FILES[0], FILES[1], FILES[2], "rr@3")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_section(
    found: relyon.Abstention, comparison: relyon.Comparison, language: Language
) -> None:
    page = build_page(comparison, language=language, abstention=found)
    assert "curves" in check_drawings(page)
    section = page.section("no_answer")
    assert section is not None
    assert section.title == catalogue(language).say("section.no_answer")
    columns = next(one for one in section.blocks if isinstance(one, Columns))
    roc, risk = (cast("Chart", group[0]) for group in columns.groups)
    for chart, one in zip((roc, risk), found.systems, strict=True):
        assert chart.rows[-1]["x"] == 1.0
        assert {row["run"] for row in chart.rows} == {"old.run", "new.run"}
        assert one.system in chart.legend[0].text + chart.legend[1].text
    # A dot lies where the threshold chosen on all queries answers.
    assert roc.drawing == risk.drawing == "curves"
    for dot, one in zip(roc.values["best"], found.systems, strict=True):
        answers = one.outcomes.answers
        given = answers.scores >= one.threshold
        assert dot["y"] == pytest.approx(given[answers.answerable].mean())
        assert dot["x"] == pytest.approx(given[~answers.answerable].mean())


def test_without_it_there_is_no_section(comparison: relyon.Comparison) -> None:
    assert build_page(comparison).section("no_answer") is None


def test_no_threshold_has_no_dot(comparison: relyon.Comparison) -> None:
    alone = relyon.abstention(*FILES, answerable={"q49": False})
    page = build_page(comparison, abstention=alone)
    notes = page.section("notes")
    assert notes is not None
    assert "no threshold can be chosen" in str(notes.blocks).lower()
    check_drawings(page)
    section = page.section("no_answer")
    assert section is not None
    columns = next(one for one in section.blocks if isinstance(one, Columns))
    assert not cast("Chart", columns.groups[0][0]).values["best"]


def test_pictures(found: relyon.Abstention) -> None:
    assert "false-answer rate" in found.plot().svg
    assert "风险" in found.plot("risk", language="zh").svg
    with pytest.raises(ParameterError, match="kind"):
        found.plot("queries")


@pytest.mark.parametrize("ending", ["html", "md"])
def test_the_command(command: Command, tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"report.{ending}"
    given = (*FILES, "-m", "rr@3", "--answerable", QUERIES, "--base-rate", "0.1")
    outcome = command("report", *given, "-o", str(target))
    assert outcome.code == 0
    assert outcome.err.count("without an answer left out of ranking measures") == 1
    text = target.read_text("utf-8")
    assert re.search(r"it answers 17% of the unanswerable queries", text)
    assert "without an answer left out of ranking measures" in text
