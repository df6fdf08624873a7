"""A team's months in the browser, in both languages: from a Chinese workbook to the alarm."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright")
pytest.importorskip("uvicorn")
pytest.importorskip("vl_convert")
pytest.importorskip("xlsxwriter")

from playwright.sync_api import Page
from tests.databases import create_file
from tests.web.accessibility import violations
from tests.web.browser import complaints, open_page, overflow, wait_until
from tests.web.server import PASSWORD, Server
from tests.web.sign_in import sign_in

import relyon
from relyon.app.catalogue import say
from relyon.core.language import Language
from relyon.judging.store import open_store

LOADED = "document.readyState === 'complete'"
#: A judge grades what the page gave them, by its title: what the page itself sends.
GRADE = """
async ([project, csrf]) => {
  const call = async (path, body) => (await fetch(path, {
    method: "POST", headers: {"Content-Type": "application/json", "X-CSRF-Token": csrf},
    body: JSON.stringify(body),
  })).json();
  let graded = 0;
  for (;;) {
    const {tasks} = await call(`/api/projects/${project}/tasks?count=50`, {});
    if (!tasks.length) return graded;
    for (const item of tasks) {
      await call("/api/actions", {
        kind: "grade", key: crypto.randomUUID(), item_id: item.id, project_id: project,
        grade: {"好": 3, "中": 2, "差": 0}[item.title[0]], seconds: 6 + item.id % 7,
      });
      graded += 1;
    }
  }
}
"""


@pytest.fixture
def rounds(tmp_path: Path) -> Path:
    return tmp_path / "rounds"


@pytest.fixture
def server(tmp_path: Path, rounds: Path) -> Iterator[Server]:
    with open_store(create_file(tmp_path / "judging.db")) as store:
        store.accounts.create("lea", role="lead", password=PASSWORD)
        for name in ("ana", "bo"):
            store.accounts.create(name, password=PASSWORD)
    with Server(tmp_path / "judging.db", "--rounds", str(rounds)) as running:
        yield running


def write_log(path: Path, month: str, *, recall: bool) -> Path:
    """Writes a month's log: with recall, a good result is among the three that are shown."""
    rows = []
    for query in range(45):
        for n in range(24 if query < 3 else 8 if query < 12 else 2):
            good, fair, bad = f"g{query}", f"f{query}", f"b{query}"
            shown = [good, fair, bad] if recall or query % 8 == 0 else [fair, f"c{query}", bad]
            for place, doc in enumerate(shown, 1):
                kind = "f" if doc[0] == "c" and query % 2 else doc[0]
                title = {"g": "好", "f": "中"}.get(kind, "差") + f"的结果 {doc}"
                day = f"{month}-{n % 27 + 1:02} 08:{query % 60:02}:00"
                rows.append((f"{month}-{query}-{n}", f"查询 {query}", day, place, doc, title))
    names = ["会话", "搜索词", "时间", "位置", "商品编号", "标题"]
    pl.DataFrame(rows, schema=names, orient="row").write_excel(path)
    return path


def text(tab: Page, selector: str = "main") -> str:
    return str(tab.evaluate(f"document.querySelector({selector!r}).innerText"))


def press(tab: Page, label: str, then: str) -> None:
    """Presses a button or link, and waits for what follows."""
    tab.evaluate("window.before = true")
    buttons = tab.locator(f'main button:has-text("{label}")')
    (buttons if buttons.count() else tab.locator(f'main a:has-text("{label}")')).first.click()
    wait_until(tab, f"!window.before && {LOADED} && {then}", seconds=60)


def check_page(tab: Page, name: str) -> None:
    """Checks a page at both sizes, and keeps a picture of it where somebody asks for one."""
    pictures = os.environ.get("RELYON_PICTURES")
    address = tab.url
    for width in (390, 1280):
        open_page(tab, address, width=width)
        wait_until(tab, LOADED)
        wide = "[...document.querySelectorAll('body *')].filter(one =>"
        wide += " one.getBoundingClientRect().right > 390)"
        shown = f"{wide}.slice(0, 8).map(one => one.outerHTML.slice(0, 150)).join(' ## ')"
        assert overflow(tab) <= 0, f"{name} at {width}: {tab.evaluate(shown)}"
        if pictures:
            tab.screenshot(path=f"{pictures}/{name}-{width}.png", full_page=True)
    assert violations(tab) == []


def make_project(
    tab: Page, server: Server, log: Path, month: str, language: Language, *, look: bool
) -> int:
    """Goes from the log to the project, and returns it."""
    open_page(tab, f"{server.address}/monitor/months/new")
    if look:
        check_page(tab, f"{language}-log")
    tab.fill('[name="month"]', month)
    tab.set_input_files('[name="file"]', log)
    press(tab, say(language, "months.read"), "!document.querySelector('progress')")
    assert "商品编号" in text(tab)
    if look:
        check_page(tab, f"{language}-checks")
    to_plan = say(language, "months.to_plan")
    press(tab, to_plan, "document.querySelector('[name=sizes]')")
    for box in tab.locator('[name="sizes"]').all():
        box.fill("30")
    for box in tab.locator('[name="depths"]').all():
        box.fill("3")
    tab.fill('[name="seed"]', "11")
    press(tab, say(language, "months.redraw"), "document.querySelector('[name=sizes]')")
    assert tab.input_value('[name="seed"]') == "11"
    if look:
        check_page(tab, f"{language}-plan")
    made = say(language, "months.create", month=month)
    press(tab, made, "location.pathname.startsWith('/projects/')")
    return int(tab.url.rpartition("/")[2].partition("?")[0])


def grade(tab: Page, server: Server, name: str, project: int) -> None:
    """A judge grades a few results by keys, and the others as the page sends grades."""
    target = f"/projects/{project}/judge"
    sign_in(tab, server, name, target)
    for _ in range(3):
        wait_until(tab, "document.querySelector('article .title')?.innerText")
        title = text(tab, "article .title")
        tab.keyboard.press({"好": "3", "中": "2", "差": "0"}[title[0]])
        wait_until(
            tab, f"document.querySelector('article .title')?.innerText !== {json.dumps(title)}"
        )
    open_page(tab, f"{server.address}/api/session")
    csrf = json.loads(tab.inner_text("body"))["csrf"]
    open_page(tab, server.address)
    assert tab.evaluate(GRADE, [project, csrf]) > 20


def store_month(
    tab: Page, server: Server, project: int, month: str, language: Language, *, look: bool
) -> None:
    open_page(tab, f"{server.address}/projects/{project}")
    press(
        tab, say(language, "months.store_as", month=month), "location.pathname.endsWith('/month')"
    )
    if look:
        check_page(tab, f"{language}-gate")
    press(tab, say(language, "monitor.store", month=month), "location.pathname == '/monitor'")


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "zh"])
def test_two_months_without_a_command_line(
    tab: Page, server: Server, rounds: Path, tmp_path: Path, language: Language
) -> None:
    first = write_log(tmp_path / "十月.xlsx", "2026-10", recall=True)
    second = write_log(tmp_path / "十一月.xlsx", "2026-11", recall=False)

    sign_in(tab, server, "lea", "/monitor", language=language)
    project = make_project(tab, server, first, "2026-10", language, look=True)
    open_page(tab, f"{server.address}/projects/{project}/month")
    open_page(tab, f"{server.address}/projects/{project}/settings")
    tab.fill(f'[name="{language}"]', "看标题。" if language == "zh" else "Read the title.")
    tab.locator("form[action$='/guideline'] button").click()
    wait_until(tab, LOADED)
    tab.fill('[name="target"]', "0.7")
    tab.locator("form[action$='/settings'] button").click()
    wait_until(tab, LOADED)
    for name in ("ana", "bo"):
        grade(tab, server, name, project)
    sign_in(tab, server, "lea", "/monitor", language=language)
    store_month(tab, server, project, "2026-10", language, look=True)
    assert say(language, "monitor.quiet", month="2026-10") not in text(tab)
    assert ("second month" if language == "en" else "第二个月") in text(tab)
    check_page(tab, f"{language}-single")

    project = make_project(tab, server, second, "2026-11", language, look=False)
    open_page(tab, f"{server.address}/projects/{project}/settings")
    assert tab.input_value('[name="target"]') == "0.7"
    assert tab.input_value(f'[name="{language}"]')
    for name in ("ana", "bo"):
        grade(tab, server, name, project)
    sign_in(tab, server, "lea", "/monitor", language=language)
    store_month(tab, server, project, "2026-11", language, look=False)
    alarms = text(tab, ".alarms")
    kinds = ("DCG fell", "look at recall first") if language == "en" else ("DCG", "召回")
    for kind in kinds:
        assert kind in alarms
    found = relyon.monitor(rounds)
    assert {(one.kind, one.tier) for one in found.alarms()} >= {("fell", "all"), ("recall", "all")}
    assert found.month_notes == ()

    tab.fill('[name="text"]', "4.2 <上线>")
    press(tab, say(language, "months.add_note"), "location.pathname == '/monitor'")
    assert "4.2 <上线>" in text(tab)
    press(tab, say(language, "months.compare_show"), "location.search.includes('before')")
    assert say(language, "months.compared", before="2026-10", after="2026-11") in text(tab)
    check_page(tab, f"{language}-monitor")
    assert complaints(tab) == []
