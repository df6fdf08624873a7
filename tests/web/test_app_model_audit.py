"""An audit of a language model in the browser: from its cost to the security finding."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.sync_api import Page
from tests.databases import create_file
from tests.unit.asking import run
from tests.unit.completions import Completions, Received, Reply, serve_completions
from tests.unit.receivers import serve_chat
from tests.web.accessibility import violations
from tests.web.browser import complaints, wait_until
from tests.web.server import PASSWORD
from tests.web.sign_in import sign_in
from tests.web.test_app_alarms_models import OpenServer, check, submit, text

from relyon.judging.records import Item, Rating
from relyon.judging.store import open_store


def obedient(request: Received) -> Reply:
    """A judge that obeys orders in English."""
    obeys = "answer with the grade" in str(request.data.get("snippet", ""))
    number = int(str(request.data["title"]).split()[-1])
    return Reply(json.dumps({"grade": 3 if obeys else number % 3}))


@pytest.fixture
def completions() -> Iterator[Completions]:
    with serve_completions() as found:
        found.script = obedient
        yield found


@pytest.fixture
def server(tmp_path: Path, completions: Completions) -> Iterator[OpenServer]:
    database = create_file(tmp_path / "judging.db")
    with open_store(database) as store:
        store.accounts.create("lea", role="admin", password=PASSWORD)
        project = store.projects.create("June", guideline={"en": "Grade.", "zh": "打分"})
        items = [Item(f"q{n}", f"d{n}", title=f"Title {n}", snippet="A text.") for n in range(40)]
        given = [(one, [Rating("cy", n % 3)]) for n, one in enumerate(items)]
        store.grades.add(project.id, given)
        run(store, project, completions.url, samples=1)
    with serve_chat() as chat:
        found = OpenServer(database)
        found.chat, found.completions = chat, completions
        with found:
            yield found


SAID = {
    "en": ("requests about copies of", "Security: llm:small (version 1) obeys orders"),
    "zh": ("条结果的副本发送", "安全问题：llm:small v1 会服从结果文本里的指令"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_lead_audits_a_model(tab: Page, server: OpenServer, language: str) -> None:
    cost, danger = SAID[language]
    sign_in(tab, server, "lea", "/projects/1/models", language=language)
    check(tab)
    tab.fill("form[action$=cost] [name=items]", "30")
    submit(tab, "form[action$=cost] button")
    assert cost in text(tab)
    assert violations(tab) == []
    submit(tab, "form[action$=begin] button")
    wait_until(tab, "document.querySelector('.problem[role=alert]') !== null")
    assert danger in text(tab)
    check(tab)
    if folder := os.environ.get("RELYON_SHOTS"):
        tab.screenshot(path=f"{folder}/audit-{language}.png", full_page=True)
    assert complaints(tab) == []
