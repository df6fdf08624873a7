"""The course under a finger, on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.web.browser import complaints
from tests.web.touch import drag, middle, tap

pytest.importorskip("playwright.sync_api")
pytest.importorskip("markdown_it")

from playwright.sync_api import expect

from relyon.core.texts import LANGUAGES
from relyon.core.texts.languages import Language

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """A page on a screen that is touched."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    yield context.new_page()
    context.close()


def order_of(rows: Locator) -> list[str]:
    found = rows.evaluate_all("rows => rows.map(row => row.dataset.index ?? row.dataset.item)")
    return [str(one) for one in found]


def above(row: Locator) -> tuple[float, float]:
    """Returns a point in the upper half of a row, where its dots are."""
    box = row.bounding_box()
    assert box is not None
    return box["x"] + 12, box["y"] + 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_documents_are_dragged_by_their_dots(language: Language, phone: Page, address: str) -> None:
    phone.goto(f"{address}{language}/03-ndcg.html?all")
    section = phone.locator("section#break")
    section.scroll_into_view_if_needed()
    rows = section.locator(".list li")
    before = phone.evaluate("scrollY")
    drag(phone, middle(rows.nth(1).locator(".grip")), above(rows.nth(0)))
    assert order_of(rows) == ["1", "0", "2"]
    assert phone.evaluate("scrollY") == before
    expect(section.locator(".goals li.done")).to_have_count(1)
    # Over several rows at once, out of the list below the line.
    drag(phone, middle(section.locator(".below li .grip")), above(rows.nth(0)))
    assert order_of(rows) == ["3", "1", "0", "2"]
    tap(section.locator(".list li").nth(1).locator(".up"))
    assert order_of(rows) == ["1", "3", "0", "2"]
    assert complaints(phone) == []


def test_a_finger_on_a_document_scrolls_the_page(phone: Page, address: str) -> None:
    phone.goto(f"{address}en/03-ndcg.html?all")
    section = phone.locator("section#break")
    section.scroll_into_view_if_needed()
    rows = section.locator(".list li")
    before = phone.evaluate("scrollY")
    x, y = middle(rows.nth(1).locator(".title"))
    drag(phone, (x, y), (x, y - 150))
    assert phone.evaluate("scrollY") > before + 100
    assert order_of(rows) == ["0", "1", "2"]


def test_the_page_scrolls_while_a_document_is_held_at_its_edge(phone: Page, address: str) -> None:
    phone.set_viewport_size({"width": 390, "height": 480})
    phone.goto(f"{address}en/game.html")
    tap(phone.locator("#skip"))
    rows = phone.locator("#fight .list li")
    last = rows.nth(4)
    last.scroll_into_view_if_needed()
    first = rows.nth(0).bounding_box()
    assert first is not None
    assert first["y"] < 0  # it is out of sight
    before = phone.evaluate("scrollY")
    x, y = middle(last.locator(".grip"))
    drag(phone, (x, y), (x, 10), hold=1500)
    assert phone.evaluate("scrollY") < before
    assert order_of(rows)[0] == "4"


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_are_answered_by_touch(language: Language, phone: Page, address: str) -> None:
    phone.goto(f"{address}{language}/01-order.html?all")
    section = phone.locator("section#sort")
    section.scroll_into_view_if_needed()
    rows = section.locator(".sortable li")
    assert order_of(rows) == ["1", "2", "0", "3"]
    drag(phone, middle(rows.nth(2).locator(".grip")), above(rows.nth(0)))
    assert order_of(rows) == ["0", "1", "2", "3"]
    tap(section.locator("[type=submit]"))
    expect(section.locator(".reply")).to_contain_text("✓")
    tap(rows.nth(0).locator(".down"))
    assert order_of(rows) == ["1", "0", "2", "3"]

    phone.goto(f"{address}{language}/03-ndcg.html?all")
    section = phone.locator("section#guess")
    section.scroll_into_view_if_needed()
    box = section.locator("input").bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    drag(phone, (box["x"] + box["width"] / 2, y), (box["x"] + 0.9 * box["width"], y))
    assert float(section.locator("input").input_value()) == pytest.approx(0.9, abs=0.05)
    tap(section.locator("[type=submit]"))
    expect(section.locator(".reply")).to_contain_text(section.locator("output").inner_text())
    section = phone.locator("section#one")
    tap(section.locator("label").nth(1))
    tap(section.locator("[type=submit]"))
    expect(section.locator(".reply")).to_contain_text("✓")


def test_the_game_is_played_by_touch(phone: Page, address: str) -> None:
    phone.goto(f"{address}en/game.html")
    for place, grade in enumerate("30030"):
        tap(phone.locator(f"label:has([name=candy-{place}][value='{grade}'])"))
    tap(phone.locator("#grades [type=submit]"))
    tap(phone.locator("label:has([name=knows][value='1'])"))
    tap(phone.locator("#guess [type=submit]"))
    expect(phone.locator("#taste .reply")).to_contain_text("✓")
    tap(phone.locator("#go"))
    rows = phone.locator("#fight .list li")
    rows.nth(3).scroll_into_view_if_needed()
    drag(phone, middle(rows.nth(3).locator(".grip")), above(rows.nth(2)))
    assert order_of(rows) == ["0", "1", "3", "2", "4"]
    tap(phone.locator("#attack"))
    expect(phone.locator("#outcome")).to_contain_text("100.0%")
    # After the attack the list stays as it is.
    rows.nth(0).scroll_into_view_if_needed()
    start = rows.nth(3).bounding_box()
    assert start is not None
    drag(phone, (start["x"] + 12, start["y"] + 20), above(rows.nth(0)))
    assert order_of(rows) == ["0", "1", "3", "2", "4"]


def test_cards_are_rated_by_touch(phone: Page, address: str) -> None:
    phone.goto(f"{address}en/cards.html")
    tap(phone.locator("#all-cards"))
    count = int(phone.locator("#due").inner_text().split()[0])
    tap(phone.locator("#box .show"))
    rating = phone.locator("[data-rating='4']")
    box = rating.bounding_box()
    assert box is not None
    assert box["height"] >= 40
    tap(rating)
    assert int(phone.locator("#due").inner_text().split()[0]) == count - 1
