"""A connection to PostgreSQL that does not wait forever for a server that went silent."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

import psycopg

if TYPE_CHECKING:
    from psycopg.abc import PQGen

__all__ = ["SilentError", "TimedConnection"]

T = TypeVar("T")


class SilentError(psycopg.OperationalError):
    """The server neither answers nor ends the statement."""


class TimedConnection(psycopg.Connection):
    """A connection whose waits end at a time, which `end` says in seconds of `time.monotonic`."""

    end = float("inf")

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        """Waits for the server until `end`.

        Raises:
            SilentError: If the time is over; the connection is of no more use then.
        """
        if timeout is not None:  # earlier versions of psycopg do not know it
            return super().wait(self._limited(gen), interval, timeout)
        return super().wait(self._limited(gen), interval)

    def _limited(self, steps: PQGen[T]) -> PQGen[T]:
        """Goes through the steps of a statement; they are resumed from time to time."""
        try:
            wanted = next(steps)
            while True:
                ready = yield wanted
                if time.monotonic() > self.end:
                    raise SilentError("no answer in time")
                wanted = steps.send(ready)
        except StopIteration as stop:
            result: T = stop.value
            return result
