"""Every lesson from its first step to its last, by keys, mouse and finger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.web.browser import complaints, open_page, wait_until

pytest.importorskip("playwright.sync_api")
pytest.importorskip("markdown_it")

from tests.web.paced import Reader, gated, state
from tests.web.test_learn import way_to

from relyon.core.texts import LANGUAGES, catalogue
from relyon.learn import course
from relyon.learn.blocks import Play, Recap
from relyon.learn.lesson import Lesson
from relyon.learn.pages.steps import lesson_steps

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

WAYS = ("keys", "mouse", "touch")
LESSONS = [one for language in LANGUAGES for one in course(language)]
IDS = [f"{one.language}-{one.name}" for one in LESSONS]


def reach_goal(reader: Reader, section: Locator, play: Play) -> None:
    """Reaches the first goal of a list by the keys of the documents."""
    for document, upper, to in way_to(play, 0):
        row = section.locator(f"li[data-index='{document}']")
        for _ in range(40):
            above, at = row.evaluate(
                "row => [row.parentElement.classList.contains('list'),"
                " [...row.parentElement.children].indexOf(row)]"
            )
            if (above, at) == (upper, to):
                break
            up = (upper and not above) or (above == upper and at > to)
            if reader.way == "keys":
                reader.tab_to(row)
                reader.tab.keyboard.press("ArrowUp" if up else "ArrowDown")
            else:
                reader.press(row.locator(f".moves .{'up' if up else 'down'}"))


@pytest.mark.long
@pytest.mark.parametrize("lesson", LESSONS, ids=IDS)
def test_every_lesson_can_be_gone_through(lesson: Lesson, hand: Page, address: str) -> None:
    """Every block by keys, mouse or finger in turn, so that each way meets each kind."""
    tab = hand
    open_page(tab, f"{address}{lesson.language}/{lesson.name}.html", width=900)
    tab.emulate_media(reduced_motion="reduce")
    words = catalogue("learn", lesson.language)
    steps = [step for step in lesson_steps(lesson) if not step.deeper]
    count = len(steps) + 1
    for place, step in enumerate(steps):
        # The languages begin with different ways.
        reader = Reader(tab, WAYS[(place + (lesson.language == "zh")) % len(WAYS)])
        now = state(tab)
        assert place == 0 or now["group"] == now["where"], step.key
        assert now["open"][-1] == step.key
        assert now["where"] == words.say("pace.step", step=place + 1, count=count)
        assert now["skip"] == gated(step.block), step.key
        assert now["next"] != gated(step.block), step.key
        if not gated(step.block):
            tab.keyboard.press("Enter")  # the focus is on the step
        if step.block is None:
            continue
        section = tab.locator(f"section#{step.block.id}")
        if isinstance(step.block, Play) and step.block.goals:
            reach_goal(reader, section, step.block)
        elif gated(step.block):
            right = reader.deal_with(section, step.block)
            wait_until(tab, "!document.querySelector('.onward').hidden")
            assert not right or state(tab)["focus"] == "primary onward", step.key
        if gated(step.block):
            reader.press(tab.locator(".onward"))
        while isinstance(step.block, Recap) and state(tab)["where"] == words["pace.review"]:
            reader.press(tab.locator(".skip-step"))
            reader.press(tab.locator(".onward"))
    assert state(tab)["open"][-1] == "lesson-end"
    assert not state(tab)["next"]
    assert complaints(tab) == []


@pytest.fixture(scope="module")
def touched(browser: Browser) -> Iterator[BrowserContext]:
    """A window with a screen that is touched, and a mouse and keys."""
    context = browser.new_context(viewport={"width": 900, "height": 900}, has_touch=True)
    context.set_default_navigation_timeout(90_000)
    yield context
    context.close()


@pytest.fixture
def hand(touched: BrowserContext, address: str) -> Iterator[Page]:
    """A page for keys, mouse and finger; what it kept is forgotten afterwards."""
    tab = touched.new_page()
    yield tab
    tab.evaluate("localStorage.clear()")
    tab.close()
