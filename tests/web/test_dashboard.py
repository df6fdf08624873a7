"""A lead reads the dashboard of the demonstration in a browser, in both languages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright")
pytest.importorskip("uvicorn")
pytest.importorskip("bm25s")
pytest.importorskip("sklearn")
pytest.importorskip("vl_convert")

from playwright.sync_api import Page
from tests.web.accessibility import violations
from tests.web.browser import complaints, requests, wait_until
from tests.web.server import PASSWORD, Server
from tests.web.sign_in import sign_in

from relyon.app.demo_data import build_demo_data
from relyon.judging.store import open_store


@pytest.fixture
def tab(tab_of_window: Page) -> Page:
    return tab_of_window


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    story = build_demo_data(tmp_path_factory.mktemp("story"))
    with open_store(story.database) as store:
        store.accounts.create("lead", role="admin", password=PASSWORD)
        store.accounts.create("ana", password=PASSWORD)
    with Server(story.database, "--rounds", str(story.rounds)) as running:
        yield running


LOADED = "document.readyState === 'complete'"
SAID = {
    "en": (
        "2026-03: look at recall first",
        "Relevance of what users saw, 2026-01 to 2026-03",
        "good documents are missing. Look at recall first.",
        "good documents are no longer among the first 10",
    ),
    "zh": (
        "2026-03 先查召回",
        "用户实际看到的搜索质量：",
        "是好文档没有召回。先查召回。",
        "好文档不再出现在前 10 条里",
    ),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [390, 1200])
def test_the_alarm_and_its_cause_are_read(
    tab: Page, server: Server, language: str, width: int, scheme: str
) -> None:
    sign_in(tab, server, "lead", "/monitor", language=language, width=width, scheme=scheme)
    shown = tab.evaluate("document.body.innerText")
    for text in SAID[language]:
        assert text in shown
    alarm, title = (
        tab.evaluate(f"document.querySelector('{part}').getBoundingClientRect().bottom")
        for part in (".alarms", "h1")
    )
    assert alarm < title < 900
    # No script, style, font or picture was refused, and none was asked for elsewhere.
    assert complaints(tab) == []
    assert all(one.startswith(f"{server.address}/") for one in requests(tab))
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    current = tab.evaluate("document.querySelector('.places [aria-current]').textContent")
    assert current == {"en": "Monitor", "zh": "月度监控"}[language]


@pytest.mark.parametrize("width", [390, 1200])
def test_charts_are_drawn_in_the_page(tab: Page, server: Server, width: int) -> None:
    sign_in(tab, server, "lead", "/monitor", width=width)
    drawn = tab.evaluate(
        "[...document.querySelectorAll('figure svg[role]')].filter(e => e.clientWidth)"
        ".map(e => [e.getBoundingClientRect().width, e.getBoundingClientRect().height,"
        " e.viewBox.baseVal.width])"
    )
    assert len(drawn) == 4
    for wide, high, whole in drawn:
        assert 200 < wide <= whole + 1
        assert high > 100
    blue = tab.evaluate(
        "getComputedStyle(document.querySelector('#ndcg figure svg path[stroke*=blue]')).stroke"
    )
    assert blue == "rgb(0, 103, 165)"


def test_drill_downs_contents_and_downloads(tab: Page, server: Server) -> None:
    sign_in(tab, server, "lead", "/monitor")
    details = "document.querySelector('#trend details.drill')"
    assert not tab.evaluate(f"{details}.open")
    tab.evaluate(f"{details}.querySelector('summary').click()")
    assert "2026-02" in tab.evaluate(f"{details}.querySelector('table').innerText")
    tab.evaluate("document.querySelector('nav ol a[href=\"#queries\"]').click()")
    wait_until(tab, "Math.abs(document.querySelector('#queries').getBoundingClientRect().top) < 90")
    links = tab.evaluate(
        "[...document.querySelectorAll('.downloads a[download]')].map(e => e.href)"
    )
    report, numbers = (
        tab.evaluate(f"fetch({link!r}).then(answer => answer.text())") for link in links
    )
    assert report.startswith("<!DOCTYPE html>")
    assert '"recall"' in numbers
    assert complaints(tab) == []


def test_the_bar_leads_there_and_back(tab: Page, server: Server) -> None:
    sign_in(tab, server, "lead", "/")
    tab.evaluate("document.querySelector('.places a[href=\"/monitor\"]').click()")
    wait_until(tab, f"location.pathname === '/monitor' && {LOADED}")
    tab.evaluate("document.querySelector('.tools a[lang=zh-Hans]').click()")
    wait_until(tab, f"document.documentElement?.lang === 'zh-Hans' && {LOADED}")
    tab.evaluate("document.querySelector('.places a[href=\"/\"]').click()")
    wait_until(tab, f"location.pathname === '/' && {LOADED}")
    assert "试一试" in tab.evaluate("document.body.innerText")


def test_a_judge_finds_no_way_there(tab: Page, server: Server) -> None:
    sign_in(tab, server, "ana", "/")
    assert "/monitor" not in tab.evaluate("document.body.innerHTML")
    assert tab.evaluate("fetch('/monitor').then(answer => answer.status)") == 403


@pytest.mark.parametrize("language", ["en", "zh"])
def test_anybody_grades_in_the_project_to_try(tab: Page, server: Server, language: str) -> None:
    sign_in(tab, server, "ana", "/projects/1/judge", language=language)
    wait_until(tab, "!document.getElementById('task').hidden")
    guideline = tab.evaluate("document.querySelector('.guideline').textContent")
    assert {"en": "Borderline rules", "zh": "边界规则"}[language] in guideline
    before = tab.evaluate("document.querySelector('#documents .title').textContent")
    tab.keyboard.press("1")
    wait_until(tab, f"document.querySelector('#documents .title').textContent !== {before!r}")
    wait_until(tab, "Number(document.getElementById('main').dataset.unsent) === 0")
    assert complaints(tab) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_stands_in_anybodys_way(tab: Page, server: Server, language: str) -> None:
    pytest.importorskip("axe_core_python")
    for scheme, width in (("light", 1200), ("dark", 390)):
        view = {"scheme": scheme, "width": width}
        sign_in(tab, server, "lead", "/monitor", language=language, **view)
        assert violations(tab) == []
