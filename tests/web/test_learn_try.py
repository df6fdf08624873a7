"""A command on one's own files: names typed once are in every command, quoted for a shell."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest
from tests.web.browser import open_page, overflow

pytest.importorskip("playwright.sync_api")
pytest.importorskip("markdown_it")

from playwright.sync_api import expect

from relyon.learn import course
from relyon.learn.blocks import Try

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from relyon.learn.lesson import Lesson

NAMES = [
    "plain.qrels",
    "two words.qrels",
    "it's.qrels",
    "标注.qrels",
    '$HOME`x`"; rm -rf *.run',
    "a\\b",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_one_word_of_a_command(tab_of_window: Page, address: str, name: str) -> None:
    open_page(tab_of_window, f"{address}en/03-ndcg.html?all")
    blocks = [one for one in _lesson().blocks if isinstance(one, Try)]
    first = tab_of_window.locator(f"#{blocks[0].id}")
    first.locator("summary").click()
    first.locator("[name=judgments]").fill(name)
    for block in blocks:
        code = tab_of_window.locator(f"#{block.id} .command code").inner_text()
        wanted = block.command.format(**{**block.places, "judgments": shlex.quote(name)})
        assert shlex.split(code) == shlex.split(wanted)
    tab_of_window.reload()
    expect(first.locator("[name=judgments]")).to_have_value(name)


def test_a_name_that_begins_with_a_dash_is_no_option(tab_of_window: Page, address: str) -> None:
    open_page(tab_of_window, f"{address}en/03-ndcg.html?all", width=390)
    section = tab_of_window.locator("section.try").first
    section.locator("summary").click()
    section.locator("[name=run]").fill("--help")
    assert "./--help" in shlex.split(section.locator("code").inner_text())
    section.locator("[name=run]").fill("  ")
    assert "run.trec" in shlex.split(section.locator("code").inner_text())
    assert overflow(tab_of_window) == 0


@pytest.mark.parametrize("clipboard", [True, False], ids=["clipboard", "none"])
def test_it_can_be_copied(tab_of_window: Page, address: str, clipboard: bool) -> None:
    open_page(tab_of_window, f"{address}zh/03-ndcg.html?all")
    tab_of_window.evaluate(
        """(works) => {
          window.copied = null;
          const writeText = async (text) => {
            if (!works) throw new Error();
            window.copied = text;
          };
          Object.defineProperty(navigator, "clipboard", { value: { writeText } });
          document.addEventListener("copy", () => { window.copied = String(getSelection()); });
        }""",
        clipboard,
    )
    section = tab_of_window.locator("section.try").first
    section.locator(".copy").focus()
    tab_of_window.keyboard.press("Enter")
    expect(section.locator(".said")).to_have_text("已复制。")
    assert tab_of_window.evaluate("window.copied") == section.locator("code").inner_text()


def _lesson() -> Lesson:
    return next(one for one in course("en") if one.name == "03-ndcg")
