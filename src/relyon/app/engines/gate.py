"""How often, and how many at the same time, people may ask engines."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable

from relyon.core.errors import InputError
from relyon.core.texts import message

__all__ = ["Gate", "Turn"]

#: Tries of one person per minute, and tries of all people at the same time.
PER_MINUTE, AT_ONCE = 20, 4
MINUTE = 60.0


class Turn:
    """The turn of a person, which ends when all its parts have ended.

    Args:
        parts: How many there are.
        end: Called at the end.
    """

    def __init__(self, parts: int, end: Callable[[], None]) -> None:
        self._left = parts
        self._end = end
        self._lock = threading.Lock()

    def leave(self, parts: int = 1) -> None:
        """Ends one part, or several."""
        with self._lock:
            self._left -= parts
            over = self._left == 0
        if over:
            self._end()


class Gate:
    """Lets people ask engines: one try at a time each, a few per minute, and a few of all.

    A try counts until the last request has ended, also if its page was left: an engine
    that never answers cannot be asked by more and more threads.

    Args:
        clock: Returns the elapsed seconds.

    Examples:
        >>> gate = Gate()
        >>> turn = gate.enter(7)
        >>> gate.enter(7)
        Traceback (most recent call last):
        relyon.InputError: your last try is not finished
        <BLANKLINE>
        hint: try again in a few seconds
        >>> turn.leave()
        >>> turn = gate.enter(7)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._running: set[int] = set()
        self._begun: dict[int, deque[float]] = {}

    def enter(self, person: int, *, parts: int = 1) -> Turn:
        """Begins a try.

        Args:
            person: The account.
            parts: How many requests it has.

        Raises:
            InputError: If the person, or all people, ask too much.
        """
        with self._lock:
            now = self._clock()
            for one in [one for one, times in self._begun.items() if times[-1] <= now - MINUTE]:
                del self._begun[one]
            if person in self._running:
                raise InputError(message("app.try-is-running"), hint=message("app.try-again-soon"))
            begun = self._begun.get(person, deque())
            while begun and begun[0] <= now - MINUTE:
                begun.popleft()
            if len(begun) >= PER_MINUTE:
                seconds = math.ceil(begun[0] + MINUTE - now)
                raise InputError(
                    message("app.try-too-often", count=PER_MINUTE),
                    hint=message("app.try-again-in", seconds=seconds),
                )
            if len(self._running) >= AT_ONCE:
                raise InputError(
                    message("app.too-many-tries", count=AT_ONCE),
                    hint=message("app.try-again-soon"),
                )
            begun.append(now)
            self._begun[person] = begun
            self._running.add(person)
        return Turn(parts, lambda: self._leave(person))

    def _leave(self, person: int) -> None:
        with self._lock:
            self._running.discard(person)
