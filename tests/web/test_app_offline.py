"""The judging page opens again without a server, for whoever is signed in and nobody else."""

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
    UNSENT,
    actions,
    fill_database,
    grade,
    open_judging,
    stored,
)
from tests.web.server import Server, fill_in

from relkit.judging.records import Item

KEPT = (
    "(async () => { const cache = await caches.open('relkit-judging');"
    " return (await cache.keys()).map(one => new URL(one.url).pathname).sort(); })()"
)
SHELL = [
    "/projects/1/judge",
    *(f"/static/{name}.js" for name in ("drawing", "judge", "keys", "offline", "outbox")),
    "/static/style.css",
    "/static/tabs.js",
]
TASKS = "Object.keys(localStorage).filter(one => one.startsWith('relkit:tasks:')).length"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    database = tmp_path / "judging.db"
    fill_database(database, [Item("red shoes", f"d{n}", title=f"Shoe {n}") for n in range(30)])
    with Server(database) as running:
        yield running


@pytest.fixture
def page(tab: Any, server: Server) -> Any:
    """The judging page, signed in, once it is kept."""
    open_judging(tab, server)
    tab.await_true(f"{KEPT}.then(found => found.length === {len(SHELL)})")
    return tab


def test_a_reload_without_a_server_goes_on(page: Any, server: Server) -> None:
    assert page.run(KEPT) == SHELL
    server.kill()
    given = [grade(page, key) for key in "321"]
    page.await_true(f"{SAVING}.startsWith('Offline: 3')")
    page.open(f"{server.address}{JUDGING}")
    page.await_true(f"{READY} && {SAVING}.startsWith('Offline: 3')")
    assert page.run("document.querySelector('#count').textContent").startswith("You have judged 3")
    # What was loaded before can be graded on, in a page that was closed and opened again too.
    given.append(grade(page, "0"))
    page.send("Page.navigate", url="about:blank")
    page.open(f"{server.address}{JUDGING}")
    page.await_true(f"{READY} && {SAVING}.startsWith('Offline: 4')")
    given.append(grade(page, "3"))
    assert len(set(given)) == 5
    server.start()
    page.await_true(f"{UNSENT} === 0 && {SAVING} === 'All grades saved'")
    wanted = dict(zip(given, (3.0, 2.0, 1.0, 0.0, 3.0), strict=True))
    assert stored(server) == wanted
    assert actions(server) == ["grade"] * 5
    page.await_true("document.querySelector('#count').textContent.startsWith('You have judged 5,')")
    for _ in range(20):
        assert grade(page, "2") not in given


def test_a_page_from_the_server_comes_before_the_one_that_is_kept(
    page: Any, server: Server
) -> None:
    page.open(f"{server.address}{JUDGING}?lang=zh")
    page.await_true(f"{READY} && {SAVING} === '已全部保存'")
    server.kill()
    page.open(f"{server.address}{JUDGING}")
    page.await_true(f"{READY} && {SAVING}.startsWith('网络已断开')")
    server.start()
    page.await_true(f"{SAVING} === '已全部保存'")


def sign_out(page: Any, server: Server) -> None:
    page.run("document.querySelector('form[action=\"/sign-out\"]').requestSubmit()")
    page.await_true("location.pathname === '/sign-in' && document.readyState === 'complete'")


def test_signing_out_forgets_the_page(page: Any, server: Server) -> None:
    assert page.run(TASKS) == 1
    sign_out(page, server)
    page.await_true(f"{KEPT}.then(found => !found.includes('{JUDGING}')) && {TASKS} === 0")
    server.kill()
    page.send("Page.navigate", url=f"{server.address}{JUDGING}")
    page.await_true("location.protocol === 'chrome-error:'")
    server.start()


def test_what_was_not_sent_outlives_the_sign_out_and_is_sent_by_its_judge(
    page: Any, server: Server
) -> None:
    server.kill()
    given = grade(page, "3")
    page.await_true(f"{SAVING}.startsWith('Offline: 1')")
    page.send("Page.navigate", url="about:blank")
    server.start()
    page.send("Network.clearBrowserCookies")
    page.open(f"{server.address}/sign-in?next={JUDGING}")
    fill_in(page, "lead")
    page.await_true(f"location.pathname === '{JUDGING}' && document.readyState === 'complete'")
    # Somebody else sees nothing of it, and sends nothing.
    page.await_true(f"{READY} && {SAVING} === 'All grades saved'")
    assert stored(server) == {}
    sign_out(page, server)
    fill_in(page, "ana")
    page.await_true("location.pathname === '/' && document.readyState === 'complete'")
    page.open(f"{server.address}{JUDGING}")
    page.await_true(f"{READY} && {SAVING} === 'All grades saved'")
    assert stored(server) == {given: 3.0}


def test_an_ended_sign_in_takes_the_page_along(page: Any, server: Server) -> None:
    page.send("Network.clearBrowserCookies")
    page.send("Page.navigate", url=f"{server.address}{JUDGING}")
    page.await_true("location.pathname === '/sign-in' && document.readyState === 'complete'")
    page.await_true(f"{KEPT}.then(found => !found.includes('{JUDGING}')) && {TASKS} === 0")


def test_nothing_but_the_page_and_its_files_is_kept(page: Any, server: Server) -> None:
    for path in ("/", "/account", "/projects/1/judge", "/nothing"):
        page.open(f"{server.address}{path}")
    assert page.run(KEPT) == SHELL
    found = page.run(
        "(async () => { const cache = await caches.open('relkit-judging'); let all = '';"
        " for (const one of await cache.matchAll()) all += await one.text(); return all; })()"
    )
    assert "Shoe 1" not in found
