"""The game in a browser: won and lost by keyboard, with a score that stays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import pytest
from tests.web.browser import complaints, open_page, overflow, requests, show_at

pytest.importorskip("playwright.sync_api")
pytest.importorskip("markdown_it")

from playwright.sync_api import expect

from relyon.core.texts import LANGUAGES, catalogue
from relyon.core.texts.languages import Language
from relyon.learn.game import ENOUGH, HEARTS, POINTS, Level, fight, game
from relyon.learn.pages.recorded import key

if TYPE_CHECKING:
    from playwright.sync_api import Page

LEVELS = game().levels
#: The documents above the line and below it, by their places in the level's file.
Order = tuple[tuple[int, ...], tuple[int, ...]]


def value(level: Level, order: Order) -> float:
    grades = [f"{one.grade:g}" for one in (*level.documents, *level.bench)]
    above, below = order
    state = tuple(grades[n] for n in above), tuple(grades[n] for n in below)
    return fight(level).values[key(state)][0]


def following(order: Order, line: bool) -> Iterator[tuple[Order, tuple[int, bool, int]]]:
    """Yields every order one move away, with the move: a document, whether it is above, where."""
    above, below = order
    for document in (*above, *below) if line else above:
        rest = tuple(n for n in above if n != document)
        left = tuple(n for n in below if n != document)
        for to in range(len(rest) + 1):
            yield ((*rest[:to], document, *rest[to:]), left), (document, True, to)


def way_to_win(level: Level) -> list[tuple[int, bool, int]]:
    retrieved, count = len(level.documents), len(level.documents) + len(level.bench)
    start = tuple(range(retrieved)), tuple(range(retrieved, count))
    front: dict[Order, list[tuple[int, bool, int]]] = {start: []}
    for _ in range(fight(level).par):
        new: dict[Order, list[tuple[int, bool, int]]] = {}
        for order, way in front.items():
            for reached, move in following(order, bool(level.bench)):
                new.setdefault(reached, [*way, move])
        front = new
    return max(front.items(), key=lambda one: value(level, one[0]))[1]


def move(tab: Page, document: int, upper: bool, to: int) -> None:
    """Takes a document to its place by the arrow keys."""
    row = tab.locator(f"#fight li[data-index='{document}']")
    for _ in range(40):
        above, at = row.evaluate(
            "row => [row.parentElement.classList.contains('list'),"
            " [...row.parentElement.children].indexOf(row)]"
        )
        if (above, at) == (upper, to):
            return
        row.press("ArrowUp" if not above or at > to else "ArrowDown")
    raise AssertionError("the keys do not get there")


def order_of(tab: Page) -> list[str]:
    rows = tab.locator("#fight .list li")
    return [str(rows.nth(n).get_attribute("data-index")) for n in range(rows.count())]


def skip_candies(tab: Page) -> None:
    tab.locator("#skip").press("Enter")
    expect(tab.locator("#fight")).to_be_visible()


def grade_candies(tab: Page, grades: str) -> None:
    for place, grade in enumerate(grades):
        tab.locator(f"[name=candy-{place}][value='{grade}']").press("Space")
    tab.locator("#grades [type=submit]").press("Enter")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_game_is_won_by_keyboard(language: Language, tab_of_window: Page, address: str) -> None:
    tab, words = tab_of_window, catalogue("learn", language)
    open_page(tab, f"{address}{language}/game.html")
    expect(tab.locator("#scores")).to_be_hidden()
    # The second recommender puts chocolate and peppermint first.
    grade_candies(tab, "30030")
    expect(tab.locator("#guess .grade").first).not_to_be_empty()
    tab.locator("[name=knows][value='1']").press("Space")
    tab.keyboard.press("Enter")
    expect(tab.locator("#taste .reply")).to_contain_text("✓")
    tab.keyboard.press("Enter")  # the button that goes on has the focus

    points = POINTS["guess"]
    for number, level in enumerate(LEVELS):
        found = fight(level)
        name = words[f"game.monsters.{level.id}.name"]
        expect(tab.locator("#name")).to_have_text(name)
        expect(tab.locator("#fight .query")).to_contain_text(level.query[language])
        for step in way_to_win(level):
            move(tab, *step)
        expect(tab.locator("#left")).to_contain_text(str(found.moves - found.par))
        tab.locator("#attack").press("Enter")
        said = tab.locator("#outcome").inner_text()
        assert "✓" in said
        assert name in said
        assert words[f"game.monsters.{level.id}.won"] in said
        shown = [float(one) for one in re.findall(r"\d+\.\d{3}", said)]
        retrieved, count = len(level.documents), len(level.documents) + len(level.bench)
        above = tuple(int(one) for one in order_of(tab))
        below = tuple(n for n in range(retrieved, count) if n not in above)
        hit = value(level, (above, below))
        assert hit >= ENOUGH * found.ideal - 1e-9
        assert any(one == pytest.approx(hit, abs=5e-4) for one in shown)
        points += round(100 * hit / found.ideal) + (found.moves - found.par) * POINTS["saved"]
        expect(tab.locator("#tally")).to_contain_text(str(points))
        last = number + 1 == len(LEVELS)
        expect(tab.locator("#on")).to_have_text(words["game.to_scores" if last else "game.next"])
        tab.keyboard.press("Enter")

    points += HEARTS * POINTS["heart"]
    expect(tab.locator("#verdict")).to_have_text(words["game.won"])
    expect(tab.locator("#total")).to_contain_text(str(points))
    expect(tab.locator("#total")).to_contain_text(words["game.best"])
    assert complaints(tab) == []
    assert all(one.startswith(address) for one in requests(tab))

    tab.reload()
    row = tab.locator("#scores tbody tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text(str(points))
    expect(row).to_contain_text(f"{len(LEVELS)} / {len(LEVELS)}")


def test_the_game_is_lost_and_played_again(tab_of_window: Page, address: str) -> None:
    tab = tab_of_window
    open_page(tab, f"{address}en/game.html")
    skip_candies(tab)
    for left in reversed(range(HEARTS)):
        tab.locator("#attack").press("Enter")
        expect(tab.locator("#outcome")).to_contain_text("✗")
        expect(tab.locator("#tally")).to_contain_text(f"{left} heart")
        assert ("Hint" in tab.locator("#outcome").inner_text()) == (left > 0)
        tab.keyboard.press("Enter")
    expect(tab.locator("#verdict")).to_contain_text("No hearts left")
    expect(tab.locator("#total")).to_contain_text("0 points, 0 of 6")
    expect(tab.locator("#total")).not_to_contain_text("best game")
    tab.locator("#replay").press("Enter")
    skip_candies(tab)
    expect(tab.locator("#tally")).to_contain_text(f"{HEARTS} hearts")
    expect(tab.locator("#attack")).to_be_visible()
    for step in way_to_win(LEVELS[0]):
        move(tab, *step)
    tab.locator("#attack").press("Enter")
    expect(tab.locator("#outcome")).to_contain_text("✓")
    assert complaints(tab) == []


def test_moves_run_out_and_come_back(tab_of_window: Page, address: str) -> None:
    tab = tab_of_window
    open_page(tab, f"{address}en/game.html")
    skip_candies(tab)
    start = order_of(tab)
    row = tab.locator("#fight li[data-index='4']")
    row.press("ArrowUp")
    row.press("ArrowUp")
    expect(tab.locator("#left")).to_have_text("0 moves left")  # two steps are one move
    expect(tab.locator("#said")).to_contain_text("rank 3")
    moved = order_of(tab)
    tab.locator("#fight li[data-index='0']").press("ArrowDown")
    assert order_of(tab) == moved
    expect(tab.locator("#said")).to_contain_text("No move left")
    tab.locator("#fight li[data-index='0'] .down").click()
    assert order_of(tab) == moved
    row.press("ArrowDown")
    row.press("ArrowDown")
    assert order_of(tab) == start
    expect(tab.locator("#left")).to_have_text("1 move left")  # where it was: no move
    row.press("ArrowUp")
    tab.locator("#back").press("Enter")
    assert order_of(tab) == start
    expect(tab.locator("#left")).to_have_text("1 move left")


def test_documents_are_dragged_until_the_attack(tab_of_window: Page, address: str) -> None:
    tab = tab_of_window
    open_page(tab, f"{address}en/game.html", height=1200)
    skip_candies(tab)

    def drag(document: int, onto: int) -> None:
        row, target = (tab.locator(f"#fight li[data-index='{n}']") for n in (document, onto))
        box, goal = row.bounding_box(), target.bounding_box()
        assert box is not None
        assert goal is not None
        tab.mouse.move(box["x"] + 80, box["y"] + box["height"] / 2)
        tab.mouse.down()
        tab.mouse.move(goal["x"] + 80, goal["y"] + 4, steps=5)
        tab.mouse.up()

    drag(3, 2)
    won = ["0", "1", "3", "2", "4"]
    assert order_of(tab) == won
    drag(4, 0)
    assert order_of(tab) == won  # no move left
    tab.locator("#attack").click()
    expect(tab.locator("#outcome")).to_contain_text("100.0%")
    drag(3, 0)
    assert order_of(tab) == won


@pytest.mark.parametrize(
    ("grades", "guess", "says"),
    [("30030", 0, "✗"), ("30030", 2, "✗"), ("02301", 0, "✓"), ("22222", 2, "✓")],
)
def test_the_recommender_that_knows_the_player_is_found(
    grades: str, guess: int, says: str, tab_of_window: Page, address: str
) -> None:
    tab = tab_of_window
    open_page(tab, f"{address}en/game.html")
    grade_candies(tab, grades)
    tab.locator(f"[name=knows][value='{guess}']").check()
    tab.locator("#guess [type=submit]").click()
    expect(tab.locator("#taste .reply")).to_contain_text(says)
    taste = game().taste
    from relyon.learn.quantities import quantity

    for place, order in enumerate(taste.recommenders):
        shown = tab.locator("#guess .value").nth(place).inner_text()
        expected = quantity(f"{taste.measure}:" + ",".join(grades[one] for one in order))
        assert shown == f"{taste.measure} = {expected:.3f}"
    tab.locator("#go").click()
    earned = POINTS["guess"] if says == "✓" else 0
    expect(tab.locator("#tally")).to_contain_text(f"{earned} points")


def test_whoever_likes_nothing_is_asked_again(tab_of_window: Page, address: str) -> None:
    tab = tab_of_window
    open_page(tab, f"{address}en/game.html")
    tab.locator("#grades [type=submit]").click()
    expect(tab.locator("#guess")).to_be_hidden()  # nothing is graded yet
    grade_candies(tab, "00000")
    expect(tab.locator("#taste-said")).to_contain_text("undefined")
    expect(tab.locator("#guess")).to_be_hidden()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_is_accessible_and_fits(
    language: Language, tab_of_window: Page, address: str
) -> None:
    """On a wide window and on a phone, in light and dark in turn."""
    pytest.importorskip("axe_core_python")
    from tests.web.accessibility import violations

    tab = tab_of_window
    states = 0

    def check() -> None:
        nonlocal states
        states += 1
        light: tuple[Literal["light", "dark"], ...] = ("light", "dark")
        for place, width in enumerate((1200, 360)):
            show_at(tab, width, scheme=light[(states + place + (language == "zh")) % 2])
            assert violations(tab) == []
            assert overflow(tab) == 0

    open_page(tab, f"{address}{language}/game.html")
    tab.locator(".rules summary").click()
    check()
    grade_candies(tab, "30030")
    tab.locator("[name=knows][value='1']").check()
    tab.locator("#guess [type=submit]").click()
    check()
    tab.locator("#go").click()
    for number, level in enumerate(LEVELS):
        if number in {0, len(LEVELS) - 1}:
            check()
            tab.locator("#attack").click()
            check()
            tab.locator("#on").click()
        for step in way_to_win(level):
            move(tab, *step)
        tab.locator("#attack").click()
        tab.locator("#on").click()
    check()


def test_without_motion_nothing_moves(tab_of_window: Page, address: str) -> None:
    tab = tab_of_window
    open_page(tab, f"{address}en/game.html")
    tab.emulate_media(reduced_motion="reduce")
    skip_candies(tab)
    tab.locator("#attack").click()
    style = "getComputedStyle(document.querySelector('.monster.angry'))"
    assert tab.evaluate(f"{style}.animationName") == "none"
    assert tab.evaluate(f"{style}.transitionDuration") == "0s"
    tab.emulate_media(reduced_motion="no-preference")
    assert tab.evaluate(f"{style}.animationName") == "shake"
