"""What is said on stderr: errors, hints, notes, progress."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from typing import Self

from relkit.core.notes import Note
from relkit.core.rendering import wrap

__all__ = ["Messages", "Progress", "messages"]

RED, YELLOW, CYAN, GREEN, DIM = "31;1", "33;1", "36;1", "32;1", "2"


class Messages:
    """Writes to stderr, in colour where it is a terminal and nobody objects.

    Attributes:
        color: False after ``--no-color``; `None` leaves it to the terminal and NO_COLOR.
    """

    def __init__(self) -> None:
        self.color: bool | None = None

    def reset(self) -> None:
        """Forgets the choice of an earlier command of the same process."""
        self.color = None

    def paint(self, text: str, style: str) -> str:
        """Returns a text in a colour, or as it is."""
        return f"\x1b[{style}m{text}\x1b[0m" if self._colored() else text

    def _colored(self) -> bool:
        if self.color is not None:
            return self.color
        return (
            not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb"
            and sys.stderr.isatty()
        )

    def say(self, text: str = "") -> None:
        """Writes a line as it is."""
        try:
            sys.stderr.write(text + "\n")
            sys.stderr.flush()
        except OSError:
            # Nobody reads stderr: there is nobody to tell.
            pass

    def error(self, message: str, hint: str = "") -> None:
        """Writes an error and what to do about it."""
        self._line("error", RED, message)
        if hint:
            self._line("hint", CYAN, hint)

    def warning(self, message: str) -> None:
        """Writes a warning."""
        self._line("warning", YELLOW, message)

    def note(self, message: str) -> None:
        """Writes a note."""
        self._line("note", GREEN, message)

    def notes(self, notes: Iterable[Note]) -> None:
        """Writes notes about the data."""
        for note in notes:
            write = self.warning if note.level == "warning" else self.note
            write(str(note))

    def _line(self, word: str, style: str, message: str) -> None:
        lines = message.split("\n")
        self.say(f"{self.paint(word + ':', style)} {lines[0]}")
        for line in lines[1:]:
            self.say(f"  {line}" if line else "")

    def dim(self, text: str) -> None:
        """Writes something of little weight, folded to 80 columns."""
        for line in wrap(text, 80, "  "):
            self.say(self.paint(line, DIM))


messages = Messages()


class Progress:
    """One line on a terminal that says how far a longer work is; nothing for a short one.

    Args:
        what: The work, such as "evaluating".
        after: Seconds without a line.
    """

    def __init__(self, what: str, after: float = 1.0) -> None:
        self.what = what
        self._start = time.monotonic() + after
        self._shown = False
        self._terminal = sys.stderr.isatty()

    def __call__(self, done: int, total: int, detail: str = "") -> None:
        """Shows that `done` of `total` parts are done."""
        if not self._terminal or time.monotonic() < self._start:
            return
        share = f"{done:,} of {total:,}" if total else f"{done:,}"
        line = f"{self.what}: {share}" + (f" ({detail})" if detail else "")
        sys.stderr.write(f"\r\x1b[K{line[:79]}")
        sys.stderr.flush()
        self._shown = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
