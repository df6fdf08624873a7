"""Things worth knowing about the data that are not errors: counted, with examples."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Note", "RelkitWarning", "warn"]


@dataclass(frozen=True)
class Note:
    """One observation about the input.

    Attributes:
        kind: A stable identifier such as `missing-queries`.
        message: The sentence shown to people.
        count: How many times it was seen.
        level: `warning` becomes an error under `--strict`; `info` never does.
        examples: A few of the ids concerned.
        values: What else the message says, by name, so that it can be said in another language.
    """

    kind: str
    message: str
    count: int = 1
    level: Literal["info", "warning"] = "info"
    examples: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        if not self.examples:
            return self.message
        shown = ", ".join(self.examples)
        more = ", …" if self.count > len(self.examples) else ""
        return f"{self.message} ({shown}{more})"


class RelkitWarning(UserWarning):
    """A note about the data whose level is `warning`: the numbers are there, but read the note.

    Examples:
        >>> import warnings, relkit
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     results = relkit.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}}, "rr")
        >>> [warning.category.__name__ for warning in caught]
        ['RelkitWarning']
    """


RelkitWarning.__module__ = "relkit"  # what users filter


def warn(notes: Iterable[Note], subject: str = "") -> None:
    """Issues a Python warning for each note that is one, as if the line that called relkit did.

    Args:
        notes: What was noticed.
        subject: What it was noticed about, such as a run's name.
    """
    level, frame = 1, sys._getframe(0)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "relkit":
        level, frame = level + 1, frame.f_back
    for note in notes:
        if note.level == "warning":
            text = f"{subject}: {note}" if subject else str(note)
            warnings.warn(text, RelkitWarning, stacklevel=level)
