"""A finger on the screen."""

from __future__ import annotations

from playwright.sync_api import Locator, Page
from tests.web.browser import call_browser, wait_until

#: Steps in which a finger moves: fast enough to pass several rows between two events.
STEPS = 6


def middle(place: Locator) -> tuple[float, float]:
    """Returns the middle of an element in the window."""
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def tap(place: Locator) -> None:
    """Taps an element, and waits for the click that follows."""
    place.evaluate(
        "place => { window.tapped = false;"
        " place.addEventListener('click', () => { window.tapped = true; }, { once: true }); }"
    )
    place.tap()
    wait_until(place.page, "window.tapped")


def drag(tab: Page, start: tuple[float, float], end: tuple[float, float], hold: int = 250) -> None:
    """Puts a finger down, moves it and lifts it.

    Args:
        tab: The page.
        start: Where it is put down, in pixels of the window.
        end: Where it is lifted.
        hold: Milliseconds for which it stays at the end: if none, the browser takes the way for a
            flick, and the next tap for what stops it.
    """

    def touch(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y, "id": 1} for x, y in points]
        call_browser(tab, "Input.dispatchTouchEvent", type=kind, touchPoints=at)

    touch("touchStart", start)
    for step in range(1, STEPS + 1):
        way = step / STEPS
        touch(
            "touchMove",
            (start[0] + way * (end[0] - start[0]), start[1] + way * (end[1] - start[1])),
        )
        tab.wait_for_timeout(20)
    tab.wait_for_timeout(hold)
    touch("touchEnd")
    tab.wait_for_timeout(30)
