"""The report on traces in a browser: readable call by call, on a telephone and on paper, too."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest

import relyon

pytest.importorskip("playwright")

from playwright.sync_api import Page
from tests.web.accessibility import violations
from tests.web.browser import complaints, open_page, overflow, requests

OPEN = "document.querySelectorAll('details.drill').forEach(one => one.open = true)"
LONG = "which of the papers on ranking were cited by reports of the last five years, and by whom? "


@pytest.fixture
def tab(tab_of_window: Page) -> Page:
    return tab_of_window


def agent(seed: int) -> dict[str, list[dict[str, object]]]:
    chosen = random.Random(seed)
    return {
        f"task {task}": [
            {
                "query": LONG * chosen.randint(0, 3) + f"天空为什么是蓝色的 {number}",
                "results": chosen.sample([f"https://example.org/{one}" for one in range(12)], 6),
                "read": ["https://example.org/1"],
                "tokens": chosen.randint(100, 999),
            }
            for number in range(chosen.randint(1, 12))
        ]
        for task in range(20)
    }


@pytest.fixture(scope="module", params=["en", "zh"])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    judgments = {
        f"task {task}": {f"https://example.org/{one}": max(0, 3 - one) for one in range(6)}
        for task in range(20)
    }
    old, new = (relyon.Traces.from_dict(agent(place)) for place in (1, 2))
    names = ["agent with the old prompt", "agent with the new prompt"]
    found = relyon.compare(judgments, old, new, ["ndcg@10", "task_recall@10"], names=names)
    path = tmp_path_factory.mktemp("report") / f"{request.param}.html"
    relyon.write_report(found, path, language=request.param)
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_it(tab: Page, page: Path, scheme: Literal["light", "dark"]) -> None:
    open_page(tab, page, width=1366, scheme=scheme)
    tab.evaluate(OPEN)
    assert requests(tab) == []
    assert complaints(tab) == []
    assert violations(tab) == []
    levels = tab.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(e => +e.tagName[1])")
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_calls_stand_side_by_side_and_below_each_other_on_a_telephone(
    tab: Page, page: Path
) -> None:
    sides = "[...document.querySelectorAll('#query-1-1 .columns > div')]"
    boxes = f"{sides}.map(one => one.getBoundingClientRect()).map(one => [one.left, one.top])"
    open_page(tab, page, width=1366)
    tab.evaluate(OPEN)
    (left, top), (right, other) = tab.evaluate(boxes)
    assert right > left
    assert other == top
    assert tab.evaluate(f"{sides}[0].textContent").count("example.org") > 5
    open_page(tab, page, width=390, height=844)
    tab.evaluate(OPEN)
    (left, top), (right, other) = tab.evaluate(boxes)
    assert right == left
    assert other > top
    assert overflow(tab) == 0


def test_recall_after_each_call_is_drawn(tab: Page, page: Path) -> None:
    open_page(tab, page)
    points = "[...document.querySelectorAll('#calls .wide path[aria-label]')]"
    assert tab.evaluate(f"{points}.length") == 20  # ten calls of two systems
    assert tab.evaluate(f"{points}.every(one => one.querySelector('title').textContent.length > 9)")


def test_paper_has_the_calls(tab: Page, page: Path) -> None:
    open_page(tab, page, width=720)
    tab.emulate_media(media="print")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    height = "document.querySelector('#query-1-1 .columns table').getBoundingClientRect().height"
    assert tab.evaluate(height) > 20
    assert tab.evaluate("document.documentElement.scrollWidth") <= 720
