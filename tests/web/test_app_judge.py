"""People who judge without the mouse, quickly, and without knowing whose results they see."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright")
pytest.importorskip("uvicorn")

from playwright.sync_api import Page
from tests.databases import create_file
from tests.web.browser import call_browser, open_page, wait_until
from tests.web.judging import (
    JUDGING,
    READY,
    SAVING,
    SHOWN,
    UNSENT,
    fill_database,
    grade,
    open_judging,
    stored,
)
from tests.web.server import PASSWORD, Server, ThreadServer
from tests.web.sign_in import sign_in

from relyon.judging.records import Comparison, Item
from relyon.judging.sbs import read_preferences
from relyon.judging.store import open_store

LATENCY = 500
ANNOUNCED = "document.getElementById('announcement').textContent"
OPEN = "document.getElementById('guideline').open"
KEYS = "document.getElementById('keys').open"
#: Writes down when an action is answered and when another result is shown.
WATCH = """(() => {
  window.told = [];
  const real = window.fetch;
  window.fetch = async (...all) => {
    const answer = await real(...all);
    if (String(all[0]) === "/api/actions") window.told.push(["answered", performance.now()]);
    return answer;
  };
  new MutationObserver(() => window.told.push(["shown", performance.now()]))
    .observe(document.getElementById("documents"), { childList: true });
})()"""
#: Keeps every answer of the interface, from the first one on.
LISTEN = """(() => {
  window.heard = [];
  const real = window.fetch;
  window.fetch = async (...all) => {
    const answer = await real(...all);
    window.heard.push(await answer.clone().text());
    return answer;
  };
})()"""
SIDES = (
    "[...document.querySelectorAll('.sides section')].map(one =>"
    " one.querySelector('.title').textContent.split(' ')[0])"
)


def serve(database: Path) -> Iterator[Server]:
    with ThreadServer(database) as running:
        yield running


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    items = [Item("red shoes", f"d{n}", title=f"Shoe {n}") for n in range(40)]
    fill_database(tmp_path / "judging.db", items, guideline={"en": "**High**: as wanted."})
    yield from serve(tmp_path / "judging.db")


@pytest.fixture
def page(tab: Page, server: Server) -> Page:
    return open_judging(tab, server)


def test_twenty_results_in_a_minute_without_waiting_for_the_network(
    page: Page, server: Server
) -> None:
    call_browser(
        page,
        "Network.emulateNetworkConditions",
        offline=False,
        latency=LATENCY,
        downloadThroughput=-1,
        uploadThroughput=-1,
    )
    page.evaluate(WATCH)
    begin = time.monotonic()
    given: dict[str, float] = {}
    for n in range(20):
        key = "3210"[n % 4]
        if n == 7:
            page.keyboard.press("n")
            page.keyboard.insert_text("a note")
            page.keyboard.press("Escape")
        given[grade(page, key)] = 3.0 - n % 4
        if n == 9:
            page.keyboard.press("u")
            wait_until(page, f"{SHOWN} === {list(given)[-1]!r}")
            del given[list(given)[-1]]
            given[grade(page, "0")] = 0.0
        time.sleep(0.25)
    wait_until(page, f"{UNSENT} === 0 && {SAVING} === 'All grades saved'", seconds=60)
    assert time.monotonic() - begin < 60
    assert len(given) == 20
    assert stored(server) == given
    with open_store(server.database) as store:
        notes = [
            one.note for found in store.grades.ratings(1).values() for one in found if one.note
        ]
    assert notes == ["a note"]
    # The next result was there before the grade of the one before had been answered.
    told = page.evaluate("window.told")
    shown = [at for kind, at in told if kind == "shown"]
    answered = [at for kind, at in told if kind == "answered"]
    assert len(shown) == len(answered) == 22
    assert all(next_shown < answer for next_shown, answer in zip(shown, answered, strict=True))
    assert all(
        answer - next_shown >= LATENCY / 2
        for next_shown, answer in zip(shown, answered, strict=True)
    )


def test_what_was_skipped_or_put_off_is_not_counted_as_judged(page: Page) -> None:
    count = "document.getElementById('count').textContent"
    assert page.evaluate(count) == "You have judged 0, about 40 left"
    for key in "32sl1":
        grade(page, key)
    shown = page.evaluate(count)
    assert shown == "You have judged 3, about 36 left"
    wait_until(page, f"{UNSENT} === 0")
    page.reload()
    wait_until(page, READY)
    assert page.evaluate(count) == shown


def test_keys_for_the_guidelines_and_for_the_list_of_keys(page: Page, server: Server) -> None:
    assert page.evaluate(OPEN) is True
    page.keyboard.press("g")
    wait_until(page, f"!{OPEN}")
    page.keyboard.press("g")
    wait_until(page, OPEN)
    page.keyboard.press("?")
    wait_until(page, KEYS)
    listed = page.evaluate("document.getElementById('keys').innerText")
    for key in "usclng?":
        assert f"\n{key}\n" in f"\n{listed}\n"
    # While the list is open, no key grades.
    before = page.evaluate(SHOWN)
    page.keyboard.press("1")
    page.keyboard.press("?")
    wait_until(page, f"!{KEYS}")
    assert page.evaluate(SHOWN) == before
    page.keyboard.press("?")
    wait_until(page, KEYS)
    page.keyboard.press("Escape")
    wait_until(page, f"!{KEYS}")
    assert stored(server) == {}


def test_the_next_result_is_announced_and_the_focus_stays(page: Page) -> None:
    assert page.evaluate(ANNOUNCED) == f"Next result: {page.evaluate(SHOWN)}. Query: red shoes"
    page.evaluate("document.querySelector('[data-grade=\"2.0\"]').focus()")
    before = page.evaluate(SHOWN)
    page.keyboard.press("Enter")
    wait_until(page, f"{SHOWN} !== {before!r}")
    assert page.evaluate(ANNOUNCED) == f"Next result: {page.evaluate(SHOWN)}. Query: red shoes"
    assert page.evaluate("document.activeElement.dataset.grade") == "2.0"
    assert (
        page.evaluate("document.getElementById('announcement').getAttribute('aria-live')")
        == "polite"
    )


def test_what_was_put_off_comes_back_at_the_end_also_in_a_new_page(
    page: Page, server: Server
) -> None:
    later = grade(page, "l")
    for _ in range(10):
        assert grade(page, "3") != later
    wait_until(page, f"{UNSENT} === 0")
    open_page(page, f"{server.address}{JUDGING}")
    wait_until(page, READY)
    for _ in range(29):
        assert grade(page, "3") != later
    wait_until(page, READY)
    assert page.evaluate(SHOWN) == later
    assert not page.evaluate("document.getElementById('put-off').hidden")
    grade(page, "2")
    wait_until(page, f"{UNSENT} === 0")
    assert stored(server)[later] == 2.0
    assert len(stored(server)) == 40


@pytest.fixture
def pairs(tmp_path: Path) -> Iterator[Server]:
    """Two systems, whose titles begin with North and South."""
    database = tmp_path / "pairs.db"
    with open_store(create_file(database)) as store:
        store.accounts.create("ana", password=PASSWORD)
        project = store.projects.create("Which is better", kind="side_by_side")
        store.items.add_comparisons(
            project.id,
            [
                Comparison(
                    f"query {n}",
                    "ranker-alpha",
                    "ranker-beta",
                    tuple(
                        Item(f"query {n}", f"n{place}", title=f"North {place}") for place in (1, 2)
                    ),
                    tuple(
                        Item(f"query {n}", f"s{place}", title=f"South {place}") for place in (1, 2)
                    ),
                )
                for n in range(15)
            ],
        )
    yield from serve(database)


def test_two_rankings_are_compared_blindly(tab: Page, pairs: Server) -> None:
    tab.add_init_script(LISTEN)
    sign_in(tab, pairs, "ana", JUDGING)
    wait_until(tab, READY)
    given: dict[str, float] = {}
    sides = []
    for n in range(15):
        wait_until(tab, READY)
        query, shown = (
            tab.evaluate("document.getElementById('query').textContent"),
            tab.evaluate(SIDES),
        )
        assert sorted(shown) == ["North", "South"]
        sides.append(shown[0])
        key = "12345"[n % 5]
        # The first system is North: what the judge said of the left is turned into that.
        preference = int(key) - 3.0
        given[query] = preference if shown[0] == "North" else -preference
        source = tab.evaluate("document.documentElement.outerHTML")
        assert "ranker" not in source
        tab.keyboard.press(key)
        wait_until(
            tab,
            f"document.getElementById('task').hidden ||"
            f" document.getElementById('query').textContent !== {json.dumps(query)}",
        )
    wait_until(tab, f"{UNSENT} === 0")
    assert set(sides) == {"North", "South"}
    heard = tab.evaluate("window.heard.join()")
    assert "North" in heard
    assert "South" in heard
    assert "ranker" not in heard
    assert "ranker" not in tab.evaluate("fetch(location.href).then(answer => answer.text())")
    kept = tab.evaluate("JSON.stringify(localStorage)")
    assert "ranker" not in kept
    with open_store(pairs.database) as store:
        found = {one.query: one.value for one in read_preferences(store, 1)}
    assert found == given
