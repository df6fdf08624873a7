"""The page on click models in a browser: nothing leaves it, nothing is missing, nothing is cut."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import relyon
from relyon.labels import compare_models

pytest.importorskip("playwright")

from playwright.sync_api import Page
from tests.web.browser import complaints, open_page, overflow, requests

HOSTILE = "</script><script>window.broken=1</script><img src=x onerror=window.broken=1>"
DOCS = {"good": 0.8, "fair": 0.5, "poor": 0.2, HOSTILE: 0.1}
WIDE, NARROW = 1100, 400
#: Charts that are shown, each in one of its two sizes.
VISIBLE = "[...document.querySelectorAll('figure.chart svg[viewBox]')].filter(e => \
e.getAttribute('role') && e.getBoundingClientRect().width > 100).length"


@pytest.fixture
def tab(tab_of_window: Page) -> Page:
    return tab_of_window


@pytest.fixture(scope="module", params=["en", "zh"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page on three models, one of whose documents has a name that no page should obey."""
    import polars as pl

    chance = random.Random(3)
    rows = []
    for session in range(600):
        docs = chance.sample(list(DOCS), 4)
        for place, doc in enumerate(docs, 1):
            clicked = chance.random() < DOCS[doc] / place
            rows.append((session, f"电视 {session % 6}", doc, place, clicked))
    columns = ["session", "query", "doc", "position", "clicked"]
    log = pl.DataFrame(rows, columns, orient="row")
    grades = {f"电视 {n}": {"good": 2, "fair": 1, "poor": 0, HOSTILE: 3} for n in range(6)}
    found = compare_models(
        log, ["dctr", "pbm", "dbn"], judgments=grades, estimators=["all-pairs", "pivot"]
    )
    path = tmp_path_factory.mktemp("labels") / f"{request.param}.html"
    relyon.write_labels_report(found, path, language=request.param)
    return path


def test_nothing_leaves_the_page_and_nothing_is_broken(tab: Page, page: Path) -> None:
    open_page(tab, page)
    assert requests(tab) == []
    assert complaints(tab) == []
    assert tab.evaluate("window.broken") is None
    assert HOSTILE in tab.evaluate("document.body.textContent")


@pytest.mark.parametrize("wide", [WIDE, NARROW])
def test_everything_fits(tab: Page, page: Path, wide: int) -> None:
    open_page(tab, page)
    tab.set_viewport_size({"width": wide, "height": 900})
    assert overflow(tab) == 0
    # Position bias, calibration, perplexity.
    assert tab.evaluate(VISIBLE) == 3


def test_examples_open(tab: Page, page: Path) -> None:
    open_page(tab, page)
    rows = "[...document.querySelectorAll('#people details.drill')].map(e => e.open)"
    assert tab.evaluate(rows) == [False] * 3
    tab.locator("#people details.drill summary").first.click()
    assert tab.evaluate(rows) == [True, False, False]
    assert tab.locator("#people details.drill table").first.is_visible()
