"""The course in a browser: every block of every lesson, in both languages."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

import pytest
from tests.web.browser import complaints, open_page, overflow, requests, show_at, wait_until

pytest.importorskip("playwright.sync_api")
pytest.importorskip("markdown_it")

from playwright.sync_api import expect

from relyon.core.texts import LANGUAGES
from relyon.core.texts.languages import Language
from relyon.learn import course
from relyon.learn.blocks import Card, Derive, Dial, Play, Predict, Quiz
from relyon.learn.lesson import Lesson, plain_text
from relyon.learn.pages.recorded import first_state, key, reached, record
from relyon.learn.pages.render import derivation_steps
from relyon.learn.progress import RATINGS, Progress
from relyon.learn.quantities import quantity
from relyon.learn.ration import LIMITS

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from relyon.learn.blocks import Block

#: The size of a chart's text on the screen, and what of it goes beyond the chart.
SIZES = """svg => {
  const box = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")];
  const cut = texts.filter((one) => {
    const { left, right, bottom } = one.getBoundingClientRect();
    return left < box.left - 1 || right > box.right + 1 || bottom > box.bottom + 1;
  });
  const scale = box.width / svg.viewBox.baseVal.width;
  return {
    font: scale * parseFloat(getComputedStyle(texts[0]).fontSize),
    cut: cut.map((one) => one.textContent),
  };
}"""
LESSONS = [one for language in LANGUAGES for one in course(language)]
IDS = [f"{one.language}-{one.name}" for one in LESSONS]


def answer(section: Locator, choices: list[int]) -> str:
    boxes = section.locator("input[type=radio], input[type=checkbox]")
    for place in range(boxes.count()):
        if boxes.nth(place).get_attribute("type") == "checkbox":
            boxes.nth(place).set_checked(place in choices)
        elif place in choices:
            boxes.nth(place).check()
    section.locator("button[type=submit]").click()
    return section.locator(".reply").inner_text()


def plain(text: str) -> str:
    return re.sub(r"\s+", "", plain_text(text))


def try_choices(section: Locator, block: Predict | Quiz) -> None:
    right = [place for place, choice in enumerate(block.choices) if choice.right]
    for place, choice in enumerate(block.choices):
        if choice.right:
            continue
        several = isinstance(block, Quiz) and block.form == "multiple"
        said = answer(section, [*right, place] if several else [place])
        assert plain(choice.reply) in plain(said)
        assert ("◐" if several or choice.also else "✗") in said
    said = answer(section, right)
    assert plain(block.choices[right[0]].reply) in plain(said)
    assert "✓" in said


def try_number(section: Locator, block: Quiz) -> None:
    def say(value: float) -> str:
        section.locator("input").fill(f"{value:.6f}")
        section.locator("button[type=submit]").click()
        return section.locator(".reply").inner_text()

    for wrong in block.wrong:
        assert plain(wrong.reply) in plain(say(quantity(wrong.value)))
    assert plain(block.otherwise) in plain(say(-12345.0))
    said = say(quantity(block.answer))
    assert plain(block.reply) in plain(said)
    assert "✓" in said


def try_order(section: Locator, block: Quiz) -> None:
    section.locator("button[type=submit]").click()
    assert plain(block.otherwise) in plain(section.locator(".reply").inner_text())
    for place in range(len(block.items)):
        row = section.locator(f"li[data-item='{place}']")
        while (at := order_of(section).index(str(place))) > place:
            row.locator(".moves .up").click()
            assert order_of(section).index(str(place)) == at - 1
    section.locator("button[type=submit]").click()
    expect(section.locator(".reply")).to_contain_text("✓")


def order_of(section: Locator) -> list[str]:
    rows = section.locator(".sortable li")
    return [str(rows.nth(place).get_attribute("data-item")) for place in range(rows.count())]


def try_slider(section: Locator, block: Predict) -> None:
    assert block.slider is not None
    section.locator("input").fill(str(block.slider.low))
    section.locator("button[type=submit]").click()
    assert plain(block.reply) in plain(section.locator(".reply").inner_text())


def try_derivation(section: Locator, block: Derive, language: Language) -> None:
    steps = derivation_steps(block.of, language)
    shown = section.locator(".steps li:visible")
    expect(shown).to_have_count(0)
    section.locator("button.next").click()
    expect(shown).to_have_count(1)
    if len(steps) > 1:
        section.locator("button.all").click()
    assert [text.strip() for text in shown.all_inner_texts()] == steps
    expect(section.locator("button.next")).to_be_hidden()


def way_to(play: Play, goal: int) -> list[tuple[int, bool, int]]:
    """Returns moves that reach a goal: a document, whether it ends above the line, its place."""
    found = record(play)
    count = len(play.documents)
    names = [*first_state(play)[0], *first_state(play)[1]]
    start = (tuple(range(play.retrieved)), tuple(range(play.retrieved, count)))
    seen = {start}
    front: list[tuple[Any, list[tuple[int, bool, int]]]] = [(start, [])]
    while front:
        following = []
        for (above, below), way in front:
            state = tuple(names[n] for n in above), tuple(names[n] for n in below)
            if reached(play.goals[goal], play, found, key(state)):
                return way
            for document in (*above, *below) if play.line else above:
                rest = tuple(n for n in above if n != document)
                left = tuple(n for n in below if n != document)
                targets = [((*rest[:to], document, *rest[to:]), left, True, to)
                           for to in range(len(rest) + 1)]  # fmt: skip
                if play.line:
                    targets.append((rest, (document, *left), False, 0))
                for new_above, new_below, upper, to in targets:
                    if (new_above, new_below) not in seen:
                        seen.add((new_above, new_below))
                        move = (document, upper, to)
                        following.append(((new_above, new_below), [*way, move]))
        front = following
    raise AssertionError("no way")


def move(section: Locator, document: int, upper: bool, to: int) -> None:
    """Takes a document to its place by its buttons."""
    row = section.locator(f"li[data-index='{document}']")
    for _ in range(40):
        above, at = row.evaluate(
            "row => [row.parentElement.classList.contains('list'),"
            " [...row.parentElement.children].indexOf(row)]"
        )
        if (above, at) == (upper, to):
            return
        up = (upper and not above) or (above == upper and at > to)
        row.locator(f".moves .{'up' if up else 'down'}").click()
    raise AssertionError("the buttons do not get there")


def try_play(section: Locator, play: Play) -> None:
    found = record(play)
    if play.answer:
        answer = section.locator(".answer p")
        expect(answer).to_be_hidden()
        section.locator(".answer summary").click()
        assert plain(answer.inner_text()) == plain(play.answer)
    for goal in range(len(play.goals)):
        section.locator("button.again").click()
        if goal and not play.goals[goal].want:
            continue
        for document, upper, to in way_to(play, goal):
            move(section, document, upper, to)
        expect(section.locator(".goals li.done")).to_have_count(goal + 1)
    section.locator("button.again").click()
    shown = section.locator(".values .value").all_inner_texts()
    for text, value in zip(shown, found.values[found.start], strict=True):
        if value is not None and value not in {float("inf")}:
            assert float(text.split()[0].replace("−", "-")) == pytest.approx(value, abs=6e-5)


def try_block(section: Locator, block: Block, language: Language) -> None:
    if isinstance(block, Predict | Quiz) and block.choices:
        try_choices(section, block)
    elif isinstance(block, Predict):
        try_slider(section, block)
    elif isinstance(block, Quiz) and block.form == "number":
        try_number(section, block)
    elif isinstance(block, Quiz):
        try_order(section, block)
    elif isinstance(block, Derive):
        try_derivation(section, block, language)
    elif isinstance(block, Play):
        try_play(section, block)
    elif isinstance(block, Dial):
        for place in range(len(block.settings)):
            section.locator("input[type=range]").evaluate(
                "(one, place) => { one.value = place; one.dispatchEvent(new Event('input')); }",
                place,
            )
            assert section.locator(".values dd").count() > 0
    elif isinstance(block, Card):
        section.locator("summary").click()
        expect(section.locator(".back")).to_be_visible()


@pytest.mark.parametrize("lesson", LESSONS, ids=IDS)
def test_every_block_answers(lesson: Lesson, tab_of_window: Page, address: str) -> None:
    tab = tab_of_window
    open_page(tab, f"{address}{lesson.language}/{lesson.name}.html?all")
    tab.evaluate("relyon.store.forget()")
    for block in lesson.blocks:
        try_block(tab.locator(f"section#{block.id}"), block, lesson.language)
    assert complaints(tab) == []
    assert all(one.startswith(address) for one in requests(tab))

    # A card is kept by an event that follows the click.
    cards = [f"{lesson.name}/{block.id}" for block in lesson.blocks if isinstance(block, Card)]
    wait_until(tab, f"Object.keys(relyon.store.cards).length >= {len(cards)}")
    assert sorted(tab.evaluate("Object.keys(relyon.store.cards)")) == sorted(cards)
    kept = _kept(tab)
    tab.reload()
    for block in lesson.blocks:
        if isinstance(block, Predict | Quiz):
            expect(tab.locator(f"section#{block.id} .reply")).not_to_be_empty()
    assert _kept(tab) == kept


def _kept(tab: Page) -> dict[str, object]:
    """Returns what is kept besides the time on the page, which goes on."""
    found: dict[str, object] = json.loads(tab.evaluate("localStorage.getItem('relyon-learn')"))
    return {part: value for part, value in found.items() if part != "places"}


@pytest.mark.parametrize("lesson", LESSONS, ids=IDS)
def test_a_lesson_is_accessible_and_fits(lesson: Lesson, tab_of_window: Page, address: str) -> None:
    """At both widths. Axe looks at a lesson in light in one language, in dark in the other."""
    pytest.importorskip("axe_core_python")
    from tests.web.accessibility import violations

    tab = tab_of_window
    dark = (lesson.number + (lesson.language == "zh")) % 2 == 1
    wide: tuple[int, Literal["light", "dark"]] = (1200, "light")
    narrow: tuple[int, Literal["light", "dark"]] = (390, "dark")
    first, second = (narrow, wide) if dark else (wide, narrow)
    open_page(
        tab,
        f"{address}{lesson.language}/{lesson.name}.html?all",
        width=first[0],
        scheme=first[1],
    )
    assert violations(tab) == []
    assert overflow(tab) == 0
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert overflow(tab) == 0
    show_at(tab, second[0], scheme=second[1])
    wait_until(tab, f"document.documentElement.clientWidth === {second[0]}")
    assert overflow(tab) == 0


@pytest.mark.parametrize("width", [1000, 390])
@pytest.mark.parametrize("language", LANGUAGES)
def test_charts_can_be_read(
    language: Language, width: int, tab_of_window: Page, address: str
) -> None:
    """Every dial has a chart, its text is as large as the page's small print, and none is cut."""
    tab = tab_of_window
    for lesson in course(language):
        dials = [one for one in lesson.blocks if isinstance(one, Dial) and len(one.settings) > 1]
        if not dials:
            continue
        open_page(tab, f"{address}{language}/{lesson.name}.html?all", width=width)
        for dial in dials:
            chart = tab.locator(f"section#{dial.id} :is(svg.chart, svg.drawn)")
            for place in (0, len(dial.settings) - 1):
                tab.locator(f"section#{dial.id} input").fill(str(place))
                sizes = chart.evaluate(SIZES)
                assert sizes["font"] >= 11, dial.id
                assert sizes["cut"] == [], dial.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_pages_are_accessible(language: Language, tab_of_window: Page, address: str) -> None:
    pytest.importorskip("axe_core_python")
    from tests.web.accessibility import violations

    for name in ("index", "cards", "sheet"):
        open_page(tab_of_window, f"{address}{language}/{name}.html", width=360)
        assert violations(tab_of_window) == []
        assert overflow(tab_of_window) == 0


def test_cards_come_back_when_they_are_due(tab_of_window: Page, address: str) -> None:
    tab = tab_of_window
    count = sum(isinstance(block, Card) for one in course("en") for block in one.blocks)
    open_page(tab, f"{address}en/cards.html")
    expect(tab.locator("#due")).to_contain_text("empty")
    tab.locator("#all-cards").click()

    def rate(cards: int) -> None:
        expect(tab.locator("#due")).to_have_text(f"{cards} cards today")
        for _ in range(cards):
            tab.locator("#box .show").click()
            expect(tab.locator("#box .back")).to_be_visible()
            tab.keyboard.press("4")

    rate(LIMITS["new"])
    held = count - LIMITS["new"]
    expect(tab.locator("#due")).to_have_text(
        f"Enough for today: {held} more cards wait until tomorrow."
    )
    tab.locator("#more").click()
    rate(10)
    tab.locator("#limit summary").click()
    tab.locator("#limit [name=new]").fill("999")
    tab.locator("#limit [name=new]").press("Enter")
    rate(held - 10)
    expect(tab.locator("#due")).to_contain_text("No card is due")
    tab.reload()
    expect(tab.locator("#due")).to_contain_text("No card is due")


def test_the_card_box_and_the_terminal_have_the_same_cards_of_today(
    tab_of_window: Page, address: str
) -> None:
    now = datetime.now(UTC)
    names = [
        f"{one.name}/{block.id}"
        for one in course("en")
        for block in one.blocks
        if isinstance(block, Card)
    ]
    progress = Progress(settings={"limits": {"new": 3, "reviews": 4}})
    for place, name in enumerate(names[:12]):
        progress.rate(name, RATINGS[place % 4], now - timedelta(days=200 - place))
    progress.rate(names[0], "again", now - timedelta(minutes=30))
    progress.cards |= {name: {"added": now.isoformat()} for name in names[12:]}
    open_page(tab_of_window, f"{address}en/cards.html")
    kept = {"cards": progress.cards, "settings": progress.settings}
    kept |= {"format": "relyon-learn", "version": 1, "answers": {}, "scores": {}}
    found = tab_of_window.evaluate(
        """([kept, names, usual]) => {
          relyon.store.replace(JSON.stringify(kept));
          return relyon.schedule.today(names, usual);
        }""",
        [kept, names, LIMITS],
    )
    today = progress.today(names, datetime.now(UTC))
    assert (tuple(found["asked"]), found["held"]) == (today.asked, today.held)
    assert today.held > 0


def test_progress_goes_into_a_file_and_comes_back(tab_of_window: Page, address: str) -> None:
    tab = tab_of_window
    lesson = course("en")[0]
    open_page(tab, f"{address}en/{lesson.name}.html?all")
    block = next(one for one in lesson.blocks if isinstance(one, Predict | Quiz))
    try_block(tab.locator(f"section#{block.id}"), block, "en")
    open_page(tab, f"{address}en/index.html")
    expect(tab.locator(".lessons li").first).to_contain_text("1 of")
    with tab.expect_download() as saved:
        tab.locator("#export").click()
    path = saved.value.path()
    tab.on("dialog", lambda dialog: dialog.accept())
    tab.locator("#reset").click()
    expect(tab.locator(".lessons li").first).not_to_contain_text("1 of")
    tab.locator("#file").set_input_files(
        {"name": "x.json", "mimeType": "application/json", "buffer": b"{}"}
    )
    expect(tab.locator("#said")).to_contain_text("no progress")
    tab.locator("#file").set_input_files(path)
    expect(tab.locator(".lessons li").first).to_contain_text("1 of")


def test_documents_are_dragged_by_mouse(tab_of_window: Page, address: str) -> None:
    tab = tab_of_window
    lesson, play = next(
        (one, block) for one in course("en") for block in one.blocks if isinstance(block, Play)
    )
    open_page(tab, f"{address}en/{lesson.name}.html?all")
    section = tab.locator(f"section#{play.id}")
    section.scroll_into_view_if_needed()
    first, second = (section.locator(f"li[data-index='{n}']") for n in (0, 1))
    box, target = second.bounding_box(), first.bounding_box()
    assert box is not None
    assert target is not None
    tab.mouse.move(box["x"] + 80, box["y"] + box["height"] / 2)
    tab.mouse.down()
    tab.mouse.move(target["x"] + 80, target["y"] + 4, steps=5)
    tab.mouse.up()
    expect(section.locator(".list li").first).to_have_attribute("data-index", "1")


def test_a_terminal_plans_cards_as_a_page_does(tab_of_window: Page, address: str) -> None:
    pytest.importorskip("fsrs")

    open_page(tab_of_window, f"{address}en/cards.html")
    ratings = [3, 3, 4, 1, 3, 2, 3, 3, 1, 1, 3]
    planned = tab_of_window.evaluate(
        """ratings => {
          const scheduler = FSRS.fsrs({ enable_fuzz: false });
          let card = FSRS.createEmptyCard(new Date("2026-01-01T00:00:00Z"));
          return ratings.map(rating => {
            card = scheduler.next(card, card.due, rating).card;
            return card.due.getTime() / 1000;
          });
        }""",
        ratings,
    )
    progress, when, own = Progress(), datetime(2026, 1, 1, tzinfo=UTC), []
    for rating in ratings:
        when = progress.rate("card", RATINGS[rating - 1], when)
        own.append(when.timestamp())
    assert own == pytest.approx(planned, abs=1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_cheat_sheet_is_printed_on_one_page(
    language: Language, tab_of_window: Page, address: str
) -> None:
    open_page(tab_of_window, f"{address}{language}/sheet.html")
    printed = tab_of_window.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
