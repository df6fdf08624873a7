"""The course as a screen reader gets it: roles, names, languages, and what is said of moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.web.browser import open_page

pytest.importorskip("playwright.sync_api")
pytest.importorskip("markdown_it")

from playwright.sync_api import expect

from relyon.core.texts import LANGUAGES, catalogue
from relyon.core.texts.languages import Language, language_tag
from relyon.learn import course
from relyon.learn.blocks import Card, Play, Predict, Quiz
from relyon.learn.lesson import plain_text
from relyon.learn.pages.render import derivation_steps
from relyon.learn.quantities import quantity

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.web.accessibility import Told

EVERY = pytest.mark.parametrize("language", LANGUAGES)
FOCUS = "document.activeElement.{}"


def lists(tab: Page, name: str) -> list[Told]:
    """Returns the rows of the list of a name."""
    from tests.web.accessibility import told

    return [one for one in told(tab, "listitem") if one.within[-1:] == (name,)]


@EVERY
def test_every_question_of_a_lesson_has_its_name(
    language: Language, tab_of_window: Page, address: str
) -> None:
    from tests.web.accessibility import told

    tab = tab_of_window
    lesson = course(language)[2]
    open_page(tab, f"{address}{language}/{lesson.name}.html?all")
    found = told(tab)
    named = {(one.role, "".join(one.name.split())) for one in found}
    for block in lesson.blocks:
        if isinstance(block, Predict | Quiz):
            role = "slider" if isinstance(block, Predict) and block.slider else "textbox"
            role = "group" if block.choices else role
            assert (role, "".join(plain_text(block.ask).split())) in named
    nameless = [
        one.role
        for one in found
        if one.role in {"button", "link", "slider", "textbox", "radio"} and not one.name
    ]
    assert nameless == []
    # A derivation's steps are said as they appear, and the focus does not get lost.
    section = tab.locator("section#by-hand")
    section.locator("button.all").click()
    assert (
        tab.evaluate(FOCUS.format("textContent")) == derivation_steps("ndcg@3:2,3,0", language)[-1]
    )


@EVERY
def test_a_move_and_its_values_are_said(
    language: Language, tab_of_window: Page, address: str
) -> None:
    tab, words = tab_of_window, catalogue("learn", language)
    lesson = course(language)[2]
    play = next(one for one in lesson.blocks if isinstance(one, Play))
    open_page(tab, f"{address}{language}/{lesson.name}.html?all")
    titles = [one.title for one in play.documents]

    def row(document: int, rank: int) -> str:
        where = words.say("play.place", title=titles[document], rank=rank)
        grade = words.say("play.grade", grade=f"{play.documents[document].grade:g}")
        return words["play.comma"].join([where, grade])

    rows = lists(tab, words["play.list"])
    assert [one.name for one in rows] == [row(place, place + 1) for place in range(3)]
    up = tab.get_by_role("button", name=words.say("play.up", title=titles[1]))
    up.click()
    assert up.evaluate("one => one === document.activeElement")  # it can be pressed again
    assert [one.name for one in lists(tab, words["play.list"])][:2] == [row(1, 1), row(0, 2)]

    heard = tab.locator("section#break .heard")
    before, after = (f"{quantity(f'ndcg@3:{order}/2'):.4f}" for order in ("2,3,0", "3,2,0"))
    said = [
        words.say("play.place", title=titles[1], rank=1),
        words.say("play.changed", measure="ndcg@3", value=after, before=before),
        words.say("play.unchanged", measure="recall@3"),
    ]
    text = heard.inner_text()
    assert all(one in text for one in said)
    assert text.endswith(
        words.say(
            "play.reached",
            moves=words.say("play.moves.one", count=1),
            par=words.say("play.moves.one", count=1),
        )
    )
    expect(heard).to_have_attribute("role", "status")
    tab.locator("section#break .below li").press("ArrowUp")
    expect(heard).to_contain_text(words.say("play.place", title=titles[3], rank=4))


@EVERY
def test_an_order_is_put_together_by_ear(
    language: Language, tab_of_window: Page, address: str
) -> None:
    tab, words = tab_of_window, catalogue("learn", language)
    open_page(tab, f"{address}{language}/01-order.html?all")
    rows = lists(tab, words["quiz.list"])
    assert rows[2].name == words.say("play.place", title="[3, 2, 0]", rank=3)
    up = tab.get_by_role("button", name=words.say("play.up", title="[3, 2, 0]"))
    up.click()
    up.press("Enter")
    said = words.say("play.place", title="[3, 2, 0]", rank=1)
    expect(tab.locator("section#sort .heard")).to_contain_text(said)
    assert lists(tab, words["quiz.list"])[0].name == said
    tab.locator("section#sort [type=submit]").click()
    expect(tab.locator("section#sort .reply")).to_contain_text("✓")
    tab.reload()
    assert lists(tab, words["quiz.list"])[0].name == said


@EVERY
def test_a_dial_says_its_setting_and_what_follows(
    language: Language, tab_of_window: Page, address: str
) -> None:
    from tests.web.accessibility import told

    tab = tab_of_window
    open_page(tab, f"{address}{language}/11-position-bias.html?all")
    section = tab.locator("section#attention")
    dial = section.locator("input")
    dial.press("ArrowRight")
    found = next(one for one in told(tab, "slider") if one.values.get("focused"))
    assert found.name == "η"
    # Chromium's tree shows a range's number; what screen readers get instead is this attribute.
    expect(dial).to_have_attribute("aria-valuetext", "1.5")
    expect(section.locator("output")).to_have_text("1.5")
    heard = section.locator(".heard").inner_text()
    for name, value in zip(
        section.locator("dt").all_inner_texts(),
        section.locator("dd").all_inner_texts(),
        strict=True,
    ):
        assert f"{name} {value}" in heard


@EVERY
def test_the_game_says_every_move(language: Language, tab_of_window: Page, address: str) -> None:
    tab, words = tab_of_window, catalogue("learn", language)
    open_page(tab, f"{address}{language}/game.html")
    tab.locator("#skip").press("Enter")
    assert tab.evaluate(FOCUS.format("id")) == "name"
    rows = lists(tab, words["play.list"])
    assert len(rows) == 5
    title = tab.locator("#fight li[data-index='3'] .title").inner_text()
    assert rows[3].name.startswith(words.say("play.place", title=title, rank=4))
    tab.locator("#fight li[data-index='3']").press("ArrowUp")
    said = tab.locator("#said").inner_text()
    assert words.say("play.place", title=title, rank=3) in said
    assert words.say("game.left.many", count=0) in said
    expect(tab.locator("#said")).to_have_attribute("role", "status")
    tab.locator("#attack").press("Enter")
    expect(tab.locator("#outcome")).to_have_attribute("role", "status")


@EVERY
def test_a_card_is_asked_and_answered_by_ear(
    language: Language, tab_of_window: Page, address: str
) -> None:
    from tests.web.accessibility import told

    tab, words = tab_of_window, catalogue("learn", language)
    cards = [one for lesson in course(language) for one in lesson.blocks if isinstance(one, Card)]
    open_page(tab, f"{address}{language}/cards.html")
    tab.locator("#all-cards").click()

    def focused() -> Told:
        return next(one for one in told(tab, "button") if one.values.get("focused"))

    tab.locator("#box .show").press("Enter")
    assert "".join(focused().within[-1].split()) == "".join(plain_text(cards[0].back).split())
    assert focused().name.startswith(words["cards.good"])
    tab.keyboard.press("4")
    assert focused().name == words["card.show"]
    assert "".join(focused().within[-1].split()) == "".join(plain_text(cards[1].front).split())


@EVERY
def test_every_page_names_its_language_and_foreign_words(
    language: Language, tab_of_window: Page, address: str
) -> None:
    tab = tab_of_window
    other = "zh" if language == "en" else "en"
    for page in ("index", "cards", "game", "sheet", "06-pnr"):
        open_page(tab, f"{address}{language}/{page}.html")
        expect(tab.locator("html")).to_have_attribute("lang", language_tag(language))
        link = tab.locator(f".tools a[lang='{language_tag(other)}']")
        expect(link).to_have_attribute("hreflang", language_tag(other))
    if language == "en":
        expect(tab.locator("h1 [lang|=zh]")).to_have_text("正逆序比")
        chinese = (
            "[...document.querySelectorAll('.prose, section.block > p')]"
            ".flatMap(one => one.textContent.match(/[\u3400-\u9fff]+/g) ?? []).length"
        )
        marked = tab.locator(".prose [lang|=zh], section.block > p [lang|=zh]")
        expect(marked).to_have_count(tab.evaluate(chinese))
