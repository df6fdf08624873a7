"""A folder of monthly rounds, reread when it changes."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from relyon.core.errors import RelyonError
from relyon.core.language import Language
from relyon.online.monitoring.archive import find_rounds
from relyon.online.monitoring.month_notes import NOTES

if TYPE_CHECKING:
    from markupsafe import Markup

    from relyon.online.monitoring import Monitor

__all__ = ["RoundsFolder"]

#: For each file of each round: its path, size, and when it was written and changed.
State = tuple[tuple[str, int, int, int], ...]


class RoundsFolder:
    """The monitor over a folder of rounds, for many threads at once.

    Reading, testing and drawing take seconds, so the result is cached until a file of a round is
    added, changed or removed, or a note is added.

    Args:
        folder: Where `relyon monitor add` puts rounds; it may not exist yet.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self._turn = threading.Lock()
        self._seen: State = ()
        self._found: Monitor | RelyonError | None = None
        self._parts: dict[Language, tuple[Markup, Markup]] = {}

    def is_empty(self) -> bool:
        """Returns whether there are no rounds yet."""
        return not find_rounds(self.folder)

    def monitor(self) -> Monitor:
        """Returns the monitor of the rounds.

        Raises:
            InputError: If there are no rounds, or one has been modified.
        """
        with self._turn:
            return self._read()

    def parts(self, language: Language) -> tuple[Monitor, Markup, Markup]:
        """Returns the monitor, and the opening and the sections of its page.

        Raises:
            InputError: If there are no rounds, or one has been modified.
            DependencyError: If a package of the extra `report` is not installed.
        """
        from relyon.report.html import render_parts
        from relyon.report.rounds import build_monitor_page

        with self._turn:
            found = self._read()
            if language not in self._parts:
                self._parts[language] = render_parts(build_monitor_page(found, language=language))
            return found, *self._parts[language]

    def _read(self) -> Monitor:
        from relyon.online.monitoring import monitor

        state = self._state()
        if self._found is None or state != self._seen:
            self._parts.clear()
            try:
                self._found = monitor(self.folder)
            except RelyonError as problem:
                self._found = problem
            self._seen = state
        if isinstance(self._found, RelyonError):
            # Without the traceback of the previous time.
            raise self._found.with_traceback(None)
        return self._found

    def _state(self) -> State:
        state = []
        files = [file.path for month in find_rounds(self.folder) for file in os.scandir(month)]
        notes = self.folder / NOTES
        for path in [*files, *([str(notes)] if notes.exists() else [])]:
            found = os.stat(path)
            # A file's modification time can be set back, but not its change time.
            state.append((path, found.st_size, found.st_mtime_ns, found.st_ctime_ns))
        return tuple(sorted(state))
