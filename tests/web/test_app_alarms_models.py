"""Alarms and language models in the browser: a lead's way from a form to what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright")

from playwright.sync_api import Page
from tests.databases import create_file
from tests.unit.completions import Completions, Reply, serve_completions
from tests.unit.receivers import Answer, Chat, serve_chat
from tests.web.accessibility import violations
from tests.web.browser import complaints, open_page, overflow, wait_until
from tests.web.server import PASSWORD, ThreadServer
from tests.web.sign_in import sign_in

from relyon.judging.records import Item, Rating
from relyon.judging.store import open_store

LOADED = "document.readyState === 'complete'"


class OpenServer(ThreadServer):
    """The app, whose operator allows a chat and a language model."""

    chat: Chat
    completions: Completions

    def start(self) -> None:
        from relyon.app import Settings, create_app
        from relyon.app.alarms.settings import AlarmSettings
        from relyon.app.models.settings import ModelEndpoint, Price
        from relyon.app.process import Ending, listen, own_names, serve_app

        self._store = open_store(self.database)
        listening = listen("127.0.0.1", self.port)
        settings = Settings(
            allowed_hosts=own_names("127.0.0.1", listening),
            alarms=AlarmSettings((self.chat.origin,)),
            models=(
                ModelEndpoint("Small", self.completions.url, "small", "k", Price(1, 2, "USD")),
            ),
        )
        self._ending = Ending()
        self._thread = Thread(
            target=serve_app, args=(create_app(self._store, settings), listening, self._ending)
        )
        self._thread.start()


@pytest.fixture
def chat() -> Iterator[Chat]:
    with serve_chat() as found:
        yield found


@pytest.fixture
def completions() -> Iterator[Completions]:
    with serve_completions() as found:
        yield found


@pytest.fixture
def server(tmp_path: Path, chat: Chat, completions: Completions) -> Iterator[OpenServer]:
    database = create_file(tmp_path / "judging.db")
    with open_store(database) as store:
        store.accounts.create("lea", role="admin", password=PASSWORD)
        project = store.projects.create("June", overlap=2, guideline={"en": "Grade.", "zh": "打分"})
        items = [Item(f"q{n // 7}", f"d{n}", title=f"Title {n}") for n in range(66)]
        store.grades.add(
            project.id,
            [(one, [Rating("cy", n % 4), Rating("bo", n % 4)]) for n, one in enumerate(items[:60])],
        )
        store.items.add(project.id, items)
    found = OpenServer(database)
    found.chat, found.completions = chat, completions
    with found:
        yield found


def text(tab: Page) -> str:
    return str(tab.inner_text("main"))


def submit(tab: Page, selector: str) -> None:
    """Clicks a button, and waits for the page that comes."""
    tab.evaluate("window.before = true")
    tab.click(selector)
    wait_until(tab, f"!window.before && {LOADED}")


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def check(tab: Page) -> None:
    """Checks a page as it is, on a phone in the dark and on a desk in the light."""
    address = tab.url
    for width in (390, 1280):
        open_page(tab, address, width=width, scheme="dark" if width < 600 else "light")
        assert overflow(tab) == 0
        assert violations(tab) == []


SAID = {
    "en": (
        "The test was delivered to Search team",
        "Add a receiver",
        "It answered: 404 no_service",
    ),
    "zh": ("测试消息已送达：Search team", "添加接收方", "对方返回：404 no_service"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_admin_adds_a_receiver_and_tests_it(
    tab: Page, server: OpenServer, chat: Chat, language: str
) -> None:
    sent, title, failed = SAID[language]
    sign_in(tab, server, "lea", "/monitor/alarms", language=language)
    assert title in text(tab)
    tab.fill("[name=address]", "https://evil.example/x")
    tab.fill("[name=name]", "Search team")
    submit(tab, "form[action='/monitor/alarms'] button")
    assert "evil.example" in text(tab)
    # What was typed is kept.
    assert tab.input_value("[name=name]") == "Search team"
    tab.fill("[name=address]", f"{chat.origin}/hooks/verysecret")
    submit(tab, "form[action='/monitor/alarms'] button")
    assert "verysecret" not in tab.content()
    submit(tab, "form[action$=test] button")
    assert sent in text(tab)
    assert len(chat.received) == 1
    chat.replies(Answer(404, b"no_service"))
    submit(tab, "form[action$=test] button")
    assert failed in text(tab)
    open_page(tab, f"{server.address}/monitor/alarms?lang={language}")
    check(tab)
    assert complaints(tab) == []


MODEL = {
    "en": ("60 requests for 60 results", "About 0.0", "its grades count for 6 ungraded results"),
    "zh": ("共 60 个请求", "费用约 0.0", "6"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_lead_lets_a_model_grade_and_accepts_it(
    tab: Page, server: OpenServer, completions: Completions, language: str
) -> None:
    requests, cost, filled = MODEL[language]

    def script(request: object, seconds: float = 0) -> Reply:
        number = int(str(request.data["title"])[6:])  # type: ignore[attr-defined]
        return Reply(f'{{"grade": {number % 4}, "reason": "fits"}}', seconds=seconds)

    # It is slow enough to be looked at and stopped.
    completions.script = lambda one: script(one, 0.1 if len(completions.received) < 13 else 4)
    sign_in(tab, server, "lea", "/projects/1/models", language=language)
    check(tab)
    tab.fill("[name=samples]", "1")
    submit(tab, "form[action$=estimate] button")
    assert requests in text(tab)
    assert cost in text(tab)
    assert violations(tab) == []
    submit(tab, "form[action$=start] button")
    wait_until(tab, "document.querySelector('progress').value > 4")
    wait_until(tab, "!document.getElementById('counts').textContent.includes(' 0 ')")
    check(tab)
    submit(tab, "form[action$=stop] button")
    wait_until(tab, "document.querySelector('form[action$=continue]') !== null")
    asked = len(completions.received)
    assert asked < 60
    completions.script = script
    tab.evaluate("window.before = true")
    submit(tab, "form[action$=continue] button")
    wait_until(tab, "document.querySelector('form[action$=accept]') !== null")
    assert len(completions.received) == 60
    check(tab)
    tab.fill("form[action$=accept] [name=note]", "as good as we are")
    submit(tab, "form[action$=accept] button")
    tab.check("[name=which][value=ungraded]")
    tab.fill("[name=samples]", "1")
    submit(tab, "form[action$=estimate] button")
    submit(tab, "form[action$=start] button")
    wait_for(lambda: len(completions.received) == 66)
    wait_until(tab, "document.getElementById('progress') === null")
    assert filled in text(tab)
    assert complaints(tab) == []
    submit(tab, "form[action$=withdraw] button")
    assert tab.query_selector("form[action$=accept]") is not None
