"""Keys are grades: what is pressed is what is stored, on every page that has keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")

from tests.web.judging import (
    JUDGING,
    READY,
    SHOWN,
    UNSENT,
    actions,
    click,
    fill_database,
    grade,
    open_judging,
    stored,
)
from tests.web.server import Server, sign_in

from relkit.data.scale import Level, Scale
from relkit.judging.actions import record_action
from relkit.judging.assignment import take_tasks
from relkit.judging.records import Item
from relkit.judging.schema import projects, sa
from relkit.judging.store import open_store

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


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts the app over a project of some options."""
    with ExitStack() as running:

        def start(**options: Any) -> Server:
            database = tmp_path / "judging.db"
            items = [Item("red shoes", f"d{n}", title=f"Shoe {n}") for n in range(12)]
            fill_database(database, items, **options)
            return running.enter_context(Server(database))

        yield start


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_key_of_a_whole_grade_is_the_grade(tab: Any, serve: Serve, language: str) -> None:
    server = serve()
    tab.remember()
    sign_in(tab, server, "ana", JUDGING, language=language)
    tab.await_true(READY)
    names = {"en": ["High", "Middle", "Low", "None"], "zh": ["高", "中", "低", "无"]}[language]
    wanted = [f"{key} {name}" for key, name in zip("3210", names, strict=True)]
    assert [one.replace("\n", " ") for one in tab.run(BUTTONS)] == wanted
    given = {grade(tab, key): float(key) for key in "3210"}
    # In full width, as a Chinese input method writes it; and where it hides the sign.
    for key, code in (("３", "Digit3"), ("Process", "Numpad1")):
        before = tab.run(SHOWN)
        tab.send("Input.dispatchKeyEvent", type="keyDown", key=key, code=code)
        tab.await_true(f"{SHOWN} !== {before!r}")
        given[before] = float(code[-1])
    before = tab.run(SHOWN)
    tab.press("4")
    tab.press("?")
    tab.await_true("document.getElementById('keys').open")
    listed = tab.run("document.getElementById('keys').innerText")
    assert all(f"{key}\n{name}\n" in listed for key, name in zip("3210", names, strict=True))
    tab.press("?")
    tab.await_true(f"{UNSENT} === 0")
    assert tab.run(SHOWN) == before
    assert stored(server) == given


@pytest.mark.parametrize("language", ["en", "zh"])
def test_fractions_have_letters(tab: Any, serve: Serve, language: str) -> None:
    server = serve(scale=FRACTIONS)
    tab.remember()
    sign_in(tab, server, "ana", JUDGING, language=language)
    tab.await_true(READY)
    shown = [one.replace("\n", " ") for one in tab.run(BUTTONS)]
    assert (
        shown
        == {
            "en": ["a Perfect 1", "b Partly 0.5", "d Bad 0"],
            "zh": ["a 完全满足 1", "b 部分满足 0.5", "d 不满足 0"],
        }[language]
    )
    given = {grade(tab, key): value for key, value in (("a", 1.0), ("b", 0.5), ("d", 0.0))}
    before = tab.run(SHOWN)
    for key in "10e":
        tab.press(key)
    tab.press("c")
    tab.await_true("document.getElementById('reasons').open")
    tab.press("Escape")
    tab.await_true(f"{UNSENT} === 0")
    assert tab.run(SHOWN) == before
    assert stored(server) == given


def test_offline_a_key_is_the_grade_too(tab: Any, serve: Serve) -> None:
    server = serve()
    open_judging(tab, server)
    tab.await_true("navigator.serviceWorker.ready.then(() => true)")
    tab.await_true(
        "caches.open('relkit-judging').then(one => one.match('/projects/1/judge')).then(Boolean)"
    )
    server.kill()
    given = {grade(tab, "3"): 3.0}
    tab.open(server.address + JUDGING)
    tab.await_true(READY)
    given[grade(tab, "1")] = 1.0
    server.start()
    tab.await_true(f"{UNSENT} === 0")
    assert stored(server) == given


def disagree(server: Server) -> None:
    with open_store(server.database) as store:
        highest = store.project(1).scale.levels[0].grade
        for name, value in (("ana", highest), ("bo", 0.0)):
            user = store.user(name) if name == "ana" else store.create_user(name)
            for task in take_tasks(store, user, 1):
                key = f"{task.item.id}"
                record_action(store, user, "grade", key=key, item_id=task.item.id, grade=value)


@pytest.mark.parametrize(
    ("scale", "key", "value"), [("search", "3", 3.0), ("search", "1", 1.0), (FRACTIONS, "b", 0.5)]
)
def test_keys_of_decisions(
    tab: Any, serve: Serve, scale: Scale | str, key: str, value: float
) -> None:
    server = serve(scale=scale, overlap=2)
    disagree(server)
    tab.remember()
    sign_in(tab, server, "lead", "/projects/1/queue")
    tab.run("window.before = true")
    tab.run("document.querySelector('.case').focus()")
    tab.press(key)
    tab.await_true(f"!window.before && {LOADED}")
    with open_store(server.database) as store:
        assert list(store.adjudicated(1).values()) == [value]


def change_keys(server: Server) -> None:
    """Makes the project one whose keys have changed, as an upgrade does."""
    with open_store(server.database) as store, store.database.write() as connection:
        changed = sa.update(projects).values(keys_changed_at=store.clock() + 1)
        connection.execute(changed)


def test_changed_keys_are_announced_once_and_nothing_is_graded_before(
    tab: Any, serve: Serve
) -> None:
    server = serve()
    open_judging(tab, server)
    first = grade(tab, "3")
    tab.await_true(f"{UNSENT} === 0")
    change_keys(server)
    tab.open(server.address + JUDGING)
    tab.await_true(f"{READY} && {NOTICE}.open")
    said = tab.run(f"{NOTICE}.innerText")
    assert "Key 3 is now High (3)" in said
    assert "Key 0 is now None (0)" in said
    for key in ("3", "Escape", "Escape", "u", "s"):
        tab.press(key)
    tab.await_true(f"{NOTICE}.open")  # the second Escape closes it for a moment
    # Whoever leaves without an answer is asked again.
    tab.open(server.address + JUDGING)
    tab.await_true(f"{READY} && {NOTICE}.open")
    assert stored(server) == {first: 3.0}
    assert actions(server) == ["grade"]
    click(tab, "#keys-confirm")
    second = grade(tab, "1")
    tab.await_true(f"{UNSENT} === 0")
    assert stored(server) == {first: 3.0, second: 1.0}
    tab.run("localStorage.clear()")
    tab.open(server.address + JUDGING)
    tab.await_true(READY)
    assert not tab.run(f"Boolean({NOTICE})")
    assert tab.complaints == []


def test_who_confirmed_without_a_network_is_not_asked_again(tab: Any, serve: Serve) -> None:
    server = serve()
    open_judging(tab, server)
    grade(tab, "3")
    tab.await_true(f"{UNSENT} === 0")
    change_keys(server)
    tab.open(f"{server.address}{JUDGING}?lang=zh")
    tab.await_true(f"{READY} && {NOTICE}.open")
    assert "按键 3 现在是“高”（3）" in tab.run(f"{NOTICE}.innerText")
    server.kill()
    click(tab, "#keys-confirm")
    server.start()
    tab.open(server.address + JUDGING)
    tab.await_true(READY)
    assert not tab.run(f"{NOTICE}?.open ?? false")
    tab.open(server.address + JUDGING)
    tab.await_true(f"{READY} && !{NOTICE}")


def test_leads_who_decided_are_told_before_they_decide_on(tab: Any, serve: Serve) -> None:
    server = serve(overlap=2)
    disagree(server)
    with open_store(server.database) as store:
        item = store.queue(1)[0].item.id
        store.adjudicate(item, store.user("lead"), 1, key="one")
    change_keys(server)
    tab.remember()
    sign_in(tab, server, "lead", "/projects/1/queue")
    tab.await_true(f"{NOTICE}.open")
    tab.press("3")
    click(tab, "#keys-confirm")
    tab.run("window.before = true")
    tab.run("document.querySelector('.case').focus()")
    tab.press("3")
    tab.await_true(f"!window.before && {LOADED} && !{NOTICE}")
    with open_store(server.database) as store:
        assert sorted(store.adjudicated(1).values()) == [1.0, 3.0]
