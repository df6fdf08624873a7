"""Questions on a page: what is typed, worked results, fresh numbers, what was missed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.unit.test_learn_answers import CASES
from tests.unit.test_learn_terminal import NUMBER_LESSON
from tests.web.accessibility import violations

from relyon.core.texts import catalogue
from relyon.learn.blocks import Quiz
from relyon.learn.course import read_course
from relyon.learn.pages.fresh import fresh_questions
from relyon.learn.pages.site import write_site
from relyon.learn.quantities import quantity

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Locator, Page

pytestmark = pytest.mark.long
WORDS = catalogue("learn", "en")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("answers")
    lesson = found / "lessons" / "en" / "01-numbers.md"
    lesson.parent.mkdir(parents=True)
    lesson.write_text(NUMBER_LESSON, "utf-8")
    write_site(found / "site", found / "lessons")
    return found


@pytest.fixture
def page(folder: Path, window: BrowserContext) -> Iterator[Page]:
    """The lesson from the disk, as never read before."""
    tab = window.new_page()
    tab.goto(f"{(folder / 'site' / 'en' / '01-numbers.html').as_uri()}?all")
    tab.evaluate("relyon.store.forget()")
    tab.reload()
    yield tab
    tab.evaluate("relyon.store.forget()")
    tab.close()


def enter(section: Locator, text: str) -> str:
    section.locator("form input").fill(text)
    section.locator("[type=submit]").click()
    return section.locator(".reply").inner_text()


def kept(tab: Page, name: str) -> Any:
    return tab.evaluate("name => relyon.store.answers[name] ?? null", f"01-numbers/{name}")


def test_a_page_reads_numbers_as_a_terminal_does(page: Page) -> None:
    texts = [text for text, _ in CASES["numbers"]]
    found = page.evaluate("texts => texts.map((one) => relyon.numbers.typed(one))", texts)
    for (text, value), got in zip(CASES["numbers"], found, strict=True):
        if value is None:
            assert math.isnan(got), text
        else:
            assert got == pytest.approx(value, abs=1e-12), text
    for *asked, value, shown in CASES["readings"]:
        got = page.evaluate("asked => relyon.numbers.read(...asked)", asked)
        assert got == {"value": pytest.approx(value), "shown": shown}, asked


def test_what_is_not_understood_leaves_the_question_open(page: Page) -> None:
    section = page.locator("#share")
    for typed in ("abc", "1/0"):
        assert enter(section, typed) == WORDS.say("quiz.not_understood", typed=typed)
    assert enter(section, "  ") == WORDS["quiz.nothing_typed"]
    assert kept(page, "share") is None
    assert "That is DCG" in enter(section, "2+3/log2(3)")
    assert WORDS.say("quiz.read_as", value="91.3%") in enter(section, "91.3")
    assert kept(page, "share")["first"] is False
    assert kept(page, "share")["right"] is True


def test_the_worked_result_comes_line_by_line_and_counts_as_shown(page: Page) -> None:
    section = page.locator("#share")
    section.locator("summary").click()
    lines = section.locator(".worked li")
    seen = section.locator(".worked li:visible")
    page.wait_for_function("document.querySelectorAll('#share .worked li[hidden]').length > 0")
    assert seen.count() == 1
    section.locator(".worked .next").click()
    assert seen.count() == 2
    section.locator(".worked .all").click()
    assert seen.count() == lines.count()
    assert "0.9134" in lines.last.inner_text()
    assert kept(page, "share")["shown"]
    assert "right" not in kept(page, "share")
    enter(section, "0.913")
    assert kept(page, "share")["right"]
    assert kept(page, "share")["first"] is False


def test_fresh_numbers_until_three_are_right(page: Page, folder: Path) -> None:
    block = read_course(folder / "lessons", "en")[0].blocks[0]
    assert isinstance(block, Quiz)
    section = page.locator("#share")
    another = section.locator(".another")
    assert not another.is_visible()
    enter(section, "0")
    for place, one in enumerate(fresh_questions(block)[:3]):
        another.click()
        assert one.grades.replace(",", ", ") in section.locator(".asked").inner_text()
        assert section.locator("form input").evaluate("one => one === document.activeElement")
        said = enter(section, str(quantity(one.answer)))
        assert "✓" in said
        assert f"{quantity(one.answer):.3f}" in said
        assert (WORDS["fresh.streak"] in said) == (place == 2)
    assert not another.is_visible()
    assert kept(page, "share")["practised"] == 3
    assert kept(page, "share")["answer"] == 0
    page.reload()
    assert "[2, 3, 0]" in section.locator(".asked").inner_text()
    assert section.locator("form input").input_value() == "0"


def test_practice_asks_about_the_next_list(page: Page, folder: Path) -> None:
    block = read_course(folder / "lessons", "en")[0].blocks[0]
    assert isinstance(block, Quiz)
    page.evaluate("relyon.practise(document.querySelector('#share'))")
    first = fresh_questions(block)[0]
    section = page.locator("#share")
    assert first.grades.replace(",", ", ") in section.locator(".asked").inner_text()
    data = json.loads(section.locator(".data").text_content() or "")
    assert data["answer"] == pytest.approx(quantity(first.answer))


def test_what_was_missed_is_named(page: Page) -> None:
    section = page.locator("#ticks")
    boxes = section.locator("input")
    section.locator("[type=submit]").click()
    assert section.locator(".reply").inner_text() == WORDS["quiz.nothing_chosen"]
    boxes.nth(0).check()
    section.locator("[type=submit]").click()
    said = section.locator(".reply").inner_text()
    assert said == f"◐ {WORDS['quiz.some']} Missed: four 4 = 2 times 2."
    boxes.nth(1).check()
    section.locator("[type=submit]").click()
    said = section.locator(".reply").inner_text()
    assert "Does not belong here: three 3 is odd." in said
    assert "✗" not in said
    boxes.nth(1).uncheck()
    boxes.nth(2).check()
    section.locator("[type=submit]").click()
    assert "✓" in section.locator(".reply").inner_text()
    assert kept(page, "ticks")["first"] is False


def test_an_answer_of_another_rule_has_its_own_mark(page: Page) -> None:
    section = page.locator("#rule")
    section.locator("label.choice").nth(1).click()
    section.locator("[type=submit]").click()
    assert section.locator(".reply").inner_text().startswith(f"◐ {WORDS['quiz.also']}")
    assert WORDS["quiz.the_right_one"] in section.locator("label.choice").nth(0).inner_text()
    assert WORDS["quiz.your_choice"] in section.locator("label.choice").nth(1).inner_text()
    assert kept(page, "rule")["right"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_answered_questions_are_accessible_and_fit(page: Page, scheme: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    enter(page.locator("#share"), "0")
    page.locator("#share summary").click()
    page.locator("#rule label.choice").nth(1).click()
    page.locator("#rule [type=submit]").click()
    page.locator("#ticks [type=submit]").click()
    assert violations(page) == []
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
