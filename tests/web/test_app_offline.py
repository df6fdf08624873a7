"""The judging page opens again without a server, for whoever is signed in and nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright")
pytest.importorskip("uvicorn")

from playwright.sync_api import Error, Page
from tests.web.browser import open_page, wait_until
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
from tests.web.server import Server
from tests.web.sign_in import fill_in

from relyon.judging.records import Item

KEPT = (
    "(async () => { const cache = await caches.open('relyon-judging');"
    " return (await cache.keys()).map(one => new URL(one.url).pathname).sort(); })()"
)
SHELL = [
    "/projects/1/judge",
    *(f"/static/{name}.js" for name in ("drawing", "judge", "keys", "list", "offline", "outbox")),
    "/static/style.css",
    "/static/tabs.js",
]
TASKS = "Object.keys(localStorage).filter(one => one.startsWith('relyon:tasks:')).length"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    database = tmp_path / "judging.db"
    fill_database(database, [Item("red shoes", f"d{n}", title=f"Shoe {n}") for n in range(30)])
    with Server(database) as running:
        yield running


@pytest.fixture
def page(tab: Page, server: Server) -> Page:
    """The judging page, signed in, once it is kept."""
    open_judging(tab, server)
    wait_until(tab, f"{KEPT}.then(found => found.length === {len(SHELL)})")
    return tab


def test_a_reload_without_a_server_goes_on(page: Page, server: Server) -> None:
    assert page.evaluate(KEPT) == SHELL
    server.kill()
    given = [grade(page, key) for key in "321"]
    wait_until(page, f"{SAVING}.startsWith('Offline: 3')")
    open_page(page, f"{server.address}{JUDGING}")
    wait_until(page, f"{READY} && {SAVING}.startsWith('Offline: 3')")
    assert page.evaluate("document.querySelector('#count').textContent").startswith(
        "You have judged 3"
    )
    # What was loaded before can be graded on, in a page that was closed and opened again too.
    given.append(grade(page, "0"))
    page.goto("about:blank")
    open_page(page, f"{server.address}{JUDGING}")
    wait_until(page, f"{READY} && {SAVING}.startsWith('Offline: 4')")
    given.append(grade(page, "3"))
    assert len(set(given)) == 5
    server.start()
    wait_until(page, f"{UNSENT} === 0 && {SAVING} === 'All grades saved'")
    wanted = dict(zip(given, (3.0, 2.0, 1.0, 0.0, 3.0), strict=True))
    assert stored(server) == wanted
    assert actions(server) == ["grade"] * 5
    wait_until(
        page, "document.querySelector('#count').textContent.startsWith('You have judged 5,')"
    )
    for _ in range(20):
        assert grade(page, "2") not in given


def test_a_page_from_the_server_comes_before_the_one_that_is_kept(
    page: Page, server: Server
) -> None:
    open_page(page, f"{server.address}{JUDGING}?lang=zh")
    wait_until(page, f"{READY} && {SAVING} === '已全部保存'")
    server.kill()
    open_page(page, f"{server.address}{JUDGING}")
    wait_until(page, f"{READY} && {SAVING}.startsWith('网络已断开')")
    server.start()
    wait_until(page, f"{SAVING} === '已全部保存'")


def sign_out(page: Page, server: Server) -> None:
    page.evaluate("document.querySelector('form[action=\"/sign-out\"]').requestSubmit()")
    wait_until(page, "location.pathname === '/sign-in' && document.readyState === 'complete'")


def test_signing_out_forgets_the_page(page: Page, server: Server) -> None:
    assert page.evaluate(TASKS) == 1
    sign_out(page, server)
    wait_until(page, f"{KEPT}.then(found => !found.includes('{JUDGING}')) && {TASKS} === 0")
    server.kill()
    with pytest.raises(Error, match="ERR_FAILED"):
        page.goto(f"{server.address}{JUDGING}")
    server.start()


def test_what_was_not_sent_outlives_the_sign_out_and_is_sent_by_its_judge(
    page: Page, server: Server
) -> None:
    server.kill()
    given = grade(page, "3")
    wait_until(page, f"{SAVING}.startsWith('Offline: 1')")
    page.goto("about:blank")
    server.start()
    page.context.clear_cookies()
    open_page(page, f"{server.address}/sign-in?next={JUDGING}")
    fill_in(page, "lead")
    wait_until(page, f"location.pathname === '{JUDGING}' && document.readyState === 'complete'")
    # Somebody else sees nothing of it, and sends nothing.
    wait_until(page, f"{READY} && {SAVING} === 'All grades saved'")
    assert stored(server) == {}
    sign_out(page, server)
    fill_in(page, "ana")
    wait_until(page, "location.pathname === '/' && document.readyState === 'complete'")
    open_page(page, f"{server.address}{JUDGING}")
    wait_until(page, f"{READY} && {SAVING} === 'All grades saved'")
    assert stored(server) == {given: 3.0}


def test_an_ended_sign_in_takes_the_page_along(page: Page, server: Server) -> None:
    page.context.clear_cookies()
    page.goto(f"{server.address}{JUDGING}")
    wait_until(page, "location.pathname === '/sign-in' && document.readyState === 'complete'")
    wait_until(page, f"{KEPT}.then(found => !found.includes('{JUDGING}')) && {TASKS} === 0")


def test_nothing_but_the_page_and_its_files_is_kept(page: Page, server: Server) -> None:
    for path in ("/", "/account", "/projects/1/judge", "/nothing"):
        open_page(page, f"{server.address}{path}")
    assert page.evaluate(KEPT) == SHELL
    found = page.evaluate(
        "(async () => { const cache = await caches.open('relyon-judging'); let all = '';"
        " for (const one of await cache.matchAll()) all += await one.text(); return all; })()"
    )
    assert "Shoe 1" not in found
