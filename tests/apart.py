"""Coroutines in a thread of their own: browsers of other tests may keep a loop in the first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import anyio

__all__ = ["run_apart"]


def run_apart(main: Callable[[], Awaitable[object]]) -> None:
    """Runs a coroutine to its end; its errors are raised."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(anyio.run, main).result()
