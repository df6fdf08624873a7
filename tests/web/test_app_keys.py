"""Keys are grades: what is pressed is what is stored, on every page that has keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright")
pytest.importorskip("uvicorn")

from playwright.sync_api import Page
from tests.web.browser import call_browser, complaints, open_page, wait_until
from tests.web.judging import (
    JUDGING,
    READY,
    SHOWN,
    UNSENT,
    actions,
    fill_database,
    grade,
    open_judging,
    stored,
)
from tests.web.server import Server, make_server
from tests.web.sign_in import sign_in

from relyon.data.scale import Level, Scale
from relyon.judging.actions import Action
from relyon.judging.records import Item
from relyon.judging.schema import projects, sa
from relyon.judging.store import open_store

FRACTIONS = Scale(
    "fractions",
    relevant_from=0.5,
    levels=(
        Level(1.0, "perfect", "完全满足"),
        Level(0.5, "partly", "部分满足"),
        Level(0.0, "bad", "不满足"),
    ),
)
BUTTONS = "[...document.querySelectorAll('.grade')].map(one => one.innerText)"
NOTICE = "document.getElementById('keys-changed')"
LOADED = "document.readyState === 'complete'"

Serve = Callable[..., Server]

#: For a test that kills its server.
IN_A_PROCESS = pytest.mark.parametrize("serve", ["process"], indirect=True)


@pytest.fixture
def serve(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Serve]:
    """Starts the app over a project of some options."""
    with ExitStack() as running:

        def start(**options: Any) -> Server:
            database = tmp_path / "judging.db"
            items = [Item("red shoes", f"d{n}", title=f"Shoe {n}") for n in range(12)]
            fill_database(database, items, **options)
            return running.enter_context(make_server(request, database))

        yield start


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_key_of_a_whole_grade_is_the_grade(tab: Page, serve: Serve, language: str) -> None:
    server = serve()
    sign_in(tab, server, "ana", JUDGING, language=language)
    wait_until(tab, READY)
    names = {"en": ["High", "Middle", "Low", "None"], "zh": ["高", "中", "低", "无"]}[language]
    wanted = [f"{key} {name}" for key, name in zip("3210", names, strict=True)]
    assert [one.replace("\n", " ") for one in tab.evaluate(BUTTONS)] == wanted
    given = {grade(tab, key): float(key) for key in "3210"}
    # In full width, as a Chinese input method writes it; and where it hides the sign.
    for key, code in (("３", "Digit3"), ("Process", "Numpad1")):
        before = tab.evaluate(SHOWN)
        call_browser(tab, "Input.dispatchKeyEvent", type="keyDown", key=key, code=code)
        wait_until(tab, f"{SHOWN} !== {before!r}")
        given[before] = float(code[-1])
    before = tab.evaluate(SHOWN)
    tab.keyboard.press("4")
    tab.keyboard.press("?")
    wait_until(tab, "document.getElementById('keys').open")
    listed = tab.evaluate("document.getElementById('keys').innerText")
    assert all(f"{key}\n{name}\n" in listed for key, name in zip("3210", names, strict=True))
    tab.keyboard.press("?")
    wait_until(tab, f"{UNSENT} === 0")
    assert tab.evaluate(SHOWN) == before
    assert stored(server) == given


@pytest.mark.parametrize("language", ["en", "zh"])
def test_fractions_have_letters(tab: Page, serve: Serve, language: str) -> None:
    server = serve(scale=FRACTIONS)
    sign_in(tab, server, "ana", JUDGING, language=language)
    wait_until(tab, READY)
    shown = [one.replace("\n", " ") for one in tab.evaluate(BUTTONS)]
    assert (
        shown
        == {
            "en": ["a Perfect 1", "b Partly 0.5", "d Bad 0"],
            "zh": ["a 完全满足 1", "b 部分满足 0.5", "d 不满足 0"],
        }[language]
    )
    given = {grade(tab, key): value for key, value in (("a", 1.0), ("b", 0.5), ("d", 0.0))}
    before = tab.evaluate(SHOWN)
    for key in "10e":
        tab.keyboard.press(key)
    tab.keyboard.press("c")
    wait_until(tab, "document.getElementById('reasons').open")
    tab.keyboard.press("Escape")
    wait_until(tab, f"{UNSENT} === 0")
    assert tab.evaluate(SHOWN) == before
    assert stored(server) == given


@IN_A_PROCESS
def test_offline_a_key_is_the_grade_too(tab: Page, serve: Serve) -> None:
    server = serve()
    open_judging(tab, server)
    wait_until(tab, "navigator.serviceWorker.ready.then(() => true)")
    wait_until(
        tab,
        "caches.open('relyon-judging').then(one => one.match('/projects/1/judge')).then(Boolean)",
    )
    server.kill()
    given = {grade(tab, "3"): 3.0}
    open_page(tab, server.address + JUDGING)
    wait_until(tab, READY)
    given[grade(tab, "1")] = 1.0
    server.start()
    wait_until(tab, f"{UNSENT} === 0")
    assert stored(server) == given


def disagree(server: Server) -> None:
    with open_store(server.database) as store:
        highest = store.projects.get(1).scale.levels[0].grade
        for name, value in (("ana", highest), ("bo", 0.0)):
            user = store.accounts.get(name) if name == "ana" else store.accounts.create(name)
            for task in store.grading.take(user, 1):
                key = f"{task.item.id}"
                store.grading.record(
                    user, Action("grade", key=key, item_id=task.item.id, grade=value)
                )


@pytest.mark.parametrize(
    ("scale", "key", "value"), [("search", "3", 3.0), ("search", "1", 1.0), (FRACTIONS, "b", 0.5)]
)
def test_keys_of_decisions(
    tab: Page, serve: Serve, scale: Scale | str, key: str, value: float
) -> None:
    server = serve(scale=scale, overlap=2)
    disagree(server)
    sign_in(tab, server, "lead", "/projects/1/queue")
    tab.evaluate("window.before = true")
    tab.keyboard.press(key)
    wait_until(tab, f"!window.before && {LOADED}")
    with open_store(server.database) as store:
        assert list(store.decisions.all(1).values()) == [value]


def change_keys(server: Server) -> None:
    """Makes the project one whose keys have changed, as an upgrade does."""
    with open_store(server.database) as store, store.database.write() as connection:
        changed = sa.update(projects).values(keys_changed_at=store.clock() + 1)
        connection.execute(changed)


def test_changed_keys_are_announced_once_and_nothing_is_graded_before(
    tab: Page, serve: Serve
) -> None:
    server = serve()
    open_judging(tab, server)
    first = grade(tab, "3")
    wait_until(tab, f"{UNSENT} === 0")
    change_keys(server)
    open_page(tab, server.address + JUDGING)
    wait_until(tab, f"{READY} && {NOTICE}.open")
    said = tab.evaluate(f"{NOTICE}.innerText")
    assert "Key 3 is now High (3)" in said
    assert "Key 0 is now None (0)" in said
    for key in ("3", "Escape", "Escape", "u", "s"):
        tab.keyboard.press(key)
    wait_until(tab, f"{NOTICE}.open")  # the second Escape closes it for a moment
    # Whoever leaves without an answer is asked again.
    open_page(tab, server.address + JUDGING)
    wait_until(tab, f"{READY} && {NOTICE}.open")
    assert stored(server) == {first: 3.0}
    assert actions(server) == ["grade"]
    tab.click("#keys-confirm")
    second = grade(tab, "1")
    wait_until(tab, f"{UNSENT} === 0")
    assert stored(server) == {first: 3.0, second: 1.0}
    tab.evaluate("localStorage.clear()")
    open_page(tab, server.address + JUDGING)
    wait_until(tab, READY)
    assert not tab.evaluate(f"Boolean({NOTICE})")
    assert complaints(tab) == []


@IN_A_PROCESS
def test_who_confirmed_without_a_network_is_not_asked_again(tab: Page, serve: Serve) -> None:
    server = serve()
    open_judging(tab, server)
    grade(tab, "3")
    wait_until(tab, f"{UNSENT} === 0")
    change_keys(server)
    open_page(tab, f"{server.address}{JUDGING}?lang=zh")
    wait_until(tab, f"{READY} && {NOTICE}.open")
    assert "按键 3 现在是“高”（3）" in tab.evaluate(f"{NOTICE}.innerText")
    server.kill()
    tab.click("#keys-confirm")
    server.start()
    open_page(tab, server.address + JUDGING)
    wait_until(tab, READY)
    assert not tab.evaluate(f"{NOTICE}?.open ?? false")
    open_page(tab, server.address + JUDGING)
    wait_until(tab, f"{READY} && !{NOTICE}")


def test_leads_who_decided_are_told_before_they_decide_on(tab: Page, serve: Serve) -> None:
    server = serve(overlap=2)
    disagree(server)
    with open_store(server.database) as store:
        item = store.decisions.queue(1)[0].item.id
        store.decisions.decide(item, store.accounts.get("lead"), 1, key="one")
    change_keys(server)
    sign_in(tab, server, "lead", "/projects/1/queue")
    wait_until(tab, f"{NOTICE}.open")
    tab.keyboard.press("3")
    tab.click("#keys-confirm")
    tab.evaluate("window.before = true")
    tab.keyboard.press("3")
    wait_until(tab, f"!window.before && {LOADED} && !{NOTICE}")
    with open_store(server.database) as store:
        assert sorted(store.decisions.all(1).values()) == [1.0, 3.0]
