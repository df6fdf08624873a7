"""Every lesson from its first step to its last, by keys and finger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.web.browser import complaints, open_page, overflow, wait_until

pytest.importorskip("playwright.sync_api")
pytest.importorskip("markdown_it")

from playwright.sync_api import expect
from tests.web.paced import Reader, gated, state
from tests.web.test_learn import way_to

from relyon.core.texts import LANGUAGES, catalogue
from relyon.learn import course
from relyon.learn.blocks import Dial, Play
from relyon.learn.lesson import Lesson
from relyon.learn.pages.steps import lesson_steps

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

WAYS = ("keys", "touch")
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
    """Every block, those beyond the core too, by keys and by finger: in turn in each language.

    `test_every_block_answers` meets every block with the mouse.
    """
    tab, chinese = hand, lesson.language == "zh"
    tab.emulate_media(reduced_motion="reduce")
    open_page(tab, f"{address}{lesson.language}/{lesson.name}.html", width=390 if chinese else 900)
    words = catalogue("learn", lesson.language)
    steps = lesson_steps(lesson)
    count = sum(not step.deeper for step in steps) + 1
    within: Counter[str] = Counter()
    sizes = Counter(step.deeper for step in steps)
    for place, step in enumerate(steps):
        reader = Reader(tab, WAYS[(place + chinese) % len(WAYS)])
        within[step.deeper] += 1
        now = state(tab)
        assert place == 0 or now["group"] == now["where"], step.key
        assert now["open"][-1] == step.key
        said = {"step": within[step.deeper], "count": sizes[step.deeper] if step.deeper else count}
        assert now["where"] == words.say(f"pace.{'deeper_' * bool(step.deeper)}step", **said)
        assert now["skip"] == gated(step.block), step.key
        assert now["next"] != gated(step.block), step.key
        acts = gated(step.block) or isinstance(step.block, Dial | Play)
        if acts:
            assert step.block is not None
            section = tab.locator(f"section#{step.block.id}")
            if isinstance(step.block, Play) and step.block.goals:
                reach_goal(reader, section, step.block)
            else:
                right = reader.deal_with(section, step.block)
                wait_until(tab, "!document.querySelector('.onward').hidden")
                assert not right or state(tab)["focus"] == "primary onward", step.key
            if isinstance(step.block, Play) or (
                isinstance(step.block, Dial) and len(step.block.settings) > 1
            ):
                expect(section.locator(".heard")).not_to_be_empty()
        following = steps[place + 1].deeper if place + 1 < len(steps) else ""
        if following not in {"", step.deeper}:
            reader.press(tab.locator(".ways").get_by_role("button").filter(has_text=following))
        elif acts:
            reader.press(tab.locator(".onward"))
        else:
            tab.keyboard.press("Enter")  # the focus is on the step
        while state(tab)["where"] == words["pace.review"]:
            reader.press(tab.locator(".skip-step"))
            reader.press(tab.locator(".onward"))
    assert state(tab)["open"][-1] == "lesson-end"
    assert not state(tab)["next"]
    assert overflow(tab) == 0
    assert complaints(tab) == []


@pytest.fixture(scope="module")
def touched(browser: Browser) -> Iterator[BrowserContext]:
    """A window with a screen that is touched, and keys."""
    context = browser.new_context(viewport={"width": 900, "height": 900}, has_touch=True)
    context.set_default_navigation_timeout(90_000)
    yield context
    context.close()


@pytest.fixture
def hand(touched: BrowserContext, address: str) -> Iterator[Page]:
    """A page for keys and finger; what it kept is forgotten afterwards."""
    tab = touched.new_page()
    yield tab
    tab.goto(f"{address}learn.css")  # a page writes once more as it is left
    tab.evaluate("localStorage.clear()")
    tab.close()
