"""Tracks on the start page, where a reader goes on, the time on a page, and what was learned."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.web.browser import complaints, open_page, overflow, wait_until
from tests.web.conftest import forget_files

pytest.importorskip("playwright.sync_api")
pytest.importorskip("markdown_it")

from playwright.sync_api import expect
from tests.web.accessibility import violations
from tests.web.paced import kept, skip_to, write_lessons

from relyon.core.texts import catalogue
from relyon.learn import course
from relyon.learn.pages.site import write_site
from relyon.learn.tracks import TRACKS, read_tracks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import BrowserContext, Page

WORDS = catalogue("learn", "en")
TRACK = """
[short]
en = "Short"
zh = "短"
about.en = "The first half."
about.zh = "前一半。"
lessons = [{ lesson = "01-first", until = "recap-one" }, { lesson = "02-second" }]
"""
TOLD = {
    "version": 1, "name": "Ann", "date": "2026-11-28", "lessons": ["01-first"], "tracks": ["short"],
    "right": 2, "count": 3, "seconds": 600, "cards": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def tracked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of two short lessons with a track, as files."""
    folder = tmp_path_factory.mktemp("tracked")
    lessons = write_lessons(folder / "lessons")
    (lessons / "tracks.toml").write_text(TRACK, "utf-8")
    write_site(folder / "site", lessons)
    return folder / "site" / "en"


@pytest.fixture
def tab(window: BrowserContext, tracked: Path, tmp_path: Path) -> Iterator[Page]:
    """A page of the course; what it kept is forgotten afterwards."""
    page = window.new_page()
    open_page(page, tracked / "index.html")
    yield page
    forget_files(page, tmp_path)
    page.close()


def told(data: object) -> str:
    """Returns the part of a link after its address, as the page writes it."""
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    return "#told=" + base64.urlsafe_b64encode(text).decode().rstrip("=")


def go(tab: Page, address: str) -> None:
    tab.goto("about:blank")
    tab.goto(address)


def test_a_track_is_chosen_gone_through_and_finished(tab: Page, tracked: Path) -> None:
    begin = tab.locator("#begin")
    expect(begin).to_have_text(WORDS.say("track.start", title="First"))
    tab.locator("label.track", has_text="Short").click()
    assert kept(tab)["settings"]["track"] == "short"

    begin.click()
    expect(tab.locator(".pace")).to_be_visible()
    skip_to(tab, "card")
    go(tab, (tracked / "index.html").as_uri())
    expect(begin).to_have_text(WORDS.say("track.continue", title="First"))
    expect(tab.locator("#begin-where")).to_have_text(WORDS.say("pace.step", step=3, count=9))
    expect(tab.locator("[data-track=short] .progress")).to_be_empty()

    begin.click()
    expect(tab.locator(".pace")).to_be_visible()
    skip_to(tab, "recap-one")
    recap = tab.locator("#recap-one")
    expect(recap).to_contain_text(WORDS.say("pace.track_ends", track="Short"))
    link = recap.get_by_role("link", name=WORDS.say("pace.track_next", title="Second"))
    link.click()
    tab.wait_for_url("**/02-second.html")
    expect(tab.locator(".pace")).to_be_visible()
    skip_to(tab, "lesson-end")
    go(tab, (tracked / "index.html").as_uri())
    expect(begin).to_have_text(WORDS["track.all_done"])
    said = WORDS.say("track.done", done=2, count=2)
    expect(tab.locator("[data-track=short] .progress")).to_have_text(said)
    # The whole course has more of the first lesson.
    tab.locator("label.track[data-track='']").click()
    expect(begin).to_have_text(WORDS.say("track.continue", title="First"))

    go(tab, (tracked / "learned.html").as_uri())
    expect(tab.locator(".ways-done li")).to_have_text("ShortThe first half.")
    expect(tab.locator(".can li")).to_have_text("SecondSay it again.")
    assert complaints(tab) == []


def test_an_address_chooses_a_track(tab: Page, tracked: Path) -> None:
    go(tab, (tracked / "01-first.html").as_uri() + "?track=short")
    assert kept(tab)["settings"]["track"] == "short"
    for odd in ("__proto__", "none", "toString"):
        go(tab, (tracked / "index.html").as_uri() + f"?track={odd}")
        assert kept(tab)["settings"]["track"] == "short"
        expect(tab.locator("[name=track]:checked")).to_have_value("short")
    go(tab, (tracked / "index.html").as_uri() + "?track=")
    expect(tab.locator("[name=track]:checked")).to_have_value("")


def test_time_counts_while_the_reader_is_active(tab: Page, tracked: Path) -> None:
    tab.clock.install()
    go(tab, (tracked / "01-first.html").as_uri())
    for _ in range(3):
        tab.clock.fast_forward(60_000)
        tab.mouse.wheel(0, 50)
        tab.mouse.move(5, 5)
        tab.mouse.move(9, 9)
    wait_until(tab, "relyon.progress.seconds('01-first') >= 178")
    assert kept(tab)["places"]["01-first"]["seconds"] <= 190
    # An hour without a sign of life counts for two minutes.
    tab.clock.fast_forward(3_600_000)
    tab.mouse.move(15, 15)
    wait_until(tab, "relyon.progress.seconds('01-first') >= 295")
    assert kept(tab)["places"]["01-first"]["seconds"] <= 315
    go(tab, (tracked / "index.html").as_uri())
    taken = tab.locator("[data-lesson='01-first'] .taken")
    expect(taken).to_have_text(WORDS.say("page.taken", minutes=5))


def test_a_link_tells_what_it_says_as_its_authors_word(tab: Page, tracked: Path) -> None:
    address = (tracked / "learned.html").as_uri()
    go(tab, address + told(TOLD | {"name": "<img src=x onerror=alert(1)>王"}))
    expect(tab.locator(".told")).to_have_text(WORDS["learned.told"])
    expect(tab.locator(".whose")).to_have_text("<img src=x onerror=alert(1)>王")
    assert tab.locator("article img").count() == 0
    expect(tab.locator(".can li")).to_have_text("FirstSay what a candy is.")
    value = WORDS.say("learned.first_value", right=2, count=3, percent=67)
    expect(tab.locator(".sums")).to_contain_text(value)
    expect(tab.locator("form.share")).to_be_hidden()
    other = tab.locator(".tools a[hreflang]").get_attribute("href")
    assert other is not None
    assert "#told=" in other
    assert complaints(tab) == []


@pytest.mark.parametrize(
    "hash_",
    [
        "#told=",
        "#told=%%%",
        told(TOLD)[:-9],
        told(b"\xff\xfe"),
        told(None),
        told([]),
        told(TOLD | {"version": 2}),
        told(TOLD | {"name": 5}),
        told(TOLD | {"name": "a" * 61}),
        told(TOLD | {"name": "a\u202eb"}),
        told(TOLD | {"date": "2026-13-01"}),
        told(TOLD | {"lessons": ["__proto__"]}),
        told(TOLD | {"lessons": ["01-first", "01-first"]}),
        told(TOLD | {"tracks": "short"}),
        told(TOLD | {"right": 4}),
        told(TOLD | {"count": 1000}),
        told(TOLD | {"seconds": -1}),
        told(TOLD | {"cards": 0.5}),
    ],
)  # fmt: skip
def test_a_broken_link_tells_nothing(hash_: str, tab: Page, tracked: Path) -> None:
    go(tab, (tracked / "learned.html").as_uri() + hash_)
    expect(tab.locator(".told")).to_have_text(WORDS["learned.broken"])
    for part in (".whose", ".can", ".ways-done", ".sums"):
        expect(tab.locator(part)).to_be_hidden()
    assert complaints(tab) == []


def test_what_was_learned_is_shared_and_saved(tab: Page, tracked: Path, tmp_path: Path) -> None:
    address = (tracked / "learned.html").as_uri()
    go(tab, address)
    expect(tab.locator(".none")).to_be_visible()
    expect(tab.locator("form.share")).to_be_hidden()
    state: dict[str, Any] = {
        "format": "relyon-learn", "version": 1, "cards": {}, "scores": {}, "settings": {},
        "answers": {
            "01-first/guess": {"done": True, "right": True, "first": True},
            "01-first/dcg": {"done": True, "right": True, "first": False},
            "01-first/deep": {"done": True, "skipped": True},
            "01-first/of-old": {"done": True, "right": True, "first": True},
            "constructor/x": {"done": True, "right": True, "first": True},
        },
        "places": {"01-first": {"ended": True, "seconds": 600}},
    }  # fmt: skip
    tab.evaluate("text => localStorage.setItem('relyon-learn', text)", json.dumps(state))
    tab.reload()
    value = WORDS.say("learned.first_value", right=1, count=2, percent=50)
    expect(tab.locator(".sums")).to_contain_text(value)
    tab.get_by_label(WORDS["learned.name"]).fill("</article><b>Ann")
    assert kept(tab)["settings"]["name"] == "</article><b>Ann"
    link = tab.locator("#link").input_value()

    with tab.expect_download() as found:
        tab.locator("#save").click()
    path = tmp_path / "learned.html"
    found.value.save_as(path)
    page = path.read_text("utf-8")
    assert "&lt;/article&gt;&lt;b&gt;Ann" in page
    assert "<script" not in page
    assert "Say what a candy is." in page

    go(tab, link)
    expect(tab.locator(".whose")).to_have_text("</article><b>Ann")
    expect(tab.locator(".sums")).to_contain_text(value)
    expect(tab.locator(".told")).to_be_visible()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_whole_course_prints_on_one_page(
    language: str, tab_of_window: Page, address: str
) -> None:
    tab = tab_of_window
    names = [lesson.name for lesson in course()]
    tracks = [track.name for track in read_tracks(TRACKS, course())]
    open_page(
        tab, f"{address}{language}/learned.html{told(TOLD | {'lessons': names, 'tracks': tracks})}"
    )
    expect(tab.locator(".can li")).to_have_count(len(names))
    tab.emulate_media(media="print")
    assert len(re.findall(rb"/Type /Page\b", tab.pdf(format="A4"))) == 1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pages_are_accessible_and_fit_a_phone(
    language: str, tab_of_window: Page, address: str
) -> None:
    tab = tab_of_window
    for page in ("index.html?track=core", "learned.html", f"learned.html{told(REAL)}"):
        tab.goto("about:blank")
        open_page(tab, f"{address}{language}/{page}", width=390, scheme="dark")
        assert overflow(tab) == 0
        assert violations(tab) == []
        open_page(tab, f"{address}{language}/{page}", width=1000)
        assert violations(tab) == []


REAL = TOLD | {"lessons": ["01-order", "02-dcg"], "tracks": ["core"], "cards": 2}
