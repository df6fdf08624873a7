"""Statistics of large projects: computed in the background, and shown slightly out of date.

Counting a million results takes seconds, and every page needs the numbers. So statistics of a large
project are recomputed only after some time, by one thread at a time, and requests in between get
the last ones. Those of other projects are always current.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar, cast

from relyon.core.errors import RelyonError
from relyon.core.texts import message
from relyon.judging.database_part import Base
from relyon.judging.schema import items, sa

__all__ = ["Figures", "NotReadyError", "is_large"]

T = TypeVar("T")

#: Number of results from which a project is large.
LARGE = 20_000
#: A figure is valid for this many times as long as it took to count.
SHARE = 20.0


class NotReadyError(RelyonError):
    """A figure is being counted for the first time, and the caller did not wait for it."""

    def __init__(self) -> None:
        super().__init__("this is still being counted", hint=message("judging.ask-again-in-few"))


@dataclass
class _Kept:
    """A figure, or the error in its place."""

    value: object = None
    error: BaseException | None = None
    good_until: float = 0.0


class Figures:
    """Cached figures of large projects."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[Hashable, _Kept] = {}
        self._counting: dict[Hashable, threading.Event] = {}

    def get(
        self,
        key: Hashable,
        count: Callable[[], T],
        *,
        patience: float | None = None,
        least: float = 0.0,
    ) -> T:
        """Returns the last figure, and recounts it in the background if it is too old.

        Args:
            key: The key of the figure.
            count: Counts it.
            patience: Seconds to wait for the first one; None waits as long as it takes.
            least: Minimum validity in seconds.

        Raises:
            NotReadyError: If the first count was not finished in time.
        """
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or time.monotonic() > kept.good_until:
                ready = self._start(key, count, least)
        if kept is None:
            if not ready.wait(patience):
                raise NotReadyError
            with self._lock:
                kept = self._kept[key]
        if kept.error is not None:
            with self._lock:
                self._kept.pop(key, None)
            raise kept.error
        return cast("T", kept.value)

    def forget(self) -> None:
        """Forgets all figures."""
        with self._lock:
            self._kept.clear()

    def _start(self, key: Hashable, count: Callable[[], object], least: float) -> threading.Event:
        """Counts in a thread, unless one is already doing so."""
        if key in self._counting:
            return self._counting[key]
        ready = self._counting[key] = threading.Event()

        def run() -> None:
            start = time.monotonic()
            found = _Kept()
            try:
                found.value = count()
            except BaseException as error:
                found.error = error
            end = time.monotonic()
            found.good_until = end + max(least, SHARE * (end - start))
            with self._lock:
                if found.error is None or key not in self._kept:
                    self._kept[key] = found
                del self._counting[key]
            ready.set()

        threading.Thread(target=run, name="figures", daemon=True).start()
        return ready


MORE = (
    sa.select(items.c.id)
    .where(items.c.project_id == sa.bindparam("project"))
    .limit(1)
    .offset(sa.bindparam("most"))
)


def is_large(store: Base, project_id: int) -> bool:
    """Returns whether counting a project takes too long to wait for it each time."""
    values = {"project": project_id, "most": LARGE}
    with store.database.read() as connection:
        return connection.execute(MORE, values).first() is not None
