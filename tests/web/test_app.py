"""People grade in a browser: keys, a lost network, a server that is killed, two languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

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
from tests.web.server import Server, fill_in, sign_in

from relkit.judging.records import Item
from relkit.judging.store import open_store

HOSTILE = "</h2><script>window.broken=1</script><img src=x onerror=window.broken=1>{{7*7}}"
ITEMS = 12


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
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
        guideline_en="# Grades\n\n**High**: as wanted. <script>window.broken=1</script>",
        guideline_zh="# 等级\n\n**高**：正是用户要找的内容。",
    )
    with Server(database) as running:
        yield running


@pytest.fixture
def page(tab: Any, server: Server) -> Any:
    """The judging page, signed in."""
    return open_judging(tab, server)


def test_every_key_does_what_it_says(page: Any, server: Server) -> None:
    first = grade(page, "3")
    second = grade(page, "0")
    third = grade(page, "s")
    fourth = grade(page, "l")
    page.press("c")
    page.await_true("document.getElementById('reasons').open")
    fifth = page.run(SHOWN).split(" <")[0]
    page.press("2")
    page.await_true(f"!document.getElementById('reasons').open && {UNSENT} === 0")
    page.press("n")
    page.await_true("document.activeElement.id === 'note'")
    page.send("Input.insertText", text="seen 4 times, " + HOSTILE)
    page.press("Escape")
    sixth = grade(page, "2")
    page.await_true(f"{UNSENT} === 0")
    with open_store(server.database) as store:
        assert grades_by_title(store) == {first: 3.0, second: 0.0, fifth: None, sixth: 2.0}
        assert len({first, second, third, fourth, fifth, sixth}) == 6
        ratings = [one for found in store.ratings(1).values() for one in found]
        assert {one.reason for one in ratings} == {"", "language"}
        assert {one.note for one in ratings} == {"", "seen 4 times, " + HOSTILE}
        assert all(one.seconds is not None and one.seconds < 60 for one in ratings)
    # What was put off comes again at the end.
    for _ in range(ITEMS - 6):
        grade(page, "1")
    page.await_true(READY + " && !document.getElementById('put-off').hidden")
    assert grade(page, "1") == fourth
    page.await_true("!document.getElementById('empty').hidden")
    page.await_true("document.getElementById('empty').textContent.startsWith('Nothing left')")
    assert page.complaints == []
    assert page.run("window.broken") is None


def test_undo_goes_back_also_after_the_page_was_closed(page: Any, server: Server) -> None:
    first = grade(page, "3")
    second = grade(page, "2")
    page.press("u")
    page.await_true(f"{SHOWN}.startsWith('{second} ')")
    assert grade(page, "0") == second
    page.await_true(f"{UNSENT} === 0")
    assert stored(server) == {first: 3.0, second: 0.0}
    page.open(server.address + JUDGING)
    page.await_true(READY)
    page.press("u")
    page.await_true(f"{SHOWN}.startsWith('{second} ')")
    page.press("u")
    page.await_true(f"{SHOWN}.startsWith('{first} ')")
    assert stored(server) == {}
    assert grade(page, "1") == first
    page.await_true(f"{UNSENT} === 0")
    assert stored(server) == {first: 1.0}


def offline(tab: Any, lost: bool) -> None:
    tab.send(
        "Network.emulateNetworkConditions",
        offline=lost,
        latency=0,
        downloadThroughput=-1,
        uploadThroughput=-1,
    )


def test_without_a_network_grading_goes_on_and_nothing_is_stored_twice(
    page: Any, server: Server
) -> None:
    offline(page, True)
    given = [grade(page, key) for key in "3210"]
    page.press("u")
    page.await_true(f"{SHOWN}.startsWith('{given[3]} ')")
    page.await_true(f"{SAVING}.startsWith('Offline: 5')")
    assert stored(server) == {}
    offline(page, False)
    page.await_true(f"{UNSENT} === 0")
    assert stored(server) == {given[0]: 3.0, given[1]: 2.0, given[2]: 1.0}
    assert actions(server) == ["grade"] * 4 + ["undo"]


def test_a_killed_server_loses_nothing(page: Any, server: Server) -> None:
    given = [grade(page, "3"), grade(page, "2")]
    page.await_true(f"{UNSENT} === 0")
    server.kill()
    given += [grade(page, key) for key in "103"]
    page.await_true(f"{SAVING}.startsWith('Offline')")
    # The tab is closed too: what was graded is still in the browser.
    page.send("Page.navigate", url="about:blank")
    server.start()
    page.open(server.address + JUDGING)
    page.await_true(f"{READY} && {UNSENT} === 0")
    wanted = dict(zip(given, (3.0, 2.0, 1.0, 0.0, 3.0), strict=True))
    assert stored(server) == wanted
    assert actions(server) == ["grade"] * 5


def test_an_answer_that_is_lost_does_not_store_twice(page: Any, server: Server) -> None:
    # The request arrives, the answer does not: the browser must send it again.
    page.run(
        "(() => { const real = window.fetch; let lost = 0; window.fetch = async (...all) => {"
        " const answer = await real(...all);"
        " if (String(all[0]).endsWith('/actions') && lost++ < 2) throw new TypeError('lost');"
        " return answer; }; window.losses = () => lost; })()"
    )
    given = [grade(page, "3"), grade(page, "2")]
    page.await_true(f"{UNSENT} === 0 && window.losses() >= 4")
    assert stored(server) == {given[0]: 3.0, given[1]: 2.0}
    assert actions(server) == ["grade", "grade"]


def test_an_ended_sign_in_keeps_the_grades(page: Any, server: Server) -> None:
    page.send("Network.clearBrowserCookies")
    given = grade(page, "3")
    page.await_true("document.getElementById('problem').textContent.includes('been signed out')")
    assert stored(server) == {}
    page.open(f"{server.address}/sign-in?next={JUDGING}")
    fill_in(page, "ana")
    page.await_true(f"location.pathname === '{JUDGING}' && document.readyState === 'complete'")
    page.await_true(f"{READY} && {UNSENT} === 0")
    assert stored(server) == {given: 3.0}


def test_what_strangers_wrote_is_shown_and_not_run(page: Any) -> None:
    titles = set()
    for _ in range(ITEMS):
        assert HOSTILE in page.run(SHOWN)
        assert HOSTILE in page.run("document.querySelector('.snippet').textContent")
        assert "<script>" in page.run("document.querySelector('.guideline').textContent")
        titles.add(page.run("document.querySelector('#documents a')?.protocol ?? 'none'"))
        grade(page, "3")
    assert titles == {"https:", "none"}
    assert page.run("window.broken") is None
    assert page.complaints == []


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_fits_and_can_be_reached(
    tab: Any, server: Server, language: str, width: int
) -> None:
    sign_in(tab, server, "ana", JUDGING, language=language, width=width)
    tab.await_true(READY)
    assert tab.run("document.documentElement.scrollWidth") <= width
    assert tab.run("document.querySelector('.grade').textContent").split()[1] == (
        "高" if language == "zh" else "High"
    )
    assert tab.run(
        "[...document.querySelectorAll('button, input, textarea')].every(e =>"
        " e.textContent.trim() || e.type === 'hidden' || e.closest('label'))"
    )
    smallest = tab.run(
        "Math.min(...[...document.querySelectorAll('.controls button')].map(e =>"
        " e.getBoundingClientRect().height))"
    )
    assert smallest >= (40 if width == 390 else 24)
    tab.run("document.querySelector('.grade').focus()")
    tab.press("Enter")
    tab.await_true(f"{UNSENT} === 0")
    assert list(stored(server).values()) == [3.0]
