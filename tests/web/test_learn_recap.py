"""Recaps: practice, questions of earlier lessons, sections beyond the core, and tracks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.browser import complaints, wait_until

pytest.importorskip("playwright.sync_api")
pytest.importorskip("markdown_it")

from playwright.sync_api import expect
from tests.web.paced import Open, kept, skip_to, state

from relyon.core.texts import catalogue

WORDS = catalogue("learn", "en")


def test_a_section_beyond_the_core_is_offered_and_no_gap(opened: Open) -> None:
    tab = opened()
    skip_to(tab, "recap-one")
    offer = tab.locator("[data-step='recap-one'] .ways button").last
    expect(offer).to_have_text(WORDS.say("pace.deeper_minutes", title="Why candies?", minutes=1))
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
    # A number is asked for about another list.
    data = json.loads(asked.nth(1).locator(".data").inner_text())
    listed = asked.nth(1).locator(".asked > span").inner_text()
    assert "[3, 1, 2]" not in listed
    grades = [float(one) for one in re.findall(r"\d+", listed)]
    assert sum(grades) == pytest.approx(data["answer"])
    asked.nth(1).locator("form input").fill(str(data["answer"]))
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
    ways = tab.locator("[data-step='recap-two'] .ways")
    expect(ways.locator(".said")).to_have_text(WORDS["pace.all_right"])
    # Other lists are offered, also after a right answer; skipped, the answer is that of the list.
    expect(ways.locator("button")).to_have_text(WORDS.say("pace.practise_fresh", count=1))
    ways.locator("button").click()
    assert state(tab)["where"] == WORDS.say("pace.practice_step", step=1, count=1)
    data = json.loads(tab.locator(".step.practice .data").inner_text())
    tab.locator(".skip-step").click()
    reply = WORDS.say("pace.skipped", answer=f"{data['answer']:g}")
    expect(tab.locator(".step.practice .reply")).to_contain_text(reply)
    assert kept(tab)["answers"]["01-first/dcg"]["right"] is True  # a skipped practice is no loss


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
    review.locator("form input").fill("6")
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


def test_what_is_still_wrong_is_asked_first(opened: Open) -> None:
    """Then what was wrong at first a day ago, then what was not seen for longest."""
    tab = opened("02-second.html")
    tab.evaluate(
        """() => {
          const question = (id) => ({ id, html: document.querySelector("#again").outerHTML });
          relyon.review = [
            { lesson: "01-first", questions: "abcdef".split("").map(question) },
            { lesson: "02-second", questions: [question("g")] },
          ];
        }"""
    )
    kept_before = {
        "a": {"right": True, "first": True, "when": "2026-01-03"},
        "b": {"right": True, "first": True, "when": "2026-01-02"},
        "c": {"right": True, "first": False, "when": "2026-01-04"},
        "d": {"right": False, "first": False, "when": "2026-01-06"},
        "e": {"skipped": True, "when": "2026-01-07"},
    }
    for name, answer in kept_before.items():
        put = json.dumps({"done": True, **answer})
        tab.evaluate(f"relyon.store.put('answers', '01-first/{name}', {put})")
    order = tab.evaluate(
        """() => {
          const asked = [];
          for (;;) {
            const found = relyon.practice.choose(relyon.review, asked, null);
            if (!found) return asked;
            asked.push(found.name);
          }
        }"""
    )
    assert "".join(name[-1] for name in order) == "decbaf"
    # In a track, what was never seen comes from its lessons alone.
    track = "relyon.practice.choose(relyon.review, {}, {})?.name ?? null"
    asked = json.dumps([f"01-first/{name}" for name in "abcde"])
    assert tab.evaluate(track.format(asked, '["02-second"]')) is None
    assert tab.evaluate(track.format(asked, '["01-first", "02-second"]')) == "01-first/f"


@pytest.fixture
def tracked(short_course: Path) -> Iterator[None]:
    """The short course with tracks: two end the first lesson early, two have no other one."""
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
        "brief": {
            "title": "Brief",
            "lessons": [{"lesson": "01-first", "title": "First", "until": "recap-one"}],
        },
    }
    page = short_course / "en" / "01-first.html"
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


@pytest.mark.usefixtures("tracked")
def test_a_track_that_ends_early_with_its_last_lesson_ends_once(opened: Open) -> None:
    tab = opened()
    tab.evaluate("relyon.store.put('settings', 'track', 'brief')")
    opened()
    skip_to(tab, "recap-one")
    expect(tab.locator("#recap-one .track")).to_have_text(
        WORDS.say("pace.track_done", track="Brief")
    )
