"""A lead reads the dashboard of the demonstration in a browser, in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
pytest.importorskip("bm25s")
pytest.importorskip("sklearn")
pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from tests.web.accessibility import violations
from tests.web.server import PASSWORD, Server, sign_in

from relkit.app.story import build_story
from relkit.judging.store import open_store


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    story = build_story(tmp_path_factory.mktemp("story"))
    with open_store(story.database) as store:
        store.create_user("lead", role="admin", password=PASSWORD)
        store.create_user("ana", password=PASSWORD)
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
    tab: Any, server: Server, language: str, width: int, scheme: str
) -> None:
    sign_in(tab, server, "lead", "/monitor", language=language, width=width, scheme=scheme)
    shown = tab.run("document.body.innerText")
    for text in SAID[language]:
        assert text in shown
    alarm, title = (
        tab.run(f"document.querySelector('{part}').getBoundingClientRect().bottom")
        for part in (".alarms", "h1")
    )
    assert alarm < title < 900
    # No script, style, font or picture was refused, and none was asked for elsewhere.
    assert tab.complaints == []
    assert all(one.startswith(f"{server.address}/") for one in tab.requests)
    assert tab.run("document.documentElement.scrollWidth") <= width
    current = tab.run("document.querySelector('.places [aria-current]').textContent")
    assert current == {"en": "Monitor", "zh": "月度监控"}[language]


@pytest.mark.parametrize("width", [390, 1200])
def test_charts_are_drawn_in_the_page(tab: Any, server: Server, width: int) -> None:
    sign_in(tab, server, "lead", "/monitor", width=width)
    drawn = tab.run(
        "[...document.querySelectorAll('figure svg[role]')].filter(e => e.clientWidth)"
        ".map(e => [e.getBoundingClientRect().width, e.getBoundingClientRect().height,"
        " e.viewBox.baseVal.width])"
    )
    assert len(drawn) == 4
    for wide, high, whole in drawn:
        assert 200 < wide <= whole + 1
        assert high > 100
    blue = tab.run(
        "getComputedStyle(document.querySelector('#ndcg figure svg path[stroke*=blue]')).stroke"
    )
    assert blue == "rgb(0, 103, 165)"


def test_drill_downs_contents_and_downloads(tab: Any, server: Server) -> None:
    sign_in(tab, server, "lead", "/monitor")
    details = "document.querySelector('#trend details.drill')"
    assert not tab.run(f"{details}.open")
    tab.run(f"{details}.querySelector('summary').click()")
    assert "2026-02" in tab.run(f"{details}.querySelector('table').innerText")
    tab.run("document.querySelector('nav ol a[href=\"#queries\"]').click()")
    tab.await_true("Math.abs(document.querySelector('#queries').getBoundingClientRect().top) < 90")
    links = tab.run("[...document.querySelectorAll('.downloads a[download]')].map(e => e.href)")
    report, numbers = (tab.run(f"fetch({link!r}).then(answer => answer.text())") for link in links)
    assert report.startswith("<!DOCTYPE html>")
    assert '"recall"' in numbers
    assert tab.complaints == []


def test_the_bar_leads_there_and_back(tab: Any, server: Server) -> None:
    sign_in(tab, server, "lead", "/")
    tab.run("document.querySelector('.places a[href=\"/monitor\"]').click()")
    tab.await_true(f"location.pathname === '/monitor' && {LOADED}")
    tab.run("document.querySelector('.tools a[lang=zh-Hans]').click()")
    tab.await_true(f"document.documentElement?.lang === 'zh-Hans' && {LOADED}")
    tab.run("document.querySelector('.places a[href=\"/\"]').click()")
    tab.await_true(f"location.pathname === '/' && {LOADED}")
    assert "试一试" in tab.run("document.body.innerText")


def test_a_judge_finds_no_way_there(tab: Any, server: Server) -> None:
    sign_in(tab, server, "ana", "/")
    assert "/monitor" not in tab.run("document.body.innerHTML")
    assert tab.run("fetch('/monitor').then(answer => answer.status)") == 403


@pytest.mark.parametrize("language", ["en", "zh"])
def test_anybody_grades_in_the_project_to_try(tab: Any, server: Server, language: str) -> None:
    sign_in(tab, server, "ana", "/projects/1/judge", language=language)
    tab.await_true("!document.getElementById('task').hidden")
    guideline = tab.run("document.querySelector('.guideline').textContent")
    assert {"en": "Borderline rules", "zh": "边界规则"}[language] in guideline
    before = tab.run("document.querySelector('#documents .title').textContent")
    tab.press("1")
    tab.await_true(f"document.querySelector('#documents .title').textContent !== {before!r}")
    tab.await_true("Number(document.getElementById('main').dataset.unsent) === 0")
    assert tab.complaints == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_stands_in_anybodys_way(tab: Any, server: Server, language: str) -> None:
    pytest.importorskip("axe_core_python")
    for scheme, width in (("light", 1200), ("dark", 390)):
        view = {"scheme": scheme, "width": width}
        sign_in(tab, server, "lead", "/monitor", language=language, **view)
        assert violations(tab) == []
