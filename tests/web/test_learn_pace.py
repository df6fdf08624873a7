"""Lessons one step at a time: gates, skipping, recaps, practice, resuming, and whole reading."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.web.browser import complaints, open_page, overflow, wait_until

pytest.importorskip("playwright.sync_api")
pytest.importorskip("markdown_it")

from playwright.sync_api import expect
from tests.web.paced import state, write_lessons

from relyon.core.texts import LANGUAGES, catalogue
from relyon.core.texts.languages import Language
from relyon.learn.course import read_course
from relyon.learn.pages.site import write_site
from relyon.learn.pages.steps import lesson_steps

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

WORDS = catalogue("learn", "en")
Open = Callable[..., "Page"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of two short lessons as files."""
    folder = tmp_path_factory.mktemp("paced")
    write_site(folder / "site", write_lessons(folder / "lessons"))
    return folder / "site"


@pytest.fixture
def opened(window: BrowserContext, site: Path) -> Iterator[Open]:
    """Opens a page of the short course; what it kept is forgotten afterwards."""
    tab = window.new_page()

    def go(page: str = "01-first.html", *, language: str = "en", **options: Any) -> Page:
        name, mark, rest = page.partition("#") if "#" in page else page.partition("?")
        # The same page with another anchor would not be loaded again.
        tab.goto("about:blank")
        open_page(tab, (site / language / name).as_uri() + mark + rest, **options)
        return tab

    yield go
    tab.evaluate("localStorage.clear()")
    tab.close()


def steps_of(name: str, site: Path) -> list[str]:
    lessons = read_course(site.parent / "lessons", "en")
    found = next(one for one in lessons if one.name == name)
    return [step.key for step in lesson_steps(found)]


def skip_to(tab: Page, key: str) -> None:
    """Goes on without answering until a step is open."""
    for _ in range(60):
        now = state(tab)
        if key in now["open"]:
            return
        tab.evaluate(
            "document.querySelector(arguments)?.click()".replace(
                "arguments", "'.pace .skip-step'" if now["skip"] else "'.pace .onward'"
            )
        )
    raise AssertionError(f"{key} is never reached")


def kept(tab: Page) -> Any:
    return json.loads(tab.evaluate("localStorage.getItem('relyon-learn')"))


def test_what_follows_a_guess_waits_for_the_answer(opened: Open) -> None:
    tab = opened()
    now = state(tab)
    assert (now["open"], now["next"], now["skip"], now["back"]) == (["guess"], False, True, False)
    assert "as you see" not in tab.inner_text("main")
    tab.keyboard.press("Enter")  # nothing to go on to yet
    assert state(tab)["open"] == ["guess"]
    tab.locator("#guess label").nth(0).click()
    tab.locator("#guess [type=submit]").click()
    now = state(tab)
    assert (now["next"], now["skip"]) == (True, False)
    # A wrong answer may be changed: the focus stays.
    assert now["focus"] != "primary onward"
    tab.locator("#guess label").nth(1).click()
    tab.locator("#guess [type=submit]").click()
    tab.locator(".onward").click()
    now = state(tab)
    assert now["open"] == ["guess", "dcg"]
    assert now["where"] == WORDS.say("pace.step", step=2, count=9)
    assert now["group"] == now["where"]
    assert now["value"] == 2
    assert "as you see" in tab.inner_text("main")
    assert kept(tab)["answers"]["01-first/guess"]["first"] is False
    assert complaints(tab) == []


def test_enter_goes_on_after_a_right_answer(opened: Open) -> None:
    tab = opened()
    tab.locator("#guess input").nth(1).check()
    tab.locator("#guess [type=submit]").press("Enter")
    assert state(tab)["focus"] == "primary onward"
    described = tab.locator(".onward").get_attribute("aria-describedby")
    assert "Two it is." in tab.locator(f"#{described}").inner_text()
    tab.keyboard.press("Enter")
    assert state(tab)["open"] == ["guess", "dcg"]
    # Answers to other steps do not move the focus.
    tab.locator("#guess input").nth(1).check()
    tab.locator("#guess [type=submit]").click()
    assert state(tab)["focus"] != "primary onward"


def test_a_skipped_question_is_neither_right_nor_wrong(opened: Open) -> None:
    tab = opened()
    tab.locator(".skip-step").click()
    assert "Two it is." in tab.locator("#guess .reply").inner_text()
    assert state(tab)["focus"] == "primary onward"
    answer = kept(tab)["answers"]["01-first/guess"]
    assert (answer["done"], answer["skipped"]) == (True, True)
    assert "right" not in answer
    assert "first" not in answer
    tab.locator(".onward").click()
    tab.locator("#dcg input").fill("7")
    tab.locator("#dcg [type=submit]").click()
    tab.locator(".onward").click()
    skip_to(tab, "lesson-end")
    score = tab.locator("#lesson-end .score")
    expect(score).to_have_text(
        WORDS.say("pace.score", right=0, count=1) + WORDS.say("pace.score_skipped", count=1)
    )
    # It is still there after a reload, and can be answered.
    opened()
    expect(tab.locator("#guess .reply")).to_contain_text("Two it is.")
    tab.locator("#guess input").nth(1).check()
    tab.locator("#guess [type=submit]").click()
    answer = kept(tab)["answers"]["01-first/guess"]
    assert (answer["right"], answer["first"]) == (True, True)
    assert "skipped" not in answer


def test_a_lesson_goes_on_where_it_was_left(opened: Open, site: Path) -> None:
    tab = opened()
    skip_to(tab, "lines")
    open_before = state(tab)["open"]
    place = kept(tab)["places"]["01-first"]
    assert (place["step"], place["at"], place["of"], place["ended"]) == ("lines", 5, 9, False)
    opened()
    now = state(tab)
    assert now["open"] == [key for key in open_before if key not in {"", "review", "practice"}]
    assert now["where"] == WORDS.say("pace.step", step=5, count=9)
    assert abs(now["top"]) < 40
    expect(tab.locator("#paced")).to_have_text(WORDS.say("pace.resumed", step=5, count=9))
    # The other language goes on there, too.
    opened(language="zh")
    assert state(tab)["open"] == now["open"]
    # Back does not lose the place.
    tab.locator(".backward").click()
    assert state(tab)["where"] == catalogue("learn", "zh").say("pace.step", step=4, count=9)
    assert kept(tab)["places"]["01-first"]["step"] == "lines"
    assert steps_of("01-first", site)[-1] == "end.1"
    skip_to(tab, "lesson-end")
    assert kept(tab)["places"]["01-first"]["ended"] is True
    assert not state(tab)["next"]


def test_answers_from_before_there_were_steps_are_valid(opened: Open) -> None:
    tab = opened()
    answer = {"done": True, "right": True, "answer": [1], "first": True, "when": "2026-01-01"}
    old = {
        "format": "relyon-learn",
        "version": 1,
        "answers": {"01-first/guess": answer},
        "cards": {},
        "scores": {},
    }
    tab.evaluate(f"localStorage.setItem('relyon-learn', {json.dumps(json.dumps(old))})")
    opened()
    assert state(tab)["open"] == ["guess", "dcg"]
    expect(tab.locator("#guess .reply")).to_contain_text("Two it is.")


@pytest.mark.parametrize("place", ['"x"', "[]", "7", '{"step": 5, "reviewed": "abc"}'])
def test_a_place_that_is_none_begins_at_the_first_step(place: str, opened: Open) -> None:
    tab = opened()
    odd = f'{{"01-first": {place}}}'
    text = (
        '{"format": "relyon-learn", "version": 1, "answers": {}, "cards": {}, "scores": {},'
        f' "places": {odd}}}'
    )
    tab.evaluate(f"localStorage.setItem('relyon-learn', {json.dumps(text)})")
    opened("01-first.html#%")
    assert state(tab)["open"] == ["guess"]
    skip_to(tab, "lesson-end")
    assert kept(tab)["places"]["01-first"]["step"] == "lesson-end"
    assert complaints(tab) == []


def test_a_link_opens_its_block_and_everything_before(opened: Open) -> None:
    tab = opened("01-first.html#swap")
    now = state(tab)
    assert now["open"] == ["guess", "dcg", "card", "recap-one", "lines", "swap"]
    assert abs(now["top"]) < 60
    # A link into a section beyond the core opens that section, too.
    tab.evaluate("localStorage.clear()")
    opened("01-first.html#deep")
    assert state(tab)["open"][-1] == "deep"
    tab.evaluate("location.hash = '#recap-two'")
    wait_until(tab, "document.querySelector('[data-step=recap-two]').checkVisibility()")
    assert state(tab)["open"][-1] == "recap-two"
    opened("01-first.html#nothing")
    assert complaints(tab) == []


def test_whole_reading_is_one_click_away_and_remembered(opened: Open) -> None:
    tab = opened()
    count = tab.locator(".step").count()
    tab.locator("#reading").click()
    assert len(state(tab)["open"]) == count
    expect(tab.locator(".pace")).to_be_hidden()
    expect(tab.locator(".beyond")).to_be_visible()
    opened()
    assert len(state(tab)["open"]) == count
    expect(tab.locator("#reading")).to_have_text(WORDS["pace.paced"])
    tab.locator("#reading").click()
    assert state(tab)["open"] == ["guess"]
    opened("01-first.html?all")
    assert len(state(tab)["open"]) == count
    opened()
    assert state(tab)["open"] == ["guess"]  # the address alone is not remembered


def test_printing_and_finding_show_everything(opened: Open) -> None:
    tab = opened()
    hidden = tab.locator(".step[hidden]")
    assert hidden.count() == tab.locator(".step").count() - 1
    assert hidden.first.get_attribute("hidden") == "until-found"
    # A link to a text finds it as find-in-page does, which no protocol calls.
    opened("01-first.html#:~:text=Everything%20was%20said")
    wait_until(tab, "document.querySelector('[data-step=recap-two]').checkVisibility()")
    assert state(tab)["open"][-1] == "recap-two"
    tab.evaluate("localStorage.clear()")
    opened()
    tab.emulate_media(media="print")
    seen = "[...document.querySelectorAll('.step, .steps li')].every(one => one.checkVisibility())"
    assert tab.evaluate(seen)
    assert "Because of the sugar." in tab.inner_text("main")
    assert "It is now" in tab.inner_text("#card")
    expect(tab.locator(".pace")).to_be_hidden()
    tab.emulate_media(media="null")
    assert state(tab)["open"] == ["guess"]


def test_everything_is_there_without_scripts(browser: Browser, site: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto((site / "en" / "01-first.html").as_uri())
    for step in tab.locator(".step").all():
        expect(step).to_be_visible()
    expect(tab.locator(".pace")).to_be_hidden()
    expect(tab.locator(".reading")).to_be_hidden()
    expect(tab.locator(".beyond")).to_be_visible()
    expect(tab.locator("#lesson-end")).to_contain_text("Say what a candy is.")
    context.close()


def test_a_section_beyond_the_core_is_offered_and_no_gap(opened: Open) -> None:
    tab = opened()
    skip_to(tab, "recap-one")
    offer = tab.locator("[data-step='recap-one'] .ways button").last
    expect(offer).to_have_text(WORDS.say("pace.deeper", title="Why candies?"))
    tab.locator(".onward").click()
    assert state(tab)["where"] == WORDS.say("pace.step", step=5, count=9)
    assert "01-first/deep" not in kept(tab)["answers"]
    # It stays on offer, and leads back to where it was left.
    offer.click()
    now = state(tab)
    assert now["where"] == WORDS.say("pace.deeper_step", step=1, count=2)
    assert now["open"][-2:] == ["deep", "lines"]
    expect(tab.locator("[data-step='deep'] .ways")).to_have_count(0)
    tab.locator(".skip-step").click()
    tab.locator(".onward").click()
    tab.locator(".onward").click()
    assert state(tab)["where"] == WORDS.say("pace.step", step=5, count=9)


def test_practice_asks_what_was_missed_and_cards(opened: Open) -> None:
    tab = opened()
    tab.locator("#guess input").nth(0).check()
    tab.locator("#guess [type=submit]").click()
    skip_to(tab, "recap-one")
    practise = tab.locator("[data-step='recap-one'] .ways button").first
    expect(practise).to_have_text(WORDS.say("pace.practise", count=3))
    practise.click()
    asked = tab.locator(".step.practice")
    assert asked.count() == 3
    assert state(tab)["where"] == WORDS.say("pace.practice_step", step=1, count=3)
    assert state(tab)["skip"]
    ids = tab.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))
    expect(asked.nth(0).locator(".reply")).to_be_empty()
    assert asked.nth(0).locator("input:checked").count() == 0
    asked.nth(0).locator("input").nth(1).check()
    asked.nth(0).locator("[type=submit]").click()
    answer = kept(tab)["answers"]["01-first/guess"]
    assert (answer["right"], answer["first"]) == (True, False)
    tab.locator(".onward").click()
    asked.nth(1).locator("form input").fill("5")
    asked.nth(1).locator("form input").press("Enter")
    tab.keyboard.press("Enter")
    assert not state(tab)["next"]
    asked.nth(2).locator("summary").click()
    asked.nth(2).locator(".buttons button").last.click()
    assert kept(tab)["cards"]["01-first/card"]["reps"] == 1
    tab.locator(".onward").click()
    assert state(tab)["where"] == WORDS.say("pace.step", step=5, count=9)
    # Nothing of it is left to practise.
    skip_to(tab, "recap-two")
    expect(tab.locator("[data-step='recap-two'] .said")).to_have_text(WORDS["pace.all_right"])


def test_a_recap_looks_back_to_an_earlier_lesson(opened: Open) -> None:
    tab = opened()
    skip_to(tab, "recap-two")
    assert tab.locator(".step.review").count() == 0  # there is none before the first
    tab = opened("02-second.html")
    skip_to(tab, "recap-one")
    wait_until(tab, "document.querySelector('.step.review') !== null")
    tab.locator(".onward").click()
    review = tab.locator(".step.review section").first
    expect(review).to_be_visible()
    assert state(tab)["where"] == WORDS["pace.review"]
    expect(review.locator("a")).to_have_attribute("href", "01-first.html#dcg")
    review.locator("form input").fill("5")
    review.locator("form input").press("Enter")
    answers = kept(tab)["answers"]
    assert answers["01-first/dcg"]["right"] is True
    assert not any(name.startswith("02-second/dcg") for name in answers)
    assert kept(tab)["places"]["02-second"]["reviewed"] == {"recap-one": "01-first/dcg"}
    tab.keyboard.press("Enter")
    assert state(tab)["where"] == WORDS.say("pace.step", step=2, count=4)
    # The same question does not come twice, and not again after a reload.
    skip_to(tab, "lesson-end")
    assert tab.locator(".step.review").count() == 1
    opened("02-second.html#recap-one")
    tab.wait_for_timeout(200)
    assert tab.locator(".step.review").count() == 0
    assert complaints(tab) == []


def test_the_step_scrolls_without_motion_if_the_reader_wants_none(opened: Open) -> None:
    tab = opened()
    spy = """() => {
      window.ways = [];
      Element.prototype.scrollIntoView = function (how) { window.ways.push(how.behavior); };
    }"""
    for motion, behavior in (("reduce", "auto"), ("no-preference", "smooth")):
        tab.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
        tab.evaluate(spy)
        tab.evaluate("document.querySelector('.skip-step').click()")
        tab.evaluate("document.querySelector('.onward').click()")
        assert tab.evaluate("window.ways") == [behavior]


@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("language", LANGUAGES)
def test_paced_pages_are_accessible_and_fit(language: Language, width: int, opened: Open) -> None:
    pytest.importorskip("axe_core_python")
    from tests.web.accessibility import violations

    scheme = "dark" if width == 390 else "light"
    tab = opened(language=language, width=width, scheme=scheme)
    for key in ("guess", "recap-one", "lesson-end"):
        skip_to(tab, key)
        assert violations(tab) == []
        assert overflow(tab) == 0
        bar = tab.locator(".pace").bounding_box()
        assert bar is not None
        assert bar["height"] < 100
        assert bar["y"] + bar["height"] <= 901


@pytest.fixture
def tracked(site: Path) -> Iterator[None]:
    """The short course with two tracks: one ends the first lesson early, one has it alone."""
    tracks = {
        "short": {
            "title": "Short",
            "lessons": [
                {"lesson": "01-first", "title": "First", "until": "recap-one"},
                {"lesson": "02-second", "title": "Second", "until": ""},
            ],
        },
        "one": {
            "title": "One",
            "lessons": [{"lesson": "01-first", "title": "First", "until": ""}],
        },
    }
    page = site / "en" / "01-first.html"
    before = page.read_text("utf-8")
    script = f'<script type="application/json" id="tracks">{json.dumps(tracks)}</script>'
    without = re.sub(r'<script type="application/json" id="tracks">.*?</script>', "", before)
    page.write_text(without.replace("</body>", f"{script}</body>"), "utf-8")
    yield
    page.write_text(before, "utf-8")


@pytest.mark.usefixtures("tracked")
def test_a_track_says_where_it_goes_on(opened: Open) -> None:
    tab = opened()
    tab.evaluate("relyon.store.put('settings', 'track', 'short')")
    opened()
    skip_to(tab, "recap-one")
    recap = tab.locator("#recap-one")
    expect(recap).to_contain_text(WORDS.say("pace.track_ends", track="Short"))
    expect(recap.locator("a")).to_have_attribute("href", "02-second.html")
    expect(recap.locator("a")).to_have_text(WORDS.say("pace.track_next", title="Second"))
    # Whoever goes on finds the next lesson at the end, too.
    skip_to(tab, "lesson-end")
    expect(tab.locator("#lesson-end a")).to_have_text(WORDS.say("pace.track_next", title="Second"))
    tab.evaluate("relyon.store.put('settings', 'track', 'one')")
    opened()
    expect(tab.locator("#recap-one a")).to_have_count(0)
    expect(tab.locator("#lesson-end")).to_contain_text(WORDS.say("pace.track_done", track="One"))
    expect(tab.locator("#lesson-end a")).to_have_count(0)
    tab.evaluate("relyon.store.put('settings', 'track', 'unknown')")
    opened()
    expect(tab.locator("#lesson-end a")).to_have_text(WORDS.say("pace.following", title="Second"))
