"""Every page of the app: accessible, whole on a phone, quiet in the console, in two languages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("axe_core_python")
pytest.importorskip("fastapi")
pytest.importorskip("playwright")
pytest.importorskip("uvicorn")

from playwright.sync_api import BrowserContext, Page
from tests.web.accessibility import violations
from tests.web.browser import complaints, forget, open_page, wait_until
from tests.web.content import fill_with_content
from tests.web.judging import READY
from tests.web.server import Server

from relyon.app.catalogue import say
from relyon.core.language import Language
from relyon.judging.access import start_sign_in
from relyon.judging.store import open_store

LOADED = "document.readyState === 'complete'"
JUDGE = "/projects/1/judge"
TAKE_OVER = (
    "new BroadcastChannel(`relyon:judging:${document.getElementById('main').dataset.user}:1`)"
    ".postMessage({kind: 'take'}) || new Promise(done => setTimeout(done, 300))"
)
CLICK = "document.querySelector('[data-action={}]').click()"


@dataclass(frozen=True)
class Visit:
    """A page as somebody sees it.

    Attributes:
        path: Where it is.
        user: Who is signed in; nobody if empty.
        ready: What is true once it shows what it has.
        prepare: What is done before it is looked at.
        prepared: What is true once it is done.
    """

    path: str
    user: str = "lead"
    ready: str = LOADED
    prepare: str = "0"
    prepared: str = LOADED


SHOWS = "Boolean(document.querySelector('{}'))"
SEND = "document.querySelector('form[action=\"{}\"].form').requestSubmit()"
TYPE_OTHER = "document.querySelector('main [name=name]').value = 'x'; " + SEND.format(
    "/projects/1/delete"
)
MAKE_TOKEN = "document.querySelector('[name=name]').value = 't'; " + SEND.format("/account/tokens")
GIVE_BAD = (
    "document.querySelector('[name=old]').value = 'a long sentence';"
    " document.querySelector('[name=new]').value = 'password12345'; "
    + SEND.format("/account/password")
)

PAGES = {
    "sign-in": Visit("/sign-in", ""),
    "projects": Visit("/"),
    "projects-of-a-judge": Visit("/", "ana"),
    "judge": Visit(JUDGE, "bo", READY),
    "judge-note": Visit(JUDGE, "bo", READY, CLICK.format("note")),
    "judge-reasons": Visit(JUDGE, "bo", READY, CLICK.format("cannot")),
    "judge-keys": Visit(JUDGE, "bo", READY, "document.getElementById('keys').showModal()"),
    "judge-keys-changed": Visit("/projects/6/judge", "cy", READY),
    "judge-elsewhere": Visit(JUDGE, "bo", READY, TAKE_OVER),
    "judge-nine-levels": Visit("/projects/3/judge", "ana", READY),
    "judge-numbers": Visit("/projects/4/judge", "ana", READY),
    "side-by-side": Visit("/projects/2/judge", "ana", READY),
    "project": Visit("/projects/1"),
    "project-data": Visit("/projects/1/data"),
    "project-settings": Visit("/projects/1/settings"),
    "project-side-by-side": Visit("/projects/2"),
    "data-side-by-side": Visit("/projects/2/data"),
    "project-closed": Visit("/projects/7"),
    "archive": Visit("/", "lead", LOADED, "document.querySelector('main details').open = true"),
    "import-running": Visit("/jobs/1"),
    "import-failed": Visit("/jobs/2"),
    "delete": Visit("/projects/1/delete"),
    "delete-another": Visit(
        "/projects/1/delete", "lead", LOADED, TYPE_OTHER, SHOWS.format("#wrong")
    ),
    "queue": Visit("/projects/1/queue"),
    "agreement": Visit("/projects/1/agreement"),
    "no-agreement": Visit("/projects/3/agreement"),
    "models": Visit("/projects/1/models"),
    "models-side-by-side": Visit("/projects/2/models"),
    "alarms": Visit("/monitor/alarms"),
    "accounts": Visit("/accounts"),
    "account": Visit("/account"),
    "new-token": Visit("/account", "lead", LOADED, MAKE_TOKEN, SHOWS.format(".secret code")),
    "password": Visit("/account/password"),
    "made-password": Visit("/account/password", "new"),
    "bad-password": Visit("/account/password", "bo", LOADED, GIVE_BAD, SHOWS.format(".problem")),
    "events": Visit("/events"),
    "no-preferences": Visit("/projects/2/preferences"),
    "preferences-of-three": Visit("/projects/5/preferences"),
    "monitor": Visit("/monitor"),
    "new-month": Visit("/monitor/new"),
    "error": Visit("/projects/99"),
}  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    database = tmp_path_factory.mktemp("pages") / "judging.db"
    fill_with_content(database)
    with Server(database, "--rounds", str(database.parent / "rounds")) as running:
        yield running


@pytest.fixture
def tab(window: BrowserContext, server: Server) -> Page:
    """One tab for all tests, in which each is the first to come."""
    tab = window.pages[0]
    tab.goto("about:blank")
    forget(tab, server.address)
    tab.clear_console_messages()
    tab.clear_page_errors()
    return tab


@pytest.fixture(scope="module")
def secrets(server: Server) -> dict[str, str]:
    """What the browser holds of each person's sign-in."""
    with open_store(server.database) as store:
        names = ("lead", "ana", "bo", "cy", "new")
        return {name: start_sign_in(store, store.accounts.get(name)) for name in names}


def show(tab: Page, server: Server, visit: Visit, secrets: dict[str, str], **view: Any) -> None:
    """Opens a page as the person to whom it belongs."""
    language = view.pop("language", "en")
    tab.context.clear_cookies()
    cookies = {"relyon_language": language}
    if visit.user:
        cookies["relyon_session"] = secrets[visit.user]
    tab.context.add_cookies(
        [{"name": name, "value": value, "url": server.address} for name, value in cookies.items()]
    )
    open_page(tab, f"{server.address}{visit.path}", **view)
    wait_until(tab, visit.ready)
    tab.evaluate(visit.prepare)
    wait_until(tab, visit.prepared)


def test_axe_finds_what_is_wrong(tab: Page, server: Server, secrets: dict[str, str]) -> None:
    show(tab, server, PAGES["sign-in"], secrets)
    tab.evaluate("document.querySelector('label').replaceWith(document.createElement('input'))")
    tab.evaluate("document.querySelector('h1').style.color = '#ddd'")
    found = "\n".join(violations(tab))
    assert "label:" in found
    assert "color-contrast:" in found


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_stands_in_anybodys_way(
    tab: Page, server: Server, secrets: dict[str, str], name: str, language: Language
) -> None:
    for scheme, width in (("light", 1200), ("dark", 390)):
        show(tab, server, PAGES[name], secrets, language=language, scheme=scheme, width=width)
        assert violations(tab) == []
        failed = tab.evaluate("document.querySelector('h1').textContent") == say(
            language, "error.title"
        )
        assert failed == (name == "error")
        assert tab.evaluate("document.documentElement.lang") == (
            "zh-Hans" if language == "zh" else "en"
        )
        beyond = tab.evaluate(
            "[...document.querySelectorAll('main *')].filter(one => !one.closest('.scroll, .unseen,"
            " pre, dialog:not([open])') && one.getBoundingClientRect().right > innerWidth + 1)"
            ".map(one => one.outerHTML.slice(0, 120))"
        )
        assert beyond == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
    quiet = [one for one in complaints(tab) if "pictures.invalid" not in one]
    assert [
        one for one in quiet if "ERR_NAME_NOT_RESOLVED" not in one and "status of 40" not in one
    ] == []


SMALL = (
    "[...document.querySelectorAll('.controls button, .controls input, .controls textarea, summary,"
    " dialog[open] button, dialog[open] input, header a, header button')]"
    ".filter(one => one.checkVisibility())"
    ".map(one => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])"
    ".filter(([, box]) => box.height < 40 || box.width < 40).map(([html]) => html)"
)


@pytest.mark.parametrize(
    "name",
    ["judge", "judge-note", "judge-reasons", "judge-keys-changed", "judge-elsewhere",
     "judge-nine-levels", "judge-numbers", "side-by-side"],
)  # fmt: skip
def test_fingers_meet_what_they_aim_at(
    tab: Page, server: Server, secrets: dict[str, str], name: str
) -> None:
    for language in ("en", "zh"):
        show(tab, server, PAGES[name], secrets, language=language, width=390, height=844)
        assert tab.evaluate(SMALL) == []
        # The head of the page is one line, which leaves room for the result.
        assert tab.evaluate("document.querySelector('.bar').clientHeight") < 60


FOCUS = """(() => {
  const one = document.activeElement, style = getComputedStyle(one);
  const { x, y, width, height } = one.getBoundingClientRect();
  if (one === document.body) return ["", true, true];
  const over = document.elementFromPoint(x + width / 2, y + Math.min(height, 20) / 2);
  return [one.outerHTML.slice(0, 120),
    style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    one.contains(over) || Boolean(over?.contains(one))];
})()"""


@pytest.mark.parametrize(
    "name",
    [
        "sign-in",
        "projects",
        "judge",
        "side-by-side",
        "project",
        "queue",
        "accounts",
        "account",
        "password",
        "events",
    ],
)
def test_the_focus_is_seen(tab: Page, server: Server, secrets: dict[str, str], name: str) -> None:
    show(tab, server, PAGES[name], secrets, height=600)
    reached = []
    for _ in range(25):
        tab.keyboard.press("Tab")
        html, outlined, uncovered = tab.evaluate(FOCUS)
        reached.append(html)
        assert outlined, html
        assert uncovered, html
    assert len(set(reached)) > 4
