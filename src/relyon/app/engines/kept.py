"""What was tried, kept for a while for the person who tried it, so that a page can be read again.

Nothing is asked again when a page is loaded, a grade is given or somebody goes back.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from relyon.app.engines.trying import Side
from relyon.core.errors import InputError
from relyon.core.texts import message

__all__ = ["Done", "Kept", "Try"]

#: Tries that are kept of one person and of all, and seconds until an unused one is forgotten.
OWN, ALL = 8, 100
FORGOTTEN = 2 * 3600.0

#: What was done on a page of a try.
Done = Literal["graded", "late", "undone", "queued"]


@dataclass
class Try:
    """A query that was tried.

    Attributes:
        owner: The account that may see it.
        project: The project.
        engine: The name of the engine.
        query: The id of the query in the project, or its text.
        text: What the engine was asked.
        k: How many results.
        explain: Whether explanations were asked for.
        sides: One or two variants and their results.
        chosen: The names of the variants whose parameters were changed, if they were.
        done: What was done last, to be said once.
        values: The numbers and names of that sentence.
        key: The key of the grade that was given last: it can be taken back.
        token: Names it in addresses.
    """

    owner: int
    project: int
    engine: str
    query: str
    text: str
    k: int
    explain: bool
    sides: tuple[Side, ...]
    chosen: tuple[str, ...]
    done: Done | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    key: str = ""
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    used: float = 0.0

    def say(self) -> tuple[str, Mapping[str, object]]:
        """Returns what was done last, with its values; empty the next time."""
        said = self.done or "", self.values
        self.done, self.values = None, {}
        return said


class Kept:
    """The tries of an app, in memory.

    Args:
        clock: Returns the elapsed seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._found: dict[str, Try] = {}
        self._lock = threading.Lock()

    def keep(self, one: Try) -> None:
        """Keeps a try; the oldest make room."""
        with self._lock:
            now = one.used = self._clock()
            self._found = {
                token: other for token, other in self._found.items() if other.used > now - FORGOTTEN
            }
            mine = [other for other in self._found.values() if other.owner == one.owner]
            if len(mine) >= OWN:
                del self._found[min(mine, key=lambda other: other.used).token]
            if len(self._found) >= ALL:
                del self._found[min(self._found.values(), key=lambda other: other.used).token]
            self._found[one.token] = one

    def find(self, token: str, owner: int, project: int) -> Try:
        """Returns a person's own try in a project.

        Raises:
            InputError: If it is not kept any more, or not theirs.
        """
        with self._lock:
            found = self._found.get(token)
            now = self._clock()
            if (
                found is None
                or (found.owner, found.project) != (owner, project)
                or found.used <= now - FORGOTTEN
            ):
                raise InputError(
                    message("app.try-is-forgotten"), hint=message("app.start-it-again")
                )
            found.used = now
            return found
