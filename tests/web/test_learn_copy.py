"""A copy of the course as files: below a path of any web server, and opened from a folder."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.web.browser import complaints, open_page

pytest.importorskip("playwright.sync_api")
pytest.importorskip("markdown_it")

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder, and prints nothing."""

    def log_message(self, *_: object) -> None:
        """Keeps silent."""


@pytest.fixture
def below_a_path(short_course: Path, tmp_path: Path) -> Iterator[str]:
    """A web server on which the course is a folder among others, as in the documentation."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "learn").symlink_to(short_course, target_is_directory=True)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/docs/learn/"
        server.shutdown()
        thread.join()


def walk(tab: Page, root: str) -> None:
    """From the first page to a lesson, an answer, every other page, and the other language."""
    failed: list[str] = []
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("requestfailed", lambda request: failed.append(request.url))
    tab.on("response", lambda found: failed.append(found.url) if found.status >= 400 else None)
    open_page(tab, f"{root}en/index.html")
    lesson = tab.locator("a[href^='01-']").first
    lesson.click()
    expect(tab.locator("article[data-lesson^='01-']")).to_be_visible()
    tab.locator("#main form [type=radio]").first.check()
    tab.locator("#main form [type=submit]").first.click()
    expect(tab.locator("#main .reply p").first).to_be_visible()
    for name in ("cards", "game", "sheet", "index"):
        tab.locator(f"nav.places a[href='{name}.html']").click()
        expect(tab.locator(f"body[data-page={name}]")).to_be_visible()
    tab.locator("a[hreflang='zh-Hans']").click()
    expect(tab.locator("html")).to_have_attribute("lang", "zh-Hans")
    assert (failed, complaints(tab)) == ([], [])
    assert all(one.startswith((root, "data:", "blob:")) for one in asked), asked


def test_it_works_below_a_path_of_a_server(tab_of_window: Page, below_a_path: str) -> None:
    walk(tab_of_window, below_a_path)


def test_it_works_from_a_folder(tab_of_window: Page, short_course: Path) -> None:
    walk(tab_of_window, f"{short_course.as_uri()}/")
