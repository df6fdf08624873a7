"""A browser without a window, driven by Playwright."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from tests.passwords import cheapen_passwords
from tests.programs import skip_without_program

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page
    from tests.web.paced import Open

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session", autouse=True)
def _cheap_passwords() -> Iterator[None]:
    """Hashes that take no time; a server in a process of its own makes real ones."""
    with pytest.MonkeyPatch.context() as patch:
        if find_spec("argon2"):
            cheapen_passwords(patch)
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser that is installed here."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        skip_without_program(f"no browser is installed: {', '.join(NAMES)}")
    playwright.expect.set_options(timeout=20_000)
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(
            executable_path=program, args=["--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield running
        running.close()


def _context(browser: Browser) -> BrowserContext:
    """A new window, with time for lessons that compute their figures when first asked for."""
    context = browser.new_context(no_viewport=True)
    context.set_default_navigation_timeout(90_000)
    return context


@pytest.fixture
def profile(browser: Browser) -> Iterator[BrowserContext]:
    """The cookies and the storage of one person."""
    context = _context(browser)
    yield context
    context.close()


@pytest.fixture
def tab(profile: BrowserContext) -> Page:
    """A page of its own."""
    return profile.new_page()


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[BrowserContext]:
    """A window that stays open for a file of tests: opening one is most of the work of a page."""
    context = _context(browser)
    context.new_page()
    yield context
    context.close()


@pytest.fixture
def tab_of_window(window: BrowserContext, tmp_path: Path) -> Iterator[Page]:
    """A page of its own, for tests that look at pages: what it stored is forgotten with it."""
    from tests.web.browser import forget

    page = window.new_page()
    yield page
    parts = urlsplit(page.url)
    if parts.scheme == "file":
        forget_files(page, tmp_path)
    else:
        page.goto("about:blank")  # a page writes once more as it is left
        forget(page, f"{parts.scheme}://{parts.netloc}")
    page.close()


def forget_files(tab: Page, folder: Path) -> None:
    """Makes the browser forget what pages of files kept: a page writes once more as it is left."""
    empty = folder / "empty.txt"
    empty.write_text("")
    tab.goto(empty.as_uri())
    tab.evaluate("localStorage.clear()")


@pytest.fixture
def other_tab(profile: BrowserContext) -> Page:
    """A second page of the same person: with the same cookies, and the same storage."""
    return profile.new_page()


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where `relyon learn` serves the course."""
    command = [sys.executable, "-m", "relyon", "learn", "--port", "0", "--lang", "en"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"http://[\d.]+:\d+/", process.stderr.readline())
        assert found is not None
        yield found[0]
        process.terminate()
        assert process.wait(30) == 0


@pytest.fixture(scope="module")
def short_course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of two short lessons as files."""
    pytest.importorskip("markdown_it")
    from tests.web.paced import write_lessons

    from relyon.learn.pages.site import write_site

    folder = tmp_path_factory.mktemp("paced")
    write_site(folder / "site", write_lessons(folder / "lessons"))
    return folder / "site"


@pytest.fixture
def opened(window: BrowserContext, short_course: Path, tmp_path: Path) -> Iterator[Open]:
    """Opens pages of the short course in one tab; what it kept is forgotten afterwards."""
    from tests.web.browser import open_page

    tab = window.new_page()

    def go(page: str = "01-first.html", *, language: str = "en", **options: Any) -> Page:
        name, mark, rest = page.partition("#") if "#" in page else page.partition("?")
        # The same page with another anchor would not be loaded again.
        tab.goto("about:blank")
        open_page(tab, (short_course / language / name).as_uri() + mark + rest, **options)
        return tab

    yield go
    forget_files(tab, tmp_path)
    tab.close()
