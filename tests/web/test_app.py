"""People grade in a browser: keys, a lost network, a server that is killed, two languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright")
pytest.importorskip("uvicorn")

from playwright.sync_api import Page
from tests.web.browser import complaints, open_page, wait_until
from tests.web.judging import (
    JUDGING,
    READY,
    SAVING,
    SHOWN,
    UNSENT,
    actions,
    fill_database,
    grade,
    grades_by_title,
    open_judging,
    stored,
)
from tests.web.server import IN_A_PROCESS, Server, make_server
from tests.web.sign_in import fill_in, sign_in

from relyon.judging.records import Item
from relyon.judging.store import open_store

HOSTILE = "</h2><script>window.broken=1</script><img src=x onerror=window.broken=1>{{7*7}}"
ITEMS = 12


@pytest.fixture
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    database = tmp_path / "judging.db"
    items = [
        Item(
            "red shoes",
            f"d{n}",
            title=f"Shoe {n} {HOSTILE}",
            snippet=f"Light and red. {HOSTILE}",
            url="javascript:window.broken=1" if n == 3 else f"https://shop.example/{n}",
            fields={"price": n, "brand": HOSTILE},
        )
        for n in range(ITEMS)
    ]
    fill_database(
        database,
        items,
        guideline={
            "en": "# Grades\n\n**High**: as wanted. <script>window.broken=1</script>",
            "zh": "# 等级\n\n**高**：正是用户要找的内容。",
        },
    )
    with make_server(request, database) as running:
        yield running


@pytest.fixture
def page(tab: Page, server: Server) -> Page:
    """The judging page, signed in."""
    return open_judging(tab, server)


def test_every_key_does_what_it_says(page: Page, server: Server) -> None:
    first = grade(page, "3")
    second = grade(page, "0")
    third = grade(page, "s")
    fourth = grade(page, "l")
    page.keyboard.press("c")
    wait_until(page, "document.getElementById('reasons').open")
    fifth = page.evaluate(SHOWN).split(" <")[0]
    page.keyboard.press("2")
    wait_until(page, f"!document.getElementById('reasons').open && {UNSENT} === 0")
    page.keyboard.press("n")
    wait_until(page, "document.activeElement.id === 'note'")
    page.keyboard.insert_text("seen 4 times, " + HOSTILE)
    page.keyboard.press("Escape")
    sixth = grade(page, "2")
    wait_until(page, f"{UNSENT} === 0")
    with open_store(server.database) as store:
        assert grades_by_title(store) == {first: 3.0, second: 0.0, fifth: None, sixth: 2.0}
        assert len({first, second, third, fourth, fifth, sixth}) == 6
        ratings = [one for found in store.grades.ratings(1).values() for one in found]
        assert {one.reason for one in ratings} == {"", "language"}
        assert {one.note for one in ratings} == {"", "seen 4 times, " + HOSTILE}
        assert all(one.seconds is not None and one.seconds < 60 for one in ratings)
    # What was put off comes again at the end.
    for _ in range(ITEMS - 6):
        grade(page, "1")
    wait_until(page, READY + " && !document.getElementById('put-off').hidden")
    assert grade(page, "1") == fourth
    wait_until(page, "!document.getElementById('empty').hidden")
    wait_until(page, "document.getElementById('empty').textContent.startsWith('Nothing left')")
    assert complaints(page) == []
    assert page.evaluate("window.broken") is None


def test_undo_goes_back_also_after_the_page_was_closed(page: Page, server: Server) -> None:
    first = grade(page, "3")
    second = grade(page, "2")
    page.keyboard.press("u")
    wait_until(page, f"{SHOWN}.startsWith('{second} ')")
    assert grade(page, "0") == second
    wait_until(page, f"{UNSENT} === 0")
    assert stored(server) == {first: 3.0, second: 0.0}
    open_page(page, server.address + JUDGING)
    wait_until(page, READY)
    page.keyboard.press("u")
    wait_until(page, f"{SHOWN}.startsWith('{second} ')")
    page.keyboard.press("u")
    wait_until(page, f"{SHOWN}.startsWith('{first} ')")
    assert stored(server) == {}
    assert grade(page, "1") == first
    wait_until(page, f"{UNSENT} === 0")
    assert stored(server) == {first: 1.0}


def test_without_a_network_grading_goes_on_and_nothing_is_stored_twice(
    page: Page, server: Server
) -> None:
    page.context.set_offline(True)
    given = [grade(page, key) for key in "3210"]
    page.keyboard.press("u")
    wait_until(page, f"{SHOWN}.startsWith('{given[3]} ')")
    wait_until(page, f"{SAVING}.startsWith('Offline: 5')")
    assert stored(server) == {}
    page.context.set_offline(False)
    wait_until(page, f"{UNSENT} === 0")
    assert stored(server) == {given[0]: 3.0, given[1]: 2.0, given[2]: 1.0}
    assert actions(server) == ["grade"] * 4 + ["undo"]


@IN_A_PROCESS
def test_a_killed_server_loses_nothing(page: Page, server: Server) -> None:
    given = [grade(page, "3"), grade(page, "2")]
    wait_until(page, f"{UNSENT} === 0")
    server.kill()
    given += [grade(page, key) for key in "103"]
    wait_until(page, f"{SAVING}.startsWith('Offline')")
    # The tab is closed too: what was graded is still in the browser.
    page.goto("about:blank")
    server.start()
    open_page(page, server.address + JUDGING)
    wait_until(page, f"{READY} && {UNSENT} === 0")
    wanted = dict(zip(given, (3.0, 2.0, 1.0, 0.0, 3.0), strict=True))
    assert stored(server) == wanted
    assert actions(server) == ["grade"] * 5


def test_an_answer_that_is_lost_does_not_store_twice(page: Page, server: Server) -> None:
    # The request arrives, the answer does not: the browser must send it again.
    page.evaluate(
        "(() => { const real = window.fetch; let lost = 0; window.fetch = async (...all) => {"
        " const answer = await real(...all);"
        " if (String(all[0]).endsWith('/actions') && lost++ < 2) throw new TypeError('lost');"
        " return answer; }; window.losses = () => lost; })()"
    )
    given = [grade(page, "3"), grade(page, "2")]
    wait_until(page, f"{UNSENT} === 0 && window.losses() >= 4")
    assert stored(server) == {given[0]: 3.0, given[1]: 2.0}
    assert actions(server) == ["grade", "grade"]


def test_an_ended_sign_in_keeps_the_grades(page: Page, server: Server) -> None:
    page.context.clear_cookies()
    given = grade(page, "3")
    wait_until(page, "document.getElementById('problem').textContent.includes('been signed out')")
    assert stored(server) == {}
    open_page(page, f"{server.address}/sign-in?next={JUDGING}")
    fill_in(page, "ana")
    wait_until(page, f"location.pathname === '{JUDGING}' && document.readyState === 'complete'")
    wait_until(page, f"{READY} && {UNSENT} === 0")
    assert stored(server) == {given: 3.0}


def test_what_strangers_wrote_is_shown_and_not_run(page: Page) -> None:
    titles = set()
    for _ in range(ITEMS):
        assert HOSTILE in page.evaluate(SHOWN)
        assert HOSTILE in page.evaluate("document.querySelector('.snippet').textContent")
        assert "<script>" in page.evaluate("document.querySelector('.guideline').textContent")
        titles.add(page.evaluate("document.querySelector('#documents a')?.protocol ?? 'none'"))
        grade(page, "3")
    assert titles == {"https:", "none"}
    assert page.evaluate("window.broken") is None
    assert complaints(page) == []


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_fits_and_can_be_reached(
    tab: Page, server: Server, language: str, width: int
) -> None:
    sign_in(tab, server, "ana", JUDGING, language=language, width=width)
    wait_until(tab, READY)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.evaluate("document.querySelector('.grade').textContent").split()[1] == (
        "高" if language == "zh" else "High"
    )
    assert tab.evaluate(
        "[...document.querySelectorAll('button, input, textarea')].every(e =>"
        " e.textContent.trim() || e.type === 'hidden' || e.closest('label'))"
    )
    smallest = tab.evaluate(
        "Math.min(...[...document.querySelectorAll('.controls button')].map(e =>"
        " e.getBoundingClientRect().height))"
    )
    assert smallest >= (40 if width == 390 else 24)
    tab.evaluate("document.querySelector('.grade').focus()")
    tab.keyboard.press("Enter")
    wait_until(tab, f"{UNSENT} === 0")
    assert list(stored(server).values()) == [3.0]
