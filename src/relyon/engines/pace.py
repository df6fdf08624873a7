"""Rate limiting of requests across several threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["Pace", "StoppedError"]


class StoppedError(Exception):
    """The work is stopped: nothing more is sent."""


class Pace:
    """Spaces requests evenly, and pauses all of them when the endpoint asks for it.

    Args:
        per_minute: Maximum number of requests per minute; None for no limit.
        clock: Returns the elapsed seconds.
        wait: Waits for a number of seconds, or until `stop` is called.

    Raises:
        ParameterError: If `per_minute` is not above 0.
    """

    def __init__(
        self,
        per_minute: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        if per_minute is not None and not per_minute > 0:
            raise ParameterError(
                message(
                    "engines.parameter-per-minute",
                    per_minute=per_minute,
                )
            )
        self._space = 0.0 if per_minute is None else 60 / per_minute
        self._clock = clock
        self._stopped = threading.Event()
        self._wait = wait or self._stopped.wait
        self._lock = threading.Lock()
        self._next = clock()
        self._paused_until = clock()

    @property
    def stopped(self) -> bool:
        """Whether nothing more may be sent."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Ends all waiting: from now on every turn raises."""
        self._stopped.set()

    def pause(self, seconds: float) -> None:
        """Delays the next request of all threads."""
        with self._lock:
            self._paused_until = max(self._paused_until, self._clock() + seconds)

    def sleep(self, seconds: float) -> None:
        """Waits in the calling thread.

        Raises:
            StoppedError: If the work is stopped.
        """
        if seconds > 0:
            self._wait(seconds)
        if self.stopped:
            raise StoppedError

    def take_turn(self) -> None:
        """Waits until the next request may be sent.

        Raises:
            StoppedError: If the work is stopped.
        """
        while True:
            with self._lock:
                mine = max(self._next, self._clock(), self._paused_until)
                self._next = mine + self._space
            while (left := mine - self._clock()) > 0:
                self.sleep(left)
            self.sleep(0)
            # A pause that began meanwhile: take a turn after it, or all waiting threads would go at
            # once.
            if self._paused_until <= mine:
                return
