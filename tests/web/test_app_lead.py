"""A lead's day in the browser, in both languages: from an empty database to a file of decisions."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright")
pytest.importorskip("uvicorn")

from playwright.sync_api import Page
from tests.databases import create_file
from tests.web.browser import complaints, open_page, wait_until
from tests.web.server import PASSWORD, Server, ThreadServer
from tests.web.sign_in import fill_in, sign_in

from relyon.app.catalogue import say
from relyon.core.language import Language
from relyon.judging.coefficients import fleiss_kappa
from relyon.judging.store import open_store

LOADED = "document.readyState === 'complete'"
#: Of ten results two judges graded eight, and disagree about three.
GRADES = [(3, 3), (2, 2), (0, 0), (1, 1), (3, 3), (3, 0), (0, 2), (2, 1)]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with open_store(create_file(tmp_path / "judging.db")) as store:
        store.accounts.create("lead", role="admin", password=PASSWORD)
    with ThreadServer(tmp_path / "judging.db") as running:
        yield running


def write_csv(path: Path) -> Path:
    rows: list[list[object]] = [["query", "document", "title", "judge", "grade"]]
    for n in range(10):
        judges = zip(("ana", "bo"), GRADES[n], strict=True) if n < len(GRADES) else [("", "")]
        rows += [["red shoes", f"d{n}", f"Shoe {n}", judge, grade] for judge, grade in judges]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def text(tab: Page, selector: str = "main") -> str:
    return str(tab.evaluate(f"document.querySelector({selector!r}).innerText"))


def go(tab: Page, selector: str, path: str) -> None:
    """Clicks and waits for the page that comes."""
    tab.evaluate("window.before = true")
    tab.click(selector)
    wait_until(tab, f"!window.before && location.pathname === '{path}' && {LOADED}")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_from_a_project_to_its_export(
    tab: Page, server: Server, tmp_path: Path, language: Language
) -> None:
    sign_in(tab, server, "lead", "/", language=language)
    assert say(language, "projects.none") in text(tab)

    # A project, made in the form.
    tab.click("form[action='/projects'] [name=name]")
    tab.keyboard.insert_text("六月 June")
    go(tab, "form[action='/projects'] button", "/projects/1")
    assert text(tab, "h1") == "六月 June"
    assert say(language, "lead.nobody") in text(tab)

    # A file with grades, and the progress afterwards.
    go(tab, ".tabs a[href$='/data']", "/projects/1/data")
    tab.set_input_files("[name=file]", write_csv(tmp_path / "june.csv"))
    tab.evaluate("window.before = true")
    tab.click("#upload button")
    wait_until(tab, f"!window.before && {LOADED}")
    go(tab, "[value=import]", tab.evaluate("location.pathname"))
    assert say(language, "lead.imported", items=10, grades=16) in text(tab)
    open_page(tab, f"{server.address}/projects/1")
    assert say(language, "projects.finished", finished=8, items=10) in text(tab)
    rows = tab.evaluate(
        "[...document.querySelectorAll('[aria-labelledby=judges] tbody tr')].map(one =>"
        " [...one.cells].slice(0, 2).map(cell => cell.textContent))"
    )
    assert rows == [["ana", "8"], ["bo", "8"]]

    # How far the two agree.
    go(tab, "a[href$='/agreement']", "/projects/1/agreement")
    assert text(tab, ".tabs [aria-current]") == say(language, "tabs.quality")
    assert f"{fleiss_kappa([list(pair) for pair in GRADES]):.2f}" in text(tab)

    # Three disagreements: one decided by the mouse, two by keys alone.
    open_page(tab, f"{server.address}/projects/1")
    go(tab, "a[href$='/queue']", "/projects/1/queue")
    assert say(language, "lead.to_decide", count=3) in text(tab)
    assert text(tab, ".case .title") == "Shoe 5"
    assert "ana" in text(tab, ".case table")
    go(tab, ".case button[value='2.0']", "/projects/1/queue")
    assert say(language, "lead.to_decide", count=2) in text(tab)
    assert "Shoe 5" not in tab.evaluate(
        "[...document.querySelectorAll('.case')].map(one => one.innerText).join()"
    )
    for left, key in ((1, "3"), (0, "0")):
        # The focus is on the next one, and its note is one key away.
        assert tab.evaluate("document.activeElement.className") == "case"
        tab.keyboard.press("n")
        tab.keyboard.insert_text("因为 because")
        tab.keyboard.press("Escape")
        tab.evaluate("window.before = true")
        tab.keyboard.press(key)
        wait_until(tab, f"!window.before && {LOADED}")
        expected = say(language, "lead.to_decide", count=left)
        wait_until(tab, f"document.querySelector('main').innerText.includes({expected!r})")
    assert say(language, "lead.nothing_to_decide") in text(tab)
    with open_store(server.database) as store:
        titles = {one.id: one.title for one in store.items.all(1)}
        decided = {titles[item]: grade for item, grade in store.decisions.all(1).items()}
        assert decided == {"Shoe 5": 2.0, "Shoe 6": 3.0, "Shoe 7": 0.0}
        final = {one.item.title: (one.value, one.source) for one in store.decisions.final_grades(1)}
    assert final["Shoe 5"] == (2.0, "adjudicated")
    assert final["Shoe 0"] == (3.0, "median")

    # The file that leaves has the decisions.
    open_page(tab, f"{server.address}/projects/1/data")
    tab.click("[name=form][value=csv]")
    with tab.expect_download() as download:
        tab.click("form[action$=export] button")
    written = download.value.path().read_text("utf-8-sig")
    found = csv.DictReader(written.splitlines())
    grades = {row["title"]: row["final"] for row in found if row["final"]}
    assert {title: grades[title] for title in decided} == {
        "Shoe 5": "2",
        "Shoe 6": "3",
        "Shoe 7": "0",
    }
    assert complaints(tab) == []


def test_a_decision_can_be_changed(tab: Page, server: Server, tmp_path: Path) -> None:
    with open_store(server.database) as store:
        store.projects.create("June", overlap=2)
    sign_in(tab, server, "lead", "/projects/1/data")
    tab.set_input_files("[name=file]", write_csv(tmp_path / "june.csv"))
    tab.evaluate("window.before = true")
    tab.click("#upload button")
    wait_until(tab, f"!window.before && {LOADED}")
    go(tab, "[value=import]", tab.evaluate("location.pathname"))
    open_page(tab, f"{server.address}/projects/1/queue")
    go(tab, ".case button[value='2.0']", "/projects/1/queue")
    assert text(tab, ".secret").startswith("Decided: “Shoe 5” is Middle.")
    go(tab, ".secret a", "/projects/1/queue")
    assert text(tab, ".case .title") == "Shoe 5"
    assert tab.evaluate("document.activeElement.innerText").startswith("Query")
    tab.evaluate("window.before = true")
    tab.keyboard.press("3")
    wait_until(tab, f"!window.before && {LOADED}")
    assert text(tab, ".secret").startswith("Decided: “Shoe 5” is High.")
    with open_store(server.database) as store:
        assert list(store.decisions.all(1).values()) == [3.0]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_account_from_its_making_to_its_own_password(
    tab: Page, server: Server, language: Language
) -> None:
    sign_in(tab, server, "lead", "/accounts", language=language)
    tab.evaluate("document.querySelector('details:has(form[action=\"/accounts\"])').open = true")
    tab.click("form[action='/accounts'] [name=name]")
    tab.keyboard.insert_text("王小明")
    go(tab, "form[action='/accounts'] button", "/accounts")
    first = text(tab, ".secret code")
    open_page(tab, f"{server.address}/accounts")
    assert first not in tab.evaluate("document.documentElement.outerHTML")

    def enter(password: str, ready: str) -> None:
        tab.context.clear_cookies()
        open_page(tab, f"{server.address}/sign-in?lang={language}")
        fill_in(tab, "王小明", password)
        wait_until(tab, f"{ready} && {LOADED}")

    enter(first, "location.pathname === '/account/password'")
    assert say(language, "account.must_change") in text(tab)
    for name, value in (("old", first), ("new", "ein ganz neuer Satz")):
        tab.click(f"[name={name}]")
        tab.keyboard.insert_text(value)
    go(tab, "form[action='/account/password'] button", "/")
    assert say(language, "projects.none_judge") in text(tab)
    enter("ein ganz neuer Satz", "location.pathname === '/'")
    enter(first, "document.querySelector('.problem')")
    assert text(tab, ".problem") == say(language, "sign_in.wrong")
