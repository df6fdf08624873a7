"""Drawing on other threads, while the rest of a report is made.

V8 draws, outside Python: it takes half a second to start, and then a few hundredths for each chart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relyon.report.page import Chart

__all__ = ["draw_ahead", "start_drawing"]


@cache
def start_drawing() -> None:
    """Starts what draws, once, so that it is ready for the first chart.

    What is wrong with it, such as that it is not installed, is for that chart to tell.
    """
    # Not a daemon: when Python ends, it must not stop a thread inside V8.
    Thread(target=_start, name="relyon-start-drawing").start()


def _start() -> None:
    from relyon.report.charts import svg_of_nothing

    with suppress(Exception):
        svg_of_nothing()


def draw_ahead(charts: Iterable[Chart]) -> Callable[[Chart, str], str]:
    """Draws charts one after the other on another thread, at every width.

    Args:
        charts: The charts, in the order in which they will be asked for.

    Returns:
        A function that returns one of these charts at a width, waiting for it if need be.
    """
    from concurrent.futures import ThreadPoolExecutor

    from relyon.report.charts import WIDTHS, svg_of

    pool = ThreadPoolExecutor(1, "relyon-drawing")
    found = {
        (id(chart), size): (pool.submit(svg_of, chart, size), chart)
        for chart in charts
        for size in WIDTHS
    }
    pool.shutdown(wait=False)
    return lambda chart, size: found[id(chart), size][0].result()
