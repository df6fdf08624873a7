"""What the browser keeps: broken files, full storage, other tabs, pages gone back to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.web.browser import complaints, wait_until

pytest.importorskip("playwright.sync_api")
pytest.importorskip("markdown_it")

from playwright.sync_api import expect
from tests.web.paced import Open, kept

from relyon.core.texts import catalogue

if TYPE_CHECKING:
    from playwright.sync_api import Page

WORDS = catalogue("learn", "en")
EMPTY: dict[str, Any] = {
    "format": "relyon-learn", "version": 1, "answers": {}, "cards": {}, "scores": {},
}  # fmt: skip
CARD = {
    "added": "2026-01-01T00:00:00Z", "due": "2026-01-02T00:00:00Z", "stability": 2.5,
    "difficulty": 5.0, "elapsed_days": 0, "scheduled_days": 1, "learning_steps": 0, "reps": 1,
    "lapses": 0, "state": 2, "last_review": "2026-01-01T00:00:00Z",
}  # fmt: skip
FULL = "() => { Storage.prototype.setItem = () => { throw new DOMException(); }; }"


def load(tab: Page, content: object) -> None:
    tab.locator("#file").set_input_files(
        {"name": "x.json", "mimeType": "application/json", "buffer": json.dumps(content).encode()}
    )
    expect(tab.locator("#said")).not_to_be_empty()


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("answers", None),
        ("answers", 5),
        ("answers", []),
        ("places", "x"),
        ("cards", None),
        ("cards", {}),
        ("cards", {"added": "never"}),
        ("cards", CARD | {"due": "soon"}),
        ("cards", CARD | {"last_review": "x"}),
        ("cards", CARD | {"state": 9}),
        ("cards", CARD | {"stability": -1}),
        ("cards", CARD | {"difficulty": "hard"}),
        ("cards", CARD | {"reps": "x"}),
    ],
)
def test_what_a_file_says_wrongly_is_left_out_and_counted(
    part: str, value: object, opened: Open
) -> None:
    tab = opened("index.html")
    good = {"done": True, "right": True, "answer": [1]}
    load(
        tab,
        EMPTY
        | {"answers": {"01-first/guess": good}, "cards": {"01-first/card": CARD}}
        | {part: {"01-first/guess": good if part == "answers" else CARD, "01-first/x": value}},
    )
    expect(tab.locator("#said")).to_have_text(WORDS.say("page.imported_but.one", count=1))
    assert "01-first/x" not in kept(tab)[part]
    assert "01-first/guess" in kept(tab)["answers"]
    for page in ("index.html", "01-first.html", "cards.html"):
        assert complaints(opened(page)) == []
    tab.locator("#all-cards").evaluate("one => one.click()")
    tab.locator("#box .show").click()
    tab.keyboard.press("3")
    assert complaints(tab) == []


@pytest.mark.parametrize(
    "content",
    [
        None, [], 7, "x", {}, EMPTY | {"version": 2}, EMPTY | {"answers": []},
        EMPTY | {"cards": None}, EMPTY | {"places": [1]}, EMPTY | {"settings": "x"},
    ],
)  # fmt: skip
def test_what_is_no_progress_changes_nothing(content: object, opened: Open) -> None:
    tab = opened("index.html")
    tab.evaluate("relyon.store.put('answers', 'a/b', { done: true })")
    load(tab, content)
    expect(tab.locator("#said")).to_have_text(WORDS["page.not_progress"])
    assert kept(tab)["answers"] == {"a/b": {"done": True}}


def test_a_browser_that_keeps_nothing_says_so_and_loses_nothing_on_the_page(opened: Open) -> None:
    tab = opened()
    tab.evaluate("relyon.store.put('answers', 'a/before', { done: true })")
    tab.evaluate(FULL)
    tab.locator("#guess input").nth(1).check()
    tab.locator("#guess [type=submit]").click()
    said = tab.get_by_role("alert")
    expect(said).to_contain_text(WORDS["page.not_kept"])
    tab.locator(".onward").click()
    tab.locator(".skip-step").click()
    assert said.count() == 1
    assert list(tab.evaluate("relyon.store.answers")) == [
        "a/before", "01-first/guess", "01-first/dcg",
    ]  # fmt: skip
    with tab.expect_download() as saved:
        said.get_by_role("button").click()
    assert "01-first/dcg" in json.loads(saved.value.path().read_text("utf-8"))["answers"]
    assert complaints(tab) == []


def test_a_page_gone_back_to_and_another_tab_know_the_last_answers(opened: Open) -> None:
    tab = opened("index.html")
    row = tab.locator("[data-lesson='01-first'] .progress")
    expect(row).to_be_empty()
    tab.locator("a[href='01-first.html']").first.click()
    other = tab.context.new_page()
    other.goto(tab.url)
    for page, name in ((tab, "guess"), (other, "dcg")):
        page.evaluate(f"relyon.store.put('answers', '01-first/{name}', {{ done: true }})")
    other.close()
    wait_until(tab, "'01-first/dcg' in relyon.store.answers")
    tab.go_back()
    expect(row).to_contain_text("2")
    assert sorted(kept(tab)["answers"]) == ["01-first/dcg", "01-first/guess"]


def test_what_was_forgotten_elsewhere_does_not_come_back(opened: Open) -> None:
    tab = opened()
    tab.evaluate("relyon.store.put('answers', 'a/b', { done: true })")
    tab.evaluate("localStorage.clear()")
    tab.evaluate("relyon.store.put('answers', 'a/c', { done: true })")
    assert list(kept(tab)["answers"]) == ["a/c"]
