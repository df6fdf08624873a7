"""How somebody signs in to the app in the browser."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page
from tests.web.browser import open_page, wait_until
from tests.web.server import PASSWORD, Server


def sign_in(
    tab: Page, server: Server, name: str, target: str, *, language: str = "en", **view: Any
) -> None:
    """Signs in and waits for a page of the app."""
    tab.context.clear_cookies()
    open_page(tab, f"{server.address}/sign-in?next={target}&lang={language}", **view)
    tab.evaluate("localStorage.clear()")
    fill_in(tab, name)
    wait_until(tab, f"location.pathname === '{target}' && document.readyState === 'complete'")


def fill_in(tab: Page, name: str, password: str = PASSWORD) -> None:
    """Fills in and sends the form of the sign-in page."""
    tab.evaluate(f"document.querySelector('[name=name]').value = '{name}'")
    tab.evaluate(f"document.querySelector('[name=password]').value = '{password}'")
    tab.evaluate("document.querySelector('.form').requestSubmit()")
