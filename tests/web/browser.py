"""What the tests do with a page of the browser beyond what Playwright names."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Literal
from weakref import WeakKeyDictionary

from playwright.sync_api import CDPSession, Error, Page


def open_page(
    tab: Page,
    page: Path | str,
    *,
    width: int = 1200,
    height: int = 900,
    scheme: Literal["light", "dark"] = "light",
) -> None:
    """Opens a file or an address in a window of some size, on a phone if it is narrow."""
    show_at(tab, width, height, scheme)
    tab.goto(page.as_uri() if isinstance(page, Path) else page)


def show_at(
    tab: Page, width: int, height: int = 900, scheme: Literal["light", "dark"] = "light"
) -> None:
    """Makes the window another one, on a phone if it is narrow."""
    # Playwright makes a page that of a phone once, when it is opened; here it turns into one.
    call_browser(
        tab,
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=height,
        deviceScaleFactor=1,
        mobile=width < 600,
    )
    tab.emulate_media(media="null", color_scheme=scheme)


def wait_until(tab: Page, condition: str, *, seconds: float = 20.0) -> None:
    """Waits until an expression in the page is true.

    `Page.wait_for_function` compiles its expression in the page, which our content security policy
    forbids.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            if tab.evaluate(condition):
                return
        except Error as error:
            if "context was destroyed" not in error.message:  # another page is on its way
                raise
        if time.monotonic() > end:
            raise TimeoutError(f"never true: {condition}\n{tab.inner_text('body')}")
        tab.wait_for_timeout(30)


def overflow(tab: Page) -> int:
    """Returns by how many pixels the page is wider than its window.

    A phone zooms out until a wide page fits, and its `innerWidth` grows with the page.
    """
    root = "document.documentElement"
    return int(tab.evaluate(f"{root}.scrollWidth - {root}.clientWidth"))


def call_browser(tab: Page, method: str, **parameters: Any) -> dict[str, Any]:
    """Calls a method of the debugging protocol, where Playwright has no word for it."""
    if tab not in _sessions:
        _sessions[tab] = tab.context.new_cdp_session(tab)
    found: dict[str, Any] = _sessions[tab].send(method, parameters)
    return found


#: What a session set holds as long as it lasts, and each one makes the page slower.
_sessions: WeakKeyDictionary[Page, CDPSession] = WeakKeyDictionary()


def forget(tab: Page, origin: str) -> None:
    """Makes the browser forget what pages of an origin stored, and all cookies."""
    call_browser(tab, "Storage.clearDataForOrigin", origin=origin, storageTypes="all")
    tab.context.clear_cookies()


def requests(tab: Page) -> list[str]:
    """Returns the addresses that the page asked for, itself left out."""
    return [
        one.url
        for one in tab.requests()
        if not one.is_navigation_request() and not one.url.startswith("data:")
    ]


def complaints(tab: Page) -> list[str]:
    """Returns the errors and warnings of the console, and the exceptions."""
    said = [one.text for one in tab.console_messages() if one.type in {"error", "warning"}]
    return said + [str(one) for one in tab.page_errors()]
