"""A clock that tests turn."""

from __future__ import annotations


class Clock:
    """Tells the time that a test has set.

    Attributes:
        now: Seconds since 1970.
    """

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now
