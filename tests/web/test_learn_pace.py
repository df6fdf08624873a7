"""Lessons one step at a time: gates, skipping, recaps, practice, resuming, and whole reading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.web.browser import complaints, overflow, wait_until

pytest.importorskip("playwright.sync_api")
pytest.importorskip("markdown_it")

from playwright.sync_api import expect
from tests.web.paced import Open, kept, skip_to, state

from relyon.core.texts import LANGUAGES, catalogue
from relyon.core.texts.languages import Language
from relyon.learn.course import read_course
from relyon.learn.pages.site import lesson_page
from relyon.learn.pages.steps import lesson_steps
from relyon.learn.quantities import derivation

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WORDS = catalogue("learn", "en")


def steps_of(name: str, short_course: Path) -> list[str]:
    lessons = read_course(short_course.parent / "lessons", "en")
    found = next(one for one in lessons if one.name == name)
    return [step.key for step in lesson_steps(found)]


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


def test_a_lesson_goes_on_where_it_was_left(opened: Open, short_course: Path) -> None:
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
    assert steps_of("01-first", short_course)[-1] == "end.1"
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


def test_a_page_with_the_reader_s_numbers_begins_with_them(
    opened: Open, short_course: Path
) -> None:
    lessons = read_course(short_course.parent / "lessons", "en")
    page = lesson_page(lessons[0], lessons, derivation("ndcg@3:3,1,2"))
    (short_course / "en" / "own.html").write_text(page, "utf-8")
    tab = opened()
    skip_to(tab, "lines")
    opened("own.html")
    assert state(tab)["open"] == ["OWN"]  # although the lesson was left further on
    tab.locator("#OWN .all").click()
    tab.locator(".onward").click()
    assert state(tab)["open"] == ["OWN", "guess"]
    opened()
    assert state(tab)["open"][-1] == "lines"


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


def test_a_browser_that_cannot_find_what_is_hidden_shows_it(opened: Open) -> None:
    tab = opened()
    tab.add_init_script("delete window.onbeforematch")
    opened()
    assert tab.locator(".step[hidden]").first.get_attribute("hidden") == ""
    tab.keyboard.press("Control+f")
    assert len(state(tab)["open"]) == tab.locator(".step").count()
    opened()
    assert state(tab)["open"] == ["guess"]


def test_everything_is_there_without_scripts(browser: Browser, short_course: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto((short_course / "en" / "01-first.html").as_uri())
    for step in tab.locator(".step").all():
        expect(step).to_be_visible()
    expect(tab.locator(".pace")).to_be_hidden()
    expect(tab.locator(".reading")).to_be_hidden()
    expect(tab.locator(".beyond")).to_be_visible()
    expect(tab.locator("#lesson-end")).to_contain_text("Say what a candy is.")
    for page in ("01-first", "cards", "game", "learned"):
        tab.goto((short_course / "en" / f"{page}.html").as_uri())
        expect(tab.locator(".unkept")).to_be_visible()
        expect(tab.locator(".unkept")).to_have_text(WORDS["page.no_scripts"])
    tab.goto((short_course / "en" / "index.html").as_uri())
    expect(tab.locator(".unkept")).to_have_count(0)
    context.close()


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
